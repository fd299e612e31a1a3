"""What becomes of an action, by trying it in every state of two small models: the judge."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from lockstep.language.likeness import plain_value
from lockstep.language.model import Model
from lockstep.language.notation import Kind, NotApplicable, State
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.review.action_change import Strength
from lockstep.review.joint import same_form


@dataclass
class Doings:
    """What an action does in one state, by the values of the parameters that both actions have."""

    steps: set[tuple[object, object]] = field(default_factory=set)
    fails: dict[object, bool] = field(default_factory=dict)


def count_of_states(model: Model) -> int:
    return math.prod(domain.size() for domain in model.variables.values())


def count_of_bindings(model: Model) -> int:
    return max(
        math.prod(one.domain.size() for one in action.parameters) for action in model.actions
    )


def expected(base: Model, head: Model, name: str, *, in_order: bool = False) -> Strength:
    """What becomes of an action that both have; `in_order`: where BASE's invariants hold."""
    shared = [
        name
        for name, domain in base.variables.items()
        if name in head.variables and same_form(domain, head.variables[name])
    ]
    own = {one.name: one.domain for one in base.action(name).parameters}
    parameters = [
        one.name
        for one in head.action(name).parameters
        if one.name in own and same_form(one.domain, own[one.name])
    ]
    bases = by_view(base, name, shared, parameters, in_order=in_order)
    heads = by_view(head, name, shared, parameters)
    more = less = fails = False
    for view, ones in bases.items():
        for one, other in product(ones, heads.get(view, [])):
            more |= not other.steps <= one.steps
            less |= not one.steps <= other.steps
            both = one.fails.keys() & other.fails.keys()
            fails |= any(one.fails[key] != other.fails[key] for key in both)
    if more or less:
        return {
            (True, True): Strength.CHANGED,
            (True, False): Strength.WEAKENED,
            (False, True): Strength.STRENGTHENED,
        }[more, less]
    return Strength.CHANGED if fails else Strength.SAME


def by_view(
    model: Model, name: str, shared: list[str], parameters: list[str], *, in_order: bool = False
) -> dict[object, list[Doings]]:
    """What an action does in each state of a model, by the view of the state."""
    states: defaultdict[object, list[Doings]] = defaultdict(list)
    engine = PlainEngine(model)
    for values in product(*model.variables.values()):
        state = model.state.of(values)
        if not in_order or is_in_order(engine, state):
            view = view_of(state, shared)
            states[view].append(doings(engine, state, name, shared, parameters))
    return states


def view_of(state: State, shared: list[str]) -> object:
    return tuple(plain_value(getattr(state, name)) for name in shared)


def doings(
    engine: PlainEngine, state: State, name: str, shared: list[str], parameters: list[str]
) -> Doings:
    action, seen = engine.model.action(name), Doings()
    for binding in product(*(one.domain for one in action.parameters)):
        given: dict[str, Any] = {
            one.name: plain_value(value)
            for one, value in zip(action.parameters, binding, strict=True)
        }
        key = tuple(given[name] for name in parameters)
        seen.fails.setdefault(key, False)
        try:
            after = engine.run(action, state, binding)
        except EvaluationError:
            seen.fails[key] = True
            continue
        if after is not None:
            seen.steps.add((key, view_of(after, shared)))
    return seen


def is_in_order(engine: PlainEngine, state: State) -> bool:
    """Whether no invariant is false; one that has no meaning is not."""
    for prop in engine.model.of_kind(Kind.INVARIANT):
        for binding in product(*(one.domain for one in prop.parameters)):
            try:
                if not _is_true(prop.function, state, binding):
                    return False
            except NoValue:
                continue
    return True


class NoValue(Exception):
    """The text of an invariant has no meaning in a state."""


def _is_true(function: Any, state: State, binding: tuple[Any, ...]) -> bool:
    try:
        return bool(function(state, *binding))
    except NotApplicable:
        return True
    except Exception as error:
        raise NoValue from error
