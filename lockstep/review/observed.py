"""Two graphs of states, of which only what both models show is looked at.

What a state shows is a number: the same for the same values, in either graph. Of packed states the
words say it, for equal values have equal words. A function that shows a value is called by plain
Python, once for all states that are alike in the variables that it reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.explore.live_search import space_of
from lockstep.language import ir
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.language.totality import walk
from lockstep.machine.code.cells import WORD, mask
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.state import StateLayout, state_layout
from lockstep.machine.search.interface import Packed
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.space_search import PackedStates
from lockstep.plain.exploration import Exploration
from lockstep.plain.space import Limits, Space
from lockstep.review.pair import Pair

_STRETCH = 1 << 20
"""States that are numbered between two looks at the limits."""

Numbers: TypeAlias = "NDArray[np.int32]"
"""A number for each state."""


@dataclass(frozen=True)
class _Rows:
    """Rows of words, and which of their bits are moved where before they are numbered."""

    words: NDArray[np.uint64]
    width: int
    moves: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.words) // self.width


def plain_views(pair: Pair, one: Sequence[State], other: Sequence[State]) -> Numbers:
    """The number of what each state shows, of `one` and then of `other`."""
    numbers: dict[object, int] = {}
    views = [
        numbers.setdefault(pair.view(model, state), len(numbers))
        for model, states in ((pair.one, one), (pair.other, other))
        for state in states
    ]
    return np.array(views, np.int32)


def packed_views(pair: Pair, one: PackedStates, other: PackedStates, limits: Limits) -> Numbers:
    """The same of packed states; `Unfinished` where a limit is met."""
    domains = {name: pair.one.variables[name] for name in pair.variables}
    layout = state_layout(pair.one.state, domains)
    views = _numbered([_rows(states, layout) for states in (one, other)], layout.words, limits)
    for name in pair.mapped:
        values: dict[object, int] = {}
        columns = [
            _column(pair, model, states, name, values, limits)
            for model, states in ((pair.one, one), (pair.other, other))
        ]
        both = views.astype(np.uint64) | np.concatenate(columns).astype(np.uint64) << np.uint64(32)
        whole = np.array([(0, 0, mask(WORD), 0, 0)], np.uint64).view(np.int64)
        views = _numbered([_Rows(both, 1, whole)], 1, limits)
    return views


def _column(
    pair: Pair,
    model: Model,
    states: PackedStates,
    name: str,
    values: dict[object, int],
    limits: Limits,
) -> Numbers:
    """What each state of a model shows under a name, numbered in `values`."""
    domains = {variable: model.variables[variable] for variable in _read(model, name)}
    layout = state_layout(model.state, domains)
    alike = _numbered([_rows(states, layout)], layout.words, limits)
    first = np.zeros(int(alike.max()) + 1, np.int64)
    # Of several states for one number the last is kept: backwards, the first.
    first[alike[::-1]] = np.arange(len(alike) - 1, -1, -1)
    numbers = np.zeros(len(first), np.int32)
    for number, state in enumerate(first.tolist()):
        limits.watch()
        value = pair.value(model, name, states[state])
        numbers[number] = values.setdefault(value, len(values))
    column: Numbers = numbers[alike]
    return column


def _read(model: Model, name: str) -> list[str]:
    """The variables that what is shown under a name depends on."""
    shown = next((shown for shown in model.shown if shown.name == name), None)
    if shown is None:
        return [name]
    read = {part.variable for part in walk(model.lowered.shown[shown]) if isinstance(part, ir.Read)}
    return [variable for variable in model.variables if variable in read]


def _rows(states: PackedStates, layout: StateLayout) -> _Rows:
    """States of which what `layout` has is numbered."""
    before = states.layout
    moves = [
        (source.word, source.shift, mask(width), target.word, target.shift)
        for name, places in layout.places.items()
        for source, target, width in zip(
            before.places[name], places, layout.layouts[name].widths, strict=True
        )
    ]
    return _Rows(states.words, before.words, np.array(moves, np.uint64).view(np.int64))


def _numbered(parts: Sequence[_Rows], words: int, limits: Limits) -> Numbers:
    """The number of each row, equal ones having one; a row has so many words after its moves."""
    loops, most = loops_for("views", words), sum(map(len, parts))
    # A row for each number, two places in the table for each row, and its number.
    limits.watch(most * (8 * words + 12))
    numbers = np.zeros(most, np.int32)
    shown = Packed(
        "shown",
        moves=np.zeros(1, np.int64),
        moved=0,
        state_words=1,
        row=np.zeros(words, np.uint64),
        rows=np.zeros(most * words, np.uint64),
        table=np.zeros(2 * most, np.int32),
        size=2 * most,
        views=numbers,
        first=0,
        count=0,
    )
    first = 0
    for part in parts:
        moves = part.moves.reshape(-1)
        shown.set(moves=moves, moved=len(part.moves), state_words=part.width, first=first)
        for begin in range(0, len(part), _STRETCH):
            limits.watch()
            loops.number_views(shown, part.words, begin, min(len(part), begin + _STRETCH))
        first += len(part)
    return numbers


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
