// A breadth-first explorer of packed states by two threads: as fast as one program, written by hand
// for this machine, was found to get. It is the practical limit that others are measured against.
//
// What it does not do is what makes it the limit: it checks no property, keeps no level and no
// predecessor, so that it could not show a behaviour, and its table is as large as asked and
// never grows. Its set is exact: whole states are compared.
//
// Each thread owns the states of one half of the hash range: their table, and the part of each
// level that they make up. A successor that the other thread owns is handed over in batches. So no
// table is ever shared, and threads meet only to exchange batches and between levels.
//
// A model is a type with
//     static State initial();
//     template <class Emit> static void successors(const State&, Emit);    // emit(State) for each
// and a State is `words` 64-bit words, of which the highest bit of the first is always set: an
// entry of the table whose first word is zero is free.
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

using Word = std::uint64_t;

constexpr Word kPresent = Word{1} << 63;

template <int words>
struct State {
    std::array<Word, words> word;

    bool operator==(const State& other) const { return word == other.word; }
};

template <int words>
Word hash_of(const State<words>& state) {
    // Multiply, fold, multiply: each bit of the state moves the highest bits, which choose the
    // owner and the place, and the lowest, which choose the entry of the filter.
    Word value = state.word[0];
    for (int index = 1; index < words; ++index) {
        value = (value ^ (value >> 32)) * 0x9fb21c651e98df25u ^ state.word[index];
    }
    value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93u;
    value = (value ^ (value >> 29)) * 0x9e3779b97f4a7c15u;
    return value ^ (value >> 32);
}

// Zeroed memory on huge pages: without them nearly every probe would miss the TLB too.
template <class Entry>
Entry* zeroed(std::size_t count) {
    constexpr std::size_t huge = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(Entry) + 2 * huge - 1) / huge * huge;
    void* found =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED) {
        std::perror("memory for the table");
        std::exit(3);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(found);
    auto* aligned = reinterpret_cast<char*>((address + huge - 1) / huge * huge);
    madvise(aligned, bytes - static_cast<std::size_t>(aligned - static_cast<char*>(found)),
            MADV_HUGEPAGE);
    return reinterpret_cast<Entry*>(aligned);
}

// All threads wait for each other. They spin: the wait is short, and happens twice a level.
class Barrier {
public:
    explicit Barrier(int threads) : threads_(threads) {}

    void wait() {
        const unsigned round = round_.load();
        if (arrived_.fetch_add(1) + 1 == threads_) {
            arrived_.store(0);
            round_.fetch_add(1);
            return;
        }
        while (round_.load() == round) {
            std::this_thread::yield();
        }
    }

private:
    const int threads_;
    std::atomic<int> arrived_{0};
    std::atomic<unsigned> round_{0};
};

// The states of one half of the hash range.
template <class S>
class Table {
public:
    explicit Table(std::size_t places) : places_(places), entries_(zeroed<S>(places)) {}

    void prefetch(Word hash) const { __builtin_prefetch(&entries_[place_of(hash)], 1); }

    // Whether the state was not there before; it is now.
    bool insert(const S& state, Word hash) {
        std::size_t place = place_of(hash);
        while (entries_[place].word[0] != 0) {
            if (entries_[place] == state) {
                return false;
            }
            if (++place == places_) {
                place = 0;
            }
        }
        if (++count_ == places_) {
            std::fputs("the table is full: tell of more states\n", stderr);
            std::exit(3);
        }
        entries_[place] = state;
        return true;
    }

    std::size_t count() const { return count_; }

private:
    std::size_t place_of(Word hash) const {
        // The highest bit has chosen the owner; the next 63 are scaled to the number of places.
        return static_cast<std::size_t>((static_cast<unsigned __int128>(hash << 1) * places_) >>
                                        64);
    }

    std::size_t places_;
    S* entries_;
    std::size_t count_ = 0;
};

template <class Model>
class Explorer {
public:
    using S = typename Model::Packed;

    // `states` is how many distinct states there may be: the tables are twice as large.
    explicit Explorer(std::size_t states) : barrier_(kThreads) {
        for (auto& worker : workers_) {
            worker = std::make_unique<Worker>(states + 1024);
        }
    }

    void run() {
        const S initial = Model::initial();
        const Word hash = hash_of(initial);
        Worker& owner = *workers_[owner_of(hash)];
        owner.table.insert(initial, hash);
        owner.next.push_back(initial);
        std::thread other([this] { search(1); });
        search(0);
        other.join();
    }

    std::size_t states() const { return workers_[0]->table.count() + workers_[1]->table.count(); }
    std::size_t transitions() const { return workers_[0]->transitions + workers_[1]->transitions; }
    int depth() const { return depth_; }

private:
    static constexpr int kThreads = 2;
    static constexpr std::size_t kBatch = 2048;    // states handed over at once
    static constexpr std::size_t kDelay = 32;      // candidates between prefetch and probe
    static constexpr std::size_t kFilter = 1 << 14;
    static constexpr std::size_t kBetween = 64;    // states expanded between looks at the mailbox

