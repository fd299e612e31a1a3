"""What must hold of leader discovery. Ids such as 951-5 are rows of specs/kip_951.toml."""

from lockstep import each, invariant, leads_to, present, sometimes, step_invariant, when
from models.leader_discovery import (
    answer_fenced,
    answer_not_leader,
    answer_not_leader_unreported,
    answer_refresh,
    answer_served,
    answer_unknown_epoch,
    answer_unknown_topic,
    end_backoff,
    find_nobody,
    hear,
    receive_newer_leader,
    receive_nothing_newer,
    receive_refresh,
    receive_served,
    receive_stale_refresh,
    receive_unknown_epoch,
    receive_unknown_topic,
    retry_at_once,
    send,
)
from models.leader_discovery_state import (
    FIRST_EPOCH,
    MAX_DISTURBANCES,
    MAX_RECREATIONS,
    TOPIC_IDS,
    Broker,
    Error,
    LeaderDiscovery,
    Slot,
)


def is_later(epoch, other):
    """An epoch is greater than another one, or the first that is known."""
    return other is None or other < epoch


def was_answered(s: LeaderDiscovery, new: LeaderDiscovery, r):
    return s.response[r] is None and new.response[r] is not None


def took_response(s: LeaderDiscovery, new: LeaderDiscovery, r):
    """The client took the answer to its request; a connection that breaks is none."""
    return (
        s.response[r] is not None and new.response[r] is None and s.disturbances == new.disturbances
    )


def took_refresh(s: LeaderDiscovery, new: LeaderDiscovery):
    """The client took the answer to a refresh; one that is lost is none."""
    return s.refresh is not None and new.refresh is None and s.disturbances == new.disturbances


def is_refusal(error):
    return error in (Error.NOT_LEADER_OR_FOLLOWER, Error.FENCED_LEADER_EPOCH)


def leader_changed(s: LeaderDiscovery, new: LeaderDiscovery):
    return s.leader != new.leader or s.leader_epoch != new.leader_epoch or s.topic != new.topic


# What brokers answer.


