"""Breadth-first search by levels: every reachable state, every property, shortest counterexamples."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lockstep.explore.engine import Engine, EvaluationError, Step
from lockstep.language.model import Property
from lockstep.language.notation import Kind, State

HOLDS, VIOLATED, INCONCLUSIVE = "holds", "violated", "inconclusive"
DEADLOCK = "deadlock"


@dataclass(frozen=True)
class Trace:
    """A behaviour from the initial state: `steps[i]` leads to the state after i + 1 steps."""

    initial: State
    steps: tuple[Step, ...]

    @property
    def last(self) -> State:
        """The state in which the behaviour ends."""
        return self.steps[-1].state if self.steps else self.initial


@dataclass(frozen=True)
class Violation:
    """What is broken, and the shortest behaviour that breaks it.

    `properties` are all that fail at the end of the trace, in the model's order (or just
    `deadlock`); `parameters` is the binding for which the first of them fails.
    """

    properties: tuple[str, ...]
    parameters: tuple[Any, ...]
    trace: Trace


@dataclass
class Progress:
    """How far a search is: `frontier` is how many states of this level are still to expand."""

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float


@dataclass
class SearchResult:
    """What a search found.

    `states` distinct states, `transitions` enabled action instances (self-loops and repetitions
    included), `depth` steps to the farthest state. `fired` counts instances an action;
    `applied` names the properties whose premise some state or step satisfied; `reached` the goals
    that some state satisfied. `because` says why the verdict is not `holds`.
    """

    model: str
    engine: str
    verdict: str = HOLDS
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    fired: dict[str, int] = field(default_factory=dict)
    applied: set[str] = field(default_factory=set)
    reached: set[str] = field(default_factory=set)
    deadlocks: int = 0
    violation: Violation | None = None
    error: EvaluationError | None = None
    error_trace: Trace | None = None
    because: str = ""

    @property
    def idle_actions(self) -> list[str]:
        """Actions that never fired: the scope says nothing about them."""
        return [name for name, count in self.fired.items() if count == 0]


Visit = Callable[[State, list[Step]], None]


class _Found(Exception):
    """Ends the search: a violation or an evaluation error was found."""


class Search:
    """One breadth-first search of a model by an engine."""

    def __init__(
        self,
        engine: Engine,
        *,
        deadlock_allowed: bool = True,
        max_states: int | None = None,
        max_seconds: float | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_state: Visit | None = None,
    ) -> None:
        """Bounds end the search as `inconclusive`; `on_state` is given every state with its steps."""
        self._engine = engine
        self._model = engine.model
        self._deadlock_allowed = deadlock_allowed
        self._max_states = max_states
        self._max_seconds = max_seconds
        self._on_progress = on_progress
        self._on_state = on_state
        self._parents: dict[State, tuple[State, Step] | None] = {}
        self._result = SearchResult(self._model.name, engine.name)
        self._started = 0.0
        self._invariants = self._model.of_kind(Kind.INVARIANT)
        self._steps = self._model.of_kind(Kind.STEP_INVARIANT)
        self._goals = self._model.of_kind(Kind.SOMETIMES)

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met."""
        self._started = time.perf_counter()
        result = self._result
        result.fired = {action.name: 0 for action in self._model.actions}
        try:
            self._levels()
        except _Found:
            pass
        result.states = len(self._parents)
        result.seconds = time.perf_counter() - self._started
        if result.verdict == HOLDS and not result.because:
            self._conclude()
        return result

    def _levels(self) -> None:
        initial = self._model.initial
        self._parents[initial] = None
        self._check_state(initial)
        level = [initial]
        while level:
            following: list[State] = []
            for index, state in enumerate(level):
                if index % 256 == 0 and self._must_stop(len(level) - index):
                    return
                self._expand(state, following)
            if following:
                self._result.depth += 1
            level = following

    def _must_stop(self, frontier: int) -> bool:
        result, seconds = self._result, time.perf_counter() - self._started
        if self._on_progress is not None:
            self._on_progress(
                Progress(len(self._parents), result.transitions, result.depth, frontier, seconds)
            )
        if self._max_states is not None and len(self._parents) >= self._max_states:
            result.because = f"stopped at {len(self._parents):,} states, as bounded"
        elif self._max_seconds is not None and seconds >= self._max_seconds:
            result.because = f"stopped after {seconds:.0f} s, as bounded"
        else:
            return False
        result.because += f"; every behaviour of {result.depth} steps or fewer is covered"
        result.verdict = INCONCLUSIVE
        return True

    def _expand(self, state: State, following: list[State]) -> None:
        result, parents = self._result, self._parents
        taken: list[Step] = []
        try:
            for step in self._engine.successors(state):
                taken.append(step)
        except EvaluationError as error:
            self._fail(error, self._trace(state))
        if not taken:
            result.deadlocks += 1
            if not self._deadlock_allowed:
                self._violated((DEADLOCK,), (), self._trace(state))
        if self._on_state is not None:
            self._on_state(state, taken)
        for step in taken:
            result.transitions += 1
            result.fired[step.action] += 1
            if self._steps:
                self._check_step(state, step)
            if step.state not in parents:
                parents[step.state] = (state, step)
                following.append(step.state)
                self._check_state(step.state)

    def _check_state(self, state: State) -> None:
        self._check(self._invariants, state, None, lambda: self._trace(state))
        for goal in self._goals:
            if goal.name not in self._result.reached:
                outcome = self._evaluate(goal, state, None, lambda: self._trace(state))
                if outcome.failing is None:
                    self._result.reached.add(goal.name)

    def _check_step(self, state: State, step: Step) -> None:
        def trace() -> Trace:
            before = self._trace(state)
            return Trace(before.initial, (*before.steps, step))

        self._check(self._steps, state, step.state, trace)

    def _check(
        self,
        properties: tuple[Property, ...],
        before: State,
        after: State | None,
        trace: Callable[[], Trace],
    ) -> None:
        failing: list[tuple[str, tuple[Any, ...]]] = []
        for prop in properties:
            outcome = self._evaluate(prop, before, after, trace)
            if outcome.applied:
                self._result.applied.add(prop.name)
            if outcome.failing is not None:
                failing.append((prop.name, outcome.failing))
        if failing:
            self._violated(tuple(name for name, _ in failing), failing[0][1], trace())

    def _evaluate(
        self, prop: Property, before: State, after: State | None, trace: Callable[[], Trace]
    ) -> Any:
        try:
            return self._engine.evaluate(prop, before, after)
        except EvaluationError as error:
            self._fail(error, trace())

    def _violated(self, names: tuple[str, ...], parameters: tuple[Any, ...], trace: Trace) -> None:
        self._result.verdict = VIOLATED
        self._result.violation = Violation(names, parameters, trace)
        self._result.because = f"{names[0]} is violated after {len(trace.steps)} steps"
        raise _Found

    def _fail(self, error: EvaluationError, trace: Trace) -> None:
        self._result.verdict = INCONCLUSIVE
        self._result.error = error
        self._result.error_trace = trace
        self._result.because = str(error)
        raise _Found from error

    def _trace(self, state: State) -> Trace:
        steps: list[Step] = []
        parent = self._parents[state]
        while parent is not None:
            before, step = parent
            steps.append(step)
            parent = self._parents[before]
        return Trace(self._model.initial, tuple(reversed(steps)))

    def _conclude(self) -> None:
        """Everything was explored: goals that no state satisfies are violated."""
        missed = [goal.name for goal in self._goals if goal.name not in self._result.reached]
        if missed:
            self._result.verdict = VIOLATED
            self._result.because = f"no reachable state satisfies {missed[0]}"


def search(engine: Engine, **options: Any) -> SearchResult:
    """Search with the options of `Search`."""
    return Search(engine, **options).run()
