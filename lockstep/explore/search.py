"""Breadth-first search by levels: every reachable state, every property, shortest traces.

A level is always finished, so that counts do not depend on the order in which its states are
expanded. Of all that is wrong there, the property that the model declares first is told; where no
property fails but the text has no meaning, the first such place in the model's order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from lockstep.explore.engine import (
    EvaluationError,
    Outcome,
    Step,
    Verdict,
    WatchedEngine,
    is_stuck,
    unwatched,
)
from lockstep.explore.resident import ResidentBound
from lockstep.language.model import DEADLOCK, Model, Property
from lockstep.language.notation import Kind, State

_PROGRESS_SECONDS = 0.1
_WEIGHING_SECONDS = 0.02


@dataclass(frozen=True)
class Trace:
    """A behaviour from the initial state: `steps[i]` leads to the state after i + 1 steps.

    With `loop` it never ends: `steps[loop:]` lead back to where the first of them begins, and are
    taken for ever; where there are none, nothing happens any more.
    """

    initial: State
    steps: tuple[Step, ...]
    loop: int | None = None

    @property
    def last(self) -> State:
        """The state in which the behaviour ends."""
        return self.steps[-1].state if self.steps else self.initial

    @property
    def states(self) -> tuple[State, ...]:
        """Every state in turn, the initial one first: one more than there are steps."""
        return (self.initial, *(step.state for step in self.steps))


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
    the states take, where that is known.
    """

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    memory: int = 0


@dataclass
class SearchResult:
    """What a search found.

    `states` distinct states, `transitions` enabled action instances (self-loops and repetitions
    included), `depth` steps to the farthest state. `fired` counts instances an action;
    `applied` names the invariants whose premise some state or step satisfied; `reached` the goals
    that some state satisfied, `missed` those that none did once everything was explored.
    `deadlocks` are the states that no step leaves.
    `unfulfilled` are the violations of `leads_to`, each with its behaviour, the first of which is
    the `violation`, and `unchecked` names the `leads_to` of which nothing is known.
    `because` says why the verdict is not `holds`; `error` where the model's text has no
    meaning, at the end of `error_trace`; `interrupted` that Ctrl-C ended it.
    `remark` is what else a reader should know of how it was explored. Of a search by machine code,
    plain Python was asked about `sampled` states and their `sampled_steps` steps, and agreed.
    """

    model: str
    engine: str
    verdict: Verdict = Verdict.HOLDS
    states: int = 0
    transitions: int = 0
    depth: int = 0
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
    because: str = ""
    remark: str = ""
    sampled: int = 0
    sampled_steps: int = 0

    def undecided(self, model: Model) -> list[str]:
        """Properties of which nothing is known.

        These are each `leads_to` that was not checked, and each goal that an unfinished search has
        not reached.
        """
        goals = {goal.name for goal in model.of_kind(Kind.SOMETIMES)}
        is_finished = self.verdict is Verdict.HOLDS or bool(self.missed or self.unfulfilled)
        open_goals = set() if is_finished else goals - self.reached
        return [
            prop.name
            for prop in model.properties
            if prop.name in open_goals or prop.name in self.unchecked
        ]

    @property
    def idle_actions(self) -> list[str]:
        """Actions that never fired: the scope says nothing about them."""
        return [name for name, count in self.fired.items() if count == 0]


Visit = Callable[[State, list[Step]], None]


class _Ended(Exception):
    """Ends the search: a violation or an evaluation error was found, or a bound met."""


@dataclass
class _Found:
    """What is wrong on a level, and its rank: what ranks lowest is told."""

    rank: tuple[int, int]
    failures: dict[str, tuple[Any, ...]]
    error: EvaluationError | None
    state: State
    step: Step | None


