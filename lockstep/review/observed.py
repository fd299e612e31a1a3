"""Two graphs of states, of which only what both models show is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lockstep.explore.live_search import space_of
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.state import state_layout
from lockstep.machine.search.space_search import PackedStates
from lockstep.plain.exploration import Exploration
from lockstep.plain.space import Limits, Space
from lockstep.review.pair import Pair
from lockstep.review.views import Numbers, packed_views, plain_views


@dataclass(frozen=True)
class ObservedSpace:
    """A graph of states with the number of each state's view.

    The views of two graphs that are compared are numbered together, from 0 on.
    """

    space: Space
    views: Numbers


def observe(
    pair: Pair, limits: Limits, request: Exploration = Exploration()
) -> tuple[ObservedSpace, ObservedSpace]:
    """The graphs of two models with their views; `Unfinished` where a limit is met.

    `EvaluationError` where a function that shows a value has no meaning in a reachable state.
    """
    models = pair.one, pair.other
    spaces = [space_of(model, limits, request) for model in models]
    first, second = (space.states for space in spaces)
    if isinstance(first, PackedStates) != isinstance(second, PackedStates):
        # Plain Python found all states of one in no time; there may be very many of the other.
        first, second = map(_packed, models, (first, second))
    if isinstance(first, PackedStates) and isinstance(second, PackedStates):
        views = packed_views(pair, first, second, limits)
    else:
        views = plain_views(pair, first, second)
    size = len(first)
    return ObservedSpace(spaces[0], views[:size]), ObservedSpace(spaces[1], views[size:])


def _packed(model: Model, states: Sequence[State]) -> Sequence[State]:
    """States in packed form, unless they have none."""
    if isinstance(states, PackedStates):
        return states
    try:
        layout = state_layout(model.state, model.variables)
    except NotCompiled:
        return states
    rows = np.array([layout.encode(state) for state in states], np.uint64)
    return PackedStates(layout, rows.reshape(-1))
