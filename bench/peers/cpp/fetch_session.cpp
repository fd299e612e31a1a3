// models/fetch_session.py on packed states, for scopes with one consumer and one partition whose
// fetch offset alone varies. Every variable has the bits that lockstep gives it. The scope's
// constants are macros of the compiler's command line; of a tuple, how many items it has.
#include "explorer.hpp"

static_assert(FETCHERS == 1 && FOLLOWERS == 0 && PARTITIONS == 1, "one consumer, one partition");
static_assert(MAX_BYTES == 0 && MAX_FETCHER_LOG_START == -1 && MAX_LEADER_EPOCH == -1 &&
                  MAX_FETCHED_EPOCH == -1,
              "of a request's fields only the fetch offset varies");

namespace {

constexpr int bits_for(int values) {
    int bits = 0;
    while ((1 << bits) < values) {
        ++bits;
    }
    return bits;
}

constexpr Word mask(int bits) { return (Word{1} << bits) - 1; }

// Some bits of a word. A value that may be None has a bit that says that it is there, and is zero
// where it is not, so that equal values have equal bits.
struct Bits {
    int at;
    int width;

    constexpr Word of(Word word) const { return word >> at & mask(width); }
    constexpr Word is(Word value) const { return value << at; }
    constexpr Word without(Word word) const { return word & ~(mask(width) << at); }
    constexpr Word with(Word word, Word value) const { return without(word) | value << at; }
    constexpr int end() const { return at + width; }
};

constexpr Bits after(Bits before, int width) { return {before.end(), width}; }
constexpr Bits first(int width) { return {0, width}; }

constexpr int kIds = SESSION_IDS;
constexpr int kIdBits = bits_for(kIds + 1);
constexpr int kEpochBits = bits_for(MAX_EPOCH + 2);
constexpr int kOffsetBits = bits_for(MAX_OFFSET + 1);
constexpr int kKnownBits = bits_for(MAX_OFFSET + 2);

// Epochs are kept one higher, for the lowest is -1; so are offsets that may be unknown (-1).
constexpr Word kNoSession = 0;
constexpr Word kFinal = 0;
constexpr Word kInitial = 1;
constexpr Word kFirstIncremental = 2;
constexpr Word kLastEpoch = MAX_EPOCH + 1;
constexpr Word kUnknown = 0;

constexpr bool is_full(Word epoch) { return epoch <= kInitial; }
constexpr Word next_epoch(Word epoch) { return epoch == kLastEpoch ? kFirstIncremental : epoch + 1; }

namespace metadata {
constexpr Bits id = first(kIdBits);
constexpr Bits epoch = after(id, kEpochBits);
constexpr int width = epoch.end();
constexpr Word fresh = id.is(kNoSession) | epoch.is(kInitial);
}  // namespace metadata

namespace interest {
constexpr Bits offset = first(kOffsetBits);
constexpr Bits there = after(offset, 1);
constexpr int width = there.end();
constexpr Word none = 0;
}  // namespace interest

namespace request {
constexpr Bits sent = first(metadata::width);
constexpr Bits wanted = after(sent, interest::width);
constexpr Bits forgotten = after(wanted, 1);
constexpr Bits there = after(forgotten, 1);
constexpr int width = there.end();
}  // namespace request

// What the leader has to say of the partition, in the order that all records have: the high
// watermark, then the log start offset.
namespace answer {
constexpr Bits marks = first(2 * kKnownBits);
constexpr Bits failed = after(marks, 1);
constexpr Bits records = after(failed, 1);
constexpr Bits there = after(records, 1);
constexpr int width = there.end();
}  // namespace answer

namespace response {
constexpr Bits said = first(answer::width);
constexpr Bits error = after(said, 2);
constexpr Bits id = after(error, kIdBits);
constexpr Bits throttled = after(id, 1);
constexpr Bits there = after(throttled, 1);
constexpr int width = there.end();
constexpr Word ok = 0;
constexpr Word id_not_found = 1;
constexpr Word invalid_epoch = 2;
}  // namespace response

namespace reported {
constexpr Bits marks = first(2 * kKnownBits);
constexpr Bits records = after(marks, 1);
constexpr Bits there = after(records, 1);
constexpr int width = there.end();
}  // namespace reported

namespace cached {
constexpr Bits marks = first(2 * kKnownBits);
constexpr Bits offset = after(marks, kOffsetBits);
constexpr Bits there = after(offset, 1);
constexpr int width = there.end();
}  // namespace cached

namespace session {
// The expected epoch, one of MAX_EPOCH values: 0 stands for the first.
constexpr Bits epoch = first(bits_for(MAX_EPOCH));
constexpr Bits partition = after(epoch, cached::width);
constexpr Bits there = after(partition, 1);
constexpr int width = there.end();

constexpr Word expected(Word session) { return epoch.of(session) + kFirstIncremental; }
constexpr Word of(Word expected, Word partition_bits) {
    return there.is(1) | epoch.is(expected - kFirstIncremental) | partition.is(partition_bits);
}
}  // namespace session

// A state: the first word.
constexpr Bits kRequest = first(request::width);
constexpr Bits kStray = after(kRequest, request::width);
constexpr Bits kResponse = after(kStray, response::width);
constexpr Bits kMetadata = after(kResponse, metadata::width);
constexpr Bits kReported = after(kMetadata, reported::width);
constexpr Bits kFetching = after(kReported, interest::width);
constexpr Bits kPending = after(kFetching, 1);
static_assert(kPending.end() <= 63);
constexpr Word kPendingBit = kPending.is(1);
// And the second.
constexpr Bits kSessions = first(kIds * session::width);
constexpr Bits kLogStart = after(kSessions, kOffsetBits);
constexpr Bits kHighWatermark = after(kLogStart, kOffsetBits);
constexpr Bits kLogEnd = after(kHighWatermark, kOffsetBits);
constexpr Bits kFailing = after(kLogEnd, 1);
constexpr Bits kFailures = after(kFailing, bits_for(MAX_FAILURES + 1));
constexpr Bits kDisturbances = after(kFailures, bits_for(MAX_DISTURBANCES + 1));
static_assert(kDisturbances.end() <= 64);

constexpr Bits session_at(Word id) {
    return {kSessions.at + static_cast<int>(id - 1) * session::width, session::width};
}

// `network` holds what is between the fetcher and the leader, and the fetcher itself; `leader` the
// logs, the cache, and the counters.
struct Pair {
    Word network;
    Word leader;
};

class Step {
public:
    explicit Step(Pair s) : s_(s) {}

