"""Lemmas about KIP-951 leader discovery: invariants that only help proofs."""

from invariants.leader_discovery import is_refusal
from lockstep import lemma, present, when
from models.leader_discovery_state import MAX_RECREATIONS, Broker, Election, LeaderDiscovery, Slot

# What proofs need besides.


@lemma
def only_a_request_is_answered(s: LeaderDiscovery, r: Slot):
    """There is no response without a request."""
    return s.attempt[r] is not None or s.response[r] is None


@lemma
def only_a_wanted_refresh_is_under_way(s: LeaderDiscovery):
    """Nothing but a refresh that is taken fulfils the wish for one."""
    return s.refresh is None or s.refresh_wanted


@lemma
def request_names_no_unknown_epoch(s: LeaderDiscovery, r: Slot):
    """The client knew the epoch of its latest request, and forgets none of a topic that stays."""
    when(s.attempt[r] is not None and MAX_RECREATIONS == 0)
    named = present(s.attempt[r].epoch)
    return s.leader_epoch is not None and named <= s.leader_epoch


@lemma
def only_refusals_tell(s: LeaderDiscovery, r: Slot):
    """Other responses say nothing of the leader."""
    when(s.response[r] is not None and s.response[r].current_leader is not None)
    return is_refusal(s.response[r].error)


@lemma
def leaders_run(s: LeaderDiscovery, b: Broker, r: Slot):
    """Nobody hears of a leader without hearing where it is."""
    return (
        s.cluster.endpoints[s.cluster.leader] is not None
        and s.heard[b].endpoints[s.heard[b].leader] is not None
        and (s.refresh is None or s.refresh.endpoints[s.refresh.leader] is not None)
        and (
            s.response[r] is None
            or s.response[r].current_leader is None
            or s.response[r].current_leader.endpoint is not None
        )
    )


# Replicas that know who was elected in an epoch know the same.


def agree(one, other):
    return one.topic != other.topic or one.epoch != other.epoch or one.leader == other.leader


def is_an_election(s: LeaderDiscovery, believed):
    """None that is still to come, and nothing else than the cluster's own metadata and the witness
    say."""
    return (
        believed.topic <= s.cluster.topic
        and (believed.topic != s.cluster.topic or believed.epoch <= s.cluster.epoch)
        and agree(believed, s.cluster)
        and agree(believed, s.witnessed)
    )


@lemma
def witness_saw_an_election(s: LeaderDiscovery):
    return is_an_election(s, s.witnessed)


@lemma
def brokers_agree(s: LeaderDiscovery, b: Broker, other: Broker):
    return is_an_election(s, s.heard[b]) and agree(s.heard[b], s.heard[other])


@lemma
def refresh_agrees_with_brokers(s: LeaderDiscovery, b: Broker):
    when(s.refresh is not None)
    return is_an_election(s, s.refresh) and agree(s.refresh, s.heard[b])


@lemma
def response_agrees_with_brokers_and_refresh(s: LeaderDiscovery, b: Broker, r: Slot):
    when(s.response[r] is not None and s.attempt[r] is not None)
    hint = present(s.response[r].current_leader)
    named = Election(topic=s.attempt[r].topic, leader=hint.leader, epoch=hint.epoch)
    return (
        is_an_election(s, named)
        and agree(named, s.heard[b])
        and (s.refresh is None or agree(named, s.refresh))
    )


@lemma
def responses_agree(s: LeaderDiscovery, r: Slot, q: Slot):
    when(s.response[r] is not None and s.response[q] is not None)
    when(s.attempt[r] is not None and s.attempt[q] is not None)
    when(s.attempt[r].topic == s.attempt[q].topic)
    hint = present(s.response[r].current_leader)
    other = present(s.response[q].current_leader)
    return hint.epoch != other.epoch or hint.leader == other.leader


@lemma
def client_agrees_with_all(s: LeaderDiscovery, b: Broker, r: Slot):
    when(s.leader_epoch is not None)
    believed = Election(topic=s.topic, leader=s.leader, epoch=s.leader_epoch)
    return (
        is_an_election(s, believed)
        and agree(believed, s.heard[b])
        and (s.refresh is None or agree(believed, s.refresh))
        and (
            s.response[r] is None
            or s.response[r].current_leader is None
            or s.attempt[r] is None
            or s.attempt[r].topic != s.topic
            or s.response[r].current_leader.epoch != s.leader_epoch
            or s.response[r].current_leader.leader == s.leader
        )
    )
