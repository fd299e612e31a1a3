"""The graph of all reachable states, by machine code where the model has it."""

from __future__ import annotations

from lockstep.explore.live_search import compiled_graphs
from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.plain.graph import Limits, StateGraph, build_graph


def graph_of(model: Model, limits: Limits, request: Exploration = Exploration()) -> StateGraph:
    """The graph of a model; `Unfinished` where a limit is met.

    Of the request, the engine and who looks on at the progress are heeded.
    """
    maker = None if request.engine == "python" else compiled_graphs(model, request)
    if maker is None:
        return build_graph(model, limits, on_progress=request.on_progress)
    return maker(limits)[0]