    template <class Emit>
    void take(Emit emit) const {
        logs(emit);
        if (!(s_.network & kPendingBit)) {
            send(emit);
        }
        serve(emit, kRequest);
        serve(emit, kStray);
        forget_sessions(emit);
        if (const Word got = kResponse.of(s_.network)) {
            receive(emit, got);
        }
        disturb(emit);
    }

private:
    Pair s_;

    template <class Emit>
    void logs(Emit emit) const {
        const Word start = kLogStart.of(s_.leader);
        const Word high = kHighWatermark.of(s_.leader);
        const Word end = kLogEnd.of(s_.leader);
        for (Word to = end + 1; to <= MAX_OFFSET; ++to) {
            emit(Pair{s_.network, kLogEnd.with(s_.leader, to)});
        }
        for (Word to = high + 1; to <= end; ++to) {
            emit(Pair{s_.network, kHighWatermark.with(s_.leader, to)});
        }
        for (Word to = start + 1; to <= high; ++to) {
            emit(Pair{s_.network, kLogStart.with(s_.leader, to)});
        }
        if (is_failing()) {
            emit(Pair{s_.network, kFailing.without(s_.leader)});
        } else if (kFailures.of(s_.leader) != MAX_FAILURES) {
            emit(Pair{s_.network, s_.leader + kFailures.is(1) + kFailing.is(1)});
        }
    }

    // The fetcher sends.

    template <class Emit>
    void send(Emit emit) const {
        const Word meta = kMetadata.of(s_.network);
        const Word id = metadata::id.of(meta);
        const Word epoch = metadata::epoch.of(meta);
        const Word closing = metadata::id.is(id) | metadata::epoch.is(kFinal);
        if (!is_full(epoch)) {
            send_incremental(emit, meta, interest::none);
        }
        if (id != kNoSession) {
            send_all(emit, closing, interest::none);
        }
        for (Word offset = 0; offset <= MAX_OFFSET; ++offset) {
            const Word wanted = interest::offset.is(offset) | interest::there.is(1);
            // With a session this closes it, without one it asks for none: the request is the same.
            send_all(emit, closing, wanted);
            if (epoch == kInitial) {
                send_all(emit, meta, wanted);
            } else if (!is_full(epoch)) {
                send_incremental(emit, meta, wanted);
            }
        }
    }

