"""What is done with downloads between Kafka's classes by tests, in processes of their own."""

from __future__ import annotations

from lockstep.drive import driven
from lockstep.drive.departure import Departed
from lockstep_kafka.drive.raft_differences import OF_DOWNLOADS
from tests.kafka.drive.exercises import ROOT
from tests.kafka.drive.quorum import NotOffered, Offering

MODEL = "snapshot_fetch"
ROOM = {"MAX_EPOCH": 2, "MAX_DISTURBANCES": 3}
"""What of the scope `small` is too small for the scripts."""


def _name(quorum: Offering) -> None:
    """Two records are committed, and a snapshot of them is named to who has none."""
    quorum.do("write_record", r="v1")
    for _ in ("the first record", "the second", "and acknowledged"):
        quorum.do("fetch", r="v2")
    quorum.do("generate_snapshot", r="v1", end=2)
    quorum.do("advance_log_start", r="v1", end=2)
    quorum.do("fetch", r="o1")


def _commit_one(quorum: Offering) -> None:
    """A record is committed, and the leader has a snapshot of it."""
    for _ in ("its record is fetched", "and acknowledged"):
        quorum.do("fetch", r="v2")
    quorum.do("generate_snapshot", r="v1", end=1)


def _download(quorum: Offering) -> None:
    """A snapshot is fetched in two chunks; answers are lost, repeated, and who fetches restarts."""
    _name(quorum)
    quorum.do("ask", r="o1")
    quorum.do("restart_follower", r="o1")
    quorum.do("fetch", r="o1")
    quorum.do("ask", r="o1")
    quorum.do("lose_response", r="o1")
    quorum.do("ask", r="o1")
    quorum.do("receive", r="o1", repeated=True)
    quorum.do("ignore_response", r="o1")
    quorum.do("ask", r="o1")
    quorum.do("receive", r="o1", repeated=False)
    quorum.do("fetch", r="o1")


def _delete_meanwhile(quorum: Offering) -> None:
    """The leader has a newer snapshot, and deletes the one that is fetched."""
    _commit_one(quorum)
    quorum.do("advance_log_start", r="v1", end=1)
    quorum.do("fetch", r="o1")
    quorum.do("write_record", r="v1")
    for _ in ("its record is fetched", "and acknowledged"):
        quorum.do("fetch", r="v2")
    quorum.do("generate_snapshot", r="v1", end=2)
    quorum.do("advance_log_start", r="v1", end=2)
    quorum.do("ask", r="o1")
    quorum.do("receive_error", r="o1")
    quorum.do("fetch", r="o1")


def _elect_meanwhile(quorum: Offering) -> None:
    """The leader is elected again, and who fetches hears of it by the answer."""
    _commit_one(quorum)
    quorum.do("advance_log_start", r="v1", end=1)
    quorum.do("fetch", r="o1")
    quorum.do("elect", r="v1", majority=frozenset({"v1", "v2"}))
    quorum.do("ask", r="o1")
    quorum.do("receive_fenced", r="o1")
    quorum.do("fetch", r="o1")


def downloads_departing() -> list[str]:
    """Those of downloads, with each difference and without any, that depart in a few steps."""
    found = []
    for name in ["kafka-raft", *(f"kafka-raft+{name}" for name in OF_DOWNLOADS)]:
        with driven(MODEL, name, scope="small", constants=ROOM, workspace=ROOT) as software:
            try:
                for act in (_download, _delete_meanwhile, _elect_meanwhile):
                    software.reset()
                    act(Offering(software))
            except Departed:
                found.append(name)
    return found


# Where Kafka does otherwise than the model, and is named for it.


def _fetch_what_is_whole(quorum: Offering) -> None:
    """630-D21."""
    _commit_one(quorum)
    quorum.do("fetch", r="o1")


def _ask_one_that_restarted(quorum: Offering) -> None:
    """630-D26."""
    _name(quorum)
    quorum.do("restart_leader", r="v1")
    quorum.do("ask", r="o1")
    quorum.do("receive_error", r="o1")


DEVIATIONS = {"630-D21": _fetch_what_is_whole, "630-D26": _ask_one_that_restarted}
"""What departs of Kafka as it is, by the name of its deviation."""


def downloads_deviating() -> dict[str, tuple[str, str]]:
    """What comes of each deviation: as Kafka is, and where it is left out."""
    came = {}
    for deviation, act in DEVIATIONS.items():
        ends = []
        for name in ("kafka-raft+as-it-is", "kafka-raft"):
            with driven(MODEL, name, scope="small", constants=ROOM, workspace=ROOT) as software:
                try:
                    act(Offering(software))
                    ends.append("it conforms")
                except (Departed, NotOffered) as error:
                    ends.append(type(error).__name__)
        came[deviation] = ends[0], ends[1]
    return came
