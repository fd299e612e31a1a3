"""The nearest state that satisfies a predicate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

from lockstep.errors import LockstepError, not_written
from lockstep.explore.engines import explore
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.system.scratch import scratch_folder
from lockstep.walk.predicate import parse_predicate
from lockstep.words import plural


@dataclass(frozen=True)
class Nearest:
    """A shortest way to a state that was looked for.

    `steps` lead there and are empty where the search began in such a state; None where none was
    found, and `because` then says how far the search came. `result` is the search's own.
    """

    steps: tuple[Step, ...] | None
    because: str
    result: SearchResult


def find_nearest(model: Model, start: State, predicate: str, bounds: Bounds) -> Nearest:
    """Look for a state in which a predicate over `s` is true, breadth first from `start`.

    The engine that suits it searches, and plain Python walks what it finds. What the model claims
    is not looked at on the way. `Refused` as of `parse_predicate`; `LockstepError` where no folder
    for scratch can be made.
    """
    try:
        with scratch_folder("lockstep-predicate-") as folder:
            ruled_out = parse_predicate(model, predicate, folder)
            searched = replace(model, initial=start, properties=(ruled_out,))
            # A search ends where something is broken, so what is looked for is ruled out.
            result = explore(searched, Exploration(bounds=bounds))
    except OSError as error:
        raise LockstepError(not_written(Path(gettempdir()), error)) from None
    if result.violation is not None:
        steps = result.violation.trace.steps
        away = f"{plural(len(steps), 'step')} away" if steps else "true here already"
        return Nearest(steps, away, result)
    if result.verdict is Verdict.HOLDS:
        states = plural(result.states, "state")
        return Nearest(None, f"it is false in every state from here on ({states})", result)
    return Nearest(None, f"not found: {result.because}", result)


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
