"""Mistakes in leader discovery. Those with a source really happened."""

from lockstep import fault, present, replace, require
from models.leader_discovery import (
    advances,
    answer_fenced,
    answer_refresh,
    answer_served,
    attempt_to_the_leader,
    current_leader,
    disconnected,
    elect,
    end_backoff,
    has_arrived,
    is_stale,
    may_skip_backoff,
    moved,
    receive_nothing_newer,
    receive_refresh,
    receive_served,
    refuses_leadership,
    send,
    start,
    take_endpoints,
    take_error,
    take_leader,
    wants_refresh,
)
from models.leader_discovery_state import (
    MAX_EPOCH,
    Attempt,
    Broker,
    CurrentLeader,
    Election,
    Error,
    LeaderDiscovery,
    Response,
)

# The cluster.


@fault(replaces=elect, breaks="leader_was_elected")
def another_leader_in_the_same_epoch(
    s: LeaderDiscovery, new: LeaderDiscovery, b: Broker, witnessed: bool
):
    """An election does not raise the leader epoch."""
    require(s.cluster.endpoints[b] is not None and s.cluster.epoch <= MAX_EPOCH)
    new.cluster = replace(s.cluster, leader=b)
    new.witnessed = Election(leader=b, epoch=s.cluster.epoch) if witnessed else s.witnessed


@fault(replaces=answer_served, breaks="broker_that_leads_is_not_asked_for_the_leader")
def serves_whoever_asks(s: LeaderDiscovery, new: LeaderDiscovery):
    """A broker does not look whether it leads."""
    require(has_arrived(s))
    new.response = Response(error=Error.NONE, current_leader=None)


@fault(replaces=answer_fenced, breaks="fenced_epoch_is_an_old_one")
def fences_its_own_epoch(s: LeaderDiscovery, new: LeaderDiscovery):
    """A Fetch request is refused that names the very epoch that the broker has heard of."""
    require(has_arrived(s) and s.attempt.epoch is not None)
    require(s.attempt.epoch <= s.heard[s.attempt.to].epoch)
    new.response = Response(
        error=Error.FENCED_LEADER_EPOCH, current_leader=current_leader(s, s.attempt.to)
    )


@fault(replaces=current_leader, breaks="told_leader_is_what_the_broker_knows")
def tells_no_endpoint(s: LeaderDiscovery, b):
    """A broker tells who leads, and not where that is."""
    return CurrentLeader(leader=s.heard[b].leader, epoch=s.heard[b].epoch, endpoint=None)


@fault(replaces=current_leader, breaks="told_leader_is_what_the_broker_knows")
def tells_itself(s: LeaderDiscovery, b):
    """A broker names itself for the leader."""
    return CurrentLeader(leader=b, epoch=s.heard[b].epoch, endpoint=s.heard[b].endpoints[b])


@fault(
    replaces=current_leader,
    breaks="told_leader_is_what_the_broker_knows",
    source="AutoMQ/automq#3546",
)
def tells_the_endpoint_of_another(s: LeaderDiscovery, b):
    """The leader's id is told beside the endpoint of a broker that stands before it."""
    return replace(current_leader(s, b), endpoint=s.heard[b].endpoints[b])


