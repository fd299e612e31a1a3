"""What must hold of the fetch session cache (KIP-227, "Fetch Session Caching", "New Metrics")."""

from lockstep import invariant, sometimes, step_invariant, when
from models.session_cache import (
    EVICTION_MS,
    KAFKA_ORDER,
    LETTER_OF_RULE_THREE,
    METER,
    SECOND_SHARD,
    SessionCache,
    Slot,
)


def was_decided(s: SessionCache, new: SessionCache):
    return s.proposal is not None and new.proposal is None


def was_evicted(s: SessionCache, new: SessionCache, x):
    """Another session took slot x. A session that is only used keeps its kind and its birth."""
    return was_decided(s, new) and s.cache[x] is not None and s.cache[x] != new.cache[x]


def was_refused(s: SessionCache, new: SessionCache):
    return was_decided(s, new) and s.cache == new.cache


def share_a_shard(x, y):
    return (x in SECOND_SHARD) == (y in SECOND_SHARD)


def a_rule_allows(proposal, session, now):
    """The KIP's sentence, written out once more: the three rules are an if and only if. Apache
    Kafka looks at the age that a session had when it was last used (227-D27)."""
    inactive = now - session.last_used > EVICTION_MS
    seen = session.last_used if KAFKA_ORDER else now
    old = seen - session.created > EVICTION_MS
    from_below = session.privileged and not proposal.privileged
    larger = proposal.size > session.size
    return (
        (proposal.privileged and not session.privileged)
        or inactive
        or (old and larger and (LETTER_OF_RULE_THREE or not from_below))
    )


@invariant("227-18", "227d-15")
def never_more_sessions_than_slots(s: SessionCache):
    """The sessions counted are never more than the slots."""
    return s.num_sessions <= sum(1 for x in Slot)


@step_invariant("227-20", "227-26", "227d-35")
def young_session_survives(s: SessionCache, new: SessionCache, x: Slot):
    """A session keeps its slot for the eviction time, unless a follower takes a consumer's."""
    when(was_evicted(s, new, x))
    return s.now - s.truly_created[x] > EVICTION_MS or (
        s.proposal.privileged and not s.cache[x].privileged
    )


@step_invariant("227-17", "227-20", "227-21", "227-22", "227-23", "227-24", "227d-14", "227d-16")
def evicts_only_by_a_rule(s: SessionCache, new: SessionCache, x: Slot):
    """A session loses its slot to another only when one of the three rules says so."""
    when(was_evicted(s, new, x))
    return a_rule_allows(s.proposal, s.cache[x], s.now)


@step_invariant("227-26", "227d-35")
def evicts_only_when_full(s: SessionCache, new: SessionCache, x: Slot):
    """Nothing is evicted while its shard has a free slot."""
    when(was_evicted(s, new, x))
    return all(s.cache[y] is not None for y in Slot if share_a_shard(x, y))


@step_invariant(
    "227-15", "227-17", "227-21", "227-22", "227-23", "227-24", "227-36", "227d-14", "227d-16"
)
def refuses_only_when_no_rule_allows(s: SessionCache, new: SessionCache):
    """A proposed session is refused only when every slot of its shard is taken and no rule gives it
    one."""
    when(was_refused(s, new))
    return all(
        s.cache[x] is not None and not a_rule_allows(s.proposal, s.cache[x], s.now)
        for x in Slot
        if (x in SECOND_SHARD) == (s.turn > 0)
    )


@step_invariant("227-18")
def shards_take_turns(s: SessionCache, new: SessionCache):
    """Each proposed session is for the shard after that of the one before, and changes no other
    (227-D28)."""
    moves_on = was_decided(s, new) and len(SECOND_SHARD) > 0
    return (new.turn != s.turn) == moves_on and (
        not was_decided(s, new)
        or all(new.cache[x] == s.cache[x] for x in Slot if (x in SECOND_SHARD) != (s.turn > 0))
    )


def has_a_stale_session(s: SessionCache, x):
    """Some session of the shard of slot x has not been used for the eviction time."""
    return any(
        s.now - s.truly_used[y] > EVICTION_MS
        for y in Slot
        if share_a_shard(x, y) and s.cache[y] is not None
    )


