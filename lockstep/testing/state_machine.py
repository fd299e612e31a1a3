"""Hypothesis state machines made from models: one rule an action, nothing to write by hand.

    TestFetchSession = state_machine_for(load_model(root, "fetch_session")).TestCase

Plain Python takes every step and checks every property, so a machine tests a model without any
engine, and at widths at which no search ends. What it finds, Hypothesis shortens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import ClassVar, TypeVar, cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import Kind, State
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Step, Trace
from lockstep.testing.guide import BACKEND, Guide
from lockstep.testing.instances import (
    LISTED,
    Arguments,
    Instance,
    Situation,
    Situations,
    is_wide,
)
from lockstep.trace.behaviour import to_pytest
from lockstep.trace.itf import Origin
from lockstep.trace.render import render_binding, render_trace

Found = TypeVar("Found")
OnState = Callable[[State, int], None]

_REMEMBERED = 20_000
"""How many states, and how many steps, of all machines together are looked at only once."""


class Violated(AssertionError):
    """A machine's behaviour breaks what must hold. The text ends with a test to paste.

    `violation` says what is broken and by which steps. While Hypothesis shortens a behaviour, any
    violation counts as the same one: what is left is the shortest of all, as in a search.
    """

    def __init__(self, model: Model, violation: Violation, fault: str | None) -> None:
        super().__init__(violation)
        self.model = model
        self.violation = violation
        self.fault = fault

    def __str__(self) -> str:
        # Not before it is asked for: hundreds of behaviours are tried for the one that is shown.
        model, violation = self.model, self.violation
        name, *others = violation.properties
        steps = len(violation.trace.steps)
        text = f"{name} is violated after {steps} step{'' if steps == 1 else 's'}"
        prop = model.find_property(name)
        if prop is not None and prop.parameters:
            text += f", for {render_binding(prop.parameters, violation.parameters)}"
        if others:
            text += f"; and with it: {', '.join(others)}"
        origin = Origin.of(model, name, fault=self.fault)
        return f"{text}\n\n{to_pytest(model, violation.trace, origin)}"


@st.composite
def _any_step(draw: st.DrawFn) -> Instance:
    """A step that the machine which draws it can take now."""
    machine: ModelMachine = draw(st.runner())
    if machine._walk is not None:
        machine._walk.suggest()
    return machine._situation.draw(draw)


class ModelMachine(RuleBasedStateMachine):
    """A behaviour of a model, made step by step. `state_machine_for` makes its subclasses."""

    tested: ClassVar[Tested]
    """What all machines of this class have in common."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: list[Step] = []
        self._walk = self.tested.guide.begin()
        self._arrive(None, self.tested.model.initial)

    @classmethod
    def fired(cls) -> Mapping[str, int]:
        """How often each action was taken, in all behaviours of machines of this class so far."""
        return dict(cls.tested.fired)

    @property
    def trace(self) -> Trace:
        """The behaviour so far."""
        return Trace(self.tested.model.initial, tuple(self._steps))

    # One rule for all actions. With one for each, Hypothesis draws a varying number of values a
    # step, and then it seldom manages to take a step out of the middle of a behaviour.
    @rule(step=_any_step())
    def take(self, step: Instance) -> None:
        """Take a step; nothing, or an action that is not enabled after all, changes nothing."""
        if step.action is None:
            return
        before, action, arguments = self._state, step.action, step.arguments
        after = step.after
        if after is None:
            after = self._located(lambda: self.tested.engine.run(action, before, arguments))
        if after is not None:
            self.tested.fired[action.name] += 1
            self._steps.append(Step(action.name, arguments, after))
            self._arrive(before, after)

    def _arrive(self, before: State | None, state: State) -> None:
        """Check the state that the last step led to, and see what can be done there."""
        tested = self.tested
        tested.on_state(state, len(self._steps))
        failing = self._located(lambda: _failing(tested, before, state))
        if failing:
            raise self._violated(failing)
        situation = self._located(lambda: _situation(tested, state))
        if situation.is_stuck and not tested.deadlock_allowed:
            raise self._violated({DEADLOCK: ()})
        self._state, self._situation = state, situation
        if self._walk is not None:
            self._walk.arrive(hash(state), situation.ways)

    def _violated(self, failing: Mapping[str, Arguments]) -> Violated:
        violation = Violation(tuple(failing), next(iter(failing.values())), self.trace)
        violated = Violated(self.tested.model, violation, self.tested.fault)
        self.tested.note(violated, self.trace)
        return violated

    def _located(self, evaluate: Callable[[], Found]) -> Found:
        """The result of `evaluate`; an error in the model's text is given the behaviour so far."""
        try:
            return evaluate()
        except EvaluationError as error:
            self.tested.note(error, self.trace)
            lines = render_trace(self.tested.model, self.trace, self.tested.fault)
            error.add_note("\n".join(["It happens after these steps:", *map(str, lines)]))
            raise


