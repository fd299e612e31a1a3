"""Which files a log has, and in which order they are read."""

from __future__ import annotations

import gzip
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep_kafka.files.log_files import LogFile, log_files
from lockstep_kafka.verbs.conform import conform
from lockstep_kafka.verbs.conform_tables import conform_tables
from lockstep_kafka.verbs.requests import ConformRequest

LOGS = Path(__file__).parents[2] / "data" / "request-log"


def paths(*logs: str | Path) -> list[str]:
    return [file.path for file in log_files(logs)]


def write(path: Path, text: str) -> str:
    content = text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return str(path)


def test_rotated_pieces_of_a_directory_in_the_order_of_their_time(tmp_path: Path) -> None:
    newest = write(tmp_path / "server.log", "1795252024432 Completed request:{}\n")
    older = write(tmp_path / "server.log.1", "\tat a stack trace\n1795252024431 x\n")
    oldest = write(tmp_path / "server.log.02.gz", "[2026-11-20 12:00:01,123] DEBUG y\n")
    write(tmp_path / ".server.log.swp", "1795252024433 \n")
    write(tmp_path / "broker-1.departures.jsonl", "{}\n")  # what `simulate` seeded
    for document in ("README.md", "NOTICE.txt", "license"):
        write(tmp_path / document, "1795252024433 \n")
    (tmp_path / "other").mkdir()
    (tmp_path / ".hidden").mkdir()
    last = write(tmp_path / "other" / "server.log", "1795252024434 \n")
    write(tmp_path / ".hidden" / "server.log", "1795252024435 \n")
    assert log_files([tmp_path, tmp_path / "other"]) == [
        LogFile(oldest, 1795176001123),
        LogFile(older, 1795252024431),
        LogFile(newest, 1795252024432),
        LogFile(last, 1795252024434),
    ]
    assert paths(str(tmp_path / "*" / "*.log")) == [last]
    assert paths(newest, oldest, older) == [oldest, older, newest]


def test_what_shows_no_time_keeps_its_place(tmp_path: Path) -> None:
    late = write(tmp_path / "late", "1795252024432 \n")
    early = write(tmp_path / "early", "1795252024431 \n")
    timeless = write(tmp_path / "timeless", "Completed request:{}\n")
    empty = write(tmp_path / "empty", "")
    assert paths("-", late, timeless, empty, early) == ["-", early, timeless, empty, late]


def test_a_pipe_is_not_read_before_its_turn(tmp_path: Path) -> None:
    late = write(tmp_path / "late", "1795252024432 \n")
    early = write(tmp_path / "early", "1795252024431 \n")
    os.mkfifo(pipe := str(tmp_path / "pipe"))
    assert log_files([late, pipe, early]) == [
        LogFile(early, 1795252024431),
        LogFile(pipe),
        LogFile(late, 1795252024432),
    ]


def test_files_of_one_time_keep_their_order(tmp_path: Path) -> None:
    first, second = (write(tmp_path / name, "1795252024432 \n") for name in ("b", "a"))
    assert paths(first, second) == [first, second]


def test_an_unreadable_file_is_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = write(tmp_path / "good", "1795252024432 \n")
    bad = write(tmp_path / "bad", "")
    real_open = open

    def refusing(path: object, *arguments: object) -> object:
        if path == bad:
            raise PermissionError(13, os.strerror(13))
        return real_open(path, *arguments)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", refusing)
    assert log_files([tmp_path]) == [
        LogFile(bad, unreadable="Permission denied"),
        LogFile(good, 1795252024432),
    ]


@pytest.mark.parametrize("is_into_tables", [False, True])
def test_a_folder_that_cannot_be_read_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_into_tables: bool
) -> None:
    log = tmp_path / "logs" / "java-classic.log"
    log.parent.mkdir()
    shutil.copy(LOGS / log.name, log)
    locked = log.parent / "locked"
    locked.mkdir()
    real_scandir = os.scandir

    def refusing(path: str) -> object:
        if path == str(locked):
            raise PermissionError(13, os.strerror(13), path)
        return real_scandir(path)

    monkeypatch.setattr("os.scandir", refusing)
    request = ConformRequest((log.parent,))
    if is_into_tables:
        result = conform_tables(replace(request, out=tmp_path / "tables")).conform
    else:
        result = conform(request)
    assert [file.file for file in result.totals.files] == [str(locked)]
    assert result.totals.followed > 0
    assert result.exit_code == 3


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    good = write(tmp_path / "good", "1795252024432 \n")
    with pytest.raises(LockstepError, match=r"none\.log cannot be read: No such file"):
        log_files([good, tmp_path / "none.log"])


def test_a_directory_without_files(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    with pytest.raises(LockstepError, match="has no files"):
        log_files([tmp_path])
