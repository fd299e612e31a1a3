/* models/fetch_session.py with one consumer and one partition whose fetch offset alone varies. The
 * scope's constants are macros of the command line; of a tuple, how many items it has.
 *
 * Each step is one d_step, so that SPIN's states are the model's. Fields are as narrow as may be,
 * for SPIN copies, hashes and compares the whole state vector. What is not there is all zeros, and
 * what is there never is: offsets of interests count from 1, epochs of sessions are one higher
 * than in the model and those of requests two higher. Known offsets and the metadata's epoch,
 * which are always there, are one higher too, so that -1 is 0.
 *
 * What must hold of each state is asserted after each step, unless UNCHECKED is defined.
 *
 * To be translated with -o2: the elimination of dead variables of SPIN 6.5.2 clears some that are
 * not dead here, and states are lost. */

#if FETCHERS != 1 || FOLLOWERS != 0 || PARTITIONS != 1 || SESSION_IDS > 2
#error "one consumer, one partition, and two session ids at most"
#endif
#if MAX_BYTES != 0 || MAX_EPOCH > 5 || MAX_OFFSET > 2 || MAX_FAILURES > 3 || MAX_DISTURBANCES > 3
#error "the fields are too narrow"
#endif

/* Epochs as in metadata: -1, 0, 1. */
#define FINAL 0
#define INITIAL 1
#define FIRST 2
#define LAST (MAX_EPOCH + 1)
#define NEXT(epoch) ((epoch) == LAST -> FIRST : (epoch) + 1)
#define IS_FULL(epoch) ((epoch) <= INITIAL)

/* Errors of a response; 0 is no response. */
#define NO_RESPONSE 0
#define OK 1
#define ID_NOT_FOUND 2
#define INVALID_EPOCH 3

unsigned log_start : 2;
unsigned high_watermark : 2;
unsigned log_end : 2;
unsigned failing : 1;
unsigned failures : 2;
unsigned disturbances : 2;

/* The two sessions. `epoch` is 0 where there is none; `offset` 0 where it has no partition. */
unsigned s1_epoch : 3;
unsigned s1_offset : 2;
unsigned s1_high : 2;
unsigned s1_start : 2;
unsigned s2_epoch : 3;
unsigned s2_offset : 2;
unsigned s2_high : 2;
unsigned s2_start : 2;

/* The request under way and the stray. `epoch` is one higher than in metadata, 0 for none. */
unsigned r_id : 2;
unsigned r_epoch : 3;
unsigned r_offset : 2;
unsigned r_forgotten : 1;
unsigned x_id : 2;
unsigned x_epoch : 3;
unsigned x_offset : 2;
unsigned x_forgotten : 1;

/* The response under way: `answered` says whether the partition is in it. */
unsigned a_error : 2;
unsigned a_id : 2;
unsigned a_throttled : 1;
unsigned a_answered : 1;
unsigned a_failed : 1;
unsigned a_high : 2;
unsigned a_start : 2;
unsigned a_records : 1;

/* The fetcher. */
unsigned id : 2;
unsigned epoch : 3 = INITIAL;
unsigned pending : 1;
unsigned fetching : 2;
unsigned is_reported : 1;
unsigned t_high : 2;
unsigned t_start : 2;
unsigned t_records : 1;

/* Not part of a state: the request that is being served, its session, and the answer. */
hidden byte g_id;
hidden byte g_epoch;
hidden byte g_offset;
hidden byte g_forgotten;
hidden byte c_epoch;
hidden byte c_offset;
hidden byte c_high;
hidden byte c_start;
hidden byte b_failed;
hidden byte b_high;
hidden byte b_start;
hidden byte b_records;
hidden byte b_sent;

#define EPOCH_OF(i)   ((i) == 1 -> s1_epoch : ((i) == 2 -> s2_epoch : 0))
#define OFFSET_OF(i)  ((i) == 1 -> s1_offset : s2_offset)
#define EXPECTED(i, e)  ((i) != 0 && EPOCH_OF(i) == (e))

