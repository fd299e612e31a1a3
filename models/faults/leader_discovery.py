"""Mistakes in leader discovery. Those with a source really happened."""

from lockstep import edit, fault, replace, require
from models import leader_discovery as client
from models.leader_discovery import (
    advances,
    attempt_to_the_leader,
    current_leader,
    may_skip_backoff,
    refuses_leadership,
)
from models.leader_discovery_state import (
    MAX_EPOCH,
    Attempt,
    Broker,
    CurrentLeader,
    Election,
    LeaderDiscovery,
    Slot,
)

RECREATED = {"MAX_RECREATIONS": 1, "MAX_DISTURBANCES": 0, "TOPIC_IDS": "everywhere"}

# The cluster.


@fault(replaces=client.elect, breaks="leader_was_elected")
def another_leader_in_the_same_epoch(
    s: LeaderDiscovery, new: LeaderDiscovery, b: Broker, witnessed: bool
):
    """An election does not raise the leader epoch."""
    require(s.cluster.endpoints[b] is not None and s.cluster.epoch <= MAX_EPOCH)
    new.cluster = replace(s.cluster, leader=b)
    election = Election(topic=s.cluster.topic, leader=b, epoch=s.cluster.epoch)
    new.witnessed = election if witnessed else s.witnessed


@fault(breaks="broker_that_leads_is_not_asked_for_the_leader")
@edit(client.answer_served, "require(...)", "require(may_be_served(s, r))")
def serves_without_leading():
    """A broker does not look whether it leads."""


@fault(breaks="fenced_epoch_is_an_old_one")
@edit(
    client.answer_fenced,
    "s.attempt[r].epoch < s.heard[s.attempt[r].to].epoch",
    "s.attempt[r].epoch <= s.heard[s.attempt[r].to].epoch",
)
def fences_its_own_epoch():
    """A Fetch request is refused that names the very epoch that the broker has heard of."""


@fault(breaks="reported_leader_is_what_the_broker_knows")
@edit(client.current_leader, "s.heard[b].endpoints[s.heard[b].leader]", "None")
def reports_no_endpoint():
    """A broker says who leads, and not where that is."""


@fault(replaces=current_leader, breaks="reported_leader_is_what_the_broker_knows")
def reports_itself(s: LeaderDiscovery, b):
    """A broker names itself for the leader."""
    return CurrentLeader(leader=b, epoch=s.heard[b].epoch, endpoint=s.heard[b].endpoints[b])


@fault(
    replaces=current_leader,
    breaks="reported_leader_is_what_the_broker_knows",
    source="AutoMQ/automq#3546",
)
def reports_the_id_of_another(s: LeaderDiscovery, b):
    """The endpoint is that of the broker to ask, and the id beside it is another's."""
    return replace(current_leader(s, b), leader=b)


@fault(breaks="broker_hears_of_all_or_nothing", unchanged=("heard",))
@edit(client.start, "new.heard[b] = ...", "")
def starts_with_what_it_knew():
    """A broker serves before it has heard of what happened while it was stopped."""


@fault(breaks="another_topic_is_unknown", constants=RECREATED)
@edit(client.is_for_another_topic, "return ...", "return False")
def goes_by_the_name_of_a_topic():
    """A broker does not compare the id of a request with that of the topic."""


# What a response reports.


@fault(breaks="leader_of_another_topic_changes_nothing", constants=RECREATED)
@edit(client.is_of_the_topic, "return ...", "return True")
def takes_the_leader_of_another_topic():
    """The client compares epochs of two topics: Apache Kafka's takes leaders by the topic's name
    (951-D16)."""


@fault(breaks="leader_epoch_never_goes_back")
@edit(client.advances, "return ...", "return hint is not None")
def accepts_any_leader():
    """Whatever a response reports is taken."""


@fault(breaks="leader_epoch_never_goes_back")
@edit(client.advances, "return ...", "return hint is not None and hint.leader != s.leader")
def accepts_any_other_leader():
    """Leaders are compared by their ids."""


@fault(replaces=advances, breaks="nothing_newer_changes_nothing")
def accepts_an_equal_epoch(s: LeaderDiscovery, hint, r):
    """The epoch known already is good enough."""
    return hint is not None and (s.leader_epoch is None or hint.epoch >= s.leader_epoch)


