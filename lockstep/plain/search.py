"""Breadth-first search by levels: every reachable state, every property, shortest traces.

A level is always finished, so that counts do not depend on the order in which its states are
expanded. Of all that is wrong there, the result names the property that the model declares first;
where no property fails but the text has no meaning, the first such place in the model's order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lockstep.language.frontend import lower, refusals
from lockstep.language.model import DEADLOCK, Property
from lockstep.language.notation import Kind, State
from lockstep.language.totality import property_may_fail
from lockstep.plain.engine import Outcome, WatchedEngine, is_stuck, unwatched
from lockstep.plain.exploration import Exploration
from lockstep.plain.supervision import Bound, Supervision
from lockstep.results.search_result import (
    EvaluationError,
    Progress,
    SearchResult,
    Violation,
    conclude,
    report_error,
    report_violation,
)
from lockstep.results.trace import Step, Trace
from lockstep.system.resident import ResidentBound

Visit = Callable[[State, list[Step]], None]


class _Wrong(Exception):
    """Ends the search: the result has a violation or an error."""


@dataclass
class _Failure:
    """What is wrong on a level, and its rank: the result has what ranks lowest."""

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
        memory = request.bounds.memory
        self._memory = None if memory is None else ResidentBound(memory)
        self._request = request
        self._on_state = on_state
        self._parents: dict[State, tuple[State, Step] | None] = {}
        self._result = SearchResult(self._model.name, engine.name)
        self._wrong: _Failure | None = None
        self.met: Bound | None = None
        """The bound that ended the search."""
        self._frontier = 1
        self._invariants = self._model.of_kind(Kind.INVARIANT)
        self._steps = self._model.of_kind(Kind.STEP_INVARIANT)
        self._goals = self._model.of_kind(Kind.SOMETIMES)
        # Any other is evaluated in each state: one order of them would reach it before it fails.
        # So is each of a model that is outside the notation, which plain Python can run.
        codes = () if refusals(self._model) else lower(self._model).properties
        self._total = {code.name for code in codes if not property_may_fail(code)}
        names = [action.name for action in self._model.actions]
        names += [prop.name for prop in self._model.properties]
        self._order = {name: place for place, name in enumerate(names)}

    def run(self) -> SearchResult:
        """Explore until everything is seen, something is broken, or a bound is met.

        Ctrl-C and a lack of memory end the search too; the result then says how far it came.
        """
        result = self._result
        result.fired = {action.name: 0 for action in self._model.actions}
        self._supervision = Supervision(
            self._request, result, self._memory, lambda: len(self._parents)
        )
        self._engine.watch = self._watch_instance
        try:
            with self._supervision.giving_up():
                self._levels()
                conclude(self._model, result)
        except _Wrong:
            pass
        finally:
            self._engine.watch = unwatched
        self.met = self._supervision.met
        result.states = len(self._parents)
        if self.met is Bound.STATES:
            self._take_back()
        result.seconds = self._supervision.seconds
        return result

    def _so_far(self) -> SearchResult:
        """What is counted by now, which is not counted further."""
        fired, result = dict(self._result.fired), self._result
        return replace(
            result, fired=fired, applied=set(result.applied), reached=set(result.reached)
        )

    def _take_back(self) -> None:
        """Leave out of the result what was found beyond the last level that is covered."""
        result, covered = self._result, self._covered
        result.states, result.depth = self._supervision.covered_states, covered.depth
        result.transitions, result.deadlocks = covered.transitions, covered.deadlocks
        result.fired, result.applied, result.reached = (
            covered.fired,
            covered.applied,
            covered.reached,
        )

    def _levels(self) -> None:
        initial = self._model.initial
        self._parents[initial] = None
        self._note(self._failures_at(initial, None, None), initial, None)
        self._end_if_wrong()
        level = [initial]
        while level:
            self._result.levels.append(len(level))
            self._supervision.cover(self._result.depth)
            self._covered = self._so_far()
            following: list[State] = []
            try:
                for index, state in enumerate(level):
                    self._watch(len(level) - index)
                    self._expand(state, following)
                self._supervision.watch_states()
            finally:
                if following:
                    self._result.depth += 1
            self._end_if_wrong()
            level = following

    def _watch(self, frontier: int) -> None:
        """Report how far the search is, and end it when a bound is met."""
        self._frontier = frontier
        self._supervision.watch_states()
        self._watch_instance()

    def _watch_instance(self) -> None:
        """The same within one state, of which not all steps are known yet."""
        self._supervision.watch(self._progress)

    def _progress(self, seconds: float) -> Progress:
        states, result = len(self._parents), self._result
        return Progress(states, result.transitions, result.depth, self._frontier, seconds)

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
                if goal.name in self._result.reached and goal.name in self._total:
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
        """Remember the failures of one state or step, if nothing remembered ranks lower."""
        if failures:
            ranks = [self._order.get(name, -1) for name in failures]
            self._remember(_Failure((0, min(ranks)), failures, None, state, step))

    def _note_error(self, error: EvaluationError, state: State, step: Step | None) -> None:
        """Remember where the text has no meaning; whatever property fails ranks lower."""
        rank = (1 + self._order[error.function], error.line or 0)
        self._remember(_Failure(rank, {}, error, state, step))

    def _remember(self, failure: _Failure) -> None:
        if self._wrong is None or failure.rank < self._wrong.rank:
            self._wrong = failure

    def _end_if_wrong(self) -> None:
        """End the search when something is wrong on the level just finished."""
        if self._wrong is None:
            return
        failure, result = self._wrong, self._result
        trace = self._trace(failure.state, failure.step)
        if failure.error is not None:
            report_error(result, failure.error, trace)
        else:
            names = sorted(failure.failures, key=lambda name: self._order.get(name, -1))
            violation = Violation(tuple(names), failure.failures[names[0]], trace)
            report_violation(result, violation)
        raise _Wrong

    def _trace(self, state: State, step: Step | None) -> Trace:
        """The shortest behaviour to `state`, and `step` after it when there is one."""
        steps = [] if step is None else [step]
        parent = self._parents[state]
        while parent is not None:
            before, taken = parent
            steps.append(taken)
            parent = self._parents[before]
        return Trace(self._model.initial, tuple(reversed(steps)))
