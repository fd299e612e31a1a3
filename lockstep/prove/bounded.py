"""Bounded model checking: whether a behaviour of so many steps breaks something.

The steps are added one at a time to one solver, so that the first that is found is a shortest one
(Biere and others, "Symbolic Model Checking without BDDs", 1999). Plain Python then walks the
behaviour and says what is broken at its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import z3

from lockstep.explore.engine import EvaluationError, Verdict
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import DEADLOCK, Trace, Violation
from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Truth, all_of, any_of, negated, term
from lockstep.prove.unrolling import Unrolling
from lockstep.prove.values import NotProvable, constant

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
    `inconclusive`: `because` says why, and all shorter behaviours are covered.
    """

    verdict: Verdict
    depth: int
    seconds: float
    violation: Violation | None = None
    because: str = ""


def check_bounded(
    relation: Relation,
    depth: int,
    *,
    deadlock_allowed: bool = True,
    only: str | None = None,
    max_seconds: float | None = None,
    on_depth: OnDepth | None = None,
) -> BoundedResult:
    """Look for a violation in behaviours of up to `depth` steps: of any property, or of one.

    A `sometimes` is no violation, unless it is the one asked for: then a state that reaches it is.
    """
    search = _Search(relation, deadlock_allowed, only, max_seconds)
    return search.run(depth, on_depth)


