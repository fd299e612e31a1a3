"""One line of a report: what a verb said of a model, as far as that is kept for its text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.errors import ExitCode
from lockstep.results.verdict import Verdict

CHECK, FAULTS, PROVE, TWIN, MUTANTS = "check", "faults", "prove", "twin", "mutants"
"""What an entry is of."""


@dataclass(frozen=True)
class Entry:
    """The answer about a model in one scope or proof; without a verdict it was not checked.

    `again` is the command that fills it or repeats it, and `outdated` when something was decided
    last of other texts. The workspace is whole without what is not `wanted`. `is_expected` is a
    violation that the scope pins.
    """

    answer: Answer
    again: str
    outdated: datetime | None = None
    wanted: bool = True
    is_expected: bool = False

    @classmethod
    def of(cls, kind: str, model: str, scope: str, again: str, *, wanted: bool = True) -> Entry:
        """An entry of what was not checked."""
        return cls(Answer(kind=kind, model=model, scope=scope), again, wanted=wanted)

    def saying(self, verdict: Verdict, because: str = "", **others: Any) -> Entry:
        """The same entry with a verdict; `others` are fields of its answer."""
        values = {"verdict": str(verdict), "because": because, **others}
        return replace(self, answer=msgspec.structs.replace(self.answer, **values))

    @property
    def kind(self) -> str:
        """What it is of."""
        return self.answer.kind

    @property
    def model(self) -> str:
        """The model's name."""
        return self.answer.model

    @property
    def scope(self) -> str:
        """The name of the scope or the proof."""
        return self.answer.scope

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None where it was not checked."""
        return Verdict(self.answer.verdict) if self.answer.verdict else None

    @property
    def because(self) -> str:
        """Why the verdict is what it is, or why there is none."""
        return self.answer.because

    @property
    def judged(self) -> str:
        """Of how many properties, faults or mutants it is."""
        return self.answer.judged

    @property
    def since(self) -> datetime | None:
        """When it was decided."""
        return self.answer.moment if self.answer.since else None

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
