"""KIP-951: how a client finds the leader of a partition once another broker leads it.

One partition. Each election raises its leader epoch; brokers stop, and come back at another
endpoint; the topic may be deleted and made again, with another id and the first epoch. Brokers hear
of all that late, each at its own time. A client sends Produce or Fetch requests, so many at once,
to the leader that it believes in; a broker that does not lead refuses, and names the leader that
it knows. Besides, any broker may answer a refresh of the client's metadata.
"""

from lockstep import action, present, replace, require
from models.leader_discovery_state import (
    FIRST_EPOCH,
    MAX_DISTURBANCES,
    MAX_EPOCH,
    MAX_RECREATIONS,
    TOPIC_IDS,
    Attempt,
    Broker,
    CurrentLeader,
    Election,
    Error,
    LeaderDiscovery,
    Response,
    Slot,
)

# The cluster.


@action
def elect(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker, witnessed: bool):
    """A broker that runs becomes the leader of the next epoch."""
    require(s.cluster.epoch < MAX_EPOCH and s.cluster.endpoints[b] is not None)
    new.cluster = replace(s.cluster, leader=b, epoch=s.cluster.epoch + 1)
    new.witnessed = (
        Election(topic=s.cluster.topic, leader=b, epoch=s.cluster.epoch + 1)
        if witnessed
        else s.witnessed
    )


@action
def recreate(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker, witnessed: bool):
    """The topic is deleted and made again (951-D16): its epochs begin again, too."""
    require(s.cluster.topic < MAX_RECREATIONS and s.cluster.endpoints[b] is not None)
    topic = s.cluster.topic + 1
    new.cluster = replace(s.cluster, topic=topic, leader=b, epoch=FIRST_EPOCH)
    new.witnessed = Election(topic=topic, leader=b, epoch=FIRST_EPOCH) if witnessed else s.witnessed


def disturb(s: LeaderDiscovery, new: LeaderDiscovery):
    require(s.disturbances < MAX_DISTURBANCES)
    new.disturbances = s.disturbances + 1


def moved(image, b, endpoint):
    """The metadata once a broker is somewhere else, or nowhere."""
    return replace(image, endpoints={x: endpoint if x == b else image.endpoints[x] for x in Broker})