class _Search:
    def __init__(
        self, relation: Relation, deadlock_allowed: bool, only: str | None, limit: float | None
    ) -> None:
        self._relation = relation
        self._deadlock_allowed = deadlock_allowed or only is not None
        self._only = only
        self._limit = limit
        kinds = (Kind.INVARIANT, Kind.STEP_INVARIANT)
        self._properties = [
            prop
            for name, prop in relation.properties.items()
            if (name == only if only is not None else prop.kind in kinds)
        ]
        self._names = {prop.name for prop in self._properties}
        self._solver = z3.Solver()
        self._unrolling = Unrolling(relation)
        self._started = time.perf_counter()

    def run(self, depth: int, on_depth: OnDepth | None) -> BoundedResult:
        relation, unrolling = self._relation, self._unrolling
        self._solver.add(term(relation.initial(unrolling.states[0])))
        for steps in range(depth + 1):
            # A search, too, tells of a state that cannot be expanded after what is broken there.
            meaningless = None
            if steps > 0:
                meaningless = self._meaningless(self._failing_actions(steps - 1), steps - 1)
                self._solver.add(term(unrolling.extend()))
            result = self._at(steps) or meaningless
            if result is not None:
                return result
            if on_depth is not None:
                on_depth(steps, self._seconds)
        return BoundedResult(Verdict.HOLDS, depth, self._seconds)

    @property
    def _seconds(self) -> float:
        return time.perf_counter() - self._started

    def _at(self, steps: int) -> BoundedResult | None:
        """What is wrong after so many steps; None if nothing is."""
        model = self._model_of(any_of(self._broken(steps)), steps)
        if isinstance(model, BoundedResult):
            return model
        if model is not None:
            return self._violated(self._unrolling.trace(model, steps), steps)
        return self._meaningless(self._failing_properties(steps), steps)

    def _meaningless(self, failing: list[Truth], steps: int) -> BoundedResult | None:
        """That the text has no meaning after so many steps; None if it always has."""
        model = self._model_of(any_of(failing), steps)
        if model is None or isinstance(model, BoundedResult):
            return model
        because = f"the text has no meaning after {_said(self._unrolling.trace(model, steps))}"
        return BoundedResult(Verdict.INCONCLUSIVE, steps, self._seconds, because=because)

    def _broken(self, steps: int) -> list[Truth]:
        states, found = self._unrolling.states, []
        for prop in self._properties:
            name = f"after {steps}, {prop.name}"
            if prop.kind is not Kind.STEP_INVARIANT:
                found.append(self._relation.broken(prop, states[steps], None, name)[0])
            elif steps > 0:
                before, after = states[steps - 1], states[steps]
                found.append(self._relation.broken(prop, before, after, name)[0])
        if not self._deadlock_allowed:
            found.append(stuck(self._relation, states[steps]))
        return found

    def _failing_actions(self, steps: int) -> list[Truth]:
        found: list[Truth] = []
        for action in self._relation.actions:
            name = f"after {steps} {action.name}"
            given, typed = self._relation.parameters(action.parameters, name)
            taken = self._relation.take(action, self._unrolling.states[steps], given)
            found.append(all_of((typed, any_of(each.when for each in taken.failures))))
        return found

    def _failing_properties(self, steps: int) -> list[Truth]:
        found: list[Truth] = []
        states = self._unrolling.states
        for prop in self._relation.properties.values():
            if prop.kind is Kind.LEADS_TO or (self._only is not None and prop.name != self._only):
                continue
            given, typed = self._relation.parameters(prop.parameters, f"at {steps} {prop.name}")
            if prop.kind is not Kind.STEP_INVARIANT:
                claim = self._relation.claim(prop, states[steps], None, given)
            elif steps > 0:
                claim = self._relation.claim(prop, states[steps - 1], states[steps], given)
            else:
                continue
            found.append(all_of((typed, claim.fails)))
        return found

    def _model_of(self, wanted: Truth, steps: int) -> z3.ModelRef | BoundedResult | None:
        if wanted is False:
            return None
        if self._limit is not None:
            left = self._limit - self._seconds
            if left <= 0:
                return self._out_of_time(steps)
            self._solver.set("timeout", max(1, int(left * 1000)))
        self._solver.push()
        try:
            self._solver.add(term(wanted))
            answer = self._solver.check()
            if answer == z3.sat:
                return self._solver.model()
            if answer == z3.unknown:
                return self._out_of_time(steps)
            return None
        finally:
            self._solver.pop()

    def _out_of_time(self, steps: int) -> BoundedResult:
        reason = self._solver.reason_unknown()
        why = "the time given is over" if self._limit is not None else f"Z3 gave up: {reason}"
        return BoundedResult(
            Verdict.INCONCLUSIVE,
            max(0, steps - 1),
            self._seconds,
            because=f"{why}; every behaviour of up to {steps - 1} steps is covered"
            if steps
            else why,
        )

    def _violated(self, trace: Trace, steps: int) -> BoundedResult:
        violation = self._judged(walked(PlainEngine(self._relation.model), trace))
        return BoundedResult(Verdict.VIOLATED, steps, self._seconds, violation)

    def _judged(self, trace: Trace) -> Violation:
        """What plain Python finds broken at the end of a behaviour."""
        engine = PlainEngine(self._relation.model)
        failing: dict[str, tuple[Any, ...]] = {}
        for prop in self._relation.model.properties:
            is_step = prop.kind is Kind.STEP_INVARIANT
            if prop.name not in self._names or (is_step and not trace.steps):
                continue
            before = trace.states[-2] if is_step else trace.last
            with suppress(EvaluationError):  # another one may have no meaning here
                outcome = engine.evaluate(prop, before, trace.last if is_step else None)
                if prop.kind is Kind.SOMETIMES and outcome.failing is None:
                    failing[prop.name] = ()
                elif prop.kind is not Kind.SOMETIMES and outcome.failing is not None:
                    failing[prop.name] = outcome.failing
        if failing:
            return Violation(tuple(failing), next(iter(failing.values())), trace)
        if not self._deadlock_allowed and not list(engine.successors(trace.last)):
            return Violation((DEADLOCK,), (), trace)
        raise Disagreement(f"plain Python finds nothing broken after {_said(trace)}")


def walked(engine: PlainEngine, trace: Trace) -> Trace:
    """The same behaviour, each step taken by plain Python; Disagreement where it takes none."""
    for before, step in zip(trace.states, trace.steps, strict=False):
        if engine.run(engine.model.action(step.action), before, step.parameters) != step.state:
            raise Disagreement(f"plain Python does not take {step.action}{step.parameters!r}")
    return trace


def stuck(relation: Relation, state: Values) -> Truth:
    """Whether no action is enabled in a state, and none lacks a meaning there."""
    return all_of(_never(relation, action, state) for action in relation.actions)


def _never(relation: Relation, action: ir.ActionCode, state: Values) -> Truth:
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
        found.append(all_of((negated(taken.enabled), negated(fails))))
    return all_of(found)


def _said(trace: Trace) -> str:
    return " -> ".join(step.action for step in trace.steps) or "no step"
