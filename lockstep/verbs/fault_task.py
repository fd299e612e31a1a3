"""The task of one fault: how it is run, and its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from lockstep.answers.answer import Answer, decode
from lockstep.campaign.processes import Share
from lockstep.campaign.task import Outcome, Task, answer_to
from lockstep.errors import LockstepError, nearest
from lockstep.explore.engines import explore
from lockstep.language.faults import marks_in_place
from lockstep.language.frontend import lower
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.notation import FaultMark, Kind
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.requests.run import Watch
from lockstep.results.search_result import EvaluationError, SearchResult
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict, exit_code_of
from lockstep.specs.scopes import ModelSpec, Scope, load_model_spec
from lockstep.trace.claims import failing_binding
from lockstep.trace.documents import error_json, steps_json
from lockstep.trace.itf import Origin, file_name, to_json
from lockstep.trace.itf_values import Misfit, decode_parameters
from lockstep.verbs.campaign import outcome_of
from lockstep.words import indented, plural


@dataclass(frozen=True)
class FaultRun:
    """One fault, explored up to the first violation; a harmless one in all of its scope.

    `caught_by` are the properties that fail where the shortest trace ends: more than one when they
    fail at the same step. `by_constants` says that the constants which the fault sets break the
    model by themselves, `is_own` that the model without the fault takes the same steps to the same
    violation.
    """

    model: Model
    name: str
    mark: FaultMark
    scope: Scope
    constants: Mapping[str, object]
    result: SearchResult
    by_constants: bool = False
    is_own: bool = False

    @property
    def caught_by(self) -> tuple[str, ...]:
        """The properties that catch the fault."""
        result = self.result
        if result.unfulfilled:
            return tuple(violation.properties[0] for violation in result.unfulfilled)
        return result.violation.properties if result.violation else result.missed

    @property
    def trace(self) -> Trace | None:
        """The shortest behaviour to the violation; None without one, or for a missed goal."""
        for violation in self.result.unfulfilled:
            if violation.properties[0] == self.first:
                return violation.trace
        return None if self.result.violation is None else self.result.violation.trace

    @property
    def first(self) -> str:
        """The property that caught it: the one it names where that is among several."""
        if self.mark.breaks in self.caught_by:
            return self.mark.breaks
        return self.caught_by[0] if self.caught_by else ""

    @property
    def is_idle(self) -> bool:
        """Whether the fault is an action, its own or another's, that was never enabled."""
        names = [function.__name__ for function in self.mark.changed] or [self.name]
        fired = [self.result.fired[name] for name in names if name in self.result.fired]
        return bool(fired) and not any(fired)

    @property
    def problem(self) -> str | None:
        """What is wrong with the fault; None when it is caught, or harmless, as it says."""
        named = self.mark.breaks
        if named is None:
            return self._problem_of_harmless()
        names = {prop.name for prop in self.model.properties}
        if named != DEADLOCK and named not in names:
            what = f"it says that it breaks {named}, which {self.model.name} does not have"
            return "; ".join(filter(None, (what, nearest(named, [DEADLOCK, *names], ""))))
        if self.result.error is not None:
            return _without_meaning(self.result.error)
        if self.result.verdict is Verdict.INCONCLUSIVE:
            return f"not caught: {self.result.because}"
        if not self.caught_by:
            return f"not caught, though all of scope {self.scope.name} was explored"
        if self.is_own:
            return f"{self.first} is broken by the same steps without the fault"
        if named not in self.caught_by:
            return f"caught first by {self.caught_by[0]}, not by {named}"
        return None

    def _problem_of_harmless(self) -> str | None:
        if self.result.error is not None:
            return _without_meaning(self.result.error)
        if self.caught_by:
            steps = f" after {plural(len(self.trace.steps), 'step')}" if self.trace else ""
            if self.trace is not None and self.trace.loop is not None:
                steps = " by a behaviour that goes on for ever"
            return f"not harmless: it breaks {', '.join(self.caught_by)}{steps}"
        if self.result.verdict is Verdict.INCONCLUSIVE:
            return f"not known to be harmless: {self.result.because}"
        if self.is_idle:
            return f"not known to be harmless: it never happens in scope {self.scope.name}"
        return None


def _without_meaning(error: EvaluationError) -> str:
    return f"its text has no meaning in a reachable state:\n{indented(str(error), 2)}"


class FaultDetails(msgspec.Struct, kw_only=True):
    """What only the row of a fault has."""

    caught_by: tuple[str, ...]
    """The properties that fail where the shortest trace ends; for a goal, those out of reach."""
    expected: str | None
    """The property that the fault says it breaks; null for a harmless one."""
    harmless: str | None
    """Why no property catches it, in its author's words; its verdict is then to be `holds`."""
    source: str | None
    """Where the mistake was really made."""
    by_constants: bool
    """Whether the constants that it sets break the model by themselves."""
    problem: str | None
    """What is wrong: not caught, caught first by another property, not harmless, or what catches it
    is broken without it, too."""
    error: dict[str, Any] | None
    """Where the text has no meaning, as under [`check`](#check)."""
    unchecked: tuple[str, ...]
    """Each `leads_to` of which nothing is known."""
    steps: list[dict[str, Any]] | None
    """The shortest trace: the `action` and the `parameters` of each step."""
    loop: int | None
    """After how many steps those come that are taken for ever."""
    bounded: bool = False
    """Whether a bound ended the search before all was explored."""


class FaultAnswer(Answer, kw_only=True):
    """The answer about one fault with what only such an answer has."""

    details: FaultDetails

    @property
    def name(self) -> str:
        """The fault's name."""
        return str(self.fault)

    @property
    def is_caught_as_named(self) -> bool:
        """Whether the property that it names catches it."""
        return self.details.expected is not None and self.details.problem is None

    @property
    def is_harmless(self) -> bool:
        """Whether nothing catches it, as it says."""
        return self.details.harmless is not None and self.details.problem is None


