"""A campaign: every task is done once, and its row is kept in a file as soon as it is there."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.answers.answer import Answer, NotRead, decode, encode, now
from lockstep.campaign.processes import Lost, Place
from lockstep.campaign.task import Outcome, Task, answer_to
from lockstep.errors import ExitCode, LockstepError, not_written
from lockstep.results.verdict import Verdict, worst
from lockstep.system.text_files import add_lines, locked, write_text


@dataclass(frozen=True)
class Planned:
    """A task, and how long it may take in seconds."""

    task: Task
    seconds: float


@dataclass(frozen=True)
class Campaign:
    """How rows come about, and in which file they are kept.

    `depends` is a digest of all that every row depends on beside its task. `note` hears of tasks
    that are done again.
    """

    kept: KeptRows
    depends: str
    note: Callable[[str], None] = lambda _: None

    def known(self, plan: Sequence[Planned]) -> dict[int, Answer]:
        """The rows of earlier runs that still stand, by the number of their tasks."""
        rows = {number: self._kept(planned.task) for number, planned in enumerate(plan)}
        return {number: row for number, row in rows.items() if row is not None}

    def rows(
        self, place: Place, plan: Sequence[Planned], numbers: Sequence[int]
    ) -> Generator[tuple[int, Answer], None, None]:
        """Do the tasks of some numbers in that order; each number with its row, as they end.

        Tasks that had too little to end well are done again, one by one. KeyboardInterrupt for
        Ctrl-C: the rows so far stand.
        """
        alone, again = place.alone(), []
        tasks = [encode(plan[number].task) for number in numbers]
        with place.answers(tasks) as answers:
            for at, answer in answers:
                number, task = numbers[at], plan[numbers[at]].task
                outcome = answer if isinstance(answer, Lost) else decode(answer, Outcome)
                if alone is not None and (why := _too_little(outcome)):
                    self.note(f"{task.name} is done again by itself: {why}")
                    again.append(number)
                    continue
                yield number, self._row(task, outcome)
        if alone is not None and again:
            yield from self.rows(alone, plan, again)

    def _key(self, task: str) -> str:
        return hashlib.sha256(f"{self.depends} {task}".encode("ascii")).hexdigest()

    def _kept(self, task: Task) -> Answer | None:
        """The row of an earlier run, unless the counterexample that it names is gone."""
        row = self.kept.rows.get(task.digest)
        if row is None or row.key != self._key(row.task):
            return None
        return row if row.trace is None or Path(row.trace).is_file() else None

    def _row(self, task: Task, outcome: Outcome | Lost) -> Answer:
        """The row of a task that has ended, kept unless it was cut short."""
        if isinstance(outcome, Lost):
            return answer_to(
                task,
                verdict=str(Verdict.INCONCLUSIVE),
                error=f"{task.name} has no result: {outcome.why}",
                exit_code=int(ExitCode.INCONCLUSIVE),
            )
        row = outcome.row
        if row.interrupted:
            raise KeyboardInterrupt
        row.task = task.digest
        row.key = self._key(row.task)
        row.since = now()
        try:
            row.trace = _saved(task, outcome)
        except LockstepError as error:
            row.error, row.exit_code = error.message, worst([row.exit_code, error.exit_code])
        if not (row.error or row.out_of_memory):
            self.kept.add(row)
        return row


def _too_little(outcome: Outcome | Lost) -> str:
    """Why a task may end otherwise with all that there is; empty where it would not."""
    if isinstance(outcome, Lost):
        return outcome.why
    return "its share of the memory is full" if outcome.row.out_of_memory else ""


def _saved(task: Task, outcome: Outcome) -> str | None:
    """The file of a counterexample; None where there is none, or where none is to be kept."""
    if task.save is None or outcome.trace_name is None:
        return None
    file = Path(task.save) / outcome.trace_name
    write_text(file, outcome.trace_text)
    return str(file)


_START_SECONDS = 0.5
"""To load a model and translate it."""

_STATES_PER_SECOND = 200_000
"""What one core explores; only the proportion of two tasks matters."""


def expected_seconds(earlier: float | None, states: int | None) -> float:
    """How long a task takes: as long as earlier, else as its number of states lets expect.

    Infinitely long where nobody knows either.
    """
    if earlier is None:
        earlier = math.inf if states is None else states / _STATES_PER_SECOND
    return _START_SECONDS + earlier


def longest_first(numbers: Sequence[int], seconds: Callable[[int], float]) -> list[int]:
    """Numbers of tasks in the order in which they are begun; equally long ones as they stand."""
    return sorted(numbers, key=seconds, reverse=True)


class TimeLeft:
    """How long the tasks that are left may take, by how long those took that are done."""

    def __init__(self, seconds: Sequence[float]) -> None:
        """`seconds` is how long each task may take by itself."""
        self._left = sum(filter(math.isfinite, seconds))
        self._done = 0.0
        self._began = time.perf_counter()

    def after(self, seconds: float) -> str:
        """What is left after a task that might take so long; nothing where nobody knows."""
        if not math.isfinite(seconds):
            return ""
        self._done += seconds
        self._left -= seconds
        rate = (time.perf_counter() - self._began) / self._done
        return f", about {max(0.0, self._left * rate):,.0f} s left"


@dataclass
class KeptRows:
    """The rows of a file by the digest of what was asked; without a file none is kept.

    `damaged` are the numbers of the lines that were no rows.
    """

    file: Path | None
    rows: dict[str, Answer] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)

    @classmethod
    def open(cls, file: Path) -> KeptRows:
        """Read a file, which need not be there yet, and leave one line a task in it.

        `LockstepError` for a file that cannot be read or written, and for one without any row.
        """
        kept = cls(file)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with locked(file) as descriptor:
                lines = _content(descriptor).splitlines()
                kept._read(lines)
                if lines and not kept.rows:
                    raise LockstepError(
                        f"{file} is no table of results: no line of it is a row",
                        cure="name another file; one that is not there is made",
                    )
                if len(kept.rows) < len(lines):
                    rows = (encode(row).decode("ascii") for row in kept.rows.values())
                    write_text(file, "".join(f"{row}\n" for row in rows))
        except OSError as error:
            raise LockstepError(not_written(file, error)) from None
        return kept

    def add(self, row: Answer) -> None:
        """Add a row; `LockstepError` when it cannot be written."""
        self.rows[row.task] = row
        if self.file is None:
            return
        try:
            add_lines(self.file, encode(row) + b"\n")
        except OSError as error:
            raise LockstepError(not_written(self.file, error)) from None

    def _read(self, lines: list[bytes]) -> None:
        for number, line in enumerate(lines, start=1):
            try:
                row = decode(line, Answer)
            except NotRead:
                self.damaged.append(number)
                continue
            self.rows.pop(row.task, None)  # for the rows to stand in the order of their time
            self.rows[row.task] = row


def _content(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        return stream.read()
