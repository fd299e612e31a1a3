"""Mistakes with the leaders of several partitions. Those with a source really happened."""

from lockstep import edit, fault
from models import partition_leaders as client
from models.partition_leaders import (
    NodeEndpoint,
    Partition,
    PartitionLeaders,
    endpoint_after_reading,
    is_of_use,
    leader_after,
)

# What a response says.


@fault(breaks="each_broker_is_listed_once")
@edit(client.with_endpoint, "is_listed(s, b) or s.registered[b] is None", "s.registered[b] is None")
def lists_a_leader_for_each_partition():
    """Each partition that has a leader adds its endpoint to the list."""


@fault(replaces=client.with_endpoint, breaks="every_reported_leader_is_listed")
def lists_the_last_leader_alone(s: PartitionLeaders, b):
    """The list is begun from nothing by each partition."""
    if s.registered[b] is None:
        return s.node_endpoints
    return (NodeEndpoint(broker=b, endpoint=s.registered[b]),)


@fault(breaks="only_reported_leaders_are_listed")
@edit(client.answer_with_leader, "Answer(current_leader=leadership)", "Answer(current_leader=None)")
def lists_leaders_it_does_not_tell():
    """The endpoint is listed, and the leadership is not reported."""


@fault(breaks="response_answers_the_request")
@edit(client.is_complete, "return ...", "return any(s.answers[p] is not None for p in Partition)")
def response_is_sent_with_the_first_answer():
    """The other partitions of the request have no answer."""


# What the client takes from it.


@fault(breaks="assigned_partitions_are_requested")
@edit(client.send, "s.fetched_from", "s.leaders")
def all_known_partitions_are_requested():
    """The client asks for each partition that it has metadata of."""


@fault(replaces=leader_after, breaks="each_partition_learns_its_own_leader", source="KAFKA-16012")
def other_partitions_are_forgotten(s: PartitionLeaders, p):
    """The leaders reported take the place of all metadata: the client goes on with these partitions
    alone."""
    if any(is_of_use(s, q) for q in Partition) and not is_of_use(s, p):
        return None
    return s.answers[p].current_leader if is_of_use(s, p) else s.leaders[p]


@fault(breaks="partitions_are_fetched_from_their_leaders", source="KAFKA-15824")
@edit(
    client.receive,
    "new.fetched_from = ...",
    """
    stops = any(is_of_use(s, q) and s.fetched_from[q] is None for q in Partition)
    new.fetched_from = {
        p: s.fetched_from[p] if stops or s.fetched_from[p] is None else leader_after(s, p)
        for p in Partition
    }
    """,
)
def a_revoked_partition_stops_the_others():
    """The client gives up on a response that names the leader of a partition which is no longer
    assigned: its metadata has the new leaders by then, and nothing is fetched from them."""


@fault(breaks="a_response_assigns_nothing")
@edit(
    client.receive,
    "None if s.fetched_from[p] is None else leader_after(s, p)",
    "leader_after(s, p) if s.requested[p] else None",
)
def a_revoked_partition_is_fetched_again():
    """The client goes on with every partition of the response that has a leader."""


@fault(replaces=is_of_use, breaks="each_partition_learns_its_own_leader")
def metadata_comes_with_a_leader(s: PartitionLeaders, p):
    """A partition of which the client has no metadata has some by a response."""
    answer = s.answers[p]
    return (
        answer is not None
        and answer.current_leader is not None
        and endpoint_after_reading(s, answer.current_leader.leader) is not None
        and (s.leaders[p] is None or answer.current_leader.epoch > s.leaders[p].epoch)
    )


@fault(breaks="newer_leader_is_somewhere")
@edit(
    client.is_of_use, "endpoint_after_reading(s, answer.current_leader.leader) is not None", "True"
)
def leader_is_taken_without_an_endpoint():
    """The client does not look whether it will find the leader."""


@fault(
    replaces=client.endpoint_after,
    breaks="reported_endpoints_override",
    constants={"MAX_ENDPOINT": 1},
)
def endpoints_known_are_kept(s: PartitionLeaders, b):
    """Only a broker that the client did not know gets its endpoint from a response."""
    return endpoint_after_reading(s, b) if s.endpoints[b] is None else s.endpoints[b]


@fault(breaks="endpoints_come_with_leaders")
@edit(
    client.drop,
    "new.leaders[p] = None",
    "new.leaders[p] = None; new.endpoints = {b: None for b in Broker}",
)
def endpoints_go_with_a_partition():
    """With the metadata of a partition the client drops where all brokers are."""


@fault(breaks="leadership_changes_by_a_response_alone")
@edit(client.look_up, "require(...)", "require(s.registered[leadership.leader] is not None)")
def stale_refresh_overrides():
    """A refresh takes the place of what a response reported, newer or not."""
