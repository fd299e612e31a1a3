"""The graph of all reachable states where it is small, and where to draw each state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Limits, Space, Unfinished, build_space
from lockstep.trace.render import render_taken

MOST_STATES = 150
"""States up to which a graph is drawn."""
_SWEEPS = 6


class TooLarge(LockstepError):
    """The graph of this scope is not drawn; the message says why."""


@dataclass(frozen=True)
class Edge:
    """All steps from one state to another, by the numbers of the states."""

    source: int
    target: int
    instances: tuple[str, ...]


@dataclass(frozen=True)
class Drawing:
    """A graph in layers: each state as deep as it is steps away from the initial one, state 0.

    Steps that change nothing are no edges. `places` has the column of each state in its layer, the
    layers being centred on column 0. `broken` are the states that violate an invariant.
    """

    space: Space
    depths: Sequence[int]
    places: Sequence[float]
    edges: tuple[Edge, ...]
    broken: frozenset[int]

    def number(self, state: State) -> int | None:
        """The number of a state; None for one that cannot be reached."""
        return self._numbers.get(state)

    @cached_property
    def _numbers(self) -> Mapping[State, int]:
        return {state: number for number, state in enumerate(self.space.states)}


def draw(model: Model, *, most: int = MOST_STATES, limits: Limits | None = None) -> Drawing:
    """The graph of a model; `TooLarge` where it has more than `most` states or takes too long."""
    limits = limits or Limits(most)
    try:
        space = build_space(model, limits)
    except Unfinished as unfinished:
        raise TooLarge(
            f"a graph of up to {most} states is drawn, and this one is not: {unfinished}",
            cure="name a smaller scope by --scope",
        ) from None
    depths = [int(depth) for depth in space.depths()]
    edges = _edges(model, space)
    return Drawing(space, depths, _places(depths, edges), edges, _broken(model, space))


def _edges(model: Model, space: Space) -> tuple[Edge, ...]:
    between: dict[tuple[int, int], list[str]] = defaultdict(list)
    for source in range(len(space.states)):
        for number in space.steps(source):
            name = render_taken(model, space.step(number))
            between[source, int(space.targets[number])].append(name)
    return tuple(Edge(*ends, tuple(names)) for ends, names in between.items())


def _broken(model: Model, space: Space) -> frozenset[int]:
    engine = PlainEngine(model)
    invariants = model.of_kind(Kind.INVARIANT)

    def is_broken(state: State) -> bool:
        try:
            return any(
                engine.evaluate(prop, state, None).failing is not None for prop in invariants
            )
        except LockstepError:
            return True

    return frozenset(n for n, state in enumerate(space.states) if is_broken(state))


def _places(depths: Sequence[int], edges: Sequence[Edge]) -> list[float]:
    """A column for each state, so that few edges cross: each near the middle of its neighbours."""
    layers: dict[int, list[int]] = defaultdict(list)
    for state, depth in enumerate(depths):
        layers[depth].append(state)
    neighbours: dict[int, list[int]] = defaultdict(list)
    for edge in edges:
        if abs(depths[edge.source] - depths[edge.target]) == 1:
            neighbours[edge.source].append(edge.target)
            neighbours[edge.target].append(edge.source)
    places = [0.0] * len(depths)
    for layer in layers.values():
        _spread(layer, places)
    for sweep in range(_SWEEPS):
        for depth in sorted(layers, reverse=bool(sweep % 2)):
            layers[depth].sort(key=lambda state: _middle(state, neighbours, places))
            _spread(layers[depth], places)
    return places


def _middle(state: int, neighbours: Mapping[int, Sequence[int]], places: Sequence[float]) -> float:
    near = neighbours.get(state) or (state,)
    return sum(places[other] for other in near) / len(near)


def _spread(layer: Sequence[int], places: list[float]) -> None:
    for index, state in enumerate(layer):
        places[state] = index - (len(layer) - 1) / 2
