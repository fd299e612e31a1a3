"""Lemmas about the cache of fetch sessions: invariants that only help proofs."""

from lockstep import lemma, present
from models.session_cache import EVICTION_MS, LETTER_OF_RULE_THREE, SessionCache, Slot, may_evict

# What proofs need besides.


@lemma
def used_since_its_creation(s: SessionCache, x: Slot):
    """A session is created by its first use, and every later use sets a later time."""
    return s.truly_created[x] <= s.truly_used[x]


@lemma
def nothing_is_used_in_the_future(s: SessionCache, x: Slot):
    """Both times are read from a clock that never goes back."""
    return s.truly_used[x] <= s.now


def the_sentence_allows(proposal, session, now):
    """The three rules as the KIP has them, each by its own words alone."""
    return (
        (proposal.privileged and not session.privileged)
        or now - session.last_used > EVICTION_MS
        or (now - session.created > EVICTION_MS and session.size < proposal.size)
    )


def is_the_deviation(proposal, session, now):
    """A consumer's session proposed against a follower's in use: only rule 3 by the letter would
    let it in (227-D26)."""
    return (
        not LETTER_OF_RULE_THREE
        and not proposal.privileged
        and session.privileged
        and now - session.last_used <= EVICTION_MS
    )


@lemma
def the_rules_are_the_sentence(s: SessionCache, x: Slot):
    """The cache may evict a session exactly if the KIP's sentence says so, but for 227-D26. That
    hangs on nothing that happened before: it is so for all times and sizes."""
    proposal = present(s.proposal)
    session = present(s.cache[x])
    return may_evict(proposal, session, s.now) == (
        the_sentence_allows(proposal, session, s.now)
        and not is_the_deviation(proposal, session, s.now)
    )