@fault(replaces=advances, breaks="newer_leader_is_taken")
def accepts_no_leader_in_the_first_epoch(s: LeaderDiscovery, hint, r):
    """A client that knows no epoch takes none from a response."""
    return hint is not None and s.leader_epoch is not None and hint.epoch > s.leader_epoch


@fault(breaks="newer_leader_is_taken")
@edit(client.take_leader, "hint.endpoint is not None", "s.endpoints[b] is None")
def keeps_the_endpoint_it_had():
    """The endpoint of a broker that the client knows already is not touched."""


@fault(breaks="newer_leader_is_taken")
@edit(client.take_leader, "b == hint.leader and hint.endpoint is not None", "b == hint.leader")
@edit(client.take_leader, "s.endpoints[b]", "None")
def knows_nobody_but_the_leader():
    """The endpoints reported take the place of all that were known."""


@fault(breaks="nothing_newer_changes_nothing")
@edit(
    client.receive_nothing_newer,
    "take_error(s, new, r)",
    "take_error(s, new, r); new.endpoints[s.attempt[r].to] = None",
)
def forgets_who_refused():
    """The client drops the endpoint of a broker that does not lead."""


# What a refresh reports.


@fault(breaks="refresh_is_taken_unless_it_is_stale", constants=RECREATED, source="KAFKA-12257")
@edit(client.is_stale, "refresh.topic == s.topic", "True")
def epoch_outlives_its_topic():
    """The epoch of a topic that is deleted keeps the leader of the next one out."""


@fault(breaks="refresh_is_taken_unless_it_is_stale", constants=RECREATED, unchanged=("topic",))
@edit(client.receive_refresh, "new.topic = ...", "")
def keeps_the_id_that_it_had():
    """The leader of a topic that was made again is taken for that of the old one."""


@fault(breaks="leader_epoch_never_goes_back")
@edit(client.is_stale, "return ...", "return False")
def stale_refresh_overrides():
    """The leader of every refresh is taken."""


@fault(breaks="refresh_is_taken_unless_it_is_stale")
@edit(client.is_stale, "return ...", "return s.leader_epoch is not None")
def only_the_first_refresh_counts():
    """Once an epoch is known, a refresh changes it no more."""


@fault(breaks="refresh_reports_where_brokers_are", unchanged=("endpoints",))
@edit(
    client.receive_refresh,
    "take_endpoints(s, new, refresh.leader)",
    "new.refresh = None; new.refresh_wanted = s.endpoints[refresh.leader] is None",
)
def refresh_takes_the_leader_alone():
    """A newer leader is taken from a refresh, and the endpoints are left as they were."""