@action
def stop(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """A broker stops, after another one was elected if it led (951-D11)."""
    require(s.cluster.endpoints[b] is not None and s.cluster.leader != b)
    disturb(s, new)
    new.cluster = moved(s.cluster, b, endpoint=None)


@action
def start(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """It comes back somewhere else, and knows at once what happened meanwhile."""
    require(s.cluster.endpoints[b] is None)
    new.cluster = moved(s.cluster, b, s.disturbances)
    new.heard[b] = moved(s.cluster, b, s.disturbances)


@action
def hear(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """A broker hears of all that happened (951-D10)."""
    require(s.cluster.endpoints[b] is not None and s.heard[b] != s.cluster)
    new.heard[b] = s.cluster


# The client sends.


def is_newer(epoch, other):
    """A leader epoch is greater than another one, or the first that is known."""
    return other is None or epoch > other


def attempt_to_the_leader(s: LeaderDiscovery, new: LeaderDiscovery, r):
    """A request to the leader that the client believes in."""
    require(s.endpoints[s.leader] is not None)
    new.attempt[r] = Attempt(
        to=s.leader, endpoint=s.endpoints[s.leader], topic=s.topic, epoch=s.leader_epoch
    )
    new.backing_off[r] = False


@action
def send(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """There is something to send, or to send again after the backoff."""
    require(s.attempt[r] is None)
    attempt_to_the_leader(s, new, r)


def may_skip_backoff(s: LeaderDiscovery, r):
    """The client knows a newer leader than the one that it tried last (951-D3)."""
    return s.leader_epoch is not None and is_newer(s.leader_epoch, s.attempt[r].epoch)


@action
def retry_at_once(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """No backoff before a retry that goes to a newer leader."""
    require(s.backing_off[r] and s.attempt[r] is not None and may_skip_backoff(s, r))
    attempt_to_the_leader(s, new, r)


@action
def end_backoff(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The backoff is over."""
    require(s.backing_off[r] and s.attempt[r] is not None and not may_skip_backoff(s, r))
    new.backing_off[r] = False
    new.attempt[r] = None


# A broker answers. A Fetch request names the leader epoch, a Produce request does not (951-D2).
# Both are for the topic that the broker has heard of, unless they name another by its id.


def has_arrived(s: LeaderDiscovery, r):
    """The request is with the broker that it is for."""
    return (
        s.attempt[r] is not None
        and s.response[r] is None
        and not s.backing_off[r]
        and s.cluster.endpoints[s.attempt[r].to] == s.attempt[r].endpoint
    )


def is_for_another_topic(s: LeaderDiscovery, r):
    """The broker has not heard of the topic, or has heard that it is deleted."""
    return TOPIC_IDS != "nowhere" and s.attempt[r].topic != s.heard[s.attempt[r].to].topic


def may_be_served(s: LeaderDiscovery, r):
    """The broker has the request, and knows what it is for."""
    return has_arrived(s, r) and not is_for_another_topic(s, r)


def leads(s: LeaderDiscovery, b):
    """As far as the broker itself has heard."""
    return s.heard[b].leader == b


def current_leader(s: LeaderDiscovery, b):
    """What a broker reports of the leader."""
    return CurrentLeader(
        leader=s.heard[b].leader,
        epoch=s.heard[b].epoch,
        endpoint=s.heard[b].endpoints[s.heard[b].leader],
    )


@action
def answer_served(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The broker leads."""
    require(may_be_served(s, r) and leads(s, s.attempt[r].to))
    new.response[r] = Response(error=Error.NONE, current_leader=None)


@action
def answer_not_leader(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The broker does not lead, and says who does; even if that is nothing new (951-D8)."""
    require(may_be_served(s, r) and not leads(s, s.attempt[r].to))
    new.response[r] = Response(
        error=Error.NOT_LEADER_OR_FOLLOWER, current_leader=current_leader(s, s.attempt[r].to)
    )


@action
def answer_not_leader_unreported(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The same by a broker older than the KIP, which says nothing more."""
    require(may_be_served(s, r) and not leads(s, s.attempt[r].to))
    new.response[r] = Response(error=Error.NOT_LEADER_OR_FOLLOWER, current_leader=None)


@action
def answer_fenced(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A Fetch request names an older epoch than the broker has heard of."""
    require(may_be_served(s, r) and s.attempt[r].epoch is not None)
    require(s.attempt[r].epoch < s.heard[s.attempt[r].to].epoch)
    new.response[r] = Response(
        error=Error.FENCED_LEADER_EPOCH, current_leader=current_leader(s, s.attempt[r].to)
    )


@action
def answer_unknown_epoch(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A Fetch request names a newer epoch than the broker has heard of (951-D6)."""
    require(may_be_served(s, r) and s.attempt[r].epoch is not None)
    require(s.attempt[r].epoch > s.heard[s.attempt[r].to].epoch)
    new.response[r] = Response(error=Error.UNKNOWN_LEADER_EPOCH, current_leader=None)


@action
def answer_unknown_topic(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The broker knows no topic with the id, and so no leader of it."""
    require(has_arrived(s, r) and is_for_another_topic(s, r))
    new.response[r] = Response(error=Error.UNKNOWN_TOPIC_ID, current_leader=None)


# The client takes the answer.


def refuses_leadership(error):
    """The errors that say that the client's view of the leader is an old one."""
    return error in (Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH)


def is_of_the_topic(s: LeaderDiscovery, r):
    """A response is about the topic that the client knows, as far as the client can see."""
    return TOPIC_IDS != "everywhere" or s.attempt[r].topic == s.topic


def advances(s: LeaderDiscovery, hint, r):
    """What a response says of the leader is newer than what the client knows, and of use: the
    client knows where that leader is, or the response says it."""
    return (
        hint is not None
        and is_of_the_topic(s, r)
        and is_newer(hint.epoch, s.leader_epoch)
        and (hint.endpoint is not None or s.endpoints[hint.leader] is not None)
    )


@action
def receive_served(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    require(s.response[r] is not None and s.response[r].error == Error.NONE)
    new.response[r] = None
    new.attempt[r] = None


def take_leader(s: LeaderDiscovery, new: LeaderDiscovery, hint):
    """The client believes in another leader from now on, and in where that is."""
    new.leader = hint.leader
    new.leader_epoch = hint.epoch
    new.endpoints = {
        b: hint.endpoint if b == hint.leader and hint.endpoint is not None else s.endpoints[b]
        for b in Broker
    }


def take_error(s: LeaderDiscovery, new: LeaderDiscovery, r):
    new.response[r] = None
    new.backing_off[r] = True
    new.refresh_wanted = s.refresh_wanted or s.response[r].error != Error.UNKNOWN_LEADER_EPOCH


@action
def receive_newer_leader(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The request was refused, and a newer leader is reported."""
    response = present(s.response[r])
    require(refuses_leadership(response.error) and advances(s, response.current_leader, r))
    take_error(s, new, r)
    take_leader(s, new, response.current_leader)


@action
def receive_nothing_newer(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The request was refused, and the client learns nothing by it."""
    response = present(s.response[r])
    require(refuses_leadership(response.error) and not advances(s, response.current_leader, r))
    take_error(s, new, r)


@action
def receive_unknown_epoch(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The client knows a newer leader than the broker does."""
    require(s.response[r] is not None and s.response[r].error == Error.UNKNOWN_LEADER_EPOCH)
    take_error(s, new, r)


@action
def receive_unknown_topic(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """Either the client or the broker has not heard of the latest topic."""
    require(s.response[r] is not None and s.response[r].error == Error.UNKNOWN_TOPIC_ID)
    take_error(s, new, r)


def disconnected(new: LeaderDiscovery, r):
    """Neither answer nor broker: whatever the client knows may be old."""
    new.response[r] = None
    new.backing_off[r] = True
    new.refresh_wanted = True


@action
def find_nobody(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The broker is no longer where the request went."""
    attempt = present(s.attempt[r])
    require(s.response[r] is None and not s.backing_off[r])
    require(s.cluster.endpoints[attempt.to] != attempt.endpoint)
    disconnected(new, r)


@action
def lose(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The connection breaks, before the request arrives or after."""
    require(s.attempt[r] is not None and not s.backing_off[r])
    disturb(s, new)
    disconnected(new, r)


# The metadata is refreshed meanwhile.


@action
def age(s: LeaderDiscovery, new: LeaderDiscovery):
    """The metadata is so old that it is to be refreshed without any error."""
    require(not s.refresh_wanted)
    new.refresh_wanted = True


@action
def answer_refresh(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """Any broker answers with what it has heard; the answer may be late."""
    require(s.refresh_wanted and s.refresh is None and s.cluster.endpoints[b] is not None)
    new.refresh = s.heard[b]


def is_stale(s: LeaderDiscovery, refresh):
    """A refresh is older than what the client knows of the leader. Of another topic none is, for
    ids have no order."""
    return (
        s.leader_epoch is not None and refresh.topic == s.topic and refresh.epoch < s.leader_epoch
    )


def take_endpoints(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """All endpoints are those of the answer (951-D5). Who does not know where the leader is
    asks again."""
    new.refresh = None
    new.endpoints = s.refresh.endpoints
    new.refresh_wanted = s.refresh.endpoints[leader] is None


@action
def receive_refresh(s: LeaderDiscovery, new: LeaderDiscovery):
    """The client takes the leader from the answer."""
    refresh = present(s.refresh)
    require(not is_stale(s, refresh))
    take_endpoints(s, new, refresh.leader)
    new.topic = refresh.topic
    new.leader = refresh.leader
    new.leader_epoch = refresh.epoch


@action
def receive_stale_refresh(s: LeaderDiscovery, new: LeaderDiscovery):
    """The client keeps the leader that it knows."""
    require(s.refresh is not None and is_stale(s, s.refresh))
    take_endpoints(s, new, s.leader)


@action
def lose_refresh(s: LeaderDiscovery, new: LeaderDiscovery):
    """The client will ask again."""
    require(s.refresh is not None)
    disturb(s, new)
    new.refresh = None
