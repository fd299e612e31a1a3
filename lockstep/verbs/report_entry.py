"""One line of a report: what a verb said of a model, as far as that is kept for its text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from lockstep.errors import ExitCode
from lockstep.results.verdict import Verdict
from lockstep.verbs.decided import FAILED, Decisions, Question
from lockstep.verbs.failed_result import FailedResult
from lockstep.workspace import Workspace

CHECK, FAULTS, PROVE, TWIN, MUTANTS = "check", "faults", "prove", "twin", "mutants"
"""What an entry is of."""


@dataclass(frozen=True)
class Counts:
    """The counts of a search, 0 where there was none; `depth` in steps.

    `levels` are the states that 0, 1, 2 and so on steps lead to, where they are known.
    """

    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    levels: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A result about a model in one scope or proof; without a verdict it was not checked.

    `again` is the command that fills it or repeats it. `since` is when it was decided, and
    `outdated` when something was decided last of other texts. `judged` says of how many properties,
    faults or mutants it is. The workspace is whole without what is not `wanted`. `is_expected` is a
    violation that the scope pins, with its counterexample of `length` steps in the file `trace`.
    """

    kind: str
    model: str
    scope: str
    again: str
    verdict: Verdict | None = None
    because: str = ""
    since: datetime | None = None
    outdated: datetime | None = None
    counts: Counts = Counts()
    judged: str = ""
    wanted: bool = True
    is_expected: bool = False
    violates: tuple[str, ...] = ()
    length: int | None = None
    trace: Path | None = None

    @property
    def is_broken(self) -> bool:
        """Whether something is not as it must be."""
        bad = (Verdict.VIOLATED, Verdict.ERROR, Verdict.DIFFERS)
        return self.verdict in bad and not self.is_expected

    @property
    def is_open(self) -> bool:
        """Whether it is wanted, and nobody knows."""
        if self.verdict is None:
            return self.wanted
        return self.verdict is Verdict.INCONCLUSIVE

    @property
    def exit_code(self) -> int:
        """What this entry alone would end the process with."""
        if self.is_open:
            return int(ExitCode.INCONCLUSIVE)
        if self.verdict is None or not self.is_broken:
            return int(ExitCode.HOLDS)
        return int(ExitCode.USAGE if self.verdict is Verdict.ERROR else ExitCode[self.verdict.name])


ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Kept:
    """What is kept of one verb in a workspace."""

    workspace: Workspace
    verb: str

    def result(
        self, question: Question[ResultT]
    ) -> tuple[ResultT, datetime] | tuple[FailedResult, datetime] | None:
        """What was decided last of a question as it stands; None where nothing was.

        What was inconclusive says nothing where it was decided at another time.
        """
        if question.about not in self._latest:
            return None  # nothing of it was ever decided: its digest need not be known
        holding, failed = question.find(), question.find_failed()
        if holding is None or failed is None:
            return holding or failed
        is_later = failed[1] > holding[1] and failed[0].verdict != Verdict.INCONCLUSIVE
        return failed if is_later else holding

    def outdated(self, about: str) -> datetime | None:
        """When something was decided last of a model and scope, whatever their texts were."""
        return self._latest.get(about)

    @cached_property
    def _latest(self) -> Mapping[str, datetime]:
        latest = Decisions(self.workspace, self.verb).latest()
        for about, since in Decisions(self.workspace, self.verb, FAILED).latest().items():
            latest[about] = max(since, latest.get(about, since))
        return latest