inline check() {
#ifndef UNCHECKED
    /* epochs_agree_when_idle */
    assert(pending || IS_FULL(epoch) || EPOCH_OF(id) == 0 || EPOCH_OF(id) == epoch);
    /* accepted_request_leaves_agreement */
    assert(r_epoch != 0 || a_error != OK || EPOCH_OF(a_id) == 0 || OFFSET_OF(a_id) == fetching);
    /* undisturbed_fetcher_sees_no_epoch_error */
    assert(disturbances > 0 || a_error != INVALID_EPOCH);
    /* one_session_per_undisturbed_fetcher; that no other fetcher has it goes without saying */
    assert(disturbances > 0 || s1_epoch == 0 || s2_epoch == 0);
    /* pending_means_in_flight */
    assert(!pending || r_epoch != 0 || a_error != NO_RESPONSE)
#else
    skip
#endif
}

/* A session after a request, before the answer. */
#define MERGED_OFFSET(i, offset, forgotten) \
    ((forgotten) -> 0 : ((offset) != 0 -> (offset) : OFFSET_OF(i)))
#define OUTLIVES(i, e)  (x_epoch != 0 && x_id == (i) && x_epoch - 1 == NEXT(e))

inline clear_request() { r_id = 0; r_epoch = 0; r_offset = 0; r_forgotten = 0 }
inline clear_stray() { x_id = 0; x_epoch = 0; x_offset = 0; x_forgotten = 0 }
inline clear_response() {
    a_error = NO_RESPONSE; a_id = 0; a_throttled = 0;
    a_answered = 0; a_failed = 0; a_high = 0; a_start = 0; a_records = 0
}
inline clear_reported() { is_reported = 0; t_high = 0; t_start = 0; t_records = 0 }

inline put_session(i, e, offset, high, start) {
    if
    :: i == 1 -> s1_epoch = e; s1_offset = offset; s1_high = high; s1_start = start
    :: i == 2 -> s2_epoch = e; s2_offset = offset; s2_high = high; s2_start = start
    :: else
    fi
}

/* The fetcher sends: what it wants is 0, or an offset counted from 1. */

inline send(wanted, forgotten) {
    r_id = id;
    r_epoch = epoch + 1;
    r_offset = wanted;
    r_forgotten = forgotten;
    pending = 1
}

inline send_all(wanted) {
    fetching = wanted;
    clear_reported();
    send(wanted, 0);
    check()
}

inline send_incremental(wanted) {
    g_offset = fetching;
    if
    :: fetching == 0 || wanted == 0 -> clear_reported()
    :: fetching != 0 && wanted != 0 && fetching != wanted -> t_records = 0
    :: else
    fi;
    fetching = wanted;
    if
    :: wanted == g_offset -> send(0, 0)
    :: wanted != g_offset -> send(wanted, (wanted == 0))
    fi;
    check()
}

#define KEEPS_ITS_PLACE(wanted) \
    (fetching == 0 || (wanted) == 0 || (wanted) <= fetching || (is_reported && t_records))

#define SEND_SOME(wanted) \
    :: d_step { !pending && id == 0 -> epoch = FINAL; send_all(wanted) } \
    :: d_step { !pending && epoch == INITIAL -> send_all(wanted) } \
    SEND_ANY(wanted)

#define SEND_ANY(wanted) \
    :: d_step { !pending && !IS_FULL(epoch) && KEEPS_ITS_PLACE(wanted) -> \
        send_incremental(wanted) } \
    :: d_step { !pending && id != 0 -> epoch = FINAL; send_all(wanted) }

/* The leader serves. `AWAITED` and `STRAY` say which request; the two differ in their names. */

inline take_awaited() {
    g_id = r_id; g_epoch = r_epoch - 1; g_offset = r_offset; g_forgotten = r_forgotten;
    clear_request()
}
inline take_stray() {
    g_id = x_id; g_epoch = x_epoch - 1; g_offset = x_offset; g_forgotten = x_forgotten;
    clear_stray()
}

/* To a stray nobody listens. */
inline reply_awaited(error, i, throttled) {
    clear_response();
    a_error = error; a_id = i; a_throttled = throttled;
    if
    :: b_sent ->
        a_answered = 1; a_failed = b_failed; a_high = b_high; a_start = b_start;
        a_records = b_records
    :: else
    fi
}
inline reply_stray(error, i, throttled) { skip }

