"""Two graphs of states, of which only what both models have is looked at.

A variable is shared where both models have one of its name and its domain. What a state shows is
its *view*: the values of the shared variables. All other variables are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lockstep.explore.graphs import graph_of
from lockstep.language.likeness import Likeness, plain_value
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.machine.code.cells import mask
from lockstep.machine.code.state import StateLayout, state_layout
from lockstep.machine.search.graph_search import PackedStates
from lockstep.plain.exploration import Exploration
from lockstep.plain.graph import Limits, StateGraph


@dataclass(frozen=True)
class Pair:
    """Two models with the names of the variables that they share, in the order of `one`."""

    one: Model
    other: Model
    shared: tuple[str, ...]

    @classmethod
    def of(cls, one: Model, other: Model) -> Pair:
        """Two models; a variable that both have with different domains is hidden in both."""
        same = Likeness()
        shared = tuple(
            name
            for name, domain in one.variables.items()
            if name in other.variables and same(domain, other.variables[name])
        )
        return cls(one, other, shared)

    @property
    def swapped(self) -> Pair:
        """The same with the models in the other order."""
        return Pair(self.other, self.one, self.shared)

    def hidden(self, model: Model) -> tuple[str, ...]:
        """The variables of one of them that are not shared."""
        return tuple(name for name in model.variables if name not in self.shared)

    def view(self, state: State) -> object:
        """What a state shows; equal to that of any load of either model."""
        return tuple(plain_value(getattr(state, name)) for name in self.shared)


@dataclass(frozen=True)
class ObservedGraph:
    """A graph of states with the number of each state's view.

    The views of two graphs that are compared are numbered together, from 0 up to `count`.
    """

    graph: StateGraph
    views: NDArray[np.int32]
    count: int


def observe(
    pair: Pair, limits: Limits, request: Exploration = Exploration()
) -> tuple[ObservedGraph, ObservedGraph]:
    """The graphs of two models with their views; `Unfinished` where a limit is met."""
    graphs = [graph_of(model, limits, request) for model in (pair.one, pair.other)]
    first, second = (graph.states for graph in graphs)
    if isinstance(first, PackedStates) and isinstance(second, PackedStates):
        views = _packed_views(pair, first, second, limits)
    else:
        views = _plain_views(pair, first, second)
    count = int(views.max()) + 1
    size = len(first)
    return (
        ObservedGraph(graphs[0], views[:size], count),
        ObservedGraph(graphs[1], views[size:], count),
    )


def _plain_views(pair: Pair, one: Sequence[State], other: Sequence[State]) -> NDArray[np.int32]:
    numbers: dict[object, int] = {}
    views = [
        numbers.setdefault(pair.view(state), len(numbers))
        for states in (one, other)
        for state in states
    ]
    return np.array(views, np.int32)


def _packed_views(
    pair: Pair, one: PackedStates, other: PackedStates, limits: Limits
) -> NDArray[np.int32]:
    """The numbers of views of packed states: equal values have equal words, wherever they stand."""
    layout = state_layout(pair.one.state, {name: pair.one.variables[name] for name in pair.shared})
    # The rows of each, those of both, and both once more in order, with two numbers a row.
    limits.watch((len(one) + len(other)) * (3 * 8 * layout.words + 16))
    rows = np.concatenate([_repacked(states, layout) for states in (one, other)])
    whole = rows.view(np.dtype((np.void, 8 * layout.words)) if layout.words > 1 else np.uint64)
    numbers: NDArray[np.int32] = np.unique(whole.reshape(-1), return_inverse=True)[1].astype(
        np.int32
    )
    return numbers.reshape(-1)


def _repacked(states: PackedStates, layout: StateLayout) -> NDArray[np.uint64]:
    """The shared variables of states, packed as `layout` says."""
    before = states.layout
    words = states.words.reshape(len(states), before.words)
    rows = np.zeros((len(states), layout.words), np.uint64)
    for name, places in layout.places.items():
        widths = layout.layouts[name].widths
        for source, target, width in zip(before.places[name], places, widths, strict=True):
            value = words[:, source.word] >> np.uint64(source.shift) & np.uint64(mask(width))
            rows[:, target.word] |= value << np.uint64(target.shift)
    return rows
