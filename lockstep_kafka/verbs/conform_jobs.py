"""Follows logs by several processes, each of which has all files of some brokers.

What is found comes in the order in which one process would have found it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from heapq import merge
from itertools import islice
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

from msgspec import Raw, Struct, convert, json

from lockstep.errors import LockstepError, not_written
from lockstep.system.text_files import write_text
from lockstep_kafka.columns.observe import Observation, files_of, pays
from lockstep_kafka.files.lines import Skipped
from lockstep_kafka.files.log_files import LINES_LOOKED_AT, BrokerPaths, LogFile, broker_of
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import CountedLines, Finding, Progress
from lockstep_kafka.sessions.brokers import Reading
from lockstep_kafka.verbs.side_by_side import serve, side_by_side
from lockstep_kafka.workspaces import loader

PROGRAM = "lockstep_kafka.verbs.conform_jobs"
"""Does one task as a process of its own."""

_SECONDS_BETWEEN_LOOKS = 0.25

_KINDS = get_args(Finding)
_DECODERS = [json.Decoder(kind) for kind in _KINDS]


class JobLost(LockstepError):
    """A process did not come to its end; what the others found was given out before."""


class Task(Struct, frozen=True):
    """The files that one process follows, with the places that they have among all.

    What it finds goes to the file `found`. It reads no more once the file `stop` is there.
    """

    root: str
    files: tuple[tuple[int, LogFile], ...]
    broker_from: str | None
    in_columns: bool
    found: str
    stop: str


class Done(Struct, frozen=True):
    """What came of a task: the brokers in its files, and how much was read."""

    found: str
    brokers: set[str]
    progress: Progress


def observe_side_by_side(
    logs: Sequence[str], root: Path, broker_from: str | None, jobs: int
) -> Iterator[Finding]:
    """What `observe` finds, and raises. `JobLost` at the end where a process was lost.

    A broker is followed by one process. Where that needs all files, as it may where lines of
    several brokers stand in one file, and where there is a pipe, they are followed here.
    """
    paths = BrokerPaths(broker_from)
    files = files_of(logs, paths)
    in_columns = pays(files)
    here = Observation(files, loader(root), paths, in_columns)
    groups = _groups(files, paths)
    if len(groups) == 1:
        yield from here.findings()
        return
    if in_columns:
        from lockstep_kafka.columns.compiled import kernel

        kernel()  # it is compiled once, and not by each process
    with TemporaryDirectory(prefix="lockstep-") as folder:
        stop, tasks = Path(folder, "stop"), {}
        for number, (broker, group) in enumerate(groups):
            found = Path(folder, str(number))
            task = found.with_suffix(".json")  # it may be too long for a command line
            of_group = str(root), tuple(group), broker_from, in_columns, str(found), str(stop)
            write_text(task, json.encode(Task(*of_group)).decode())
            name = broker or "no broker"
            name = f"{name} (group {number})" if f"what is found of {name}" in tasks else name
            tasks[f"what is found of {name}"] = str(task)
        futures = yield from _futures(tasks, jobs, stop, Reading.of(files).all_bytes)
        ended = [future for future in futures if not future.cancelled()]
        lost = [error for future in ended if (error := future.exception()) is not None]
        done = [convert(one.result(), Done) for one in ended if one.exception() is None]
        if lost and not done:
            raise lost[0]
        brokers = [one.brokers for one in done]
        if not stop.exists() and len(set().union(*brokers)) < sum(map(len, brokers)):
            yield from here.findings()
            return
        try:
            yield from map(itemgetter(2), merge(*map(_read, done), key=itemgetter(0, 1)))
        except OSError as error:
            raise LockstepError(
                f"what was found of {len(done)} groups of files cannot be read: {error.strerror}",
                cure="leave out --jobs, or allow more open files",
            ) from error
        yield _sum([one.progress for one in done], None)
        if stop.exists():
            raise KeyboardInterrupt
    if lost:
        raise JobLost("; ".join(map(str, lost)))


_Group = tuple[str | None, list[tuple[int, LogFile]]]


def _groups(files: Sequence[LogFile], paths: BrokerPaths) -> list[_Group]:
    """The files by the broker of the first request in each, the most bytes first.

    They are one group where there is a pipe, or a name that is no text. A folder is among them
    where it cannot be read.
    """
    groups: dict[str | None, list[tuple[int, LogFile]]] = {}
    is_whole = not all(
        (os.path.isfile(file.path) or os.path.isdir(file.path)) and file.path.isprintable()
        for file in files
    )
    for place, file in enumerate(files):
        broker = None if is_whole else _first_broker(file.path, paths)
        groups.setdefault(broker, []).append((place, file))
    return sorted(groups.items(), key=_size, reverse=True)


def _size(group: _Group) -> int:
    return Reading.of([file for _, file in group[1]]).all_bytes or 0


def _first_broker(path: str, paths: BrokerPaths) -> str | None:
    """None where no request is at the beginning of a file."""
    lines = islice(read_request_log(path), LINES_LOOKED_AT)
    requests = (line for line in lines if not isinstance(line, Skipped))
    return paths.broker(path) or next((broker_of(line, paths) for line in requests), None)


def _futures(
    tasks: dict[str, str], jobs: int, stop: Path, size: int | None
) -> Generator[Progress, None, list[Future[Any]]]:
    """Do tasks, and say how far they are. After Ctrl-C none is begun, and those that are end."""
    steps: dict[str, Progress] = {}

    def take(name: str, step: Any) -> None:
        steps[name] = convert(step, Progress)

    with side_by_side(PROGRAM, tasks, jobs, take) as futures:
        while rest := [future for future in futures if not future.done()]:
            try:
                wait(rest, _SECONDS_BETWEEN_LOOKS)
            except KeyboardInterrupt:
                if stop.exists():
                    raise
                stop.touch()
                for future in rest:
                    future.cancel()
            yield _sum([*steps.values()], size)
        return futures


def _sum(steps: Sequence[Progress], size: int | None) -> Progress:
    """How far all processes are."""
    names = ("lines", "followed", "others", "read_bytes", "in_columns")
    sums = {name: sum(getattr(step, name) for step in steps) for name in names}
    return Progress(steps[-1].file if steps else "", all_bytes=size, **sums)


def _read(done: Done) -> Iterator[tuple[bool, int, Any]]:
    """What one process found, and where, as an `Observation` says it."""
    with open(done.found, "rb") as file:
        for line in file:
            is_end, place, kind, finding = json.decode(line, type=tuple[bool, int, int, Raw])
            yield is_end, place, _DECODERS[kind].decode(finding)


def follow(task: bytes, on_step: Callable[[object], None]) -> Done:
    """Do the task in a file."""
    group = json.decode(Path(json.decode(task)).read_bytes(), type=Task)
    places, files = zip(*group.files, strict=True)
    load, paths = loader(Path(group.root)), BrokerPaths(group.broker_from)
    here = Observation(files, load, paths, group.in_columns, is_over=Path(group.stop).exists)
    brokers: set[str] = set()
    progress = Progress("", 0, 0, 0)
    try:
        with open(group.found, "xb") as out, suppress(KeyboardInterrupt):
            for finding in here.findings():
                if isinstance(finding, Progress):
                    progress = finding
                    on_step(progress)
                    continue
                if isinstance(finding, CountedLines):
                    brokers.add(finding.broker)
                is_end, place = here.at
                kind = _KINDS.index(type(finding))
                out.write(json.encode((is_end, places[place], kind, finding)) + b"\n")
    except OSError as error:
        raise LockstepError(not_written(Path(group.found), error)) from error
    return Done(group.found, brokers, progress)


if __name__ == "__main__":
    serve(follow)