inline answer_to(offset) {
    b_sent = 1;
    if
    :: failing -> b_failed = 1; b_high = 0; b_start = 0; b_records = 0
    :: else ->
        b_failed = 0; b_high = high_watermark + 1; b_start = log_start + 1;
        b_records = (log_start < offset && offset <= high_watermark)
    fi
}

/* Back to zero, so that a simulation shows nothing of the last step. */
inline end_step() { b_sent = 0; check() }

inline answer_in_full() {
    put_session(g_id, 0, 0, 0, 0);
    if
    :: g_offset != 0 -> answer_to(g_offset)
    :: else -> b_sent = 0
    fi
}

/* A session that lives on: `b` has the answer, if any. */
inline load_session() {
    if
    :: g_id == 1 -> c_offset = s1_offset; c_high = s1_high; c_start = s1_start
    :: else -> c_offset = s2_offset; c_high = s2_high; c_start = s2_start
    fi;
    if
    :: g_offset != 0 ->
        if
        :: c_offset == 0 -> c_high = 0; c_start = 0
        :: else
        fi;
        c_offset = g_offset
    :: else
    fi
}

inline decide_answer() {
    answer_to(c_offset);
    if
    :: b_records || b_failed || b_high != c_high || b_start != c_start ->
        c_high = b_high; c_start = b_start
    :: else -> b_sent = 0
    fi
}

#define IS_UNUSED(i) (EPOCH_OF(i) == 0 && id != i && r_id != i && x_id != i && a_id != i)

#define SERVE_CREATING(take, reply, e, i) \
    :: d_step { e == INITIAL + 1 && IS_UNUSED(i) -> \
        take(); answer_in_full(); \
        put_session(i, FIRST, g_offset, b_high, b_start); \
        reply(OK, i, 0); end_step() }

#define HAS_INCREMENTAL(e) (e != 0 && !IS_FULL(e - 1))

#define SERVE(take, reply, i, e, offset, forgotten) \
    :: d_step { e == FINAL + 1 -> take(); answer_in_full(); reply(OK, 0, 0); end_step() } \
    :: d_step { e == INITIAL + 1 -> take(); answer_in_full(); reply(OK, 0, 0); end_step() } \
    SERVE_CREATING(take, reply, e, 1) \
    SERVE_SECOND(take, reply, e) \
    :: d_step { HAS_INCREMENTAL(e) && EXPECTED(i, e - 1) && !OUTLIVES(i, e - 1) && \
                MERGED_OFFSET(i, offset, forgotten) != 0 -> \
        take(); load_session(); decide_answer(); \
        put_session(g_id, NEXT(g_epoch), c_offset, c_high, c_start); \
        reply(OK, g_id, 0); end_step() } \
    :: d_step { HAS_INCREMENTAL(e) && EXPECTED(i, e - 1) && !OUTLIVES(i, e - 1) && \
                MERGED_OFFSET(i, offset, forgotten) != 0 -> \
        take(); load_session(); b_sent = 0; \
        put_session(g_id, NEXT(g_epoch), c_offset, c_high, c_start); \
        reply(OK, g_id, 1); end_step() } \
    :: d_step { HAS_INCREMENTAL(e) && EXPECTED(i, e - 1) && \
                MERGED_OFFSET(i, offset, forgotten) == 0 -> \
        take(); b_sent = 0; \
        put_session(g_id, 0, 0, 0, 0); \
        reply(OK, 0, 0); end_step() } \
    :: d_step { HAS_INCREMENTAL(e) && EPOCH_OF(i) == 0 -> \
        take(); b_sent = 0; reply(ID_NOT_FOUND, 0, 0); end_step() } \
    :: d_step { HAS_INCREMENTAL(e) && EPOCH_OF(i) != 0 && EPOCH_OF(i) != e - 1 -> \
        take(); b_sent = 0; reply(INVALID_EPOCH, 0, 0); end_step() }

#if SESSION_IDS > 1
#define SERVE_SECOND(take, reply, e) SERVE_CREATING(take, reply, e, 2)
#else
#define SERVE_SECOND(take, reply, e)
#endif

