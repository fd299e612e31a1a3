"""Compares the methods that requirements rest on between two releases of Apache Kafka."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.run import Watch
from lockstep.specs.kip import Deviation, Requirement, load_kips
from lockstep.system.maven import jars_of
from lockstep.workspace import find_workspace
from lockstep_kafka.drift.readings import GONE, Reading, read_readings
from lockstep_kafka.drift.source_code import Found, Member, SourceCode
from lockstep_kafka.jars import SOURCES
from lockstep_kafka.verbs.requests import DriftRequest

__all__ = ["Drift", "DriftRequest", "MethodDrift", "RowDrift", "drift"]

CONTEXT = 2
"""Lines around a change."""


class Kind(StrEnum):
    """What became of a method."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    REWRITTEN = "rewritten"
    NEW = "new"
    GONE = "gone"


class Standing(StrEnum):
    """What is known of a row beside a method."""

    STANDS = "stands"
    MENDED = "mended"
    READ_AGAIN = "read again"


@dataclass(frozen=True)
class RowDrift:
    """A row that rests on a method, and whether it was read again since that changed."""

    id: str
    title: str
    standing: Standing


@dataclass(frozen=True)
class MethodDrift:
    """A method in both releases."""

    name: str
    """As rows name it."""
    kind: Kind
    """`same`, `moved`, `changed`, `rewritten` in another language, `new` or `gone`."""
    before: str
    """The class that has it in the earlier release, and its language; empty where none has."""
    after: str
    """The same of the later one."""
    digest: str
    """That of its text in the later release, formatting and comments apart, or `gone`."""
    change: tuple[str, ...]
    """The lines that differ, as `diff` shows them."""
    rows: tuple[RowDrift, ...]
    """The rows that rest on it: `id`, `title`, and whether it `stands`, is `mended` or is to be
    `read again`."""
    words: str = ""
    """What was written down when it was read."""

    @property
    def is_open(self) -> bool:
        """Whether a row is to be read again."""
        return any(row.standing is Standing.READ_AGAIN for row in self.rows)


@dataclass(frozen=True)
class Drift:
    """All methods that rows rest on, between two releases."""

    before: str
    after: str
    methods: tuple[MethodDrift, ...]

    @property
    def exit_code(self) -> ExitCode:
        """0 where there is no row to read again, 1 where there is."""
        is_open = any(method.is_open for method in self.methods)
        return ExitCode.VIOLATED if is_open else ExitCode.HOLDS


def drift(request: DriftRequest, *, watch: Watch = Watch()) -> Drift:
    """Compare two releases; source that is not there yet is fetched from Maven Central.

    `LockstepError` for a release that is not known, source that cannot be fetched or read, and a
    workspace in which nothing rests on code.
    """
    workspace = request.workspace or find_workspace()
    rows = _rows(workspace.root)
    if not rows:
        raise LockstepError(
            f"{workspace.root}: no row rests on code",
            cure='write `rests_on = ["package.Class#method"]` in a row of specs/kip_N.toml',
        )
    ids = {name: tuple(row.id for row in resting) for name, resting in rows.items()}
    readings = read_readings(workspace.root, ids)
    with watch.steps(f"drift {request.before} {request.after}") as on_step:
        sources = []
        for release in (request.before, request.after):
            on_step(f"the source of {release}")
            sources.append(_source(release))
        methods = []
        for name in sorted(rows):
            on_step(name)
            former = readings.former.get(name.partition("#")[0], "")
            before, after = (source.find(Member.named(name), former) for source in sources)
            methods.append(_compared(name, before, after, rows[name], readings.readings))
    return Drift(request.before, request.after, tuple(methods))


def _rows(root: Path) -> dict[str, list[Requirement | Deviation]]:
    """The rows that rest on each method."""
    rows: dict[str, list[Requirement | Deviation]] = {}
    for kip in load_kips(root):
        every: tuple[Requirement | Deviation, ...] = (*kip.requirements, *kip.deviations)
        for row in every:
            for name in row.rests_on:
                rows.setdefault(name, []).append(row)
    return rows


def _source(release: str) -> SourceCode:
    if release not in SOURCES and Path(release).is_dir():
        jars = sorted(Path(release).glob("*-sources.jar"))
        if not jars:
            raise LockstepError(
                f"{release} has no source jars",
                cure="name a folder with files such as kafka-raft-4.3.1-sources.jar",
            )
        return SourceCode(jars)
    if release not in SOURCES:
        raise LockstepError(
            f"the source of Kafka {release} is not known here",
            cure=f"known: {', '.join(SOURCES)}; or name a folder with its source jars",
        )
    return SourceCode(jars_of(SOURCES[release]))


def _compared(
    name: str,
    before: Found | None,
    after: Found | None,
    rows: list[Requirement | Deviation],
    readings: Mapping[tuple[str, str], Reading],
) -> MethodDrift:
    kind = _kind(before, after)
    digest = GONE if after is None else after.digest
    reading = readings.get((name, digest))
    if kind in (Kind.SAME, Kind.MOVED):
        reading, answers = None, dict.fromkeys((row.id for row in rows), Standing.STANDS)
    else:
        answers = dict(_answers(reading))
    return MethodDrift(
        name,
        kind,
        "" if before is None else f"{before.place} ({before.language})",
        "" if after is None else f"{after.place} ({after.language})",
        digest,
        tuple(_change(before, after)),
        tuple(
            RowDrift(
                row.id,
                row.title if isinstance(row, Deviation) else row.section,
                answers.get(row.id, Standing.READ_AGAIN),
            )
            for row in rows
        ),
        "" if reading is None else reading.words,
    )


def _kind(before: Found | None, after: Found | None) -> Kind:
    if after is None:
        return Kind.GONE
    if before is None:
        return Kind.NEW
    if before.language != after.language:
        return Kind.REWRITTEN
    if before.digest != after.digest:
        return Kind.CHANGED
    return Kind.SAME if before.place == after.place else Kind.MOVED


def _answers(reading: Reading | None) -> Iterator[tuple[str, Standing]]:
    if reading is not None:
        yield from ((row, Standing.STANDS) for row in reading.stands)
        yield from ((row, Standing.MENDED) for row in reading.mended)


def _change(before: Found | None, after: Found | None) -> Iterator[str]:
    old, new = ([] if one is None else one.lines for one in (before, after))
    if before is None or after is None or before.digest != after.digest:
        lines = difflib.unified_diff(old, new, lineterm="", n=CONTEXT)
        yield from (line for line in lines if not line.startswith(("---", "+++")))