@step_invariant("227-4", "227-21", "227d-35")
def each_step_is_of_one_session(s: SessionCache, new: SessionCache, x: Slot, y: Slot):
    """Whatever is used, closed, created or evicted is one session, and all others are as they
    were."""
    when(x != y and s.cache[x] != new.cache[x])
    return s.cache[y] == new.cache[y]


@step_invariant("227-17", "227-23", "227d-34")
def longest_unused_session_goes_first(s: SessionCache, new: SessionCache, x: Slot):
    """Apache Kafka gives up a stale session before any other, and of those the one unused for
    longest (227-D29)."""
    when(KAFKA_ORDER and was_evicted(s, new, x) and has_a_stale_session(s, x))
    return all(s.truly_used[x] <= s.truly_used[y] for y in Slot if share_a_shard(x, y))


@step_invariant("227-22", "227-24", "227-25", "227-68", "227d-34")
def least_valuable_session_goes_first(s: SessionCache, new: SessionCache, x: Slot, y: Slot):
    """Without a stale session Apache Kafka gives up a consumer's before a follower's, and a smaller
    one before a larger one, among those that a new session of this kind may evict by their age
    (227-D29)."""
    when(KAFKA_ORDER and was_evicted(s, new, x) and not has_a_stale_session(s, x))
    when(s.cache[y] is not None and share_a_shard(x, y))
    when(
        s.truly_used[y] - s.truly_created[y] > EVICTION_MS
        or (s.proposal.privileged and not s.cache[y].privileged)
    )
    return (
        s.cache[x].size <= s.cache[y].size
        if s.cache[x].privileged == s.cache[y].privileged
        else s.cache[y].privileged
    )


@step_invariant("227-15", "227-25", "227d-34")
def consumer_never_displaces_live_follower(s: SessionCache, new: SessionCache, x: Slot):
    """A follower's session that is in use is not given up for a consumer's."""
    when(was_evicted(s, new, x) and s.cache[x].privileged)
    when(s.now - s.truly_used[x] <= EVICTION_MS)
    return new.cache[x].privileged


@invariant("227-2", "227-16", "227d-14")
def last_used_is_the_latest_use(s: SessionCache, x: Slot):
    """The last-used time of a session is when it was created or last used, whatever came later.
    Of an empty slot nothing is remembered."""
    return s.truly_used[x] == (0 if s.cache[x] is None else s.cache[x].last_used)


@invariant("227-24")
def created_never_changes(s: SessionCache, x: Slot):
    """The created time of a session is when it was created, and goes with it."""
    return s.truly_created[x] == (0 if s.cache[x] is None else s.cache[x].created)


@step_invariant("227-2", "227-14", "227-15", "227d-4")
def privilege_is_the_creators(s: SessionCache, new: SessionCache, x: Slot):
    """A session is privileged exactly if a follower created it, for as long as it lives."""
    when(new.cache[x] is not None)
    return new.cache[x].privileged == (
        s.proposal.privileged
        if s.proposal is not None and s.cache[x] != new.cache[x]
        else s.cache[x] is not None and s.cache[x].privileged
    )


@invariant("227-62")
def sessions_metric_equals_cache(s: SessionCache):
    """NumIncrementalFetchSessions is how many sessions there are."""
    return s.num_sessions == sum(1 for x in Slot if s.cache[x] is not None)


@invariant("227-63")
def partitions_metric_equals_cache(s: SessionCache):
    """NumIncrementalFetchPartitionsCached is how many partitions the sessions have together."""
    return s.num_partitions_cached == sum(s.cache[x].size for x in Slot if s.cache[x] is not None)


@step_invariant("227-64", "227-65")
def evictions_metric_counts_evictions_only(s: SessionCache, new: SessionCache):
    """IncrementalFetchSessionEvictionsPerSec counts each eviction once, and nothing else: not a
    session that its own client closed."""
    evicted = sum(1 for x in Slot if was_evicted(s, new, x))
    return new.evictions == (s.evictions + evicted) % METER


@sometimes("227-21")
def a_session_is_refused(s: SessionCache):
    """The cache gets full of sessions that no consumer may evict."""
    return s.proposal is not None and all(
        s.cache[x] is not None and not a_rule_allows(s.proposal, s.cache[x], s.now) for x in Slot
    )
