"""KIP-227 fetch session caching: slots, the three eviction rules, the times, and the metrics.

One broker's cache, from the moment when a request that wants a session has been answered: the new
session is proposed, and the cache takes it into a free slot, evicts another for it, or refuses.
What is inside a session does not matter here, only how many partitions it has (see fetch_session).
Two constants choose Apache Kafka's cache in place of the KIP's: `SECOND_SHARD` and `KAFKA_ORDER`.

The clock is a number of eviction times' worth of ticks, and ends at `MAX_TIME`.
"""

from lockstep import Constant, Domain, Map, OneOf, Range, Record, State, action, replace, require

SLOTS: Constant = ("slot1", "slot2")
"""max.incremental.fetch.session.cache.slots of them: 1,000 in Kafka."""

EVICTION_MS: Constant = 1
"""How long a session is left alone: 120,000 ms in Kafka."""

MAX_TIME: Constant = 3
MAX_SIZE: Constant = 2

METER: Constant = 2
"""The evictions meter is read modulo this, so that it never stops counting."""

LETTER_OF_RULE_THREE: Constant = False
"""Whether a larger consumer displaces an old but live follower, as the KIP's sentence says and
Apache Kafka does not (227-D26)."""

SECOND_SHARD: Constant = ()
"""The slots of a second shard, which takes turns with that of the others; none in the KIP
(227-D28)."""

KAFKA_ORDER: Constant = False
"""Whether the session that is evicted is the first in Apache Kafka's order, not any that a rule
allows (227-D27, 227-D29)."""

Slot: Domain = OneOf(SLOTS, interchangeable=len(SECOND_SHARD) == 0)
Shard: Domain = Range(0, min(1, len(SECOND_SHARD)))
Time: Domain = Range(0, MAX_TIME)
Size: Domain = Range(1, MAX_SIZE)
NumSessions: Domain = Range(0, len(SLOTS) + 1)
NumPartitions: Domain = Range(0, len(SLOTS) * MAX_SIZE)
Evictions: Domain = Range(0, METER - 1)


class Session(Record):
    privileged: bool  # created by a follower
    size: Size
    created: Time
    last_used: Time


class Proposal(Record):
    """A session that a client asked for and the cache has not decided on."""

    privileged: bool
    size: Size


class SessionCache(State):
    now: Time = 0
    cache: Map[Slot, Session | None] = {x: None for x in Slot}
    proposal: Proposal | None = None
    turn: Shard = 0  # which shard the next session goes to
    # The metrics, kept up to date by each change as a broker does, not computed from the cache.
    num_sessions: NumSessions = 0
    num_partitions_cached: NumPartitions = 0
    evictions: Evictions = 0
    # What really happened to the session in each slot; the cache never looks at it.
    truly_created: Map[Slot, Time] = {x: 0 for x in Slot}
    truly_used: Map[Slot, Time] = {x: 0 for x in Slot}


@action
def tick(s: SessionCache, new: SessionCache):
    """Time passes."""
    require(s.proposal is None and s.now < MAX_TIME)
    new.now = s.now + 1


@action
def propose(s: SessionCache, new: SessionCache, privileged: bool, size: Size):
    """A full request that wants a session has been answered."""
    require(s.proposal is None)
    new.proposal = Proposal(privileged=privileged, size=size)


# The three rules: may the proposed session take the place of an existing one?


def is_follower_over_consumer(proposal, session):
    """Rule 1: the new session belongs to a follower, the existing one to a consumer."""
    return proposal.privileged and not session.privileged


def is_stale(session, now):
    """Rule 2: the existing session has been inactive for longer than the eviction time."""
    return now - session.last_used > EVICTION_MS


def is_outgrown(proposal, session, now):
    """Rule 3: the existing session is older than the eviction time, and the new one is larger
    (227-D26, 227-D27)."""
    return (
        now - session.created > EVICTION_MS
        and proposal.size > session.size
        and (LETTER_OF_RULE_THREE or proposal.privileged or not session.privileged)
    )


def may_evict(proposal, session, now):
    return (
        is_follower_over_consumer(proposal, session)
        or is_stale(session, now)
        or is_outgrown(proposal, session, now)
    )


# Apache Kafka looks at one session: the one unused for longest, if that is stale, and otherwise the
# least valuable one within reach.