    using Batch = std::vector<S>;

    // What one thread owns. Only `mailbox` is touched by the other, under its lock.
    struct alignas(128) Worker {
        explicit Worker(std::size_t places) : table(places), filter(new S[kFilter]()) {}

        Table<S> table;
        std::vector<S> level, next;
        std::size_t transitions = 0;
        // States met lately, by the lowest bits of their hash: those are not sent or probed again.
        // Most repetitions are near each other, and the filter stays in the second-level cache.
        std::unique_ptr<S[]> filter;
        // Candidates whose place was asked for and is not needed yet.
        std::array<std::pair<S, Word>, kDelay> delayed{};
        std::size_t waiting = 0;
        Batch outgoing;
        alignas(128) std::mutex lock;
        std::vector<Batch> mailbox;
        std::atomic<bool> has_mail{false};
    };

    static std::size_t owner_of(Word hash) { return hash >> 63; }

    static void take_in(Worker& worker, const S& state, Word hash) {
        if (worker.table.insert(state, hash)) {
            worker.next.push_back(state);
        }
    }

    // Ask for the candidate's place now, and look there `kDelay` candidates later.
    static void delay(Worker& worker, const S& state, Word hash) {
        worker.table.prefetch(hash);
        auto& slot = worker.delayed[worker.waiting++ % kDelay];
        if (slot.first.word[0] != 0) {
            take_in(worker, slot.first, slot.second);
        }
        slot = {state, hash};
    }

    static void finish_delayed(Worker& worker) {
        for (auto& slot : worker.delayed) {
            if (slot.first.word[0] != 0) {
                take_in(worker, slot.first, slot.second);
                slot.first.word[0] = 0;
            }
        }
    }

    static void hand_over(Worker& worker, Worker& other) {
        if (worker.outgoing.empty()) {
            return;
        }
        Batch batch;
        batch.reserve(kBatch);
        batch.swap(worker.outgoing);
        const std::lock_guard<std::mutex> held(other.lock);
        other.mailbox.push_back(std::move(batch));
        other.has_mail.store(true, std::memory_order_release);
    }

    static void read_mail(Worker& worker) {
        if (!worker.has_mail.load(std::memory_order_acquire)) {
            return;
        }
        std::vector<Batch> mail;
        {
            const std::lock_guard<std::mutex> held(worker.lock);
            mail.swap(worker.mailbox);
            worker.has_mail.store(false, std::memory_order_relaxed);
        }
        for (const Batch& batch : mail) {
            for (const S& state : batch) {
                delay(worker, state, hash_of(state));
            }
        }
    }

    void search(std::size_t number) {
        Worker& worker = *workers_[number];
        Worker& other = *workers_[1 - number];
        worker.outgoing.reserve(kBatch);
        for (;;) {
            worker.level.swap(worker.next);
            worker.next.clear();
            if (number == 0) {
                level_size_ = 0;
            }
            barrier_.wait();
            level_size_ += worker.level.size();
            barrier_.wait();
            if (level_size_ == 0) {
                return;
            }
            if (number == 0) {
                ++depth_;
            }
            std::size_t until_mail = kBetween;
            for (const S& state : worker.level) {
                Model::successors(state, [&](const S& successor) {
                    ++worker.transitions;
                    const Word hash = hash_of(successor);
                    S& recent = worker.filter[hash % kFilter];
                    if (recent == successor) {
                        return;
                    }
                    recent = successor;
                    if (owner_of(hash) == number) {
                        delay(worker, successor, hash);
                        return;
                    }
                    worker.outgoing.push_back(successor);
                    if (worker.outgoing.size() == kBatch) {
                        hand_over(worker, other);
                    }
                });
                if (--until_mail == 0) {
                    until_mail = kBetween;
                    read_mail(worker);
                }
            }
            hand_over(worker, other);
            barrier_.wait();
            read_mail(worker);
            finish_delayed(worker);
        }
    }

    std::array<std::unique_ptr<Worker>, kThreads> workers_;
    Barrier barrier_;
    std::atomic<std::size_t> level_size_{0};
    int depth_ = -1;
};

// The program: its one argument is how many distinct states the table must hold.
template <class Model>
int explore(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: %s MOST_STATES\n", arguments[0]);
        return 2;
    }
    Explorer<Model> explorer(std::strtoull(arguments[1], nullptr, 10));
    explorer.run();
    std::printf("states %zu\ntransitions %zu\ndepth %d\nbytes %zu\n", explorer.states(),
                explorer.transitions(), explorer.depth(), sizeof(typename Model::Packed));
    return 0;
}
