/* models/fetch_response.py. The scope's constants are macros of the command line: PARTITIONS (how
 * many), MAX_BACKLOG, MESSAGE_BYTES, LIMIT, PARTITION_LIMIT.
 *
 * Each step is one d_step, so that SPIN's states are the model's. Maps and lists are two bits a
 * partition in one byte, which keeps SPIN's state vector as short as it can be: it is what SPIN
 * copies, hashes and compares. What must hold of each state is asserted after each step, unless
 * UNCHECKED is defined. */

#if PARTITIONS > 4 || MAX_BACKLOG > 3
#error "two bits an item, and one byte a map: four partitions, and backlogs of three, at most"
#endif

#define NOT_BEGUN 7
#define CELL(map, p)  ((map >> (2 * (p))) & 3)
#define BIT(set, p)   ((set >> (p)) & 1)
#define MIN(a, b)     ((a) < (b) -> (a) : (b))

/* The partitions, first to last from the lowest bits up: 0, 1, 2 and 3 when it begins. */
byte order = 228 & ((1 << (2 * PARTITIONS)) - 1);
byte backlog;
byte taken;
byte to_visit;          /* as order; the first `left` of them */
unsigned left : 3 = NOT_BEGUN;
unsigned changed : 4;
unsigned reported : 4;
unsigned due : 4;
unsigned waited : 12;   /* three bits a partition */

/* Not part of a state. */
hidden byte p;
hidden byte n;
hidden byte at;
hidden short before;

#define WAITED(q)     ((waited >> (3 * (q))) & 7)
#define TAKEN_IN_ALL  (CELL(taken, 0) + CELL(taken, 1) + CELL(taken, 2) + CELL(taken, 3))
#define ROOM          (TAKEN_IN_ALL * MESSAGE_BYTES < LIMIT -> \
                          (LIMIT - TAKEN_IN_ALL * MESSAGE_BYTES) / MESSAGE_BYTES : 0)
#define MOST          MIN(ROOM, PARTITION_LIMIT / MESSAGE_BYTES)
#define READABLE(q)   (MOST == 0 && TAKEN_IN_ALL == 0 && CELL(backlog, q) > 0 -> 1 : \
                          MIN(CELL(backlog, q), MOST))

#define IS_VISITING   (left != 0 && left != NOT_BEGUN)
#define AT_HAND       (to_visit & 3)
#define PLACE(q)      (CELL(order, 0) == q -> 0 : (CELL(order, 1) == q -> 1 : \
                          (CELL(order, 2) == q -> 2 : 3)))

#define KEEPS_LIMIT(q)  (CELL(taken, q) <= 1 || CELL(taken, q) * MESSAGE_BYTES <= PARTITION_LIMIT)

inline check() {
#ifndef UNCHECKED
    assert(left != 0 || due == 0 || TAKEN_IN_ALL > 0);
    assert(TAKEN_IN_ALL <= 1 || TAKEN_IN_ALL * MESSAGE_BYTES <= LIMIT);
    assert(KEEPS_LIMIT(0) && KEEPS_LIMIT(1) && KEEPS_LIMIT(2) && KEEPS_LIMIT(3));
    assert(WAITED(0) < PARTITIONS && WAITED(1) < PARTITIONS);
    assert(WAITED(2) < PARTITIONS && WAITED(3) < PARTITIONS)
#else
    skip
#endif
}

inline visited() {
    to_visit = to_visit >> 2;
    left = left - 1
}

inline count_wait(q) {
    if
    :: BIT(due, q) && CELL(taken, q) == 0 ->
        n = MIN(((before >> (3 * q)) & 7) + 1, PARTITIONS);
        waited = waited | (n << (3 * q))
    :: else
    fi
}

#define LOG(q) \
    :: d_step { CELL(backlog, q) < MAX_BACKLOG -> backlog = backlog + (1 << (2 * (q))); check() } \
    :: d_step { !BIT(changed, q) -> changed = changed | (1 << (q)); check() }

active proctype leader() {
    do
    LOG(0)
    LOG(1)
#if PARTITIONS > 2
    LOG(2)
#endif
#if PARTITIONS > 3
    LOG(3)
#endif
    :: d_step { left == NOT_BEGUN ->            /* begin_response */
        to_visit = order;
        left = PARTITIONS;
        due = (CELL(backlog, 0) > 0) | ((CELL(backlog, 1) > 0) << 1) |
              ((CELL(backlog, 2) > 0) << 2) | ((CELL(backlog, 3) > 0) << 3);
        check()
       }
    :: d_step { IS_VISITING && READABLE(AT_HAND) > 0 ->     /* read_records */
        p = AT_HAND;
        n = READABLE(p);
        taken = taken + (n << (2 * p));
        backlog = backlog - (n << (2 * p));
        changed = changed & ~(1 << p);
        at = PLACE(p);
        order = (order & ((1 << (2 * at)) - 1)) | ((order >> (2 * at + 2)) << (2 * at)) |
                (p << (2 * (PARTITIONS - 1)));
        visited();
        p = 0; n = 0; at = 0;
        check()
       }
    :: d_step { IS_VISITING && READABLE(AT_HAND) == 0 && BIT(changed, AT_HAND) ->
        reported = reported | (1 << AT_HAND);   /* report_change */
        changed = changed & ~(1 << AT_HAND);
        visited();
        check()
       }
    :: d_step { IS_VISITING && READABLE(AT_HAND) == 0 && !BIT(changed, AT_HAND) ->
        visited();                              /* pass_over */
        check()
       }
    :: d_step { left == 0 ->                    /* finish_response */
        before = waited;
        waited = 0;
        count_wait(0);
        count_wait(1);
        count_wait(2);
        count_wait(3);
        left = NOT_BEGUN;
        taken = 0;
        reported = 0;
        due = 0;
        before = 0; n = 0;
        check()
       }
    od
}
