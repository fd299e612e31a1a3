"""Which guards keep an action from being enabled, and which properties hold in a state."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from lockstep.language.model import DEADLOCK, Action, Model, Property
from lockstep.language.notation import Disabled, Kind, State
from lockstep.plain.engine import Bindings, Parameters, is_stuck
from lockstep.plain.run import NextState, PlainEngine, line_in
from lockstep.results.search_result import EvaluationError
from lockstep.trace.conjuncts import Conjunct, false_conjunct, false_requirement
from lockstep.trace.render import render_binding
from lockstep.words import place_text

MOST_INSTANCES = 200
"""Instances of an action that are asked why they are not enabled."""


@dataclass(frozen=True)
class Refusal:
    """A guard that is false for some instances of an action.

    `place` is where it is written, `text` is its conjunct that is false, or the guard as a whole
    where that cannot be decided. `instances` counts those that it stops; `binding` is the first of
    them, and `conjunct` has the values that it has there.
    """

    place: str
    text: str
    instances: int
    binding: str
    conjunct: Conjunct | None


@dataclass(frozen=True)
class Refusals:
    """Why instances of an action are not enabled, what stops them last coming first.

    `enabled` instances are. Where `is_cut`, only the first ones were asked.
    """

    refusals: tuple[Refusal, ...]
    enabled: int
    is_cut: bool


def refusals(
    model: Model,
    action: Action,
    state: State,
    is_over: Callable[[], bool] = lambda: False,
    most: int = MOST_INSTANCES,
) -> Refusals:
    """Ask up to `most` instances of an action, in the order of its parameters, what stops them.

    Those for which the action has no meaning are passed over. It ends early when `is_over`.
    """
    stopped: dict[tuple[int, str, int, str], list[tuple[str, Conjunct | None]]] = {}
    enabled = 0
    is_cut = False
    bindings = Bindings(Parameters([parameter.domain for parameter in action.parameters]))
    for asked, arguments in enumerate(bindings):
        if asked >= most or (asked and is_over()):
            is_cut = True
            break
        line = _stopping_line(action, state, arguments)
        if line is None:
            enabled += 1
        elif line:
            conjunct = false_requirement(model.universe, action, state, arguments)
            where = ("", line, "")
            if conjunct is not None:
                where = str(conjunct.file), conjunct.line, conjunct.text
            key = (-line, *where)
            binding = render_binding(action.parameters, arguments)
            stopped.setdefault(key, []).append((binding, conjunct))
    found = tuple(
        _refusal(model, action, -negative, cases)
        for (negative, _, _, _), cases in sorted(stopped.items(), key=lambda item: item[0])
    )
    return Refusals(found, enabled, is_cut)


def _refusal(
    model: Model, action: Action, line: int, cases: list[tuple[str, Conjunct | None]]
) -> Refusal:
    binding, conjunct = cases[0]
    if conjunct is not None:
        return Refusal(conjunct.place, conjunct.text, len(cases), binding, conjunct)
    definition = model.universe.definition(action.function)
    if definition is None:
        return Refusal("", "", len(cases), binding, None)
    node, file = definition
    statement = next(
        part for part in node.body if part.lineno <= line <= (part.end_lineno or part.lineno)
    )
    place = place_text(file, line, model.universe.root)
    return Refusal(place, ast.unparse(statement), len(cases), binding, None)


def _stopping_line(action: Action, state: State, arguments: tuple[object, ...]) -> int | None:
    """The line of the action's own body that is not passed; None if enabled, 0 on an error."""
    try:
        action.function(state, NextState(state), *arguments)
    except Disabled as disabled:
        return line_in(disabled.__traceback__)
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever a model's text raises, `exit(0)` included
        return 0
    return None


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
    then, where that can be decided. `why` says the rest in words.
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
