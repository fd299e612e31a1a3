"""Mistakes in the session cache. Those with a source really happened."""

from lockstep import edit, fault, present, replace, require
from models import session_cache as cache
from models.session_cache import (
    EVICTION_MS,
    METER,
    SessionCache,
    Slot,
    close,
    is_first_in_order,
    is_full,
    is_in_reach,
    is_less_valuable,
    is_outgrown,
    is_stale,
    may_evict,
    take_in,
    touched,
)


@fault(breaks="last_used_is_the_latest_use", source="KAFKA-9137")
@edit(cache.touched, "now", "session.last_used")
def touched_only_when_resized():
    """A session is touched only when its size changes, and then with its old time."""


@fault(replaces=touched, breaks="created_never_changes")
def touch_makes_young_again(session, size, now):
    """Using a session sets its created time as well."""
    return replace(touched(session, size, now), created=now)


@fault(replaces=touched, breaks="privilege_is_the_creators")
def use_takes_privilege_away(session, size, now):
    """A session is a consumer's after its first use."""
    return replace(touched(session, size, now), privileged=False)


@fault(breaks="partitions_metric_equals_cache")
@edit(cache.touched, "return ...", "return replace(session, last_used=now)")
def resize_not_remembered():
    """The metric follows a session's size, the session does not."""


@fault(breaks="young_session_survives")
@edit(cache.is_stale, "return ...", "return now - session.last_used >= EVICTION_MS")
def stale_too_soon():
    """A session counts as stale at the eviction time, not after it."""


@fault(replaces=is_outgrown, breaks="evicts_only_by_a_rule")
def old_sessions_need_not_be_smaller(proposal, session, now):
    """Rule 3 without its condition on the sizes."""
    return now - session.created > EVICTION_MS and proposal.privileged == session.privileged


@fault(replaces=is_stale, breaks="refuses_only_when_no_rule_allows")
def stale_sessions_stay(session, now):
    """Inactive sessions keep their slots."""
    return is_stale(session, now) and session.created != session.last_used


@fault(
    replaces=is_outgrown,
    breaks="consumer_never_displaces_live_follower",
    constants={"LETTER_OF_RULE_THREE": True},
)
def rule_three_by_the_letter(proposal, session, now):
    """Rule 3 exactly as the KIP's sentence has it: see 227-D26."""
    return is_outgrown(proposal, session, now)


@fault(
    replaces=is_first_in_order,
    breaks="longest_unused_session_goes_first",
    constants={"KAFKA_ORDER": True, "MAX_TIME": 3},
)
def any_stale_session_will_do(s: SessionCache, x):
    """A stale session is evicted without a look at those that are stale for longer."""
    return is_stale(s.cache[x], s.now) or is_first_in_order(s, x)


@fault(
    replaces=is_first_in_order,
    breaks="least_valuable_session_goes_first",
    constants={"KAFKA_ORDER": True},
)
def any_less_valuable_session_will_do(s: SessionCache, x):
    """A session within reach is evicted without a look at those that are worth less."""
    return is_first_in_order(s, x) or (
        is_in_reach(s.proposal, s.cache[x]) and is_less_valuable(s.cache[x], s.proposal)
    )


@fault(breaks="shards_take_turns", constants={"SECOND_SHARD": ("slot2",)})
@edit(cache.decide, "1 - s.turn if len(SECOND_SHARD) > 0 else 0", "0")
def first_shard_gets_every_session():
    """No session goes to the second shard."""


@fault(breaks="evicts_only_when_full")
def evicts_in_spite_of_room(s: SessionCache, new: SessionCache, x: Slot):
    """A session is evicted although there is a free slot."""
    proposal = present(s.proposal)
    session = present(s.cache[x])
    require(not is_full(s) and may_evict(proposal, session, s.now))
    take_in(s, new, x)
    new.num_partitions_cached = s.num_partitions_cached - session.size + proposal.size
    new.evictions = (s.evictions + 1) % METER


@fault(replaces=take_in, breaks="never_more_sessions_than_slots")
def evicted_sessions_still_count(s: SessionCache, new: SessionCache, x):
    """Every new session counts, and no evicted one is taken off."""
    take_in(s, new, x)
    new.num_sessions = s.num_sessions + 1


@fault(breaks="sessions_metric_equals_cache")
def closed_sessions_still_count(s: SessionCache, new: SessionCache, x: Slot):
    """A session is closed without the metrics."""
    require(s.proposal is None and s.cache[x] is not None)
    new.cache[x] = None


@fault(replaces=close, breaks="each_step_is_of_one_session")
def close_empties_the_cache(s: SessionCache, new: SessionCache, x: Slot):
    """A client that closes its session closes those of all others, and the metrics agree."""
    require(s.proposal is None and s.cache[x] is not None)
    new.cache = {y: None for y in Slot}
    new.num_sessions = 0
    new.num_partitions_cached = 0
    new.truly_created = {y: 0 for y in Slot}
    new.truly_used = {y: 0 for y in Slot}


@fault(replaces=close, breaks="evictions_metric_counts_evictions_only")
def own_close_counts_as_eviction(s: SessionCache, new: SessionCache, x: Slot):
    """A session that its client closes is counted as evicted."""
    close(s, new, x)
    new.evictions = (s.evictions + 1) % METER
