"""What must hold of the leaders of several partitions. Ids such as 951-5 are rows of
specs/kip_951.toml."""

from lockstep import invariant, present, sometimes, step_invariant, when
from models.partition_leaders import Broker, Partition, PartitionLeaders

# What a response says.


@invariant("951-17")
def each_broker_is_listed_once(s: PartitionLeaders):
    """However many partitions a broker leads, its endpoint is in the response once."""
    return all(
        sum(1 for other in s.node_endpoints if other.broker == node.broker) == 1
        for node in s.node_endpoints
    )


@invariant("951-12", "951-17")
def every_reported_leader_is_listed(s: PartitionLeaders, p: Partition):
    """The leaders of all partitions of the response are listed, where they are."""
    when(s.answers[p] is not None)
    reported = present(s.answers[p].current_leader)
    endpoint = present(s.registered[reported.leader])
    return any(
        node.broker == reported.leader and node.endpoint == endpoint for node in s.node_endpoints
    )


def is_reported_to_lead(s: PartitionLeaders, p, b):
    """The response says that a broker leads a partition."""
    return (
        s.answers[p] is not None
        and s.answers[p].current_leader is not None
        and s.answers[p].current_leader.leader == b
    )


@invariant("951-17")
def only_reported_leaders_are_listed(s: PartitionLeaders):
    """No other broker is listed, nor any that is nowhere."""
    return all(
        s.registered[node.broker] == node.endpoint
        and any(is_reported_to_lead(s, p, node.broker) for p in Partition)
        for node in s.node_endpoints
    )


# What the client takes from it.


def was_read(s: PartitionLeaders, new: PartitionLeaders):
    """The client took a response."""
    return any(s.requested[p] and not new.requested[p] for p in Partition)


def is_reported(s: PartitionLeaders, b):
    """The response says where a broker is."""
    return any(node.broker == b for node in s.node_endpoints)


def is_news(s: PartitionLeaders, p):
    """A newer leader of a partition is reported than the client knows, and it can be found."""
    return (
        s.answers[p] is not None
        and s.answers[p].current_leader is not None
        and s.leaders[p] is not None
        and s.leaders[p].epoch < s.answers[p].current_leader.epoch
        and (
            is_reported(s, s.answers[p].current_leader.leader)
            or s.endpoints[s.answers[p].current_leader.leader] is not None
        )
    )


@step_invariant("951-6")
def assigned_partitions_are_requested(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """The client asks for all partitions that are assigned to it, and for no other."""
    when(any(new.requested[q] and not s.requested[q] for q in Partition))
    return new.requested[p] == (s.fetched_from[p] is not None)


@step_invariant("951-1")
def response_answers_the_request(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """Every partition of the request has its answer when the response is read. Before that no
    answer goes, nor changes; and what was not asked for has none."""
    return (
        s.requested[p] == (s.answers[p] is not None)
        and not new.requested[p]
        and new.answers[p] is None
        and len(new.node_endpoints) == 0
        if was_read(s, new)
        else new.answers[p] == s.answers[p] or (s.answers[p] is None and s.requested[p])
    )


@step_invariant("951-5", "951-18")
def each_partition_learns_its_own_leader(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """By a response the client learns the newer leaders reported, each of its partition. Of all
    other partitions it knows what it knew."""
    when(was_read(s, new))
    return (
        s.answers[p] is not None and new.leaders[p] == s.answers[p].current_leader
        if is_news(s, p)
        else new.leaders[p] == s.leaders[p]
    )


@step_invariant("951-7")
def leadership_changes_by_a_response_alone(
    s: PartitionLeaders, new: PartitionLeaders, p: Partition
):
    """Apart from responses the metadata of a partition comes or goes, and does not change."""
    when(not was_read(s, new) and s.leaders[p] is not None)
    leadership = present(new.leaders[p])
    return leadership == s.leaders[p]


@step_invariant("951-14")
def reported_endpoints_override(s: PartitionLeaders, new: PartitionLeaders, b: Broker):
    """With a newer leader all endpoints of the response take the place of those that the client
    had; the others stay, and so do all if nothing newer is reported (951-D17)."""
    when(was_read(s, new))
    return (
        any(node.broker == b and node.endpoint == new.endpoints[b] for node in s.node_endpoints)
        if is_reported(s, b) and any(is_news(s, p) for p in Partition)
        else new.endpoints[b] == s.endpoints[b]
    )


@step_invariant("951-14")
def endpoints_come_with_leaders(s: PartitionLeaders, new: PartitionLeaders, b: Broker):
    """Apart from responses the client learns where a broker is when a refresh brings a partition
    that it leads, as things are then. No other endpoint changes by that; what a whole refresh does
    is in `leader_discovery` (951-D5)."""
    when(not was_read(s, new))
    is_brought = any(
        s.leaders[p] is None and new.leaders[p] is not None and new.leaders[p].leader == b
        for p in Partition
    )
    return new.endpoints[b] == (s.registered[b] if is_brought else s.endpoints[b])


@step_invariant("951-12")
def newer_leader_is_somewhere(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """Whichever leader the client learns of, it knows where that is."""
    leadership = present(new.leaders[p])
    when(leadership != s.leaders[p])
    return new.endpoints[leadership.leader] is not None


@invariant("951-6")
def partitions_are_fetched_from_their_leaders(s: PartitionLeaders, p: Partition):
    """An assigned partition is fetched from the leader that the client knows, whatever else the
    response said that reported it."""
    source = present(s.fetched_from[p])
    return source == s.leaders[p]


@step_invariant("951-6")
def a_response_assigns_nothing(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """Whatever a response says, the client fetches the partitions that it fetched before."""
    when(was_read(s, new))
    return (new.fetched_from[p] is None) == (s.fetched_from[p] is None)


# The scope reaches what it is about.


@sometimes("951-17")
def two_partitions_have_one_leader(s: PartitionLeaders):
    """A broker that leads two partitions of the response is listed nevertheless."""
    return len(s.node_endpoints) == 1 and all(
        s.answers[p] is not None and s.answers[p].current_leader is not None for p in Partition
    )


@sometimes("951-17")
def two_leaders_are_reported(s: PartitionLeaders):
    """One response may tell of several brokers."""
    return len(s.node_endpoints) > 1


@sometimes("951-12")
def a_leader_is_reported_that_is_nowhere(s: PartitionLeaders):
    """A broker that is fenced has no endpoint to be listed (951-D12)."""
    return any(
        is_reported_to_lead(s, p, b) and s.registered[b] is None for p in Partition for b in Broker
    )


@sometimes("951-18")
def one_partition_of_two_has_a_leader(s: PartitionLeaders):
    """A response may tell the leader of one partition, and nothing of another."""
    return all(s.answers[p] is not None for p in Partition) and (
        sum(1 for p in Partition if any(is_reported_to_lead(s, p, b) for b in Broker)) == 1
    )


@sometimes("951-6")
def a_revoked_partition_has_news(s: PartitionLeaders):
    """A partition may be revoked while its answer is under way, and another one have news, too."""
    return all(is_news(s, p) for p in Partition) and any(
        s.fetched_from[p] is None for p in Partition
    )


@sometimes("951-18")
def a_dropped_partition_has_a_leader(s: PartitionLeaders):
    """Its metadata may be gone before the response comes."""
    return any(
        is_reported_to_lead(s, p, b) and s.leaders[p] is None for p in Partition for b in Broker
    )
