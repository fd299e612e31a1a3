"""What is done with a quorum of Kafka's classes by tests, in processes of their own."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.drive import driven
from lockstep.drive.departure import Departed
from lockstep.drive.driven import Driven
from lockstep.drive.guarded import DriverError
from lockstep_kafka.drive.raft_differences import OF_RAFT
from lockstep_kafka.drive.raft_node import RaftNode
from lockstep_kafka.drive.ready import KafkaRaft
from lockstep_kafka.jars import NEWEST_RAFT
from tests.kafka.drive.exercises import ROOT

MODEL = "snapshot_election"
ROOM = {"MAX_EPOCH": 3, "MAX_RESTARTS": 1}
"""What of the scope `small` is too small for the scripts."""


class NotOffered(Exception):
    """A stimulus that a script needs is not offered."""


@dataclass(frozen=True)
class Offering:
    """A quorum that must offer all that it is given."""

    quorum: Driven

    def do(self, stimulus: str, **arguments: object) -> None:
        """Give it a stimulus; `NotOffered` where nothing was done."""
        if not self.quorum.do(stimulus, **arguments):
            raise NotOffered(f"{stimulus} {arguments}")


def _lead(quorum: Offering, leader: str, voter: str) -> None:
    """A voter is elected with the vote of another."""
    quorum.do("time_out", v=leader)
    quorum.do("grant", v=voter, c=leader)
    quorum.do("become_leader", c=leader)


def _commit(quorum: Offering) -> None:
    """A leader commits its record, and makes a snapshot of it."""
    _lead(quorum, "v1", "v2")
    for _ in ("it is fetched", "and acknowledged"):
        quorum.do("fetch", v="v2", leader="v1", end=1)
    quorum.do("generate_snapshot", v="v1", end=1)


def _download(quorum: Offering) -> None:
    """A third voter fetches the snapshot that the leader's log gave way to."""
    _commit(quorum)
    quorum.do("advance_log_start", v="v1")
    quorum.do("learn_epoch", v="v3", w="v1")
    quorum.do("receive_snapshot", v="v3", leader="v1")


def _diverge(quorum: Offering) -> None:
    """A leader writes what nobody fetches, and fetches from the next one."""
    quorum.do("time_out", v="v1")
    quorum.do("grant", v="v2", c="v1")
    _lead(quorum, "v2", "v3")
    quorum.do("become_leader", c="v1")
    quorum.do("learn_epoch", v="v1", w="v2")
    quorum.do("truncate", v="v1", leader="v2")


def _stand_twice(quorum: Offering) -> None:
    """Two stand in an epoch, and a third one, which crashes, has voted for one of them."""
    quorum.do("time_out", v="v1")
    quorum.do("time_out", v="v2")
    quorum.do("grant", v="v3", c="v1")
    quorum.do("restart", v="v3", end=0)


def _stand_with_less(quorum: Offering) -> None:
    """One stands whose log is older than that of who hears of it."""
    _lead(quorum, "v1", "v2")
    quorum.do("time_out", v="v3")
    quorum.do("time_out", v="v3")
    quorum.do("learn_epoch", v="v1", w="v3")


def quorum_departing() -> list[str]:
    """Those of a quorum, with each difference and without any, that depart in a few steps."""
    found = []
    for name in ["kafka-raft", *(f"kafka-raft+{name}" for name in OF_RAFT)]:
        with driven(MODEL, name, scope="small", constants=ROOM, workspace=ROOT) as software:
            try:
                for act in (_download, _diverge, _stand_twice, _stand_with_less):
                    act(Offering(software))
                    software.reset()
            except Departed:
                found.append(name)
    return found


# Where Kafka does otherwise than the model, and is named for it.


def _stand_and_lose(quorum: Offering) -> None:
    """Two stand in an epoch, and who loses hears of the leader."""
    quorum.do("time_out", v="v3")
    quorum.do("time_out", v="v1")
    quorum.do("grant", v="v2", c="v3")
    quorum.do("become_leader", c="v3")
    quorum.do("lose", c="v1", leader="v3")


def _restart_after_a_loss(quorum: Offering) -> None:
    """595-D7."""
    _stand_and_lose(quorum)
    quorum.do("restart", v="v1", end=0)


def _restart_with_a_record(quorum: Offering) -> None:
    """595-D7, where the voter has a record of the epoch that it stands in once more."""
    _stand_and_lose(quorum)
    quorum.do("fetch", v="v1", leader="v3", end=1)
    quorum.do("restart", v="v1", end=1)


def _stand_after_leading(quorum: Offering) -> None:
    """595-D5."""
    _lead(quorum, "v1", "v2")
    quorum.do("time_out", v="v1")


def _fetch_what_is_whole(quorum: Offering) -> None:
    """630-D21."""
    _commit(quorum)
    quorum.do("learn_epoch", v="v3", w="v1")
    quorum.do("fetch", v="v3", leader="v1", end=1)


def _diverge_below_a_snapshot(quorum: Offering) -> None:
    """630-D42."""
    quorum.do("time_out", v="v1")
    quorum.do("grant", v="v2", c="v1")
    _lead(quorum, "v2", "v3")
    quorum.do("become_leader", c="v1")
    for _ in ("its record is fetched", "and acknowledged"):
        quorum.do("fetch", v="v3", leader="v2", end=1)
    quorum.do("generate_snapshot", v="v2", end=1)
    quorum.do("learn_epoch", v="v1", w="v2")
    quorum.do("truncate", v="v1", leader="v2")


DEVIATIONS = {
    "595-D5": _stand_after_leading,
    "595-D7": _restart_after_a_loss,
    "595-D7, with a record": _restart_with_a_record,
    "630-D21": _fetch_what_is_whole,
    "630-D42": _diverge_below_a_snapshot,
}
"""What departs of Kafka as it is, by the name of its deviation."""


def deviating(release: str) -> dict[str, str]:
    """Of each deviation why Kafka departs by it; empty where it does not."""
    reasons = dict.fromkeys(DEVIATIONS, "")
    name = f"kafka-raft:{release}+as-it-is"
    with driven(MODEL, name, scope="small", constants=ROOM, workspace=ROOT) as software:
        for deviation, act in DEVIATIONS.items():
            software.reset()
            try:
                act(Offering(software))
            except Departed as departed:
                reasons[deviation] = str(departed)
    return reasons


def left_out() -> list[str]:
    """The deviations whose last stimulus is not offered by the driver without `+as-it-is`."""
    found = []
    with driven(MODEL, "kafka-raft", scope="small", constants=ROOM, workspace=ROOT) as software:
        for deviation, act in DEVIATIONS.items():
            software.reset()
            try:
                act(Offering(software))
            except NotOffered:
                found.append(deviation)
    return found


# What voters throw.


class _Broken(RaftNode):
    """A voter whose client throws an error of a Java class when it is to write a record."""

    thrown = "java.lang.IllegalStateException"

    def append(self) -> None:
        self._client = self
        self.settle()

    def poll(self) -> None:
        raise self._jvm.named(self.thrown)("no more")


class _WithoutMemory(_Broken):
    thrown = "java.lang.OutOfMemoryError"


def halting() -> dict[str, str]:
    """What becomes of a run by what a voter's client throws."""
    found = {}
    for voter in (_Broken, _WithoutMemory):
        try:
            with driven(MODEL, KafkaRaft(NEWEST_RAFT, voter), workspace=ROOT) as software:
                quorum = Offering(software)
                _lead(quorum, "v1", "v2")
                quorum.do("append_record", leader="v1")
        except (Departed, DriverError) as error:
            found[voter.thrown] = f"{type(error).__name__}: {error}"
    return found