/* The fetcher handles a response. */

inline learn() {
    if
    :: a_answered ->
        t_high = a_high; t_start = a_start; t_records = (a_records || t_records); is_reported = 1
    :: else
    fi
}

inline settle(i, e) {
    id = i;
    epoch = e;
    pending = 0;
    clear_response();
    check()
}

inline start_over() { fetching = 0; clear_reported() }

/* What disturbs the fetcher. */

inline make_stray() {
    x_id = r_id; x_epoch = r_epoch; x_offset = r_offset; x_forgotten = r_forgotten
}

inline abandon(i, e) {
    disturbances = disturbances + 1;
    clear_request();
    start_over();
    settle(i, e)
}

#define MAY_DISTURB (disturbances < MAX_DISTURBANCES)
#define MAY_STRAY   (r_epoch != 0 && x_epoch == 0)
#define IS_NOT_NEW  (pending || id != 0 || epoch != INITIAL)

#define LOGS(end) \
    :: d_step { log_end < (end) -> log_end = (end); check() } \
    :: d_step { high_watermark < (end) && (end) <= log_end -> high_watermark = (end); check() } \
    :: d_step { log_start < (end) && (end) <= high_watermark -> log_start = (end); check() }

active proctype everybody() {
    do
#if MAX_OFFSET > 0
    LOGS(1)
#endif
#if MAX_OFFSET > 1
    LOGS(2)
#endif
    :: d_step { !failing && failures < MAX_FAILURES ->
        failures = failures + 1; failing = 1; check() }
    :: d_step { failing -> failing = 0; check() }

    SEND_ANY(0)
    SEND_SOME(1)
#if MAX_OFFSET > 0
    SEND_SOME(2)
#endif
#if MAX_OFFSET > 1
    SEND_SOME(3)
#endif

    SERVE(take_awaited, reply_awaited, r_id, r_epoch, r_offset, r_forgotten)
    SERVE(take_stray, reply_stray, x_id, x_epoch, x_offset, x_forgotten)

    /* evict, restart_broker */
    :: d_step { s1_epoch != 0 -> put_session(1, 0, 0, 0, 0); check() }
    :: d_step { s2_epoch != 0 -> put_session(2, 0, 0, 0, 0); check() }
    :: d_step { s1_epoch != 0 || s2_epoch != 0 ->
        put_session(1, 0, 0, 0, 0); put_session(2, 0, 0, 0, 0); check() }

    /* receive_full, sessionless, incremental, session_closed, unknown_session, wrong_epoch */
    :: d_step { a_error != NO_RESPONSE && IS_FULL(epoch) && a_id != 0 ->
        learn(); settle(a_id, FIRST) }
    :: d_step { a_error != NO_RESPONSE && IS_FULL(epoch) && a_id == 0 ->
        start_over(); settle(0, INITIAL) }
    :: d_step { a_error == OK && !IS_FULL(epoch) && a_id != 0 -> learn(); settle(id, NEXT(epoch)) }
    :: d_step { a_error == OK && !IS_FULL(epoch) && a_id == 0 -> start_over(); settle(0, INITIAL) }
    :: d_step { a_error == ID_NOT_FOUND -> start_over(); settle(0, INITIAL) }
    :: d_step { a_error == INVALID_EPOCH -> start_over(); settle(id, INITIAL) }

    /* disconnect, restart_fetcher, duplicate, lose_stray */
    :: d_step { MAY_DISTURB && pending -> abandon(id, INITIAL) }
    :: d_step { MAY_DISTURB && pending && MAY_STRAY -> make_stray(); abandon(id, INITIAL) }
    :: d_step { MAY_DISTURB && IS_NOT_NEW -> abandon(0, INITIAL) }
    :: d_step { MAY_DISTURB && IS_NOT_NEW && MAY_STRAY -> make_stray(); abandon(0, INITIAL) }
    :: d_step { MAY_DISTURB && MAY_STRAY ->
        disturbances = disturbances + 1; make_stray(); check() }
    :: d_step { x_epoch != 0 -> clear_stray(); check() }
    od
}
