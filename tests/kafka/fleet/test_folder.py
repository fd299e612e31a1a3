"""The folder of the tables, and what may be asked of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.folder import Origin, tables_folder
from lockstep_kafka.verbs.requests import ConformRequest

ORIGIN = Origin("fetch_session", "files", "(?P<broker>[^/]+)$")


def test_one_run_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "tables"
    with (
        tables_folder(folder, ORIGIN),
        pytest.raises(LockstepError, match="another run writes"),
        tables_folder(folder, ORIGIN),
    ):
        pass
    with tables_folder(folder, ORIGIN):
        pass


@pytest.mark.parametrize(
    "other",
    [
        replace(ORIGIN, model="other"),
        replace(ORIGIN, source="topic"),
        replace(ORIGIN, broker_from=None),
        replace(ORIGIN, format=1),
    ],
)
def test_tables_of_something_else(tmp_path: Path, other: Origin) -> None:
    with tables_folder(tmp_path, ORIGIN):
        pass
    with (
        pytest.raises(LockstepError, match="were made with"),
        tables_folder(tmp_path, other),
    ):
        pass


def test_a_folder_that_holds_something_else(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("")
    for folder, why in ((tmp_path, "something else"), (file, "is no folder")):
        with pytest.raises(LockstepError, match=why), tables_folder(folder, ORIGIN):
            pass
    assert list(tmp_path.iterdir()) == [file]


def test_an_origin_that_is_damaged(tmp_path: Path) -> None:
    tmp_path.joinpath("_lockstep.json").write_text("{")
    with pytest.raises(LockstepError, match="is damaged"), tables_folder(tmp_path, ORIGIN):
        pass


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"engine": "spark"}, "no folder is named"),
        ({"engine": "abacus"}, "there is no engine"),
        ({"out": Path("t"), "follow": True}, "--follow does not go with --out"),
        ({"out": Path("t"), "kraft": True}, "--kraft does not go with"),
        ({"retain": "90d"}, "is not how many days"),
        ({"master": "local[2]"}, "--master goes with --engine spark"),
        ({"logs": ("kafka://a:1/b",)}, "a topic goes with --engine spark"),
        ({"follow": True}, "--follow goes with one file"),
        ({"follow": True, "logs": (__file__, __file__)}, "--follow goes with one file"),
        ({"follow": True, "logs": (str(Path(__file__).parent),)}, "--follow goes with one file"),
        ({"follow": True, "logs": ("-",)}, "--follow goes with one file"),
        ({"follow": True, "engine": "spark", "out": Path("t")}, "--follow goes with a topic"),
        (
            {"engine": "spark", "out": Path("t"), "logs": ("kafka://a:1/b", "c")},
            "a topic is read by itself",
        ),
    ],
)
def test_what_does_not_go_together(asked: dict[str, object], why: str) -> None:
    with pytest.raises(LockstepError, match=why):
        ConformRequest(**{"logs": ("a.log",), **asked})  # type: ignore[arg-type]
