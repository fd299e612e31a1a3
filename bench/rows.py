"""One line of the table: a tool that explored a case, and what that took."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bench.cases import Case
from bench.process import Run


class Checks(StrEnum):
    """What a tool checks while it explores.

    A row is compared with the row of lockstep's that checks as much.
    """

    ALL = "all"
    """Every invariant of states and of steps, and whether goals are reached."""
    STATES = "states"
    """The invariants of states, and whether goals are reached."""
    NONE = "none"
    """Nothing: the search counts states, and that is all."""


class Status(StrEnum):
    """What became of a row."""

    MEASURED = "measured"
    VOID = "void"
    """The tool ran, and did not find what there is: its time means nothing."""
    NOT_FINISHED = "not finished"
    NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Counts:
    """What a tool found; None for what it does not count exactly."""

    states: int | None = None
    transitions: int | None = None
    depth: int | None = None


@dataclass(frozen=True)
class Recipe:
    """How a tool was run: its commands, and the seconds that compiling the model took before."""

    commands: tuple[str, ...] = ()
    prepared: float | None = None


@dataclass(frozen=True)
class Row:
    """One tool on one case.

    `remark` says what exactly is checked and how. `run` is the fastest of the `runs` made;
    `prepared` are the seconds that compiling the model took before that, None where nothing was.
    `because` says why a row is not measured.
    """

    tool: str
    checks: Checks
    remark: str
    status: Status
    because: str = ""
    counts: Counts = Counts()
    run: Run | None = None
    runs: int = 0
    prepared: float | None = None
    commands: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entrant:
    """A tool about to be measured: the part of a row that is known before."""

    tool: str
    checks: Checks
    remark: str

    def not_measured(self, because: str) -> Row:
        """The row of a tool that is not there, or that cannot be used here."""
        return Row(self.tool, self.checks, self.remark, Status.NOT_MEASURED, because)

    def row(
        self,
        case: Case,
        runs: list[Run],
        counts: Counts,
        *,
        complaint: str = "",
        recipe: Recipe = Recipe(),
    ) -> Row:
        """The row of a tool that ran: measured if it found what there is and had no complaint."""
        run = min(runs, key=lambda run: run.seconds)
        status, because = Status.MEASURED, ""
        if run.ran_out_of_time:
            status = Status.NOT_FINISHED
            because = f"stopped after {run.seconds:.0f} s"
            if counts.states is not None:
                because += f", when it had found {counts.states:,} of {case.states:,} states"
        elif wrong := complaint or _failure(run) or _difference(case, counts):
            status, because = Status.VOID, wrong
        return Row(
            self.tool,
            self.checks,
            self.remark,
            status,
            because,
            counts,
            run,
            len(runs),
            recipe.prepared,
            recipe.commands,
        )


def _failure(run: Run) -> str:
    return f"exit code {run.exit_code}: {run.last_words}" if run.exit_code else ""


def _difference(case: Case, counts: Counts) -> str:
    if counts.states is None:
        return "it did not say how many states it found"
    for name in ("states", "transitions", "depth"):
        count, expected = getattr(counts, name), getattr(case, name)
        if count is not None and count != expected:
            return f"{count:,} {name}, where there are {expected:,}"
    return ""


def printed_counts(output: str) -> Counts:
    """The counts that the peers written here print, each as `states 123` on a line of its own."""
    printed = {
        name: int(number)
        for name, number in re.findall(r"^(states|transitions|depth) (\d+)$", output, re.MULTILINE)
    }
    return Counts(printed.get("states"), printed.get("transitions"), printed.get("depth"))
