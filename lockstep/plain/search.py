"""Breadth-first search by levels: every reachable state, every property, shortest traces.

A level is always finished, so that counts do not depend on the order in which its states are
expanded. Of all that is wrong there, the property that the model declares first is told; where no
property fails but the text has no meaning, the first such place in the model's order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from lockstep.language.model import DEADLOCK, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import Outcome, WatchedEngine, is_stuck, unwatched
from lockstep.plain.exploration import Exploration
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.search_result import (
    Progress,
    SearchResult,
    Violation,
    conclude,
    report_error,
    report_violation,
)
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.system.resident import ResidentBound
from lockstep.words import plural

_PROGRESS_SECONDS = 0.1
_WEIGHING_SECONDS = 0.02


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
        request: Exploration = Exploration(),
        *,
        on_state: Visit | None = None,
    ) -> None:
        """Prepare a search; `run` does it, once.

        Time and memory are watched at every instance that is tried. `on_state` is called for every
        state with its steps. `LockstepError` when the process has as much memory already as the
        request allows.
        """
        self._engine = engine
        self._model = engine.model
        self._deadlock_allowed = request.deadlock_allowed
        self._bounds = bounds = request.bounds
        self._memory = None if bounds.memory is None else ResidentBound(bounds.memory)
        self._on_progress = request.on_progress
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
            if self._covered == self._bounds.max_depth:
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
        most = self._bounds.max_states
        if most is not None and len(self._parents) >= most:
            self._stop("stopped as bounded")
        self._watch_instance()

    def _watch_instance(self) -> None:
        """The same within one state, of which not all steps are known yet."""
        result, seconds = self._result, time.perf_counter() - self._started
        if self._on_progress is not None and seconds >= self._next_report:
            self._next_report = seconds + _PROGRESS_SECONDS
            states, depth, frontier = len(self._parents), result.depth, self._frontier
            self._on_progress(Progress(states, result.transitions, depth, frontier, seconds))
        most = self._bounds.max_seconds
        if most is not None and seconds >= most:
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
            f"{why}, with {plural(len(self._parents), 'state')} known; "
            f"every behaviour of up to {plural(self._covered, 'step')} is covered"
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