@fault(replaces=client.take_endpoints, breaks="new_leader_can_be_reached")
def refresh_leaves_out_a_new_leader(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """Where a leader is that is new to the client is not taken from the refresh that names it."""
    new.refresh = None
    new.endpoints = {
        b: None if b == leader and leader != s.leader else s.refresh.endpoints[b] for b in Broker
    }
    new.refresh_wanted = leader != s.leader or s.refresh.endpoints[leader] is None


@fault(replaces=client.take_endpoints, breaks="refresh_reports_where_brokers_are")
def refresh_forgets_nobody(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """A broker that an answer does not have is thought to be where it was."""
    endpoints = s.refresh.endpoints
    new.refresh = None
    new.endpoints = {b: s.endpoints[b] if endpoints[b] is None else endpoints[b] for b in Broker}
    new.refresh_wanted = False


@fault(breaks="lost_leader_is_asked_for", source="KAFKA-9261; apache/kafka pull request 7772")
@edit(client.take_endpoints, "s.refresh.endpoints[leader] is None", "False")
def refresh_is_always_enough():
    """The client does not look whether it knows where the leader is: Apache Kafka's ended in a
    NullPointerException."""


@fault(breaks="refresh_is_taken_once", unchanged=("refresh_wanted",))
@edit(client.take_endpoints, "new.refresh_wanted = ...", "")
def refreshes_again_and_again():
    """Once a refresh was asked for, each answer asks for the next."""


@fault(breaks="refresh_is_the_answer_of_a_broker")
@edit(client.answer_refresh, "s.refresh is None", "True")
def refreshes_overtake_each_other():
    """The client asks once more although an answer is under way."""


@fault(replaces=client.answer_refresh, breaks="current_leader_is_reached")
def refreshes_from_the_leader_alone(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """The client asks nobody but whom it takes for the leader."""
    require(s.refresh_wanted and s.refresh is None and s.cluster.endpoints[b] is not None)
    require(b == s.leader)
    new.refresh = s.heard[b]


# Where the client sends, and when it tries again.


@fault(replaces=attempt_to_the_leader, breaks="requests_go_to_the_leader_believed_in")
def retries_where_it_failed(s: LeaderDiscovery, new: LeaderDiscovery, r):
    """A retry goes where the first try went, with the epoch of the leader known by then."""
    attempt_to_the_leader(s, new, r)
    new.attempt[r] = Attempt(
        to=s.leader if s.attempt[r] is None else s.attempt[r].to,
        endpoint=s.endpoints[s.leader] if s.attempt[r] is None else s.attempt[r].endpoint,
        topic=s.topic,
        epoch=s.leader_epoch,
    )


@fault(replaces=client.send, breaks="one_request_is_under_way")
def sends_while_an_answer_is_awaited(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The client does not look whether its latest request was answered."""
    require(s.response[r] is None and not s.backing_off[r])
    require(s.attempt[r] is None or s.attempt[r].epoch != s.leader_epoch)
    attempt_to_the_leader(s, new, r)


@fault(breaks="requests_are_apart", constants={"IN_FLIGHT": 2})
@edit(
    client.take_error,
    "new.backing_off[r] = True",
    "new.backing_off = {q: q == r or s.attempt[q] is not None for q in Slot}",
)
def an_error_is_of_all_requests():
    """With one request that fails all that are under way are backed off from."""


@fault(breaks="only_a_served_request_is_over", unchanged=("attempt",))
@edit(client.receive_served, "new.attempt[r] = ...", "")
def served_request_is_kept():
    """A request that was served is taken for one that still awaits its answer."""


@fault(replaces=client.end_backoff, breaks="requests_come_to_an_end")
def waits_for_a_newer_leader(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A request is tried again by the leader's epoch, and not by the clock."""
    require(s.backing_off[r] and s.attempt[r] is not None and not may_skip_backoff(s, r))
    require(s.attempt[r].epoch is None and s.leader_epoch is not None)
    new.backing_off[r] = False
    new.attempt[r] = None


@fault(breaks="only_a_failed_request_is_backed_off_from")
@edit(client.end_backoff, "False", "True")
def backoff_outlives_its_request():
    """The request is given up, and the next one waits in its place."""


@fault(breaks="what_is_lost_is_missed", unchanged=("backing_off", "refresh_wanted"))
@edit(client.disconnected, "new.backing_off[r] = True; new.refresh_wanted = True", "")
def connection_breaks_unnoticed():
    """The client waits for an answer that is lost."""


@fault(breaks="refusal_asks_for_a_refresh")
@edit(
    client.take_error,
    "s.refresh_wanted or ...",
    """
    s.refresh_wanted or (
        s.response[r].error != Error.UNKNOWN_LEADER_EPOCH
        and not advances(s, s.response[r].current_leader, r)
    )
    """,
)
def refreshes_only_if_nothing_was_reported():
    """What a response reports takes the place of the refresh."""


@fault(replaces=client.take_error, breaks="errors_are_backed_off_from", unchanged=("backing_off",))
def tries_again_after_any_error(s: LeaderDiscovery, new: LeaderDiscovery, r):
    """No error is backed off from."""
    new.response[r] = None
    new.attempt[r] = None
    new.refresh_wanted = s.refresh_wanted or refuses_leadership(s.response[r].error)


@fault(breaks="retry_at_once_is_to_a_newer_leader")
@edit(client.may_skip_backoff, "return ...", "return True")
def skips_every_backoff():
    """A retry never waits, be it to the same leader in the same epoch."""


@fault(replaces=may_skip_backoff, breaks="retry_at_once_is_to_a_newer_leader")
def skips_backoff_for_a_known_epoch(s: LeaderDiscovery, r):
    """An equal epoch is good enough."""
    return s.leader_epoch is not None and (
        s.attempt[r].epoch is None or s.leader_epoch >= s.attempt[r].epoch
    )


@fault(breaks="backs_off_only_without_a_newer_leader")
@edit(client.may_skip_backoff, "return ...", "return s.leader != s.attempt[r].to")
def skips_backoff_for_another_broker_only():
    """Whether a leader is newer is read off its id."""
