"""What comes of all faults of one model, and of each of its invariants."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockstep.answers.answer import Answer
from lockstep.errors import ExitCode, LockstepError
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.verdict import INTERRUPTED, worst
from lockstep.verbs.campaign import TaskError
from lockstep.verbs.fault_answer import FaultAnswer


@dataclass
class FaultsOfModel(ShownInNotebooks):
    """All faults of one model, and each of its invariants with the faults that it catches.

    `errors` are of what could not be loaded: a fault, or the model itself.
    """

    name: str
    runs: list[FaultAnswer] = field(default_factory=list)
    invariants: dict[str, list[str]] = field(default_factory=dict)
    errors: list[LockstepError] = field(default_factory=list)
    interrupted: bool = False

    def take(self, row: Answer) -> None:
        """Take in the row of a task."""
        if row.details:
            self.add(FaultAnswer.of(row))
        if row.error:
            self.errors.append(TaskError(row))

    def add(self, run: FaultAnswer) -> None:
        """Take in the row of one fault."""
        self.runs.append(run)
        for invariant in run.details.caught_by:
            if invariant in self.invariants:
                self.invariants[invariant].append(run.name)

    @property
    def problems(self) -> list[str]:
        """Everything that is not as it must be, one line each."""
        problems = [
            f"{self.name}.{run.name}: {run.details.problem}"
            for run in self.runs
            if run.details.problem
        ]
        if self.interrupted or self.errors:
            return problems
        return problems + [
            f"{self.name}.{invariant}: no fault breaks it first"
            for invariant, faults in self.invariants.items()
            if not faults
        ]

    @property
    def exit_code(self) -> int:
        """What this model alone would end the process with."""
        codes = [int(error.exit_code) for error in self.errors]
        codes += [int(ExitCode.VIOLATED)] * bool(self.problems) + [INTERRUPTED] * self.interrupted
        return worst(codes)