class Search:
    """One breadth-first search of a model by an engine."""

    def __init__(
        self,
        engine: WatchedEngine,
        *,
        deadlock_allowed: bool = True,
        max_states: int | None = None,
        max_seconds: float | None = None,
        max_depth: int | None = None,
        memory: int | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_state: Visit | None = None,
    ) -> None:
        """Prepare a search; `run` does it, once.

        Each bound ends it as `inconclusive`: `max_states` distinct states known, `max_seconds`
        passed, every behaviour of `max_depth` steps covered, `memory` bytes resident, the whole
        process included. Time and memory are watched at every instance that is tried. `on_progress`
        is called some ten times a second, `on_state` for every state with its steps.
        `LockstepError` when the process has as much memory already.
        """
        self._engine = engine
        self._model = engine.model
        self._deadlock_allowed = deadlock_allowed
        self._max_states = max_states
        self._max_seconds = max_seconds
        self._max_depth = max_depth
        self._memory = None if memory is None else ResidentBound(memory)
        self._on_progress = on_progress
        self._on_state = on_state
        self._parents: dict[State, tuple[State, Step] | None] = {}
        self._result = SearchResult(self._model.name, engine.name)
        self._wrong: _Found | None = None
        self.ran_out_of_time = False
        """Whether `max_seconds` ended the search."""
        self.ran_out_of_memory = False
        """Whether `memory` ended the search."""
        self._covered = 0
        self._started = 0.0
        self._next_report = 0.0
        self._next_weighing = 0.0
        self._frontier = 1
        self._invariants = self._model.of_kind(Kind.INVARIANT)
        self._steps = self._model.of_kind(Kind.STEP_INVARIANT)
        self._goals = self._model.of_kind(Kind.SOMETIMES)
        names = [action.name for action in self._model.actions]
        names += [prop.name for prop in self._model.properties]
        self._order = {name: place for place, name in enumerate(names)}

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met.

        Ctrl-C and a lack of memory end the search too, and what was found so far is kept.
        """
        self._started = time.perf_counter()
        result = self._result
        result.fired = {action.name: 0 for action in self._model.actions}
        self._engine.watch = self._watch_instance
        try:
            self._levels()
            conclude(self._model, result)
        except _Ended:
            pass
        except KeyboardInterrupt:
            result.interrupted = True
            self._give_up("interrupted")
        except MemoryError:
            self._give_up("the memory is full")
        finally:
            self._engine.watch = unwatched
        result.states = len(self._parents)
        result.seconds = time.perf_counter() - self._started
        return result

    def _levels(self) -> None:
        initial = self._model.initial
        self._parents[initial] = None
        self._note(self._failures_at(initial, None, None), initial, None)
        self._end_if_wrong()
        level = [initial]
        while level:
            self._covered = self._result.depth
            if self._covered == self._max_depth:
                self._stop("stopped as bounded")
            following: list[State] = []
            try:
                for index, state in enumerate(level):
                    self._watch(len(level) - index)
                    self._expand(state, following)
            finally:
                if following:
                    self._result.depth += 1
            self._end_if_wrong()
            level = following

    def _watch(self, frontier: int) -> None:
        """Report how far the search is, and end it when a bound is met."""
        self._frontier = frontier
        if self._max_states is not None and len(self._parents) >= self._max_states:
            self._stop("stopped as bounded")
        self._watch_instance()

    def _watch_instance(self) -> None:
        """The same within one state, of which not all steps are known yet."""
        result, seconds = self._result, time.perf_counter() - self._started
        if self._on_progress is not None and seconds >= self._next_report:
            self._next_report = seconds + _PROGRESS_SECONDS
            states, depth, frontier = len(self._parents), result.depth, self._frontier
            self._on_progress(Progress(states, result.transitions, depth, frontier, seconds))
        if self._max_seconds is not None and seconds >= self._max_seconds:
            self.ran_out_of_time = True
            self._stop(f"stopped after {seconds:.0f} s as bounded")
        if self._memory is not None and seconds >= self._next_weighing:
            self._next_weighing = seconds + _WEIGHING_SECONDS
            if self._memory.is_met:
                self.ran_out_of_memory = True
                self._stop(f"stopped at {self._memory} as bounded")

    def _stop(self, why: str) -> NoReturn:
        self._give_up(why)
        raise _Ended

    def _give_up(self, why: str) -> None:
        """Not everything was explored: say why, and what was covered all the same."""
        result = self._result
        result.verdict = Verdict.INCONCLUSIVE
        result.because = (
            f"{why}, with {count_of(len(self._parents), 'state')} known; "
            f"every behaviour of up to {count_of(self._covered, 'step')} is covered"
        )

    def _expand(self, state: State, following: list[State]) -> None:
        result, parents = self._result, self._parents
        taken: list[Step] = []
        try:
            for step in self._engine.successors(state):
                taken.append(step)
        except EvaluationError as error:
            self._note_error(error, state, None)
            return
        if is_stuck(state, taken):
            result.deadlocks += 1
            if not self._deadlock_allowed:
                self._note({DEADLOCK: ()}, state, None)
        if self._on_state is not None:
            self._on_state(state, taken)
        for step in taken:
            result.transitions += 1
            result.fired[step.action] += 1
            failures = self._failures_of(state, step) if self._steps else {}
            if step.state not in parents:
                parents[step.state] = (state, step)
                following.append(step.state)
                failures |= self._failures_at(step.state, state, step)
            if failures:
                self._note(failures, state, step)

    def _failures_of(self, state: State, step: Step) -> dict[str, tuple[Any, ...]]:
        """The step invariants that a step breaks, each with a binding for which it is false."""
        failures = {}
        try:
            for prop in self._steps:
                outcome = self._evaluate(prop, state, step.state)
                if outcome.failing is not None:
                    failures[prop.name] = outcome.failing
        except EvaluationError as error:
            self._note_error(error, state, step)
        return failures

    def _failures_at(
        self, reached: State, state: State | None, step: Step | None
    ) -> dict[str, tuple[Any, ...]]:
        """What a new state, reached by `step` from `state`, breaks; its goals are noted."""
        failures = {}
        try:
            for prop in self._invariants:
                outcome = self._evaluate(prop, reached, None)
                if outcome.failing is not None:
                    failures[prop.name] = outcome.failing
            for goal in self._goals:
                if goal.name in self._result.reached:
                    continue
                if self._engine.evaluate(goal, reached, None).failing is None:
                    self._result.reached.add(goal.name)
        except EvaluationError as error:
            self._note_error(error, state or reached, step)
        return failures

    def _evaluate(self, prop: Property, before: State, after: State | None) -> Outcome:
        outcome = self._engine.evaluate(prop, before, after)
        if outcome.applied:
            self._result.applied.add(prop.name)
        return outcome

    def _note(self, failures: dict[str, tuple[Any, ...]], state: State, step: Step | None) -> None:
        """Remember the failures of one state or step, if nothing found before ranks lower."""
        if failures:
            ranks = [self._order.get(name, -1) for name in failures]
            self._remember(_Found((0, min(ranks)), failures, None, state, step))

    def _note_error(self, error: EvaluationError, state: State, step: Step | None) -> None:
        """Remember where the text has no meaning; whatever property fails ranks lower."""
        rank = (1 + self._order[error.function], error.line or 0)
        self._remember(_Found(rank, {}, error, state, step))

    def _remember(self, found: _Found) -> None:
        if self._wrong is None or found.rank < self._wrong.rank:
            self._wrong = found

    def _end_if_wrong(self) -> None:
        """End the search when something is wrong on the level just finished."""
        if self._wrong is None:
            return
        found, result = self._wrong, self._result
        trace = self._trace(found.state, found.step)
        if found.error is not None:
            report_error(result, found.error, trace)
        else:
            names = sorted(found.failures, key=lambda name: self._order.get(name, -1))
            violation = Violation(tuple(names), found.failures[names[0]], trace)
            report_violation(result, violation)
        raise _Ended

    def _trace(self, state: State, step: Step | None) -> Trace:
        """The shortest behaviour to `state`, and `step` after it when there is one."""
        steps = [] if step is None else [step]
        parent = self._parents[state]
        while parent is not None:
            before, taken = parent
            steps.append(taken)
            parent = self._parents[before]
        return Trace(self._model.initial, tuple(reversed(steps)))


def search(engine: WatchedEngine, **options: Any) -> SearchResult:
    """Search with the options of `Search`."""
    return Search(engine, **options).run()


def report_violation(result: SearchResult, violation: Violation) -> None:
    """What a search found broken."""
    result.verdict = Verdict.VIOLATED
    result.violation = violation
    steps = count_of(len(violation.trace.steps), "step")
    result.because = f"{violation.properties[0]} is violated after {steps}"


def report_unfulfilled(result: SearchResult, found: tuple[Violation, ...]) -> None:
    """What must come to pass and does not, each with a behaviour that never ends."""
    result.verdict = Verdict.VIOLATED
    result.violation = found[0]
    result.unfulfilled = found
    names = ", ".join(violation.properties[0] for violation in found)
    are = "is" if len(found) == 1 else "are"
    result.because = f"{names} {are} violated by a behaviour that goes on for ever"


def report_error(result: SearchResult, error: EvaluationError, trace: Trace) -> None:
    """Where a search found the text without meaning: at the end of `trace`."""
    result.verdict = Verdict.ERROR
    result.error = error
    result.error_trace = trace
    result.because = error.message


def conclude(model: Model, result: SearchResult) -> None:
    """Everything was explored: goals that no state satisfies are violated."""
    goals = model.of_kind(Kind.SOMETIMES)
    result.missed = tuple(goal.name for goal in goals if goal.name not in result.reached)
    if result.missed:
        result.verdict = Verdict.VIOLATED
        result.because = f"no reachable state satisfies {result.missed[0]}"


def count_of(number: int, noun: str) -> str:
    """A number of things, in words: `1 state`, `2,000 states`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