    // The network with a request put into it, and metadata, interest and knowledge as given.
    Word sent(Word meta, Word listed, Word forgotten, Word wanted, Word known) const {
        const Word kept = kStray.is(kStray.of(s_.network)) | kPresent;
        return kept | kPendingBit | kMetadata.is(meta) | kFetching.is(wanted) | kReported.is(known) |
               kRequest.is(request::sent.is(meta) | request::wanted.is(listed) |
                           request::forgotten.is(forgotten) | request::there.is(1));
    }

    template <class Emit>
    void send_all(Emit emit, Word meta, Word wanted) const {
        emit(Pair{sent(meta, wanted, 0, wanted, 0), s_.leader});
    }

    template <class Emit>
    void send_incremental(Emit emit, Word meta, Word wanted) const {
        const Word old = kFetching.of(s_.network);
        Word known = kReported.of(s_.network);
        if (old == interest::none || wanted == interest::none) {
            known = 0;
        } else if (wanted != old) {
            if (wanted > old && !reported::records.of(known)) {
                return;  // a fetch offset moves forward only past records that came
            }
            known = reported::records.without(known);
        }
        const Word listed = wanted == old ? interest::none : wanted;
        const Word forgotten = old != interest::none && wanted == interest::none;
        emit(Pair{sent(meta, listed, forgotten, wanted, known), s_.leader});
    }

    // The leader serves the request in `from`, the awaited one or the stray.

    template <class Emit>
    void serve(Emit emit, Bits from) const {
        const Word got = from.of(s_.network);
        if (!got) {
            return;
        }
        const Word meta = request::sent.of(got);
        const Word id = metadata::id.of(meta);
        const Word epoch = metadata::epoch.of(meta);
        if (is_full(epoch)) {
            serve_full(emit, from, got, id, epoch);
            return;
        }
        const Word known = id == kNoSession ? 0 : session_at(id).of(s_.leader);
        if (!known) {
            emit(respond(from, s_.leader, response::error.is(response::id_not_found)));
        } else if (session::expected(known) != epoch) {
            emit(respond(from, s_.leader, response::error.is(response::invalid_epoch)));
        } else {
            serve_expected(emit, from, got, id, next_epoch(epoch), session::partition.of(known));
        }
    }

    template <class Emit>
    void serve_full(Emit emit, Bits from, Word got, Word id, Word epoch) const {
        const Word wanted = request::wanted.of(got);
        const Word offset = interest::offset.of(wanted);
        const Word said = wanted == interest::none ? 0 : answer_to(offset);
        const Word leader = id == kNoSession ? s_.leader : session_at(id).without(s_.leader);
        emit(respond(from, leader, response::said.is(said)));
        if (epoch != kInitial) {
            return;
        }
        for (Word fresh = 1; fresh <= kIds; ++fresh) {
            if (!is_unused(fresh)) {
                continue;
            }
            const Word opened = cached::marks.is(answer::marks.of(said)) |
                                cached::offset.is(offset) | cached::there.is(1);
            const Word cache =
                session_at(fresh).with(leader, session::of(kFirstIncremental, opened));
            emit(respond(from, cache, response::said.is(said) | response::id.is(fresh)));
        }
    }

    template <class Emit>
    void serve_expected(Emit emit, Bits from, Word got, Word id, Word next, Word kept) const {
        const Word wanted = request::wanted.of(got);
        if (request::forgotten.of(got)) {
            kept = 0;
        } else if (wanted != interest::none) {
            // Of a partition just added nothing has been answered: its marks are unknown, 0.
            kept = cached::offset.with(kept, interest::offset.of(wanted)) | cached::there.is(1);
        }
        const Bits place = session_at(id);
        if (!kept) {
            emit(respond(from, place.without(s_.leader), 0));
            return;
        }
        const Word stray = kStray.of(s_.network);
        if (stray && request::sent.of(stray) == (metadata::id.is(id) | metadata::epoch.is(next))) {
            return;  // it would be taken for the next request, a whole turn later
        }
        const Word ours = response::id.is(id);
        emit(respond(from, place.with(s_.leader, session::of(next, kept)),
                     ours | response::throttled.is(1)));
        const Word said = answer_to(cached::offset.of(kept));
        const Word marks = answer::marks.of(said);
        const bool is_sent = answer::records.of(said) || answer::failed.of(said) ||
                             marks != cached::marks.of(kept);
        kept = cached::marks.with(kept, marks);
        emit(respond(from, place.with(s_.leader, session::of(next, kept)),
                     ours | response::said.is(is_sent ? said : 0)));
    }

    // The request is taken out of the network; only an awaited one is answered.
    Pair respond(Bits from, Word leader, Word content) const {
        const Word network = from.without(s_.network);
        return {from.at == kStray.at ? network
                                     : network | kResponse.is(content | response::there.is(1)),
                leader};
    }

