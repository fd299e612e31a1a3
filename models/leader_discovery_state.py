"""The variables of KIP-951 leader discovery, and the messages between client and brokers."""

from enum import Enum

from lockstep import (
    Constant,
    Domain,
    Map,
    OneOf,
    Range,
    Record,
    State,
)

BROKERS: Constant = ("b1", "b2")
"""The first one leads at first."""

MAX_EPOCH: Constant = 2

MAX_DISTURBANCES: Constant = 1
"""How often in one behaviour a broker stops or a message is lost."""

FIRST_EPOCH = 0

Broker: Domain = OneOf(BROKERS)
Epoch: Domain = Range(FIRST_EPOCH, MAX_EPOCH)
Disturbances: Domain = Range(0, MAX_DISTURBANCES)
Endpoint: Domain = Range(0, MAX_DISTURBANCES)
"""Of one broker: it comes back at a greater one each time."""


class Error(Enum):
    """The error of a response; the values are Kafka's error codes."""

    NONE = 0
    NOT_LEADER_OR_FOLLOWER = 6
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75


class Image(Record):
    """The cluster's metadata: who leads the partition, and where each broker is that runs."""

    leader: Broker
    epoch: Epoch
    endpoints: Map[Broker, Endpoint | None]


class CurrentLeader(Record):
    """CurrentLeader and its NodeEndpoint in a response."""

    leader: Broker
    epoch: Epoch
    endpoint: Endpoint | None


class Attempt(Record):
    """A request: whom it is for, where that broker was believed to be, and the leader epoch."""

    to: Broker
    endpoint: Endpoint
    epoch: Epoch | None


class Response(Record):
    error: Error
    current_leader: CurrentLeader | None


class Election(Record):
    leader: Broker
    epoch: Epoch


class LeaderDiscovery(State):
    # How things are, and what each broker has heard of it.
    cluster: Image = Image(leader=BROKERS[0], epoch=FIRST_EPOCH, endpoints={b: 0 for b in Broker})
    heard: Map[Broker, Image] = {
        b: Image(leader=BROKERS[0], epoch=FIRST_EPOCH, endpoints={x: 0 for x in Broker})
        for b in Broker
    }
    # The client's metadata. At first it is from a broker too old to tell the epoch (951-D9).
    leader: Broker = BROKERS[0]
    leader_epoch: Epoch | None = None
    endpoints: Map[Broker, Endpoint | None] = {b: 0 for b in Broker}
    refresh_wanted: bool = False
    refresh: Image | None = None
    # The client's latest request, until it is served or may be sent anew, and the answer to it.
    attempt: Attempt | None = None
    response: Response | None = None
    backing_off: bool = False
    # What went wrong so far.
    disturbances: Disturbances = 0
    # For the reader: any one of the elections so far.
    witnessed: Election = Election(leader=BROKERS[0], epoch=FIRST_EPOCH)
