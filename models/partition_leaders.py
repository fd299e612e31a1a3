"""KIP-951 for several partitions: what one response reports of their leaders, and what becomes of
the client's metadata by it.

A client fetches the partitions that are assigned to it. Of each that a broker does not lead, it
names the leader that it knows, and adds where that is to one list for the whole response. The
client takes what is newer than its own metadata, and leaves the rest as it is. Who is asked, when,
and how often is in leader_discovery; so is what a refresh does to leaders that are known.
"""

from lockstep import (
    Constant,
    Domain,
    Map,
    OneOf,
    Range,
    Record,
    Sequence,
    State,
    action,
    present,
    require,
)

PARTITIONS: Constant = ("p1", "p2")
BROKERS: Constant = ("b1", "b2")
MAX_EPOCH: Constant = 1
MAX_ENDPOINT: Constant = 1

Partition: Domain = OneOf(PARTITIONS, interchangeable=True)
Broker: Domain = OneOf(BROKERS, interchangeable=True)
Epoch: Domain = Range(0, MAX_EPOCH)
Endpoint: Domain = Range(0, MAX_ENDPOINT)
"""Of one broker: it comes back at a greater one each time."""


class Leadership(Record):
    leader: Broker
    epoch: Epoch


class NodeEndpoint(Record):
    """Where the response says that a broker is."""

    broker: Broker
    endpoint: Endpoint


NodeEndpoints: Domain = Sequence[NodeEndpoint, len(PARTITIONS)]


class Answer(Record):
    """What a response says of one partition."""

    current_leader: Leadership | None


class PartitionLeaders(State):
    # Where brokers are, as far as the one that answers has heard.
    registered: Map[Broker, Endpoint | None] = {b: 0 for b in Broker}
    # The client's metadata, and from whom it fetches each partition that is assigned to it.
    leaders: Map[Partition, Leadership | None] = {p: None for p in Partition}
    endpoints: Map[Broker, Endpoint | None] = {b: None for b in Broker}
    fetched_from: Map[Partition, Leadership | None] = {p: None for p in Partition}
    # The request, and the response as far as it is made.
    requested: Map[Partition, bool] = {p: False for p in Partition}
    answers: Map[Partition, Answer | None] = {p: None for p in Partition}
    node_endpoints: NodeEndpoints = ()


def is_idle(s: PartitionLeaders):
    """No request is under way."""
    return not any(s.requested[p] for p in Partition)


# Brokers move, and partitions come and go.


@action
def register(s: PartitionLeaders, new: PartitionLeaders, b: Broker, endpoint: Endpoint):
    """A broker is somewhere else, or is there again."""
    require(is_idle(s) and s.registered[b] != endpoint)
    new.registered[b] = endpoint


@action
def fence(s: PartitionLeaders, new: PartitionLeaders, b: Broker):
    """A broker is nowhere, though it may lead until another one is elected (951-D11)."""
    require(is_idle(s) and s.registered[b] is not None)
    new.registered[b] = None


@action
def look_up(s: PartitionLeaders, new: PartitionLeaders, p: Partition, leadership: Leadership):
    """A refresh brings the metadata of a partition, and where its leader is."""
    require(s.leaders[p] is None and s.registered[leadership.leader] is not None)
    new.leaders[p] = leadership
    new.endpoints[leadership.leader] = s.registered[leadership.leader]


@action
def drop(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """The metadata of a partition goes when nobody asks for it."""
    require(s.leaders[p] is not None and s.fetched_from[p] is None)
    new.leaders[p] = None


@action
def assign(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """The client fetches a partition from the leader that it knows."""
    leadership = present(s.leaders[p])
    require(s.fetched_from[p] is None)
    new.fetched_from[p] = leadership


@action
def revoke(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """Even while an answer for it is under way."""
    require(s.fetched_from[p] is not None)
    new.fetched_from[p] = None


# The client asks, and a broker answers one partition after the other.


@action
def send(s: PartitionLeaders, new: PartitionLeaders):
    """The client asks for all that is assigned to it."""
    require(is_idle(s))
    new.requested = {p: s.fetched_from[p] is not None for p in Partition}


def awaits_its_answer(s: PartitionLeaders, p):
    return s.requested[p] and s.answers[p] is None


@action
def answer_without_leader(s: PartitionLeaders, new: PartitionLeaders, p: Partition):
    """The broker leads the partition, or does not know who does (951-D11)."""
    require(awaits_its_answer(s, p))
    new.answers[p] = Answer(current_leader=None)


def is_listed(s: PartitionLeaders, b):
    return any(node.broker == b for node in s.node_endpoints)


def with_endpoint(s: PartitionLeaders, b):
    """The list of endpoints, with one more broker unless it is in it, or nowhere (951-D12)."""
    if is_listed(s, b) or s.registered[b] is None:
        return s.node_endpoints
    return s.node_endpoints + (NodeEndpoint(broker=b, endpoint=s.registered[b]),)


@action
def answer_with_leader(
    s: PartitionLeaders, new: PartitionLeaders, p: Partition, leadership: Leadership
):
    """The broker refuses the partition, and reports what it has heard, newer or not (951-D8)."""
    require(awaits_its_answer(s, p))
    new.answers[p] = Answer(current_leader=leadership)
    new.node_endpoints = with_endpoint(s, leadership.leader)


# The client takes the whole response at once.


def endpoint_after_reading(s: PartitionLeaders, b):
    """Where a broker is to the client once it has read the response."""
    if not is_listed(s, b):
        return s.endpoints[b]
    return max(node.endpoint for node in s.node_endpoints if node.broker == b)


def is_of_use(s: PartitionLeaders, p):
    """The response names a newer leader of a partition than the client knows, and the client then
    knows where that is. Of a partition that it has no metadata of it learns nothing."""
    answer = s.answers[p]
    known = s.leaders[p]
    return (
        answer is not None
        and answer.current_leader is not None
        and known is not None
        and answer.current_leader.epoch > known.epoch
        and endpoint_after_reading(s, answer.current_leader.leader) is not None
    )


def leader_after(s: PartitionLeaders, p):
    return s.answers[p].current_leader if is_of_use(s, p) else s.leaders[p]


def endpoint_after(s: PartitionLeaders, b):
    """Endpoints are taken with leaders: all that are reported, or none (951-D17)."""
    if any(is_of_use(s, p) for p in Partition):
        return endpoint_after_reading(s, b)
    return s.endpoints[b]


def is_complete(s: PartitionLeaders):
    """Every partition of a request has its answer."""
    return not is_idle(s) and not any(awaits_its_answer(s, p) for p in Partition)


@action
def receive(s: PartitionLeaders, new: PartitionLeaders):
    """The response is complete, and has arrived."""
    require(is_complete(s))
    new.leaders = {p: leader_after(s, p) for p in Partition}
    new.fetched_from = {
        p: None if s.fetched_from[p] is None else leader_after(s, p) for p in Partition
    }
    new.endpoints = {b: endpoint_after(s, b) for b in Broker}
    new.requested = {p: False for p in Partition}
    new.answers = {p: None for p in Partition}
    new.node_endpoints = ()
