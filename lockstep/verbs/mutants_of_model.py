"""What comes of all mutants of one model, and whether those that nothing kills are explained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep.answers.answer import Answer
from lockstep.errors import ExitCode, LockstepError
from lockstep.mutants.fate import Fate
from lockstep.results.verdict import INTERRUPTED, worst
from lockstep.verbs.campaign import TaskError
from lockstep.verbs.mutant_task import MutantAnswer


@dataclass
class MutantsOfModel:
    """All mutants of one model in one scope.

    `reasons` are those that `specs/MODEL.toml` gives for mutants that nothing kills. It speaks of
    the scope `default`: only there a reason can be out of date. `errors` are of what could not be
    loaded or judged.
    """

    name: str
    scope: str
    reasons: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = True
    mutants: list[MutantAnswer] = field(default_factory=list)
    errors: list[LockstepError] = field(default_factory=list)
    interrupted: bool = False

    def take(self, row: Answer) -> None:
        """Take in the row of a task."""
        if row.details:
            self.mutants.append(MutantAnswer.of(row))
        if row.error and row.error not in {error.message for error in self.errors}:
            self.errors.append(TaskError(row))

    def count(self, fate: Fate) -> int:
        """How many mutants have a fate."""
        return sum(mutant.fate is fate for mutant in self.mutants)

    @property
    def open(self) -> list[MutantAnswer]:
        """The mutants that survive, or of which nothing is known."""
        return [mutant for mutant in self.mutants if mutant.is_open]

    @property
    def unexplained(self) -> list[MutantAnswer]:
        """Those of them that no reason is given for."""
        return [mutant for mutant in self.open if mutant.name not in self.reasons]

    @property
    def stale(self) -> list[str]:
        """The mutants that a reason is given for although they do not survive, or are not there."""
        if not self.is_default or self.interrupted or self.errors:
            return []
        names = {mutant.name for mutant in self.open}
        return [name for name in self.reasons if name not in names]

    @property
    def exit_code(self) -> int:
        """What this model alone would end the process with."""
        codes = [int(error.exit_code) for error in self.errors]
        codes += [mutant.exit_code for mutant in self.unexplained]
        codes += [int(ExitCode.VIOLATED)] * bool(self.stale) + [INTERRUPTED] * self.interrupted
        return worst(codes)