def row_of(task: Task, run: FaultRun) -> Answer:
    """The row of a fault that was explored."""
    result, mark = run.result, run.mark
    details = FaultDetails(
        caught_by=() if run.is_own else run.caught_by,
        expected=mark.breaks,
        harmless=mark.harmless,
        source=mark.source,
        by_constants=run.by_constants,
        problem=run.problem,
        error=None if result.error is None else error_json(run.model, result.error),
        unchecked=result.unchecked,
        steps=None if run.trace is None else steps_json(run.model, run.trace),  # type: ignore[arg-type]
        loop=None if run.trace is None else run.trace.loop,
        bounded=result.verdict is Verdict.INCONCLUSIVE and not result.unchecked,
    )
    as_said = Verdict.HOLDS if run.problem is None else Verdict.VIOLATED
    return answer_to(
        task,
        result,
        verdict=str(result.verdict),
        violated=run.first or None,
        length=None if run.trace is None else len(run.trace.steps),
        because=result.because,
        exit_code=exit_code_of(as_said, interrupted=result.interrupted),
        details=msgspec.to_builtins(details),
    )


def explore_fault(workspace: Path, task: bytes, share: Share, *, watch: Watch = Watch()) -> bytes:
    """Explore a fault; the encoded outcome. What is wrong with it is in its row."""
    fault = _Fault(workspace, decode(task, Task), share, watch)
    return outcome_of(workspace, fault.task, fault.outcome)


@dataclass(frozen=True)
class _Fault:
    root: Path
    task: Task
    share: Share
    watch: Watch

    def outcome(self) -> Outcome:
        """The row of the fault with its trace."""
        run = self.run()
        row = row_of(self.task, run)
        if run.trace is None:
            return Outcome(row)
        engine = run.result.engine
        origin = Origin.of(
            run.model, run.first, scope=run.scope.name, fault=run.name, engine=engine
        )
        return Outcome(row, file_name(origin), to_json(run.model, run.trace, origin))

    def run(self) -> FaultRun:
        """Explore the fault."""
        task = self.task
        spec = load_model_spec(self.root, task.model)
        assert task.fault is not None
        ((mark, _),) = marks_in_place(self.root, task.model, task.fault).values()
        scope = spec.fault_scope(mark.scope)
        constants: dict[str, object] = {**scope.constants, **mark.constants}
        model = load_model(self.root, spec.name, constants, fault=task.fault)
        lower(model)
        pending = {prop.name for prop in model.of_kind(Kind.LEADS_TO)}
        exploration = self._exploration(spec, liveness=task.liveness or mark.breaks in pending)
        result = self._explore(model, f"{spec.name} fault {task.fault}", exploration)
        run = FaultRun(model, task.fault, mark, scope, constants, result)
        run = replace(run, is_own=self._is_own(run, spec))
        if mark.constants and not run.is_own:
            run = replace(run, by_constants=self._is_constants_alone(run, spec, exploration))
        return run

    def _exploration(self, spec: ModelSpec, *, liveness: bool) -> Exploration:
        task, share = self.task, self.share
        spill = None if task.spill is None else Path(task.spill)
        return Exploration(
            task.engine,
            Bounds(task.max_states, task.max_seconds, memory=share.memory, spill=spill),
            deadlock_allowed=spec.deadlock_allowed,
            liveness=liveness,
            threads=share.threads,
        )

    def _explore(self, model: Model, title: str, exploration: Exploration) -> SearchResult:
        with self.watch.search(title, None) as on_progress:
            return explore(model, replace(exploration, on_progress=on_progress))

    def _is_constants_alone(self, run: FaultRun, spec: ModelSpec, as_run: Exploration) -> bool:
        """Whether the model without the fault, but with its constants, is violated as soon."""
        if run.trace is None:
            return False
        try:
            model = load_model(self.root, spec.name, run.constants)
        except LockstepError:
            return False  # a constant of the fault's own: without the fault there is no such scope
        # What goes on for ever is found only where everything is explored.
        loops = run.trace.loop is not None
        bounds = replace(as_run.bounds, max_depth=None if loops else len(run.trace.steps))
        exploration = replace(as_run, bounds=bounds, liveness=loops)
        title = f"{spec.name} without {run.name}"
        return self._explore(model, title, exploration).violation is not None

    def _is_own(self, run: FaultRun, spec: ModelSpec) -> bool:
        """Whether the model without the fault takes the same steps to the same violation."""
        if run.trace is None:
            return False
        model = load_model(self.root, spec.name, run.scope.constants)
        steps: Any = steps_json(run.model, run.trace)
        trace = taken_again(model, steps, run.trace.loop)
        if isinstance(trace, int):
            return False
        return failing_binding(PlainEngine(model), run.first, trace) is not None


def taken_again(model: Model, steps: Sequence[Mapping[str, Any]], loop: int | None) -> Trace | int:
    """The behaviour of the steps that an answer keeps, or the number of the one not taken, from 1.

    Their values are read again, for those of another load of the text are of other types.
    """
    engine, taken = PlainEngine(model), list[Step]()
    state = model.initial
    for number, step in enumerate(steps, start=1):
        action = model.find_action(step["action"])
        if action is None:
            return number
        try:
            given = decode_parameters(action.parameters, step["parameters"], action.name)
        except Misfit:
            return number
        after = None if given is None else engine.run(action, state, given)
        if given is None or after is None:
            return number
        taken.append(Step(action.name, given, after))
        state = after
    return Trace(model.initial, tuple(taken), loop)