    Word answer_to(Word offset) const {
        if (is_failing()) {
            return answer::there.is(1) | answer::failed.is(1);
        }
        const Word start = kLogStart.of(s_.leader);
        const Word high = kHighWatermark.of(s_.leader);
        return answer::there.is(1) | answer::marks.is((high + 1) | (start + 1) << kKnownBits) |
               answer::records.is(start <= offset && offset < high);
    }

    bool is_failing() const { return kFailing.of(s_.leader); }

    bool is_unused(Word id) const {
        const auto names = [&](Bits place) {
            return metadata::id.of(request::sent.of(place.of(s_.network))) == id;
        };
        return !session_at(id).of(s_.leader) && metadata::id.of(kMetadata.of(s_.network)) != id &&
               !names(kRequest) && !names(kStray) &&
               response::id.of(kResponse.of(s_.network)) != id;
    }

    template <class Emit>
    void forget_sessions(Emit emit) const {
        if (!kSessions.of(s_.leader)) {
            return;
        }
        emit(Pair{s_.network, kSessions.without(s_.leader)});
        for (Word id = 1; id <= kIds; ++id) {
            if (session_at(id).of(s_.leader)) {
                emit(Pair{s_.network, session_at(id).without(s_.leader)});
            }
        }
    }

    // The fetcher handles a response.

    template <class Emit>
    void receive(Emit emit, Word got) const {
        const Word meta = kMetadata.of(s_.network);
        const Word id = response::id.of(got);
        const Word error = response::error.of(got);
        const Word epoch = metadata::epoch.of(meta);
        if (error == response::ok && id != kNoSession) {
            const Word next = is_full(epoch) ? kFirstIncremental : next_epoch(epoch);
            const Word ours = is_full(epoch) ? id : metadata::id.of(meta);
            const Word learned = kReported.with(s_.network, learn(response::said.of(got)));
            emit(settled(learned, metadata::id.is(ours) | metadata::epoch.is(next)));
            return;
        }
        const bool is_wrong_epoch = error == response::invalid_epoch;
        emit(settled(start_over(s_.network),
                     is_wrong_epoch ? metadata::epoch.with(meta, kInitial) : metadata::fresh));
    }

    Word learn(Word said) const {
        const Word known = kReported.of(s_.network);
        if (!said) {
            return known;
        }
        const Word records = answer::records.of(said) | reported::records.of(known);
        return reported::marks.is(answer::marks.of(said)) | reported::records.is(records) |
               reported::there.is(1);
    }

    static Word start_over(Word network) { return kFetching.without(kReported.without(network)); }

    Pair settled(Word network, Word meta) const {
        return {kMetadata.with(kResponse.without(network), meta) & ~kPendingBit, s_.leader};
    }

    // The network and the fetcher's process fail.

    template <class Emit>
    void disturb(Emit emit) const {
        const Word stray = kStray.of(s_.network);
        if (stray) {  // lose_stray
            emit(Pair{kStray.without(s_.network), s_.leader});
        }
        if (kDisturbances.of(s_.leader) == MAX_DISTURBANCES) {
            return;
        }
        const Word leader = s_.leader + kDisturbances.is(1);
        const Word meta = kMetadata.of(s_.network);
        const Word under_way = kRequest.of(s_.network);
        const bool is_pending = s_.network & kPendingBit;
        const Word later = metadata::epoch.with(meta, kInitial);
        const auto abandon = [&](Word left) {
            const Word network = kPresent | kStray.is(left);
            if (is_pending) {  // disconnect
                emit(Pair{network | kMetadata.is(later), leader});
            }
            if (is_pending || meta != metadata::fresh) {  // restart_fetcher
                emit(Pair{network | kMetadata.is(metadata::fresh), leader});
            }
        };
        abandon(stray);
        if (under_way && !stray) {
            abandon(under_way);
            emit(Pair{s_.network | kStray.is(under_way), leader});  // duplicate
        }
    }
};

struct FetchSession {
    using Packed = State<2>;

    static Packed initial() { return {{kPresent | kMetadata.is(metadata::fresh), 0}}; }

    template <class Emit>
    static void successors(const Packed& s, Emit emit) {
        Step({s.word[0], s.word[1]}).take([&](Pair next) {
            emit(Packed{{next.network, next.leader}});
        });
    }
};

}  // namespace

int main(int count, char** arguments) { return explore<FetchSession>(count, arguments); }
