"""The result of a search: what was explored, what holds, and what is broken."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.language.source import Diagnostic, Place
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.words import plural


@dataclass(frozen=True)
class Violation:
    """What is broken, and the shortest behaviour that breaks it.

    Of a `leads_to` that behaviour never ends, and it is the only one of `properties`. Otherwise
    `properties` are all that fail at the end of the trace, in the model's order (or just
    `deadlock`); `parameters` is the binding for which the first of them fails.
    """

    properties: tuple[str, ...]
    parameters: tuple[Any, ...]
    trace: Trace


@dataclass
class Progress:
    """How far a search is.

    `frontier` is how many states of this level are still to expand, and `memory` how many bytes
    the states take, where that is known. `tasks` are those of a job that are done, of how many.
    """

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    memory: int = 0
    tasks: tuple[int, int] = (0, 0)


@dataclass
class SearchResult:
    """What a search found.

    `states` distinct states, `transitions` enabled action instances (self-loops and repetitions
    included), `depth` steps to the farthest state. `levels` says how many states 0, 1, 2 and so
    many steps lead to, and no fewer, up to the last level that was finished without anything wrong
    on it. `fired` counts instances an action; `applied` names the invariants whose premise some
    state or step satisfied; `reached` the goals that some state satisfied, `missed` those that none
    did once everything was explored.
    `deadlocks` are the states that no step leaves.
    `unfulfilled` are the violations of `leads_to`, each with its behaviour, the first of which is
    the `violation`, and `unchecked` names the `leads_to` of which nothing is known.
    `because` says why the verdict is not `holds`; `error` where the model's text has no
    meaning, at the end of `error_trace`; `interrupted` that Ctrl-C ended it, `out_of_memory` that
    the bound on memory or the lack of it did.
    `remark` is what else a reader should know of how it was explored. Of a search by machine code,
    plain Python was asked about `sampled` states and their `sampled_steps` steps, and agreed.
    """

    model: str
    engine: str
    verdict: Verdict = Verdict.HOLDS
    states: int = 0
    transitions: int = 0
    depth: int = 0
    levels: list[int] = field(default_factory=list)
    seconds: float = 0.0
    fired: dict[str, int] = field(default_factory=dict)
    applied: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    missed: tuple[str, ...] = ()
    deadlocks: int = 0
    violation: Violation | None = None
    unfulfilled: tuple[Violation, ...] = ()
    unchecked: tuple[str, ...] = ()
    error: EvaluationError | None = None
    error_trace: Trace | None = None
    interrupted: bool = False
    out_of_memory: bool = False
    because: str = ""
    remark: str = ""
    sampled: int = 0
    sampled_steps: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether everything was explored: only then a goal is missed, or a promise broken."""
        return self.verdict is Verdict.HOLDS or bool(self.missed or self.unfulfilled)

    def undecided(self, model: Model) -> list[str]:
        """Properties of which nothing is known.

        These are each `leads_to` that was not checked, and each goal that an unfinished search has
        not reached.
        """
        goals = {goal.name for goal in model.of_kind(Kind.SOMETIMES)}
        open_goals = set() if self.is_finished else goals - self.reached
        return [
            prop.name
            for prop in model.properties
            if prop.name in open_goals or prop.name in self.unchecked
        ]

    @property
    def violated(self) -> tuple[str, ...]:
        """Every property that the search found violated, `deadlock` included."""
        at_the_end = () if self.violation is None else self.violation.properties
        others = (name for violation in self.unfulfilled for name in violation.properties)
        return tuple(dict.fromkeys([*at_the_end, *others, *self.missed]))

    @property
    def idle_actions(self) -> list[str]:
        """Actions that never fired: the scope says nothing about them."""
        return [name for name, count in self.fired.items() if count == 0]


def add_remark(result: SearchResult, remark: str) -> None:
    """Say in a result something more of how it was explored."""
    result.remark = "; ".join(filter(None, (result.remark, remark)))


def report_violation(result: SearchResult, violation: Violation) -> None:
    """Say in a result that properties are violated."""
    result.verdict = Verdict.VIOLATED
    result.violation = violation
    steps = plural(len(violation.trace.steps), "step")
    result.because = f"{violation.properties[0]} is violated after {steps}"


def report_unfulfilled(result: SearchResult, violations: tuple[Violation, ...]) -> None:
    """Say in a result that each `leads_to` is violated, by a behaviour that never ends."""
    result.verdict = Verdict.VIOLATED
    result.violation = violations[0]
    result.unfulfilled = violations
    names = ", ".join(violation.properties[0] for violation in violations)
    are = "is" if len(violations) == 1 else "are"
    result.because = f"{names} {are} violated by a behaviour that goes on for ever"


def report_error(result: SearchResult, error: EvaluationError, trace: Trace) -> None:
    """Say in a result that the text has no meaning at the end of `trace`."""
    result.verdict = Verdict.ERROR
    result.error = error
    result.error_trace = trace
    result.because = error.message


def conclude(model: Model, result: SearchResult) -> None:
    """Say in a result that everything was explored: goals that no state satisfies are violated."""
    goals = model.of_kind(Kind.SOMETIMES)
    result.missed = tuple(goal.name for goal in goals if goal.name not in result.reached)
    if result.missed:
        result.verdict = Verdict.VIOLATED
        result.because = f"no reachable state satisfies {result.missed[0]}"


class EvaluationError(LockstepError):
    """The model's text has no meaning in a reachable state.

    A write or a record outside its domain, an attribute of None, an index past the end, a
    division by zero. `function` is the action or invariant, `place` where in it (None when
    unknown), `reason` says what went wrong, `why` and `cure` what to make of it. Its text shows
    the source line, as that of a model that is not well formed does.
    """

    def __init__(
        self, function: str, place: Place | None, reason: str, why: str, cure: str
    ) -> None:
        super().__init__(f"{function}: {reason}", cure=cure)
        self.function = function
        self.place = place
        self.reason = reason
        self.why = why

    @property
    def file(self) -> Path | None:
        """The file that it arose in."""
        return None if self.place is None else self.place.file

    @property
    def line(self) -> int | None:
        """The line that it arose in."""
        return None if self.place is None else self.place.line

    def __str__(self) -> str:
        if self.place is None:
            return super().__str__()
        shown = Diagnostic("no-meaning", self.place, self.message, self.why, self.cure or "")
        return shown.render()

    def seen_from(self, folder: Path) -> str:
        """The error in one line, its file relative to `folder` where it lies below that."""
        if self.file is None:
            return self.message
        file = self.file.relative_to(folder) if self.file.is_relative_to(folder) else self.file
        return f"{file}:{self.line}: {self.message}"
