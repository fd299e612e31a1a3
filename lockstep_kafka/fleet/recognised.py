"""Which files are those that were read before, which are new, and which are copies.

A file goes on from one that was read before if it begins so and has the last bytes that were read
of that at their place. Of two files of which one is all of the beginning of the other the longer
one is read. Files that begin alike and differ then are files of their own.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto

from lockstep_kafka.files.physical_lines import DamagedStream, blocks_of
from lockstep_kafka.fleet.log_files import LogFile
from lockstep_kafka.fleet.log_ranges import Identity, ReadFiles, ReadSoFar


@dataclass(frozen=True)
class Recognised:
    """A file, what it is known by, and how much of it was read before, None of a new one."""

    file: LogFile
    identity: Identity
    before: ReadSoFar | None


def recognised(
    files: Sequence[LogFile],
    broker_of: Callable[[str], str | None],
    read: ReadFiles,
    unchanged: Mapping[Identity, str],
) -> tuple[list[Recognised], dict[str, str]]:
    """The files to read in their order, and the copies: each with the file that has all of it.

    `unchanged` are the paths of files that are there as they were read before; one of these may be
    a copy by now, too.
    """
    found: dict[str, Recognised] = {}
    copies: dict[str, str] = {}
    alike: defaultdict[Identity, list[Recognised]] = defaultdict(list)
    for identity, path in unchanged.items():
        one = Recognised(LogFile(path), identity, read.read[identity])
        alike[identity.beginning].append(one)
    taken = {*read.read}
    for file in files:
        beginnings = read.beginnings(file, broker_of(file.path) or "")
        continued = read.continued(file, beginnings, unchanged) if file.head else []
        replaced: list[Identity] = []
        others = [other for beginning in set(beginnings) for other in alike[beginning]]
        for other in others if file.head else ():
            common = _common(file.path, other.file.path)
            if common is _Common.FIRST:
                copies[file.path] = other.file.path
                break
            if common is _Common.SECOND and (other.before is None or other.identity in continued):
                of_other = [path for path, whole in copies.items() if whole == other.file.path]
                copies |= dict.fromkeys((other.file.path, *of_other), file.path)
                found.pop(other.file.path, None)
                alike[other.identity.beginning].remove(other)
                replaced.append(other.identity)
        else:
            held = {other.identity for beginning in beginnings for other in alike[beginning]}
            known = [identity for identity in continued if identity not in held]
            new = [identity for identity in replaced if identity not in read.read]
            free = beginnings[-1].free(taken) if file.head else beginnings[-1]
            identity = (*known, *new, free)[0]
            one = Recognised(file, identity, read.read[identity] if known else None)
            taken.add(identity)
            found[file.path] = one
            alike[identity.beginning].append(one)
    return list(found.values()), copies


class _Common(Enum):
    """What two files have in common: all of the first, all of the second, or neither."""

    FIRST = auto()
    SECOND = auto()
    NEITHER = auto()


def _common(first: str, second: str) -> _Common:
    """Compare the content of two files; of equal ones all of the first is common."""
    with suppress(OSError):
        if os.path.samefile(first, second):
            return _Common.FIRST
        ones, others = _blocks(first), _blocks(second)
        one = other = b""
        while True:
            one, other = one or next(ones, b""), other or next(others, b"")
            if not one or not other:
                return _Common.SECOND if one else _Common.FIRST
            size = min(len(one), len(other))
            if one[:size] != other[:size]:
                return _Common.NEITHER
            one, other = one[size:], other[size:]
    return _Common.NEITHER


def _blocks(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file, suppress(DamagedStream):
        yield from blocks_of(file)
