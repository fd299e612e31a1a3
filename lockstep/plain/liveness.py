"""Liveness: whether a premise leads to its goal, under the fairness stated.

It does not when some behaviour goes from a state of the premise on for ever, past every state of
the goal, and keeps all promises of fairness. In a finite graph such a behaviour ends in a part of
the states without the goal where all promises can be kept: see `fair_parts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lockstep.language.model import Model, Property
from lockstep.plain.fair_parts import FairParts, Promises, fair_parts
from lockstep.plain.run import PlainEngine
from lockstep.plain.shortest_lasso import Lassos, LassoSearch
from lockstep.plain.space import Limits, Mask, Space
from lockstep.results.search_result import EvaluationError


@dataclass(frozen=True)
class Unfulfilled:
    """Behaviours along which a premise never leads to its goal, and the binding for which."""

    parameters: tuple[Any, ...]
    lassos: Lassos


@dataclass(frozen=True)
class Pledges:
    """What a `leads_to` says of each state of a graph, for each binding of its parameters.

    `premise[binding, state]` and `goal[binding, state]`. `unanswered` is the first state in which
    it has no value; None where there is none, and otherwise the rest means nothing.
    """

    bindings: Sequence[tuple[Any, ...]]
    premise: Mask
    goal: Mask
    unanswered: int | None = None


def plain_pledges(model: Model, space: Space, prop: Property) -> Pledges:
    """What a `leads_to` says of each state, by plain Python."""
    engine = PlainEngine(model)
    bindings: list[tuple[Any, ...]] = []
    says: list[tuple[list[bool], list[bool]]] = []
    unanswered = None
    for number, state in enumerate(space.states):
        try:
            here = list(engine.pledges(prop, state))
        except EvaluationError:
            unanswered = number
            break
        bindings = [pledge.parameters for pledge in here]
        says.append(
            ([bool(pledge.premise) for pledge in here], [bool(pledge.goal) for pledge in here])
        )
    premise, goal = (np.array([part[side] for part in says], np.bool_).T for side in (0, 1))
    return Pledges(bindings, premise, goal, unanswered)


def find_unfulfilled(
    space: Space,
    prop: Property,
    pledges: Pledges,
    limits: Limits,
    parts_of: FairParts = fair_parts,
) -> Unfulfilled | None:
    """The shortest behaviours that break a `leads_to`, for the first binding that has such.

    None when there is none: the property holds. `Unfinished` where a limit is met.
    """
    promises = Promises(space, prop.fairness)
    found: Unfulfilled | None = None
    for parameters, premise, goal in zip(
        pledges.bindings, pledges.premise, pledges.goal, strict=True
    ):
        owing, past = premise & ~goal, ~goal
        parts = parts_of(space, promises, owing, past, limits)
        search = LassoSearch(space, promises, owing, past, limits)
        lassos = search.shortest(parts, None if found is None else found.lassos.stem)
        if lassos is None:
            continue
        is_shortest = lassos.is_shortest
        if found is not None and found.lassos.stem == lassos.stem:
            is_shortest &= found.lassos.is_shortest
        if found is None or lassos.length < found.lassos.length:
            found = Unfulfilled(parameters, lassos)
        # Where the cycle of one may be longer than need be, so may the shortest of them.
        found = replace(found, lassos=replace(found.lassos, is_shortest=is_shortest))
    return found
