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
from lockstep.machine.search.loops import view_loops_for
from lockstep.machine.search.packed import Packed
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

    The views of two graphs that are compared are numbered together, from 0 on.
    """

    graph: StateGraph
    views: NDArray[np.int32]


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
    size = len(first)
    return ObservedGraph(graphs[0], views[:size]), ObservedGraph(graphs[1], views[size:])


def _plain_views(pair: Pair, one: Sequence[State], other: Sequence[State]) -> NDArray[np.int32]:
    numbers: dict[object, int] = {}
    views = [
        numbers.setdefault(pair.view(state), len(numbers))
        for states in (one, other)
        for state in states
    ]
    return np.array(views, np.int32)


_STRETCH = 1 << 20
"""States that are numbered between two looks at the limits."""


def _packed_views(
    pair: Pair, one: PackedStates, other: PackedStates, limits: Limits
) -> NDArray[np.int32]:
    """The numbers of views of packed states: equal values have equal words, wherever they stand."""
    layout = state_layout(pair.one.state, {name: pair.one.variables[name] for name in pair.shared})
    loops, most = view_loops_for(layout.words), len(one) + len(other)
    # A row for each view, two places in the table for each state, and its number.
    limits.watch(most * (8 * layout.words + 12))
    views = np.zeros(most, np.int32)
    shown = Packed(
        "shown",
        moves=np.zeros(1, np.int64),
        moved=0,
        state_words=1,
        row=np.zeros(layout.words, np.uint64),
        rows=np.zeros(most * layout.words, np.uint64),
        table=np.zeros(2 * most, np.int32),
        size=2 * most,
        views=views,
        first=0,
        count=0,
    )
    for first, states in ((0, one), (len(one), other)):
        moves = _moves(states.layout, layout)
        shown.set(moves=moves.reshape(-1), moved=len(moves), first=first)
        shown.set(state_words=states.layout.words)
        for begin in range(0, len(states), _STRETCH):
            limits.watch()
            loops.number_views(shown, states.words, begin, min(len(states), begin + _STRETCH))
    return views


def _moves(before: StateLayout, after: StateLayout) -> NDArray[np.int64]:
    """Where each value of a view is in a state, and where it goes."""
    return np.array(
        [
            (source.word, source.shift, mask(width), target.word, target.shift)
            for name, places in after.places.items()
            for source, target, width in zip(
                before.places[name], places, after.layouts[name].widths, strict=True
            )
        ],
        np.uint64,
    ).view(np.int64)
