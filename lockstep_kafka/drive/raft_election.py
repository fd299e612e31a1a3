"""`snapshot_election` on Kafka's own quorum: as many `KafkaRaftClient`s as the scope has voters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE, Took
from lockstep_kafka.drive.raft_node import Api, partition_of
from lockstep_kafka.drive.raft_quorum import LONG_MS, Quorum, kind_of

_MOST_BATCHES = 2
"""How many batches `MockLog` reads at most, each of one record."""
_ROLES = {"Leader": "LEADER", "Candidate": "CANDIDATE"}
_ANSWERS = {"records": "fetch", "diverging": "truncate", "snapshot_id": "receive_snapshot"}
"""By what a leader answers to a fetch, the model's action."""
_NOBODY = 0
"""The id of no voter."""


class ElectingQuorum(Quorum):
    """What drives `snapshot_election`."""

    models: ClassVar = ("snapshot_election",)
    by_itself: ClassVar = ("reset_log", "keep_log")
    never: ClassVar = {
        "notify": "state machines are the driver's own",
        "stall": "what is answered is written",
        "fetch_in_vain": "what is answered is written",
        "recover": "what is answered is written",
    }

    def check(self, constants: Mapping[str, Any]) -> None:
        self._refuse_set(constants, "VALUES", "records that are the epochs of their leaders")
        self._refuse_set(constants, "STALLS", "followers that get on")

    def reset(self, constants: Mapping[str, Any]) -> None:
        voters = tuple(constants["VOTERS"])
        self._begin_with(voters, voters)
        self._votes: dict[tuple[int, int, int], Any] = {}
        """By epoch, candidate and voter, the response that gave the vote."""

    def _leaves_out_since_4(self) -> bool:
        """Whether deviations of releases from 4.0 on are there and are left out."""
        return self._leaves_out and self._classes.jvm.version >= (4, 0)

    # Elections.

    def _do_time_out(self, v: int) -> object:
        node = self._nodes[v]
        before = node.seen.epoch
        if self._leaves_out_since_4() and node.seen.state in ("Leader", "Resigned"):
            return NOT_DONE  # it gives up the next epoch, too, and stands in the one after: 595-D5
        self._stand(node, before)
        self._ask_again(v)
        return None

    def _do_grant(self, v: int, c: int) -> object:
        voter = self._nodes[v].seen
        if voter.epoch == self._nodes[c].seen.epoch and voter.leader is not None:
            return NOT_DONE  # the epoch has a leader: the model's voter need not know
        self._ask_for_vote(v, c)
        self._ask_again(v)
        return None

    def _ask_for_vote(self, v: int, c: int) -> None:
        """A vote is kept until its candidate leads, an error arrives, and a refusal is lost."""
        candidate = self._nodes[c]
        request = candidate.sent[Api.VOTE, v]
        response = self._nodes[v].ask(request.data())
        answer = partition_of(response)
        if answer.voteGranted():
            self._votes[candidate.seen.epoch, c, v] = response
        elif answer.errorCode():
            candidate.hear(request, response)

    def _ask_again(self, v: int) -> None:
        """Candidates ask a voter that has given its vote in their epoch to another."""
        voter = self._nodes[v]
        given = {c for epoch, c, w in self._votes if (epoch, w) == (voter.seen.epoch, v)}
        if voter.seen.state in ("Candidate", "Leader"):
            given.add(v)
        for c, candidate in self._nodes.items():
            is_in_race = (
                candidate.seen.state == "Candidate" and candidate.seen.epoch == voter.seen.epoch
            )
            if given and c not in given and is_in_race:
                self._ask_for_vote(v, c)

    def _do_learn_epoch(self, v: int, w: int) -> None:
        voter, other = self._nodes[v], self._nodes[w]
        if other.seen.state == "Candidate" and other.seen.end < voter.seen.end:
            self._ask_for_vote(v, w)
        else:
            voter.ask(self._request_for_nobody(w, other.seen.epoch))

    def _request_for_nobody(self, w: int, epoch: int) -> Any:
        """A request for a vote of an epoch that no voter grants: it asks for that of another id."""
        classes = self._classes
        asked, asking = (classes.replica.of(one, classes.uuid(0, one)) for one in (_NOBODY, w))
        more = (False,) if classes.jvm.version >= (4, 0) else ()
        return classes.messages.singletonVoteRequest(
            classes.partition, "cluster", epoch, asking, asked, 0, 0, *more
        )

    def _do_become_leader(self, c: int) -> None:
        candidate = self._nodes[c]
        for (epoch, of, v), response in list(self._votes.items()):
            if (epoch, of) == (candidate.seen.epoch, c) and candidate.seen.state == "Candidate":
                candidate.hear(candidate.sent[Api.VOTE, v], response)

    def _do_lose(self, c: int, leader: int) -> None:
        self._begin(c, leader)

    def _begin(self, v: int, leader: int) -> None:
        """A leader says that it leads."""
        request = self._nodes[leader].sent[Api.BEGIN_QUORUM_EPOCH, v]
        self._nodes[leader].hear(request, self._nodes[v].ask(request.data()))

    def _do_resign(self, leader: int) -> None:
        self._nodes[leader].elapse(LONG_MS)

    def _do_cut_off(self, v: int) -> None:
        pass

    def _do_heal(self) -> None:
        pass

    # Replication.

    def _do_append_record(self, leader: int) -> None:
        self._nodes[leader].append()

    def _do_fetch(self, v: int, leader: int, end: int) -> object:
        return self._fetch("fetch", v, leader, end)

    def _do_truncate(self, v: int, leader: int) -> object:
        return self._fetch("truncate", v, leader)

    def _do_receive_snapshot(self, v: int, leader: int) -> object:
        return self._fetch("receive_snapshot", v, leader)

    def _fetch(self, expected: str, v: int, leader: int, end: int = 0) -> object:
        """A follower fetches, and of records those before an offset arrive."""
        follower = self._nodes[v]
        count = end - follower.seen.log_end
        if count > _MOST_BATCHES or self._is_early(follower.seen, self._nodes[leader].seen):
            return NOT_DONE
        if follower.seen.leader != leader or follower.seen.state != "Follower":
            self._begin(v, leader)
        request = follower.sent[Api.FETCH, leader]
        response = self._nodes[leader].ask(request.data())
        partition = partition_of(response)
        answer = _ANSWERS[kind_of(partition)]
        if answer == expected == "fetch":
            self._cut(partition, count)
        before = follower.seen.snapshot
        follower.hear(request, response)
        self._download(v, leader)
        if answer == expected or follower.seen.snapshot != before:
            return None  # what is observed shows which answer it was
        return Took(expected, leader=f"answered by {answer}")

    def _download(self, v: int, leader: int) -> None:
        """A follower fetches the snapshot that was named to it, in chunks, until it is complete."""
        follower = self._nodes[v]
        while (request := follower.sent.pop((Api.FETCH_SNAPSHOT, leader), None)) is not None:
            data = request.data()
            data.setMaxBytes(self._nodes[leader].chunk)
            follower.hear(request, self._nodes[leader].ask(data))

    # Snapshots and failures.

    def _do_generate_snapshot(self, v: int, end: int) -> None:
        self._nodes[v].make_snapshot(end)

    def _do_advance_log_start(self, v: int) -> None:
        snapshot = self._nodes[v].seen.snapshot
        assert snapshot is not None
        self._nodes[v].drop(snapshot.end_offset)

    def _do_restart(self, v: int, end: int) -> object:
        if self._would_stand_again(v):
            return NOT_DONE
        self._nodes[v].restart(end)
        for voter in self._nodes:
            self._ask_again(voter)
        return None

    def _do_wipe(self, v: int) -> object:
        if self._would_stand_again(v):
            return NOT_DONE
        self._nodes[v].wipe()
        return None

    def _would_stand_again(self, v: int) -> bool:
        """Whether a voter would be a candidate after a restart in an epoch that has a leader.

        That is 595-D7, and left out.
        """
        is_deviation = self._nodes[v].seen.state == "Follower" and self._nodes[v].seen.voted == v
        return self._leaves_out_since_4() and is_deviation

    def observe(self) -> Mapping[str, object]:
        """Of each voter its epoch, role, vote and high watermark where it has them, and its log.

        The role of a voter that has halted is what it threw, which no state explains.
        """
        if self._halted:
            return {"role": {self._names[of]: text for of, text in self._halted.items()}}
        return self._of_each()

    def _observe(self, number: int) -> Mapping[str, object]:
        of, names = self._nodes[number].seen, self._names
        seen: dict[str, object] = {
            "epoch": of.epoch,
            "role": _ROLES.get(of.state, "FOLLOWER"),
            "log_start": of.log_start,
            "log": _records(of.log),
            "snapshot": _records(() if of.snapshot is None else of.snapshot.epochs),
        }
        if of.state in ("Candidate", "Unattached"):
            seen["voted"] = None if of.voted is None else names[of.voted]
        if of.state == "Candidate":
            given = {w for e, c, w in self._votes if (e, c) == (of.epoch, number)}
            seen["granted"] = {names[one] for one in {number, *given}}
        if of.high_watermark is not None or of.state == "Leader":
            seen["high_watermark"] = of.high_watermark or 0
        return seen


def _records(epochs: tuple[int, ...]) -> tuple[dict[str, int], ...]:
    return tuple({"epoch": epoch, "value": 0} for epoch in epochs)