def state_machine_for(
    model: Model,
    *,
    deadlock_allowed: bool = False,
    fault: str | None = None,
    on_state: OnState = lambda *_: None,
) -> type[ModelMachine]:
    """A machine that takes any enabled actions of `model`, one after the other.

    Every invariant is checked in every state, every step invariant over every step, and unless
    `deadlock_allowed` every state must have a way on to another; the machine raises `Violated` for
    the first that fails, and `EvaluationError` where the text has no meaning. Goals and what must
    come to pass are not checked: no single behaviour can miss a goal, nor one that ends the other.
    `fault` names the fault with which the model was loaded, so that the test which is printed loads
    it, too. `on_state` is called with each state of a behaviour, and the number of steps to it.

    `LockstepError` for a property with more than 10,000 bindings: plain Python cannot check it.
    """
    for prop in model.without(Kind.LEADS_TO).properties:
        if is_wide(prop.parameters):
            raise LockstepError(
                f"{prop.name} of {model.name} has more than {LISTED:,} bindings of its parameters",
                cure="choose smaller constants for what its parameters range over",
            )
    name = "".join(part.capitalize() for part in model.name.split("_")) + "Machine"
    members = {"__doc__": model.doc, "tested": Tested(model, deadlock_allowed, fault, on_state)}
    machine = cast(type[ModelMachine], type(name, (ModelMachine,), members))
    machine.TestCase.settings = settings(machine.TestCase.settings, backend=BACKEND)
    return machine


class Tested:
    """What all machines of one class have in common.

    `fired` is how often each action was taken, `failure` what ended one of the shortest behaviours
    that a failure has ended, with that behaviour.
    """

    def __init__(
        self, model: Model, deadlock_allowed: bool, fault: str | None, on_state: OnState
    ) -> None:
        self.model = model
        self.deadlock_allowed = deadlock_allowed
        self.fault = fault
        self.engine = PlainEngine(model)
        self.situations = Situations(model)
        self.guide = Guide()
        self.on_state = on_state
        self.fired = {action.name: 0 for action in model.actions}
        self.failure: tuple[Violated | EvaluationError, Trace] | None = None

    def note(self, error: Violated | EvaluationError, trace: Trace) -> None:
        """Remember a failure, unless that of a behaviour as short is remembered."""
        if self.failure is None or len(trace.steps) < len(self.failure[1].steps):
            self.failure = error, trace


@lru_cache(maxsize=_REMEMBERED)
def _situation(tested: Tested, state: State) -> Situation:
    return tested.situations.at(state)


@lru_cache(maxsize=_REMEMBERED)
def _failing(tested: Tested, before: State | None, state: State) -> dict[str, Arguments]:
    """The properties that fail in a state and over the step to it, each with a binding."""
    failing: dict[str, Arguments] = {}
    for prop in tested.model.properties:
        if prop.kind is Kind.INVARIANT:
            outcome = tested.engine.evaluate(prop, state, None)
        elif prop.kind is Kind.STEP_INVARIANT and before is not None:
            outcome = tested.engine.evaluate(prop, before, state)
        else:
            continue
        if outcome.failing is not None:
            failing[prop.name] = outcome.failing
    return failing
