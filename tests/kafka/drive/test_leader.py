from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep_kafka.drive import jvm
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.messages import Interest
from lockstep_kafka.jars import JARS, NEWEST
from tests.kafka.drive.exercises import (
    SHARDS,
    SHARE,
    ctrl_c,
    in_child,
    life_of_a_session,
    requests_outside_the_table,
    second_release,
    turns_of_two_shards,
)

IN_SCALA = "4.2.0"
"""The last release whose session classes are in Scala."""


def _life(release: str) -> None:
    assert in_child(life_of_a_session, release) == [
        "NONE",
        ["p1", "p2"],
        1,
        (1, 2, 0),
        (True, 1, {"p1": Interest(1)}),
        frozenset({"p2"}),
        (True, {}),
        ("INVALID_FETCH_SESSION_EPOCH", 0),
        ("NONE", True, {}),
        (None, 1, 1),
        "FETCH_SESSION_ID_NOT_FOUND",
        (0, 0),
    ]


@pytest.mark.parametrize("release", [IN_SCALA, NEWEST])
def test_a_session_is_opened_used_and_evicted(release: str) -> None:
    _life(release)


@pytest.mark.verify
@pytest.mark.parametrize("release", [one for one in JARS if one not in (IN_SCALA, NEWEST)])
def test_a_session_of_every_other_release(release: str) -> None:
    _life(release)


def _outside_the_table(release: str) -> None:
    """227-D16: any id and any epoch, of which a shard that there is decides first."""
    came = in_child(requests_outside_the_table, release)
    assert len({error for *_, error, _ in came}) == 3
    for session_id, epoch, opened, error, is_as_before in came:
        wanted = "FETCH_SESSION_ID_NOT_FOUND"
        if not -SHARE < session_id < SHARDS * SHARE:
            wanted = "out of bounds"
        elif session_id == opened:
            wanted = "INVALID_FETCH_SESSION_EPOCH"
        assert (error, is_as_before) == (wanted, True), (session_id, epoch)


def test_requests_outside_the_table() -> None:
    _outside_the_table(NEWEST)


@pytest.mark.verify
@pytest.mark.parametrize("release", [one for one in JARS if one != NEWEST])
def test_requests_outside_the_table_of_every_other_release(release: str) -> None:
    _outside_the_table(release)


def test_shards_take_turns() -> None:
    assert in_child(turns_of_two_shards, NEWEST) in ([0, 1, 0, 1], [1, 0, 1, 0])


def test_a_process_has_one_release() -> None:
    said = in_child(second_release)
    assert "release 4.4.0 of Apache Kafka is loaded in this process" in said


def test_ctrl_c_stays_pythons() -> None:
    assert in_child(ctrl_c) == "it is Python's"


def test_a_release_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(LockstepError, match=r"release 3\.0\.0") as raised:
        Jvm("3.0.0")
    assert raised.value.cure is not None
    assert NEWEST in raised.value.cure


def test_without_jpype_the_cure_is_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jpype", None)
    with pytest.raises(LockstepError, match="JPype") as raised:
        Jvm(NEWEST)
    assert raised.value.cure == "pip install 'lockstep[jvm]'"


def test_a_java_without_its_library_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "find_java", lambda: tmp_path / "bin" / "java")
    with pytest.raises(LockstepError, match="libjvm"):
        Jvm(NEWEST)
