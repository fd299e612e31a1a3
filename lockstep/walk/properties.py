"""What each property says where a walk stands."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lockstep.language.model import DEADLOCK, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import is_stuck
from lockstep.plain.run import PlainEngine
from lockstep.results.evaluation_error import EvaluationError
from lockstep.trace.conjuncts import Conjunct, false_conjunct
from lockstep.trace.render import render_binding


class Standing(StrEnum):
    """What a property says of one state, or of the step to it. None of it is a verdict."""

    TRUE = "true"
    FALSE = "false"
    """Of an invariant: this behaviour violates it."""
    SILENT = "silent"
    """Its premise is true for no binding, or there is no last step to speak of."""
    REACHED = "reached"
    """This state is one that a goal asks for."""
    NOT_HERE = "not here"
    """It is not; nor need it be."""
    OWED = "owed"
    """A premise that leads to something was true here, and what it leads to is not."""
    ERROR = "error"
    """The text has no meaning here."""


@dataclass(frozen=True)
class PropertyHere:
    """What one property says, with why.

    `binding` is the first for which it is false or owed: `c=c1, p=p2`. `conjunct` is what is false
    then, where that can be told. `why` says the rest in words.
    """

    name: str
    kind: Kind | None
    """None of whether a step leads on."""
    standing: Standing
    why: str = ""
    binding: str = ""
    conjunct: Conjunct | None = None

    @property
    def is_broken(self) -> bool:
        """Whether the walk so far violates it."""
        return self.standing in (Standing.FALSE, Standing.ERROR)


def property_here(
    engine: PlainEngine, prop: Property, before: State | None, here: State
) -> PropertyHere:
    """What a property says of a state, or of the step from `before` to it."""
    try:
        match prop.kind:
            case Kind.SOMETIMES:
                return _goal(engine, prop, here)
            case Kind.LEADS_TO:
                return _promise(engine, prop, here)
            case Kind.STEP_INVARIANT if before is None:
                why = "it speaks of steps, and none is taken"
                return PropertyHere(prop.name, prop.kind, Standing.SILENT, why)
            case Kind.STEP_INVARIANT:
                assert before is not None
                return _claim(engine, prop, (before, here))
        return _claim(engine, prop, (here,))
    except EvaluationError as error:
        why = error.seen_from(engine.model.universe.root)
        return PropertyHere(prop.name, prop.kind, Standing.ERROR, why)


def stuck_here(engine: PlainEngine, here: State, *, is_allowed: bool) -> PropertyHere:
    """Whether a step leads to another state."""
    try:
        stuck = is_stuck(here, engine.successors(here))
    except EvaluationError as error:
        why = error.seen_from(engine.model.universe.root)
        return PropertyHere(DEADLOCK, None, Standing.ERROR, why)
    if not stuck:
        return PropertyHere(DEADLOCK, None, Standing.TRUE, "a step leads to another state")
    if is_allowed:
        why = "no step leads to another state, which the model allows"
        return PropertyHere(DEADLOCK, None, Standing.TRUE, why)
    why = "no step leads to another state"
    return PropertyHere(DEADLOCK, None, Standing.FALSE, why)


def _goal(engine: PlainEngine, prop: Property, here: State) -> PropertyHere:
    reached = engine.evaluate(prop, here, None).failing is None
    standing = Standing.REACHED if reached else Standing.NOT_HERE
    return PropertyHere(prop.name, prop.kind, standing)


def _promise(engine: PlainEngine, prop: Property, here: State) -> PropertyHere:
    outcome = engine.evaluate(prop, here, None)
    if outcome.failing is not None:
        binding = render_binding(prop.parameters, outcome.failing)
        why = "its premise is true here, and its goal is still to come"
        return PropertyHere(prop.name, prop.kind, Standing.OWED, why, binding)
    if outcome.applied:
        why = "its premise is true here, and so is its goal"
        return PropertyHere(prop.name, prop.kind, Standing.TRUE, why)
    return PropertyHere(prop.name, prop.kind, Standing.SILENT, "its premise is not true here")


def _claim(engine: PlainEngine, prop: Property, states: tuple[State, ...]) -> PropertyHere:
    after = states[1] if len(states) > 1 else None
    outcome = engine.evaluate(prop, states[0], after)
    if outcome.failing is None:
        if outcome.applied:
            return PropertyHere(prop.name, prop.kind, Standing.TRUE)
        return PropertyHere(prop.name, prop.kind, Standing.SILENT, "its premise is not true here")
    universe = engine.model.universe
    conjunct = false_conjunct(universe, prop.function, (*states, *outcome.failing))
    binding = render_binding(prop.parameters, outcome.failing)
    return PropertyHere(prop.name, prop.kind, Standing.FALSE, "", binding, conjunct)
