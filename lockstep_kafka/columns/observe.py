"""Request logs of Apache Kafka's brokers, followed through the model `fetch_session`.

Each broker is followed by itself; clients and brokers are judged apart. docs/reference/conform.md
says what is inferred, and why.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from lockstep_kafka.files.log_files import BrokerPaths, LogFile, Wait, growing_files, log_files
from lockstep_kafka.files.physical_lines import PhysicalLine
from lockstep_kafka.findings import Finding, Progress
from lockstep_kafka.sessions.brokers import Brokers, Reading
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import LoadModel

_LINES_OF_A_FILE = 2**40
"""More than any file has: lines of all files are numbered through."""

_FEW_BYTES = 2**20
"""As much is followed before tables are made."""


def observe(
    logs: Sequence[str],
    load: LoadModel,
    paths: BrokerPaths,
    *,
    wait: Wait | None = None,
    in_columns: bool | None = None,
) -> Iterator[Finding]:
    """Follow every session of some logs: files, folders, patterns, or `-`.

    With `wait` there is one log, a file, of which all that is written to it from now on is followed
    as well, until `wait` raises KeyboardInterrupt. What is found in columns is what is found
    without; unless `in_columns` is given, they are made where that pays. `LockstepError` for a log
    that does not exist, or whose path should name a broker, and does not.
    """
    files = files_of(logs, paths)
    if in_columns is None:
        in_columns = wait is None and pays(files)
    yield from Observation(files, load, paths, in_columns, wait).findings()


def files_of(logs: Sequence[str], paths: BrokerPaths) -> list[LogFile]:
    """The files of some logs in their order; `LockstepError` as `observe` raises it."""
    files = log_files(logs)
    for file in files:
        paths.broker(file.path)  # one that names no broker is reported before anything is followed
    return files


@dataclass
class Observation:
    """Files that are followed one after the other, in this order."""

    files: Sequence[LogFile]
    load: LoadModel
    paths: BrokerPaths
    in_columns: bool
    wait: Wait | None = None
    is_over: Callable[[], bool] = lambda: False
    """Asked now and then; once it is true no more is read, as after Ctrl-C."""
    at: tuple[bool, int] = (False, 0)
    """Where a finding is made: in the file of this number; or, the first being true, at the end of
    all, where brokers come in the order of their first lines, of one that begins in that file."""

    def findings(self) -> Iterator[Finding]:
        """What is found; KeyboardInterrupt at the end if that ended it."""
        reading = Reading.of(self.files) if self.wait is None else Reading()
        explanations = Explanations(self.load, are_kept=True)
        brokers = _brokers(self.in_columns)(explanations, self.paths, reading)
        begins: list[int] = []
        interruption: KeyboardInterrupt | None = None
        try:
            for place, (path, lines) in enumerate(_sources(self.files, self.wait)):
                self.at = False, place
                try:
                    for finding in brokers.read(path, place * _LINES_OF_A_FILE, lines):
                        yield finding
                        if isinstance(finding, Progress) and self.is_over():
                            raise KeyboardInterrupt
                finally:
                    begins += [place] * (len(brokers.followers) - len(begins))
        except KeyboardInterrupt as error:
            interruption = error  # those that are held for their order then still come out
        for place, follower in zip(begins, brokers.followers.values(), strict=True):
            self.at = True, place
            yield from follower.close()
        explanations.keep()
        yield from brokers.progress("")
        if interruption is not None:
            raise interruption


def pays(files: Sequence[LogFile]) -> bool:
    """Whether tables, and what works on them, are made sooner than objects for all lines."""
    size = sum(os.path.getsize(file.path) for file in files if os.path.isfile(file.path))
    if size < _FEW_BYTES:
        return False
    from lockstep_kafka.columns.compiled import pays

    return pays(size)


def _brokers(in_columns: bool) -> type[Brokers]:
    if not in_columns:
        return Brokers
    # A short log need not wait until numpy and LLVM are loaded.
    from lockstep_kafka.columns.log_reader import ColumnBrokers

    return ColumnBrokers


def _sources(
    files: Sequence[LogFile], wait: Wait | None
) -> Iterator[tuple[str, Iterable[PhysicalLine] | None]]:
    """The files to read, with the lines of one that grows."""
    if wait is None:
        yield from ((file.path, None) for file in files)
        return
    (file,) = files
    for lines in growing_files(file.path, wait):
        yield file.path, lines
