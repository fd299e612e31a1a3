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

MAX_RECREATIONS: Constant = 0
"""How often in one behaviour the topic is deleted and made again."""

TOPIC_IDS: Constant = "requests"
"""Where a topic is known by its id, which is another one when it was made again. "nowhere": a
request has its name, as Produce before version 13. "requests": a broker looks for the id of the
request, as in Fetch and in the later Produce. "everywhere": the client, too, takes the leader in a
response for that of the id which it asked for; Apache Kafka's goes by the name (951-D16)."""

IN_FLIGHT: Constant = 1
"""How many requests the client may have under way at once (951-D15)."""

FIRST_EPOCH = 0

Broker: Domain = OneOf(BROKERS)
Epoch: Domain = Range(FIRST_EPOCH, MAX_EPOCH)
Topic: Domain = Range(0, MAX_RECREATIONS)
"""The id of the topic; ids have no order."""
Disturbances: Domain = Range(0, MAX_DISTURBANCES)
Endpoint: Domain = Range(0, MAX_DISTURBANCES)
"""Of one broker: it comes back at a greater one each time."""


Slot: Domain = Range(1, IN_FLIGHT)
"""Of a request: its place among those that are under way."""


class Error(Enum):
    """The error of a response; the values are Kafka's error codes."""

    NONE = 0
    NOT_LEADER_OR_FOLLOWER = 6
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNKNOWN_TOPIC_ID = 100


class Image(Record):
    """The cluster's metadata: who leads the partition, and where each broker is that runs."""

    topic: Topic
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
    topic: Topic
    epoch: Epoch | None


class Response(Record):
    error: Error
    current_leader: CurrentLeader | None


class Election(Record):
    topic: Topic
    leader: Broker
    epoch: Epoch


class LeaderDiscovery(State):
    # How things are, and what each broker has heard of it.
    cluster: Image = Image(
        topic=0, leader=BROKERS[0], epoch=FIRST_EPOCH, endpoints={b: 0 for b in Broker}
    )
    heard: Map[Broker, Image] = {
        b: Image(topic=0, leader=BROKERS[0], epoch=FIRST_EPOCH, endpoints={x: 0 for x in Broker})
        for b in Broker
    }
    # The client's metadata. At first it is from a broker too old to tell the epoch (951-D9).
    topic: Topic = 0
    leader: Broker = BROKERS[0]
    leader_epoch: Epoch | None = None
    endpoints: Map[Broker, Endpoint | None] = {b: 0 for b in Broker}
    refresh_wanted: bool = False
    refresh: Image | None = None
    # The client's latest requests, each until it is served or may be sent again, and the answers.
    attempt: Map[Slot, Attempt | None] = {r: None for r in Slot}
    response: Map[Slot, Response | None] = {r: None for r in Slot}
    backing_off: Map[Slot, bool] = {r: False for r in Slot}
    # What went wrong so far.
    disturbances: Disturbances = 0
    # For the reader: any one of the elections so far.
    witnessed: Election = Election(topic=0, leader=BROKERS[0], epoch=FIRST_EPOCH)