@fault(replaces=start, breaks="broker_hears_of_all_or_nothing", unchanged=("heard",))
def starts_with_what_it_knew(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """A broker serves before it has heard of what happened while it was stopped."""
    require(s.cluster.endpoints[b] is None)
    new.cluster = moved(s.cluster, b, s.disturbances)


# What a response tells.


@fault(replaces=advances, breaks="leader_epoch_never_goes_back")
def accepts_any_leader(s: LeaderDiscovery, hint):
    """Whatever a response tells is taken."""
    return hint is not None


@fault(replaces=advances, breaks="leader_epoch_never_goes_back")
def accepts_any_other_leader(s: LeaderDiscovery, hint):
    """Leaders are compared by their ids."""
    return hint is not None and hint.leader != s.leader


@fault(replaces=advances, breaks="nothing_newer_changes_nothing")
def accepts_an_equal_epoch(s: LeaderDiscovery, hint):
    """The epoch known already is good enough."""
    return hint is not None and (s.leader_epoch is None or hint.epoch >= s.leader_epoch)


@fault(replaces=advances, breaks="newer_leader_is_taken")
def accepts_no_leader_in_the_first_epoch(s: LeaderDiscovery, hint):
    """A client that knows no epoch takes none from a response."""
    return hint is not None and s.leader_epoch is not None and hint.epoch > s.leader_epoch


@fault(replaces=take_leader, breaks="newer_leader_is_taken")
def keeps_the_endpoint_it_had(s: LeaderDiscovery, new: LeaderDiscovery, hint):
    """The endpoint of a broker that the client knows already is not touched."""
    new.leader = hint.leader
    new.leader_epoch = hint.epoch
    new.endpoints = {
        b: hint.endpoint if b == hint.leader and s.endpoints[b] is None else s.endpoints[b]
        for b in Broker
    }


@fault(replaces=take_leader, breaks="newer_leader_is_taken")
def knows_nobody_but_the_leader(s: LeaderDiscovery, new: LeaderDiscovery, hint):
    """The endpoints told take the place of all that were known."""
    new.leader = hint.leader
    new.leader_epoch = hint.epoch
    new.endpoints = {b: hint.endpoint if b == hint.leader else None for b in Broker}


@fault(replaces=receive_nothing_newer, breaks="nothing_newer_changes_nothing")
def forgets_who_refused(s: LeaderDiscovery, new: LeaderDiscovery):
    """The client drops the endpoint of a broker that does not lead."""
    response = present(s.response)
    require(refuses_leadership(response.error) and not advances(s, response.current_leader))
    take_error(s, new)
    new.endpoints[s.attempt.to] = None


# What a refresh tells.


@fault(replaces=is_stale, breaks="leader_epoch_never_goes_back")
def stale_refresh_overrides(epoch, leader_epoch):
    """The leader of every refresh is taken."""
    return False


@fault(replaces=is_stale, breaks="refresh_is_taken_unless_it_is_stale")
def only_the_first_refresh_counts(epoch, leader_epoch):
    """Once an epoch is known, a refresh changes it no more."""
    return leader_epoch is not None


@fault(replaces=receive_refresh, breaks="refresh_tells_where_brokers_are", unchanged=("endpoints",))
def refresh_takes_the_leader_alone(s: LeaderDiscovery, new: LeaderDiscovery):
    """A newer leader is taken from a refresh, and the endpoints are left as they were."""
    refresh = present(s.refresh)
    require(not is_stale(refresh.epoch, s.leader_epoch))
    new.refresh = None
    new.refresh_wanted = s.endpoints[refresh.leader] is None
    new.leader = refresh.leader
    new.leader_epoch = refresh.epoch


@fault(replaces=take_endpoints, breaks="new_leader_can_be_reached")
def refresh_leaves_out_a_new_leader(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """Where a leader is that is new to the client is not taken from the refresh that names it."""
    new.refresh = None
    new.endpoints = {
        b: None if b == leader and leader != s.leader else s.refresh.endpoints[b] for b in Broker
    }
    new.refresh_wanted = leader != s.leader or s.refresh.endpoints[leader] is None


@fault(replaces=take_endpoints, breaks="refresh_tells_where_brokers_are")
def refresh_forgets_nobody(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """A broker that an answer does not have is thought to be where it was."""
    endpoints = s.refresh.endpoints
    new.refresh = None
    new.endpoints = {b: s.endpoints[b] if endpoints[b] is None else endpoints[b] for b in Broker}
    new.refresh_wanted = False


@fault(replaces=take_endpoints, breaks="lost_leader_is_asked_for")
def refresh_is_always_enough(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """The client does not look whether it knows where the leader is."""
    new.refresh = None
    new.endpoints = s.refresh.endpoints
    new.refresh_wanted = False


@fault(replaces=take_endpoints, breaks="refresh_is_taken_once", unchanged=("refresh_wanted",))
def refreshes_again_and_again(s: LeaderDiscovery, new: LeaderDiscovery, leader):
    """Once a refresh was asked for, each answer asks for the next."""
    new.refresh = None
    new.endpoints = s.refresh.endpoints


@fault(replaces=answer_refresh, breaks="refresh_is_the_answer_of_a_broker")
def refreshes_overtake_each_other(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """The client asks once more although an answer is under way."""
    require(s.refresh_wanted and s.cluster.endpoints[b] is not None)
    new.refresh = s.heard[b]


@fault(replaces=answer_refresh, breaks="current_leader_is_reached")
def refreshes_from_the_leader_alone(s: LeaderDiscovery, new: LeaderDiscovery, b: Broker):
    """The client asks nobody but whom it takes for the leader."""
    require(s.refresh_wanted and s.refresh is None and s.cluster.endpoints[b] is not None)
    require(b == s.leader)
    new.refresh = s.heard[b]


# Where the client sends, and when it tries again.


@fault(replaces=attempt_to_the_leader, breaks="requests_go_to_the_leader_believed_in")
def retries_where_it_failed(s: LeaderDiscovery, new: LeaderDiscovery):
    """A retry goes where the first try went, with the epoch of the leader known by then."""
    attempt_to_the_leader(s, new)
    new.attempt = Attempt(
        to=s.leader if s.attempt is None else s.attempt.to,
        endpoint=s.endpoints[s.leader] if s.attempt is None else s.attempt.endpoint,
        epoch=s.leader_epoch,
    )


@fault(replaces=send, breaks="one_request_is_under_way")
def sends_while_an_answer_is_awaited(s: LeaderDiscovery, new: LeaderDiscovery):
    """The client does not look whether its latest request was answered."""
    require(s.response is None and not s.backing_off)
    require(s.attempt is None or s.attempt.epoch != s.leader_epoch)
    attempt_to_the_leader(s, new)


@fault(replaces=receive_served, breaks="only_a_served_request_is_over", unchanged=("attempt",))
def served_request_is_kept(s: LeaderDiscovery, new: LeaderDiscovery):
    """A request that was served is taken for one that still awaits its answer."""
    require(s.response is not None and s.response.error == Error.NONE)
    new.response = None


@fault(replaces=end_backoff, breaks="requests_come_to_an_end")
def waits_for_a_newer_leader(s: LeaderDiscovery, new: LeaderDiscovery):
    """A request is tried again by the leader's epoch, and not by the clock."""
    require(s.backing_off and s.attempt is not None and not may_skip_backoff(s))
    require(s.attempt.epoch is None and s.leader_epoch is not None)
    new.backing_off = False
    new.attempt = None


@fault(replaces=end_backoff, breaks="only_a_failed_request_is_backed_off_from")
def backoff_outlives_its_request(s: LeaderDiscovery, new: LeaderDiscovery):
    """The request is given up, and the next one waits in its place."""
    end_backoff(s, new)
    new.backing_off = True


@fault(
    replaces=disconnected,
    breaks="what_is_lost_is_missed",
    unchanged=("backing_off", "refresh_wanted"),
)
def connection_breaks_unnoticed(new: LeaderDiscovery):
    """The client waits for an answer that is lost."""
    new.response = None


@fault(replaces=wants_refresh, breaks="refusal_asks_for_a_refresh")
def refreshes_only_if_nothing_was_told(s: LeaderDiscovery, error):
    """What a response tells takes the place of the refresh."""
    return s.refresh_wanted or (
        refuses_leadership(error)
        and (s.response is None or not advances(s, s.response.current_leader))
    )


@fault(replaces=take_error, breaks="errors_are_backed_off_from", unchanged=("backing_off",))
def tries_again_after_any_error(s: LeaderDiscovery, new: LeaderDiscovery):
    """No error is backed off from."""
    new.response = None
    new.attempt = None
    new.refresh_wanted = wants_refresh(s, s.response.error)


@fault(replaces=may_skip_backoff, breaks="retry_at_once_is_to_a_newer_leader")
def skips_every_backoff(s: LeaderDiscovery):
    """A retry never waits, be it to the same leader in the same epoch."""
    return True


@fault(replaces=may_skip_backoff, breaks="retry_at_once_is_to_a_newer_leader")
def skips_backoff_for_a_known_epoch(s: LeaderDiscovery):
    """An equal epoch is good enough."""
    return s.leader_epoch is not None and (
        s.attempt.epoch is None or s.leader_epoch >= s.attempt.epoch
    )


@fault(replaces=may_skip_backoff, breaks="backs_off_only_without_a_newer_leader")
def skips_backoff_for_another_broker_only(s: LeaderDiscovery):
    """Whether a leader is newer is told by its id."""
    return s.leader != s.attempt.to
