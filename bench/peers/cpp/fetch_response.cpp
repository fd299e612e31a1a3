// models/fetch_response.py on packed states. Every variable has the bits that lockstep gives it;
// in scope `large` it has the same place too. The scope's constants are macros of the compiler's
// command line: PARTITIONS (how many), MAX_BACKLOG, MESSAGE_BYTES, LIMIT, PARTITION_LIMIT.
#include "explorer.hpp"

namespace {

constexpr int bits_for(int values) {
    int bits = 0;
    while ((1 << bits) < values) {
        ++bits;
    }
    return bits;
}

constexpr int N = PARTITIONS;
constexpr int kNameBits = bits_for(N);
constexpr int kLengthBits = bits_for(N + 1);
constexpr int kListBits = kLengthBits + N * kNameBits;
constexpr int kCountBits = bits_for(MAX_BACKLOG + 1);
constexpr int kWaitBits = bits_for(N + 1);

// to_visit: a list and a bit that says that there is one; None is all zeros.
constexpr int kToVisit = 0;
constexpr int kWaited = kToVisit + kListBits + 1;
constexpr int kOrder = kWaited + N * kWaitBits;
constexpr int kBacklog = kOrder + kListBits;
constexpr int kTaken = kBacklog + N * kCountBits;
constexpr int kChanged = kTaken + N * kCountBits;
constexpr int kReported = kChanged + N;
constexpr int kDue = kReported + N;
static_assert(kDue + N <= 63, "this program packs a state into one word");

constexpr Word mask(int bits) { return (Word{1} << bits) - 1; }
constexpr Word field(Word state, int at, int bits) { return state >> at & mask(bits); }

constexpr Word kIsVisiting = Word{1} << (kToVisit + kListBits);
constexpr Word kOfTheResponse = mask(N * kCountBits) << kTaken | mask(N) << kReported;

// A list is its length, then its items from the lowest bits up.
constexpr int length(Word list) { return static_cast<int>(list & mask(kLengthBits)); }
constexpr int item(Word list, int at) {
    return static_cast<int>(list >> (kLengthBits + at * kNameBits) & mask(kNameBits));
}

constexpr Word first_order() {
    Word list = N;
    for (int p = 0; p < N; ++p) {
        list |= Word(p) << (kLengthBits + p * kNameBits);
    }
    return list;
}

Word to_the_tail(Word list, int p) {
    Word items = 0;
    int kept = 0;
    for (int at = 0; at < N; ++at) {
        const int q = item(list, at);
        if (q != p) {
            items |= Word(q) << (kept++ * kNameBits);
        }
    }
    items |= Word(p) << ((N - 1) * kNameBits);
    return items << kLengthBits | N;
}

int backlog(Word state, int p) {
    return static_cast<int>(field(state, kBacklog + p * kCountBits, kCountBits));
}

int taken(Word state, int p) {
    return static_cast<int>(field(state, kTaken + p * kCountBits, kCountBits));
}

int least(int one, int other) { return one < other ? one : other; }

int readable(Word state, int p) {
    int in_all = 0;
    for (int q = 0; q < N; ++q) {
        in_all += taken(state, q);
    }
    const int left = LIMIT - in_all * MESSAGE_BYTES;
    const int room = least(left > 0 ? left / MESSAGE_BYTES : 0, PARTITION_LIMIT / MESSAGE_BYTES);
    const int waiting = backlog(state, p);
    // The first message of a response is returned even if it is larger than the limits.
    return room == 0 ? waiting > 0 && in_all == 0 : least(waiting, room);
}

struct FetchResponse {
    using Packed = State<1>;

    static Packed initial() { return {{kPresent | first_order() << kOrder}}; }

    template <class Emit>
    static void successors(const Packed& packed, Emit emit_state) {
        const Word s = packed.word[0];
        const auto emit = [&](Word state) { emit_state(Packed{{state}}); };
        for (int p = 0; p < N; ++p) {
            if (backlog(s, p) < MAX_BACKLOG) {  // append
                emit(s + (Word{1} << (kBacklog + p * kCountBits)));
            }
            if (!(s >> (kChanged + p) & 1)) {  // change_offsets
                emit(s | Word{1} << (kChanged + p));
            }
        }
        if (!(s & kIsVisiting)) {
            emit(begin_response(s));
            return;
        }
        const Word to_visit = field(s, kToVisit, kListBits);
        if (length(to_visit) == 0) {
            emit(finish_response(s));
            return;
        }
        emit(visit(s, to_visit));
    }

    static Word begin_response(Word s) {
        Word due = 0;
        for (int p = 0; p < N; ++p) {
            due |= Word(backlog(s, p) > 0) << p;
        }
        // Nothing is taken, reported or due between responses, nor is there a list to visit.
        return s | field(s, kOrder, kListBits) << kToVisit | kIsVisiting | due << kDue;
    }

    // read_records, report_change or pass_over, by what the partition at hand has.
    static Word visit(Word s, Word to_visit) {
        const int p = item(to_visit, 0);
        const Word rest =
            to_visit >> (kLengthBits + kNameBits) << kLengthBits | Word(length(to_visit) - 1);
        const Word changed = Word{1} << (kChanged + p);
        Word next = (s & ~(mask(kListBits) << kToVisit)) | rest << kToVisit;
        const int read = readable(s, p);
        if (read > 0) {
            next += Word(read) << (kTaken + p * kCountBits);
            next -= Word(read) << (kBacklog + p * kCountBits);
            next &= ~(changed | mask(kListBits) << kOrder);
            return next | to_the_tail(field(s, kOrder, kListBits), p) << kOrder;
        }
        if (s & changed) {
            return (next & ~changed) | Word{1} << (kReported + p);
        }
        return next;
    }

    static Word finish_response(Word s) {
        Word waited = 0;
        for (int p = 0; p < N; ++p) {
            if ((s >> (kDue + p) & 1) && taken(s, p) == 0) {
                const int before = static_cast<int>(field(s, kWaited + p * kWaitBits, kWaitBits));
                waited |= Word(least(before + 1, N)) << (p * kWaitBits);
            }
        }
        s &= ~(kOfTheResponse | mask(N) << kDue | mask(kListBits + 1) << kToVisit |
               mask(N * kWaitBits) << kWaited);
        return s | waited << kWaited;
    }
};

}  // namespace

int main(int count, char** arguments) { return explore<FetchResponse>(count, arguments); }
