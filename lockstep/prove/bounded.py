"""Bounded model checking: whether a behaviour of so many steps breaks something.

The steps are added one at a time to one solver, so that the first that is found is a shortest one
(Biere and others, "Symbolic Model Checking without BDDs", 1999). Plain Python then walks the
behaviour and says what is broken at its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

import z3

from lockstep.language import ir
from lockstep.language.model import DEADLOCK
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import is_stuck
from lockstep.plain.run import PlainEngine
from lockstep.prove.reading import read, value_in
from lockstep.prove.relation import Relation, Values
from lockstep.prove.solver import Answer, ask, new_solver
from lockstep.prove.terms import Truth, all_of, any_of, implies, negated, term
from lockstep.prove.unrolling import Unrolling
from lockstep.prove.values import NotProvable, Value, constant, same
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict

_MOST_INSTANCES = 4096
"""The most instances of an action of which it is written out that none is enabled."""

OnDepth = Callable[[int, float], None]
"""Told of each depth that is covered, and of the seconds since the beginning."""


class Disagreement(Exception):
    """The solver found a behaviour that plain Python does not take: an error of this program."""


@dataclass
class BoundedResult:
    """What is known of the behaviours of up to `depth` steps.

    `holds`: nothing is broken in any of them. `violated`: the `violation` is one of the shortest.
    `inconclusive`: `because` says why it ended at `depth`. `error`: the text has no meaning, as
    plain Python says by the `error` after the steps of `meaningless`.
    """

    verdict: Verdict
    depth: int
    seconds: float
    violation: Violation | None = None
    because: str = ""
    error: EvaluationError | None = None
    meaningless: Trace | None = None
    interrupted: bool = False

    @property
    def covered(self) -> int | None:
        """Up to how many steps nothing is broken; None if that is not known of the first state."""
        covered = self.depth if self.verdict is Verdict.HOLDS else self.depth - 1
        return covered if covered >= 0 else None


def check_bounded(
    relation: Relation,
    depth: int,
    *,
    deadlock_allowed: bool = True,
    only: str | None = None,
    start: Callable[[Values], Truth] | None = None,
    max_seconds: float | None = None,
    on_depth: OnDepth | None = None,
) -> BoundedResult:
    """Look for a violation in behaviours of up to `depth` steps: of any property, or of one.

    A `sometimes` is no violation, unless it is the one asked for: then a state that reaches it is.
    With `start`, behaviours begin in any state of which that is true, reached or not. `max_seconds`
    bounds the search as a whole. Ctrl-C ends it: the result says what is covered.
    """
    search = _Search(relation, deadlock_allowed, only, start, max_seconds)
    return search.run(depth, on_depth)


@dataclass(frozen=True)
class _Instance:
    """An action or a property with some parameters, and the condition to look for in it."""

    code: ir.ActionCode | ir.PropertyCode
    arguments: list[Value]
    when: Truth


class _Search:
    def __init__(
        self,
        relation: Relation,
        deadlock_allowed: bool,
        only: str | None,
        start: Callable[[Values], Truth] | None,
        limit: float | None,
    ) -> None:
        self._relation = relation
        self._deadlock_allowed = deadlock_allowed or only is not None
        self._only = only
        self._start = start
        self._limit = limit
        kinds = (Kind.INVARIANT, Kind.STEP_INVARIANT)
        self._properties = [
            prop
            for name, prop in relation.properties.items()
            if (name == only if only is not None else prop.kind in kinds)
        ]
        self._engine = PlainEngine(relation.model)
        self._solver = new_solver()
        self._unrolling = Unrolling(relation)
        self._started = time.perf_counter()

    def run(self, depth: int, on_depth: OnDepth | None) -> BoundedResult:
        steps = 0
        try:
            for steps in range(depth + 1):
                found = self._reached(steps)
                if found is not None:
                    return found
                if on_depth is not None:
                    on_depth(steps, self._seconds)
        except KeyboardInterrupt:
            return self._stopped(steps, "interrupted", interrupted=True)
        return BoundedResult(Verdict.HOLDS, depth, self._seconds)

    def _reached(self, steps: int) -> BoundedResult | None:
        """What is wrong after so many steps, all fewer being in order; None if nothing is."""
        unrolling, meaningless = self._unrolling, None
        if steps == 0:
            self._solver.add(term(self._first(unrolling.states[0])))
        else:
            # A search, too, tells of a state that cannot be expanded after what is broken there.
            meaningless = self._meaningless(self._failing_actions(steps - 1), steps - 1)
            self._solver.add(term(unrolling.extend()))
        return self._at(steps) or meaningless

    def _first(self, state: Values) -> Truth:
        """Whether a behaviour begins in a state."""
        if self._start is None:
            return self._relation.initial(state)
        return all_of((self._relation.typed(state), self._start(state)))

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    def _at(self, steps: int) -> BoundedResult | None:
        """What is wrong in the states after so many steps; None if nothing is."""
        broken = self._broken(steps)
        deadlocked: Truth = False
        if not self._deadlock_allowed:
            deadlocked = stuck(self._relation, self._unrolling.states[steps])
        answer = self._ask(any_of((*(each.when for each in broken), deadlocked)))
        if isinstance(answer, str):
            return self._stopped(steps, answer)
        if answer is not None:
            return self._violated(answer, broken, steps)
        return self._meaningless(self._failing_properties(steps), steps)

    def _meaningless(self, failing: list[_Instance], steps: int) -> BoundedResult | None:
        """That the text has no meaning after so many steps; None if it always has."""
        answer = self._ask(any_of(each.when for each in failing))
        if answer is None:
            return None
        if isinstance(answer, str):
            return self._stopped(steps, answer)
        trace = walked(self._engine, self._unrolling.trace(answer, steps))
        for each in failing:
            if read(answer, each.when):
                try:
                    self._outcome(each, trace, answer)
                except EvaluationError as error:
                    because = f"the text has no meaning after {_said(trace)}: {error.message}"
                    found = self._stopped(steps, because)
                    found.verdict = Verdict.ERROR
                    found.error, found.meaningless = error, trace
                    return found
        raise Disagreement(f"plain Python finds a meaning in all after {_said(trace)}")

    def _outcome(
        self, instance: _Instance, trace: Trace, model: z3.ModelRef
    ) -> tuple[Any, ...] | None:
        """For which parameters a property fails at the end of a behaviour, as plain Python says.

        An action does not fail. EvaluationError where the text has no meaning.
        """
        code, values = instance.code, instance.arguments
        arguments = tuple(
            value_in(model, value, each.domain)
            for value, each in zip(values, code.parameters, strict=True)
        )
        if isinstance(code, ir.ActionCode):
            self._engine.run(self._engine.model.action(code.name), trace.last, arguments)
            return None
        prop = self._engine.model.property(code.name)
        is_step = prop.kind is Kind.STEP_INVARIANT
        before, after = (trace.states[-2], trace.last) if is_step else (trace.last, None)
        # The solver's parameters are enough where they show it; there may be too many others.
        whole = self._relation.is_written_out(code) and not read(model, instance.when)

        def alone(*states: State) -> object:
            return prop.function(*states, *arguments)

        asked = prop if whole else replace(prop, parameters=(), function=alone)
        failing = self._engine.evaluate(asked, before, after).failing
        if prop.kind is Kind.SOMETIMES:
            return arguments if failing is None else None
        return failing if whole or failing is None else arguments

    def _broken(self, steps: int) -> list[_Instance]:
        states, found = self._unrolling.states, []
        for prop in self._properties:
            name = f"after {steps}, {prop.name}"
            if prop.kind is not Kind.STEP_INVARIANT:
                when, given = self._relation.broken(prop, states[steps], None, name)
            elif steps > 0:
                when, given = self._relation.broken(prop, states[steps - 1], states[steps], name)
            else:
                continue
            found.append(_Instance(prop, given, when))
        return found

    def _failing_actions(self, steps: int) -> list[_Instance]:
        found = []
        for action in self._relation.actions:
            name = f"after {steps} {action.name}"
            given, typed = self._relation.parameters(action.parameters, name)
            taken = self._relation.take(action, self._unrolling.states[steps], given)
            fails = any_of(each.when for each in taken.failures)
            found.append(_Instance(action, given, all_of((typed, fails))))
        return found

    def _failing_properties(self, steps: int) -> list[_Instance]:
        found = []
        states = self._unrolling.states
        for prop in self._relation.properties.values():
            if self._only not in (None, prop.name):
                continue
            given, typed = self._relation.parameters(prop.parameters, f"at {steps} {prop.name}")
            if prop.kind is not Kind.STEP_INVARIANT:
                claim = self._relation.claim(prop, states[steps], None, given)
            elif steps > 0:
                claim = self._relation.claim(prop, states[steps - 1], states[steps], given)
            else:
                continue
            found.append(_Instance(prop, given, all_of((typed, claim.fails))))
        return found

    def _ask(self, wanted: Truth) -> Answer:
        """A model of the behaviours so far in which it is true; None if there is none; or why."""
        if wanted is False:
            return None
        left = None if self._limit is None else self._limit - self._seconds
        self._solver.push()
        try:
            self._solver.add(term(wanted))
            answer = ask(self._solver, left)
        finally:
            self._solver.pop()
        late = isinstance(answer, str) and self._limit is not None
        return f"no answer within {self._limit:g} s" if late else answer

    def _stopped(self, steps: int, because: str, *, interrupted: bool = False) -> BoundedResult:
        return BoundedResult(
            Verdict.INCONCLUSIVE, steps, self._seconds, because=because, interrupted=interrupted
        )

    def _violated(self, model: z3.ModelRef, broken: list[_Instance], steps: int) -> BoundedResult:
        trace = walked(self._engine, self._unrolling.trace(model, steps))
        violation = self._judged(trace, broken, model)
        return BoundedResult(Verdict.VIOLATED, steps, self._seconds, violation)

    def _judged(self, trace: Trace, broken: list[_Instance], model: z3.ModelRef) -> Violation:
        """What plain Python finds broken at the end of a behaviour."""
        failing: dict[str, tuple[Any, ...]] = {}
        for each in broken:
            with suppress(EvaluationError):  # another one may have no meaning here
                found = self._outcome(each, trace, model)
                if found is not None:
                    failing[each.code.name] = found
        if failing:
            return Violation(tuple(failing), next(iter(failing.values())), trace)
        last = trace.last
        if not self._deadlock_allowed and is_stuck(last, self._engine.successors(last)):
            return Violation((DEADLOCK,), (), trace)
        raise Disagreement(f"plain Python finds nothing broken after {_said(trace)}")


def where(relation: Relation, goal: str) -> Callable[[Values], Truth]:
    """That a goal of a model is reached in a state, and all its invariants hold there."""

    def is_there(state: Values) -> Truth:
        reached = relation.claim(relation.properties[goal], state, None, [])
        found = (reached.applies, reached.holds, negated(reached.fails))
        return all_of((*found, relation.in_order(state)))

    return is_there


def walked(engine: PlainEngine, trace: Trace) -> Trace:
    """The same behaviour, each step taken by plain Python; Disagreement where it takes none."""
    for before, step in zip(trace.states, trace.steps, strict=False):
        try:
            after = engine.run(engine.model.action(step.action), before, step.parameters)
        except EvaluationError as error:
            raise Disagreement(f"plain Python finds no meaning: {error}") from None
        if after != step.state:
            raise Disagreement(f"plain Python does not take {step.action}{step.parameters!r}")
    return trace


def stuck(relation: Relation, state: Values) -> Truth:
    """Whether no action leads from a state to another, and none lacks a meaning there."""
    return all_of(_leads_nowhere(relation, action, state) for action in relation.actions)


def _leads_nowhere(relation: Relation, action: ir.ActionCode, state: Values) -> Truth:
    if prod(each.domain.size() for each in action.parameters) > _MOST_INSTANCES:
        raise NotProvable(
            f"deadlock: {action.name} has more than {_MOST_INSTANCES:,} instances, and each would "
            "have to be written out",
            cure="look for deadlock in a smaller scope",
        )
    found: list[Truth] = []
    for binding in product(*(each.domain for each in action.parameters)):
        taken = relation.take(action, state, [constant(value) for value in binding])
        fails = any_of(failure.when for failure in taken.failures)
        unchanged = all_of(same(value, taken.after[name]) for name, value in state.items())
        found.append(all_of((implies(taken.enabled, unchanged), negated(fails))))
    return all_of(found)


def _said(trace: Trace) -> str:
    return " -> ".join(step.action for step in trace.steps) or "no step"
