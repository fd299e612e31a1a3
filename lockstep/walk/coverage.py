"""What a search of all that is reachable comes by: actions, premises, goals."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.explore.engines import explore
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult


@dataclass(frozen=True)
class Coverage:
    """What a search came by, each in the model's order.

    `fired` counts the enabled instances of each action. `premises` says of each invariant whether
    its premise was true somewhere, and `goals` of each goal whether some state satisfies it. They
    are those of all reachable states only if the search came to its end: see `result`.
    """

    result: SearchResult
    fired: dict[str, int]
    premises: dict[str, bool]
    goals: dict[str, bool]


def cover(model: Model, request: Exploration) -> Coverage:
    """Search a model from its initial state by the engine that suits it.

    What must come to pass is not looked at. A search ends at the first level where something is
    violated. `LockstepError` as of `explore`.
    """
    model = model.without(Kind.LEADS_TO)
    result = explore(model, request)
    return Coverage(
        result,
        {action.name: result.fired.get(action.name, 0) for action in model.actions},
        {
            prop.name: prop.name in result.applied
            for prop in model.properties
            if prop.kind in (Kind.INVARIANT, Kind.STEP_INVARIANT)
        },
        {prop.name: prop.name in result.reached for prop in model.of_kind(Kind.SOMETIMES)},
    )
