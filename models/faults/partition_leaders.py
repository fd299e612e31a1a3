"""Mistakes with the leaders of several partitions. Those with a source really happened."""

from lockstep import fault, require
from models.partition_leaders import (
    Answer,
    Leadership,
    NodeEndpoint,
    Partition,
    PartitionLeaders,
    awaits_its_answer,
    endpoint_after,
    is_complete,
    is_idle,
    is_of_use,
    leader_after,
    look_up,
    send,
    source_after,
    tell_leader,
    told_endpoint,
    with_endpoint,
)

# What a response says.


@fault(replaces=with_endpoint, breaks="each_broker_is_listed_once")
def lists_a_leader_for_each_partition(s: PartitionLeaders, b):
    """Each partition that has a leader adds its endpoint to the list."""
    if s.registered[b] is None:
        return s.node_endpoints
    return s.node_endpoints + (NodeEndpoint(broker=b, endpoint=s.registered[b]),)


@fault(replaces=with_endpoint, breaks="every_leader_told_is_listed")
def lists_the_last_leader_alone(s: PartitionLeaders, b):
    """The list is made anew by each partition."""
    if s.registered[b] is None:
        return s.node_endpoints
    return (NodeEndpoint(broker=b, endpoint=s.registered[b]),)


@fault(replaces=tell_leader, breaks="only_leaders_told_are_listed")
def lists_leaders_it_does_not_tell(
    s: PartitionLeaders, new: PartitionLeaders, p: Partition, leadership: Leadership
):
    """The endpoint is listed, and the leadership is not told."""
    require(awaits_its_answer(s, p))
    new.answers[p] = Answer(current_leader=None)
    new.node_endpoints = with_endpoint(s, leadership.leader)


@fault(replaces=is_complete, breaks="response_answers_the_request")
def response_is_sent_with_the_first_answer(s: PartitionLeaders):
    """The other partitions of the request have no answer."""
    return any(s.answers[p] is not None for p in Partition)


# What the client takes from it.


@fault(replaces=send, breaks="assigned_partitions_are_requested")
def all_known_partitions_are_requested(s: PartitionLeaders, new: PartitionLeaders):
    """The client asks for each partition that it has metadata of."""
    require(is_idle(s))
    new.requested = {p: s.leaders[p] is not None for p in Partition}


@fault(replaces=leader_after, breaks="each_partition_learns_its_own_leader", source="KAFKA-16012")
def other_partitions_are_forgotten(s: PartitionLeaders, p):
    """The leaders told take the place of all metadata: the client goes on with these partitions
    alone."""
    if any(is_of_use(s, q) for q in Partition) and not is_of_use(s, p):
        return None
    return s.answers[p].current_leader if is_of_use(s, p) else s.leaders[p]


@fault(
    replaces=source_after,
    breaks="partitions_are_fetched_from_their_leaders",
    source="KAFKA-15824",
)
def a_revoked_partition_stops_the_others(s: PartitionLeaders, p):
    """The client gives up on a response that tells the leader of a partition which is no longer
    assigned: its metadata has the new leaders by then, and nothing is fetched from them."""
    if any(is_of_use(s, q) and s.fetched_from[q] is None for q in Partition):
        return s.fetched_from[p]
    return None if s.fetched_from[p] is None else leader_after(s, p)


@fault(replaces=source_after, breaks="a_response_assigns_nothing")
def a_revoked_partition_is_fetched_again(s: PartitionLeaders, p):
    """The client goes on with every partition of the response that has a leader."""
    return leader_after(s, p) if s.requested[p] else None


@fault(replaces=is_of_use, breaks="each_partition_learns_its_own_leader")
def metadata_comes_with_a_leader(s: PartitionLeaders, p):
    """A partition of which the client has no metadata has some by a response."""
    answer = s.answers[p]
    return (
        answer is not None
        and answer.current_leader is not None
        and told_endpoint(s, answer.current_leader.leader) is not None
        and (s.leaders[p] is None or answer.current_leader.epoch > s.leaders[p].epoch)
    )


@fault(replaces=is_of_use, breaks="newer_leader_is_somewhere")
def leader_is_taken_without_an_endpoint(s: PartitionLeaders, p):
    """The client does not look whether it will find the leader."""
    answer = s.answers[p]
    known = s.leaders[p]
    return (
        answer is not None
        and answer.current_leader is not None
        and known is not None
        and answer.current_leader.epoch > known.epoch
    )


@fault(replaces=endpoint_after, breaks="endpoints_told_override", constants={"MAX_ENDPOINT": 1})
def endpoints_known_are_kept(s: PartitionLeaders, b):
    """Only a broker that the client did not know gets its endpoint from a response."""
    return told_endpoint(s, b) if s.endpoints[b] is None else s.endpoints[b]


@fault(replaces=look_up, breaks="leadership_changes_by_a_response_alone")
def stale_refresh_overrides(
    s: PartitionLeaders, new: PartitionLeaders, p: Partition, leadership: Leadership
):
    """A refresh takes the place of what a response told, newer or not."""
    require(s.registered[leadership.leader] is not None)
    new.leaders[p] = leadership
    new.endpoints[leadership.leader] = s.registered[leadership.leader]
