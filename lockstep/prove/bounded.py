"""Bounded model checking: whether a behaviour of so many steps breaks something.

The steps are added one at a time to one solver, so that the first that is found is a shortest one
(Biere and others, "Symbolic Model Checking without BDDs", 1999). Plain Python then walks the
behaviour and says what is broken at its end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

import z3

from lockstep.language import ir
from lockstep.language.model import DEADLOCK
from lockstep.language.notation import Kind
from lockstep.plain.engine import Disagreement, is_stuck
from lockstep.plain.run import PlainEngine, walked
from lockstep.prove.evaluation import read, values_in
from lockstep.prove.relation import Relation, Values
from lockstep.prove.solver import Answer, ask, new_solver
from lockstep.prove.terms import Truth, all_of, any_of, negated, term
from lockstep.prove.unrolling import Unrolling, stuck
from lockstep.prove.values import Value
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.words import plural

_Code = TypeVar("_Code", ir.ActionCode, ir.PropertyCode)

OnDepth = Callable[[int, float], None]
"""Is given each depth that is covered, and the seconds since the beginning."""


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


@dataclass(frozen=True)
class Target:
    """What is looked for, and where behaviours begin.

    A violation of any property, or of `only` one, and deadlock unless it is allowed. A `sometimes`
    is no violation, unless it is the one asked for: then a state that reaches it is. With `start`,
    behaviours begin in any state of which that is true, reached or not.
    """

    deadlock_allowed: bool = True
    only: str | None = None
    start: Callable[[Values], Truth] | None = None


ANY_VIOLATION = Target()


def check_bounded(
    relation: Relation,
    depth: int,
    target: Target = ANY_VIOLATION,
    *,
    max_seconds: float | None = None,
    on_depth: OnDepth | None = None,
) -> BoundedResult:
    """Look for a violation in behaviours of up to `depth` steps.

    `max_seconds` bounds the search as a whole. Ctrl-C ends it: the result says what is covered.
    """
    return _Search(relation, target, max_seconds).run(depth, on_depth)


@dataclass(frozen=True)
class _Instance:
    """An action or a property with some parameters, and the condition to look for in it."""

    code: ir.ActionCode | ir.PropertyCode
    when: Truth
    arguments: list[Value]


class _Search:
    def __init__(self, relation: Relation, target: Target, limit: float | None) -> None:
        self._relation = relation
        self._deadlock_allowed = target.deadlock_allowed or target.only is not None
        self._only = only = target.only
        self._start = target.start
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
                result = self._reached(steps)
                if result is not None:
                    return result
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
            # A search, too, reports a state that cannot be expanded after what is broken there.
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
        broken = self._asked(self._properties, steps, self._relation.broken, f"after {steps}, ")
        deadlocked: Truth = False
        if not self._deadlock_allowed:
            deadlocked = stuck(self._relation, self._unrolling.states[steps])
        answer = self._ask(any_of((*(instance.when for instance in broken), deadlocked)))
        if isinstance(answer, str):
            what = "whether anything is broken" if self._only is None else "whether it is reached"
            return self._stopped(steps, f"{answer}, asked {what} after {plural(steps, 'step')}")
        if answer is not None:
            return self._violated(answer, broken, steps)
        return self._meaningless(self._failing_properties(steps), steps)

    def _meaningless(self, failing: list[_Instance], steps: int) -> BoundedResult | None:
        """That the text has no meaning after so many steps; None if it always has."""
        answer = self._ask(any_of(instance.when for instance in failing))
        if answer is None:
            return None
        if isinstance(answer, str):
            asked = f"asked whether all has a meaning after {plural(steps, 'step')}"
            return self._stopped(steps, f"{answer}, {asked}")
        trace = walked(self._engine, self._unrolling.trace(answer, steps))
        for instance in failing:
            if read(answer, instance.when):
                try:
                    self._outcome(instance, trace, answer)
                except EvaluationError as error:
                    because = f"the text has no meaning after {_actions(trace)}: {error.message}"
                    result = self._stopped(steps, because)
                    result.verdict = Verdict.ERROR
                    result.error, result.meaningless = error, trace
                    return result
        raise Disagreement(f"plain Python finds a meaning in all after {_actions(trace)}")

    def _outcome(
        self, instance: _Instance, trace: Trace, model: z3.ModelRef
    ) -> tuple[Any, ...] | None:
        """For which parameters a property fails at the end of a behaviour, as plain Python says.

        An action does not fail. EvaluationError where the text has no meaning.
        """
        code = instance.code
        arguments = values_in(model, instance.arguments, code.parameters)
        if isinstance(code, ir.ActionCode):
            self._engine.run(self._engine.model.action(code.name), trace.last, arguments)
            return None
        prop = self._engine.model.property(code.name)
        is_step = prop.kind is Kind.STEP_INVARIANT
        before, after = (trace.states[-2], trace.last) if is_step else (trace.last, None)
        # The solver's parameters are enough where they show it; there may be too many others.
        whole = self._relation.is_written_out(code) and not read(model, instance.when)

        claim = prop if whole else prop.for_one(arguments)
        failing = self._engine.evaluate(claim, before, after).failing
        if prop.kind is Kind.SOMETIMES:
            return arguments if failing is None else None
        return failing if whole or failing is None else arguments

    def _failing_actions(self, steps: int) -> list[_Instance]:
        relation = self._relation
        return self._asked(relation.actions, steps, relation.meaningless, f"after {steps} ")

    def _failing_properties(self, steps: int) -> list[_Instance]:
        relation = self._relation
        codes = [prop for name, prop in relation.properties.items() if self._only in (None, name)]
        return self._asked(codes, steps, relation.meaningless, f"at {steps} ")

    def _asked(
        self,
        codes: Iterable[_Code],
        steps: int,
        question: Callable[[_Code, Values, Values | None, str], tuple[Truth, list[Value]]],
        name: str,
    ) -> list[_Instance]:
        """What is asked of each action or property after so many steps; of steps, of the last."""
        states, instances = self._unrolling.states, []
        for code in codes:
            is_step = isinstance(code, ir.PropertyCode) and code.kind is Kind.STEP_INVARIANT
            if is_step and not steps:
                continue
            before, after = states[steps - 1 : steps + 1] if is_step else (states[steps], None)
            instances.append(_Instance(code, *question(code, before, after, f"{name}{code.name}")))
        return instances

    def _ask(self, wanted: Truth) -> Answer:
        """A model of the behaviours so far in which it is true; None if there is none; or why."""
        if wanted is False:
            return None
        limit = None if self._limit is None else self._limit - self._seconds
        self._solver.push()
        try:
            self._solver.add(term(wanted))
            answer = ask(self._solver, limit)
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
        for instance in broken:
            with suppress(EvaluationError):  # another one may have no meaning here
                parameters = self._outcome(instance, trace, model)
                if parameters is not None:
                    failing[instance.code.name] = parameters
        if failing:
            return Violation(tuple(failing), next(iter(failing.values())), trace)
        last = trace.last
        if not self._deadlock_allowed and is_stuck(last, self._engine.successors(last)):
            return Violation((DEADLOCK,), (), trace)
        raise Disagreement(f"plain Python finds nothing broken after {_actions(trace)}")


def where(relation: Relation, goal: str) -> Callable[[Values], Truth]:
    """That a goal of a model is reached in a state, and all its invariants hold there."""

    def is_there(state: Values) -> Truth:
        reached = relation.claim(relation.properties[goal], state, None, [])
        there = (reached.applies, reached.holds, negated(reached.fails))
        return all_of((*there, relation.in_order(state)))

    return is_there


def _actions(trace: Trace) -> str:
    return " -> ".join(step.action for step in trace.steps) or "no step"