def has_the_turn(s: SessionCache, x):
    """The slot is of the shard that the proposed session goes to."""
    return (x in SECOND_SHARD) == (s.turn == 1)


def is_less_valuable(one, other):
    """Consumers go before followers, then smaller sessions before larger ones."""
    if one.privileged != other.privileged:
        return other.privileged
    return one.size < other.size


def is_in_reach(proposal, session):
    """A session comes within reach of rule 3 when it is used at that age (227-D27)."""
    return (
        is_follower_over_consumer(proposal, session)
        or session.last_used - session.created > EVICTION_MS
    )


def is_first_in_order(s: SessionCache, x):
    """Among the sessions of its shard, which is full."""
    session = s.cache[x]
    if any(is_stale(s.cache[y], s.now) for y in Slot if has_the_turn(s, y)):
        return all(session.last_used <= s.cache[y].last_used for y in Slot if has_the_turn(s, y))
    return (
        is_in_reach(s.proposal, session)
        and is_less_valuable(session, s.proposal)
        and not any(
            is_in_reach(s.proposal, s.cache[y]) and is_less_valuable(s.cache[y], session)
            for y in Slot
            if has_the_turn(s, y)
        )
    )


def is_evictable(s: SessionCache, x):
    """The proposed session may have slot x, which another has."""
    if not has_the_turn(s, x):
        return False
    return is_first_in_order(s, x) if KAFKA_ORDER else may_evict(s.proposal, s.cache[x], s.now)


def is_full(s: SessionCache):
    """The shard that the proposed session goes to has no room."""
    return all(s.cache[x] is not None for x in Slot if has_the_turn(s, x))


# The cache decides.


def decide(s: SessionCache, new: SessionCache):
    """The next session goes to the other shard, whatever becomes of this one."""
    new.proposal = None
    new.turn = 1 - s.turn if len(SECOND_SHARD) > 0 else 0


def take_in(s: SessionCache, new: SessionCache, x):
    """The proposed session begins in slot x."""
    decide(s, new)
    new.cache[x] = Session(
        privileged=s.proposal.privileged, size=s.proposal.size, created=s.now, last_used=s.now
    )
    new.truly_created[x] = s.now
    new.truly_used[x] = s.now


@action
def create_in_free_slot(s: SessionCache, new: SessionCache, x: Slot):
    """There is room."""
    require(s.proposal is not None and s.cache[x] is None and has_the_turn(s, x))
    take_in(s, new, x)
    new.num_sessions = s.num_sessions + 1
    new.num_partitions_cached = s.num_partitions_cached + s.proposal.size


@action
def create_by_evicting(s: SessionCache, new: SessionCache, x: Slot):
    """There is no room, and a rule lets the new session have the slot of another (227-D29)."""
    require(s.proposal is not None and is_full(s) and is_evictable(s, x))
    take_in(s, new, x)
    new.num_partitions_cached = s.num_partitions_cached - s.cache[x].size + s.proposal.size
    new.evictions = (s.evictions + 1) % METER


@action
def refuse(s: SessionCache, new: SessionCache):
    """There is no room, and no rule applies to any session: the response has session id 0."""
    require(s.proposal is not None and is_full(s))
    require(not any(is_evictable(s, x) for x in Slot))
    decide(s, new)


# Sessions are used and closed.


def touched(session, size, now):
    """A session after an incremental request: its size may have changed, its last use is now."""
    return replace(session, size=size, last_used=now)


@action
def use(s: SessionCache, new: SessionCache, x: Slot, size: Size):
    """An incremental request of the session in slot x, which leaves it with `size` partitions
    (227-D30)."""
    require(s.proposal is None and s.cache[x] is not None)
    new.cache[x] = touched(s.cache[x], size, s.now)
    new.num_partitions_cached = s.num_partitions_cached - s.cache[x].size + size
    new.truly_used[x] = s.now


@action
def close(s: SessionCache, new: SessionCache, x: Slot):
    """The client closes its session. That is no eviction (227-D32)."""
    require(s.proposal is None and s.cache[x] is not None)
    new.cache[x] = None
    new.num_sessions = s.num_sessions - 1
    new.num_partitions_cached = s.num_partitions_cached - s.cache[x].size
    new.truly_created[x] = 0
    new.truly_used[x] = 0