@step_invariant("951-1", "951-2", "951-3", "951-12")
def reported_leader_is_what_the_broker_knows(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """Only a refusal names a leader: the one that the broker has heard of, and where that is."""
    when(was_answered(s, new, r) and s.attempt[r] is not None)
    hint = present(new.response[r].current_leader)
    heard = s.heard[s.attempt[r].to]
    return (
        is_refusal(new.response[r].error)
        and hint.leader == heard.leader
        and hint.epoch == heard.epoch
        and hint.endpoint is not None
        and hint.endpoint == heard.endpoints[heard.leader]
    )


@step_invariant("951-3")
def broker_that_leads_is_not_asked_for_the_leader(
    s: LeaderDiscovery, new: LeaderDiscovery, r: Slot
):
    """NOT_LEADER_OR_FOLLOWER is what brokers say that do not lead, and only those."""
    when(was_answered(s, new, r) and s.attempt[r] is not None)
    when(new.response[r].error in (Error.NONE, Error.NOT_LEADER_OR_FOLLOWER))
    leads = s.heard[s.attempt[r].to].leader == s.attempt[r].to
    return leads == (new.response[r].error == Error.NONE)


@step_invariant("951-3")
def fenced_epoch_is_an_old_one(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """FENCED_LEADER_EPOCH says that the broker has heard of a newer epoch, UNKNOWN_LEADER_EPOCH
    that it has not heard of so new a one."""
    when(was_answered(s, new, r) and s.attempt[r] is not None)
    named = present(s.attempt[r].epoch)
    heard = s.heard[s.attempt[r].to].epoch
    return (new.response[r].error != Error.FENCED_LEADER_EPOCH or named < heard) and (
        new.response[r].error != Error.UNKNOWN_LEADER_EPOCH or named > heard
    )


@step_invariant("951-3", "951-18")
def another_topic_is_unknown(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """UNKNOWN_TOPIC_ID is the answer to an id that the broker has not heard of yet, or has heard to
    be deleted. Every other answer to an id is of the topic that the broker has heard of."""
    when(was_answered(s, new, r) and s.attempt[r] is not None)
    asked = s.attempt[r].topic
    heard = s.heard[s.attempt[r].to].topic
    return (
        TOPIC_IDS != "nowhere" and heard != asked
        if new.response[r].error == Error.UNKNOWN_TOPIC_ID
        else TOPIC_IDS == "nowhere" or heard == asked
    )


@step_invariant("951-1")
def broker_hears_of_all_or_nothing(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """The metadata of a broker stays as it is or becomes the cluster's, as it does when it starts
    (951-D10)."""
    starts = s.cluster.endpoints[b] is None and new.cluster.endpoints[b] is not None
    when(starts or new.heard[b] != s.heard[b])
    return new.heard[b] == new.cluster


@step_invariant("951-8")
def refresh_is_the_answer_of_a_broker(s: LeaderDiscovery, new: LeaderDiscovery):
    """A refresh reaches a client that asked for one and has no other under way, and reports what
    some broker has heard."""
    refresh = present(new.refresh)
    when(refresh != s.refresh)
    return (
        s.refresh_wanted
        and s.refresh is None
        and any(refresh == s.heard[b] and s.cluster.endpoints[b] is not None for b in Broker)
    )


# Whom the client believes in.


@step_invariant("951-5", "951-7")
def leader_epoch_never_goes_back(s: LeaderDiscovery, new: LeaderDiscovery):
    """Whatever comes late, the client returns to no older leader epoch of the topic, nor to
    none."""
    when(s.leader_epoch is not None and s.topic == new.topic)
    return new.leader_epoch is not None and new.leader_epoch >= s.leader_epoch


@step_invariant("951-5", "951-7")
def leader_changes_only_with_a_newer_epoch(s: LeaderDiscovery, new: LeaderDiscovery):
    """An equal epoch does not do, as long as the topic is the same."""
    when(leader_changed(s, new) and s.topic == new.topic)
    return new.leader_epoch is not None and is_later(new.leader_epoch, s.leader_epoch)


@step_invariant("951-5", "951-12", "951-14")
def newer_leader_is_taken(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A newer leader in a response is the client's from then on, and is where the response says,
    whatever the client had before; but not where responses have ids, and the client has learned of
    another topic since it asked."""
    when(took_response(s, new, r))
    hint = present(s.response[r].current_leader)
    when(hint.endpoint is not None and is_later(hint.epoch, s.leader_epoch))
    when(s.attempt[r] is not None)
    when(TOPIC_IDS != "everywhere" or new.topic == s.attempt[r].topic)
    return (
        new.leader == hint.leader
        and new.leader_epoch == hint.epoch
        and all(
            new.endpoints[b] == (hint.endpoint if b == hint.leader else s.endpoints[b])
            for b in Broker
        )
    )


@step_invariant("951-5", "951-18", "951-19")
def nothing_newer_changes_nothing(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A response that names no leader, or none that is newer, leaves the client's metadata as it
    is."""
    when(took_response(s, new, r))
    hint = s.response[r].current_leader
    when(hint is None or (s.leader_epoch is not None and hint.epoch <= s.leader_epoch))
    return not leader_changed(s, new) and new.endpoints == s.endpoints


@step_invariant("951-5")
def leader_of_another_topic_changes_nothing(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A response to what was asked for by an id that the client has no more leaves its metadata as
    it is, where responses have ids; and none gives a client another id."""
    when(took_response(s, new, r) and s.attempt[r] is not None)
    is_unchanged = not leader_changed(s, new) and new.endpoints == s.endpoints
    return new.topic == s.topic and (
        is_unchanged or s.attempt[r].topic == s.topic or TOPIC_IDS != "everywhere"
    )


@step_invariant("951-7", "951-12")
def refresh_reports_where_brokers_are(s: LeaderDiscovery, new: LeaderDiscovery):
    """A refresh says of every broker where it is, or that it is nowhere, even if it is too old to
    say who leads (951-D5)."""
    when(took_refresh(s, new))
    return new.endpoints == s.refresh.endpoints


@step_invariant("951-7")
def refresh_is_taken_unless_it_is_stale(s: LeaderDiscovery, new: LeaderDiscovery):
    """The leader of a refresh is the client's if its epoch is no older than what is known, or is of
    another topic (951-D16)."""
    when(took_refresh(s, new))
    when(s.refresh.topic != s.topic or s.leader_epoch is None or s.refresh.epoch >= s.leader_epoch)
    return (
        new.topic == s.refresh.topic
        and new.leader == s.refresh.leader
        and new.leader_epoch == s.refresh.epoch
    )


@invariant("951-2", "951-5")
def leader_was_elected(s: LeaderDiscovery):
    """The client never takes for the leader of an epoch who was not elected in it, be it in the
    same epoch of another topic."""
    when(s.leader_epoch is not None)
    return (s.topic != s.cluster.topic or s.leader_epoch <= s.cluster.epoch) and (
        s.topic != s.witnessed.topic
        or s.leader_epoch != s.witnessed.epoch
        or s.leader == s.witnessed.leader
    )


@step_invariant("951-12")
def new_leader_can_be_reached(s: LeaderDiscovery, new: LeaderDiscovery):
    """With another leader, or another epoch, comes where to find it."""
    when(leader_changed(s, new))
    return new.endpoints[new.leader] is not None


# Where requests go.


def was_sent(s: LeaderDiscovery, new: LeaderDiscovery, r):
    """A request went out: the first one, or one more try after an error."""
    return new.attempt[r] is not None and (
        s.attempt[r] != new.attempt[r] or (s.backing_off[r] and not new.backing_off[r])
    )


@step_invariant("951-6", "951-12")
def requests_go_to_the_leader_believed_in(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """Whatever is sent, a retry too, goes to the leader that the client knows, to where that is,
    and with its epoch; it is for the topic that the client knows."""
    when(was_sent(s, new, r))
    return (
        new.attempt[r].to == s.leader
        and new.attempt[r].topic == s.topic
        and new.attempt[r].endpoint == s.endpoints[s.leader]
        and new.attempt[r].epoch == s.leader_epoch
    )


def is_concerned(s: LeaderDiscovery, new: LeaderDiscovery, r):
    """A request, its answer, or its backoff changes."""
    return (
        s.attempt[r] != new.attempt[r]
        or s.response[r] != new.response[r]
        or s.backing_off[r] != new.backing_off[r]
    )


@step_invariant("951-6", "951-11")
def requests_are_apart(s: LeaderDiscovery, new: LeaderDiscovery):
    """What becomes of a request leaves the others that are under way as they are (951-D15)."""
    return sum(1 for r in Slot if is_concerned(s, new, r)) <= 1


@step_invariant("951-11")
def one_request_is_under_way(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """No request is sent again while its answer is awaited: there is no way around the backoff."""
    when(was_sent(s, new, r))
    return s.attempt[r] is None or s.backing_off[r]


@step_invariant("951-6")
def only_a_served_request_is_over(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A request that was served is not sent again; any other waits for its retry."""
    when(took_response(s, new, r))
    return (new.attempt[r] is None) == (s.response[r].error == Error.NONE)


# When it tries again.


@step_invariant("951-6", "951-10", "951-11")
def retry_at_once_is_to_a_newer_leader(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """Only a newer leader than the one tried last is tried without the backoff."""
    when(s.backing_off[r] and not new.backing_off[r] and s.attempt[r] is not None)
    retry = present(new.attempt[r])
    return (
        retry.to == s.leader
        and retry.epoch is not None
        and is_later(retry.epoch, s.attempt[r].epoch)
    )


@step_invariant("951-10")
def backs_off_only_without_a_newer_leader(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """No backoff is waited for while a newer leader than the one tried last is known."""
    when(s.backing_off[r] and s.attempt[r] is not None and new.attempt[r] is None)
    return s.leader_epoch is None or not is_later(s.leader_epoch, s.attempt[r].epoch)


@step_invariant("951-11", "951-22")
def errors_are_backed_off_from(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """A request that was not served is tried again, and not before its time."""
    when(took_response(s, new, r) and s.response[r].error != Error.NONE)
    return new.backing_off[r] and new.attempt[r] == s.attempt[r]


@invariant("951-11")
def only_a_failed_request_is_backed_off_from(s: LeaderDiscovery, r: Slot):
    """The backoff is that of a request, which awaits no answer meanwhile."""
    when(s.backing_off[r])
    return s.attempt[r] is not None and s.response[r] is None


@step_invariant("951-9", "951-11")
def what_is_lost_is_missed(s: LeaderDiscovery, new: LeaderDiscovery):
    """Whatever is lost, a request or a refresh, the client will ask again."""
    when(s.disturbances != new.disturbances and s.cluster == new.cluster)
    return new.refresh_wanted and (
        any(new.backing_off[r] and not s.backing_off[r] and new.response[r] is None for r in Slot)
        or (s.refresh is not None and new.refresh is None)
    )


@step_invariant("951-8", "951-21", "951-23")
def refusal_asks_for_a_refresh(s: LeaderDiscovery, new: LeaderDiscovery, r: Slot):
    """The metadata is to be refreshed after each refusal, whether a newer leader is named or not,
    and for a topic that the broker does not know; no other answer asks for that (951-D6)."""
    when(took_response(s, new, r))
    error = s.response[r].error
    return new.refresh_wanted == (
        s.refresh_wanted or is_refusal(error) or error == Error.UNKNOWN_TOPIC_ID
    )


@step_invariant("951-8")
def refresh_is_taken_once(s: LeaderDiscovery, new: LeaderDiscovery):
    """With a refresh the client has what it asked for, unless it does not say where the leader is
    (951-D7)."""
    when(took_refresh(s, new))
    return new.refresh_wanted == (new.endpoints[new.leader] is None)


@invariant("951-12")
def lost_leader_is_asked_for(s: LeaderDiscovery):
    """A client that does not know where the leader is will ask."""
    when(s.endpoints[s.leader] is None)
    return s.refresh_wanted


# It arrives.


RESPONSIVE = (
    each(hear, "b"),
    each(retry_at_once, "r"),
    each(end_backoff, "r"),
    each(answer_served, "r"),
    each(answer_not_leader, "r"),
    each(answer_not_leader_unreported, "r"),
    each(answer_fenced, "r"),
    each(answer_unknown_epoch, "r"),
    each(answer_unknown_topic, "r"),
    each(find_nobody, "r"),
    each(receive_served, "r"),
    each(receive_newer_leader, "r"),
    each(receive_nothing_newer, "r"),
    each(receive_unknown_epoch, "r"),
    each(receive_unknown_topic, "r"),
    each(answer_refresh, "b"),
    receive_refresh,
    receive_stale_refresh,
)
"""Brokers and client do what they can."""


def is_served_by_the_leader(s: LeaderDiscovery, r):
    return (
        s.response[r] is not None
        and s.attempt[r] is not None
        and s.response[r].error == Error.NONE
        and s.attempt[r].to == s.cluster.leader
    )


@leads_to("951-9", "951-19", weak=(each(send, "r"), *RESPONSIVE))
def current_leader_is_reached(s: LeaderDiscovery):
    """A client with another leader than the partition's is served by that one at last."""
    return s.leader != s.cluster.leader, any(is_served_by_the_leader(s, r) for r in Slot)


@leads_to("951-6", "951-11", weak=RESPONSIVE)
def requests_come_to_an_end(s: LeaderDiscovery, r: Slot):
    """A request is served, or its backoff ends, after which it is sent again."""
    return s.attempt[r] is not None, s.attempt[r] is None


# The scope reaches what it is about.


@sometimes("951-2", "951-5")
def latest_election_is_witnessed(s: LeaderDiscovery):
    """What the client believes is compared with elections that really were. Where topics are made
    again, the first one of another topic is among them, and the client knows a later epoch."""
    return (
        s.witnessed.topic == s.cluster.topic
        and s.witnessed.epoch == s.cluster.epoch
        and (
            s.cluster.epoch > FIRST_EPOCH
            if MAX_RECREATIONS == 0
            else s.cluster.epoch == FIRST_EPOCH
            and s.topic != s.cluster.topic
            and s.leader_epoch is not None
            and s.leader_epoch > FIRST_EPOCH
        )
    )


@sometimes("951-1")
def broker_reports_that_another_one_leads(s: LeaderDiscovery):
    """The leader is reported to a producer, too."""
    return any(
        s.response[r] is not None
        and s.response[r].error == Error.NOT_LEADER_OR_FOLLOWER
        and s.response[r].current_leader is not None
        for r in Slot
    )


@sometimes("951-18", "951-19")
def broker_reports_no_leader(s: LeaderDiscovery):
    """The client has to find it as before."""
    return any(
        s.response[r] is not None
        and s.response[r].error == Error.NOT_LEADER_OR_FOLLOWER
        and s.response[r].current_leader is None
        for r in Slot
    )


@sometimes("951-3")
def broker_fences_an_old_epoch(s: LeaderDiscovery):
    """Even who leads refuses a client that names an older epoch."""
    return any(
        s.response[r] is not None
        and s.attempt[r] is not None
        and s.response[r].error == Error.FENCED_LEADER_EPOCH
        and s.heard[s.attempt[r].to].leader == s.attempt[r].to
        for r in Slot
    )


@sometimes("951-7")
def metadata_grows_old(s: LeaderDiscovery):
    """A refresh is asked for though nothing went wrong, as it was before the KIP."""
    return s.refresh_wanted and s.cluster.epoch == FIRST_EPOCH and s.disturbances == 0


@sometimes("951-1", "951-9")
def newer_leader_is_tried_while_no_other_broker_knows_it(s: LeaderDiscovery):
    """Before any refresh could tell."""
    return (
        any(
            s.attempt[r] is not None
            and s.attempt[r].epoch == s.cluster.epoch
            and not s.backing_off[r]
            for r in Slot
        )
        and s.cluster.epoch > FIRST_EPOCH
        and s.refresh_wanted
        and sum(1 for b in Broker if s.heard[b].epoch == s.cluster.epoch) == 1
    )


@sometimes("951-7", "951-12")
def leader_is_kept_but_not_where_it_is(s: LeaderDiscovery):
    """A stale refresh takes the endpoint away, as 951-D5 has it."""
    return MAX_DISTURBANCES == 0 or (
        s.leader_epoch == s.cluster.epoch and s.endpoints[s.leader] is None
    )


# Where the scenarios of specs/leader_discovery.toml begin and end.


def knows_all(s: LeaderDiscovery, b):
    """A broker has heard of all that happened."""
    return s.heard[b] == s.cluster


def knows_no_less_of_another_topic(s: LeaderDiscovery, r):
    """The topic was made again, and the request's epoch, which is of the old one, is as great."""
    return (
        s.topic != s.cluster.topic
        and s.attempt[r] is not None
        and s.attempt[r].topic == s.topic
        and s.attempt[r].epoch is not None
        and s.attempt[r].epoch == s.leader_epoch
        and s.attempt[r].epoch >= s.cluster.epoch
    )


def is_with_the_old_leader(s: LeaderDiscovery, r):
    return (
        s.attempt[r] is not None
        and s.response[r] is None
        and not s.backing_off[r]
        and s.cluster.endpoints[s.attempt[r].to] == s.attempt[r].endpoint
        and s.attempt[r].to == s.leader
        and (MAX_RECREATIONS == 0 or knows_no_less_of_another_topic(s, r))
    )


@sometimes("951-1")
def old_leader_is_asked(s: LeaderDiscovery):
    """All requests are with a broker that leads no more, from a client that knows nothing of it and
    has asked for no refresh; that broker and the new leader know who leads. Where topics are made
    again, that is why."""
    return (
        all(is_with_the_old_leader(s, r) for r in Slot)
        and s.leader != s.cluster.leader
        and not s.refresh_wanted
        and s.refresh is None
        and knows_all(s, s.leader)
        and knows_all(s, s.cluster.leader)
    )


@sometimes("951-6")
def new_leader_serves(s: LeaderDiscovery):
    """The requests of a client are served by the leader of an election, or of a topic that was made
    again."""
    return all(is_served_by_the_leader(s, r) for r in Slot) and (
        s.cluster.epoch > FIRST_EPOCH or s.cluster.topic > 0
    )
