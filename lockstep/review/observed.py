"""Two graphs of states, of which only what both models show is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.explore.live_search import graph_of
from lockstep.machine.search.graph_search import PackedStates
from lockstep.plain.exploration import Exploration
from lockstep.plain.graph import Limits, StateGraph
from lockstep.review.pair import Pair
from lockstep.review.views import Numbers, packed_views, plain_views


@dataclass(frozen=True)
class ObservedGraph:
    """A graph of states with the number of each state's view.

    The views of two graphs that are compared are numbered together, from 0 on.
    """

    graph: StateGraph
    views: Numbers


def observe(
    pair: Pair, limits: Limits, request: Exploration = Exploration()
) -> tuple[ObservedGraph, ObservedGraph]:
    """The graphs of two models with their views; `Unfinished` where a limit is met.

    `EvaluationError` where a function that shows a value has no meaning in a reachable state.
    """
    graphs = [graph_of(model, limits, request) for model in (pair.one, pair.other)]
    first, second = (graph.states for graph in graphs)
    if isinstance(first, PackedStates) and isinstance(second, PackedStates):
        views = packed_views(pair, first, second, limits)
    else:
        views = plain_views(pair, first, second)
    size = len(first)
    return ObservedGraph(graphs[0], views[:size]), ObservedGraph(graphs[1], views[size:])
