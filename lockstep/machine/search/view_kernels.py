"""The kernel that numbers what states show, in Python that numba understands.

A view is a row of `words` 64-bit words: some bits of a state, each moved to its place. The table
has the number of a view plus one, at the first free place from that of its hash on; a zero is a
free place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lockstep.machine.search.interface import MOVE
from lockstep.machine.search.kernel_parts import (
    copy,
    counts_at,
    hash_of,
    linked,
    numbers_at,
    place_of,
    same,
    states_at,
)


def module_text(words: int) -> str:
    """The kernel for views of so many words as the text of an LLVM module."""
    return linked(_kernels(words))


def _kernels(words: int) -> dict[str, Callable[..., Any]]:
    def number_views(shown: Any, states: Any, begin: Any, end: Any) -> Any:
        """Number the views of the states from `begin` to `end`; returns how many views there are.

        A move is where a value is in a state and where in the view: word and shift there, mask,
        word and shift here. The numbers go on from those that were given before.
        """
        moves, moved, state_words = counts_at(shown.moves), shown.moved, shown.state_words
        row, rows = states_at(shown.row), states_at(shown.rows)
        table, size = numbers_at(shown.table), shown.size
        views, first, count = numbers_at(shown.views), shown.first, shown.count
        for number in range(begin, end):
            for word in range(words):
                row[word] = np.uint64(0)
            for move in range(moved):
                at = move * MOVE
                value = states[number * state_words + moves[at]] >> np.uint64(moves[at + 1])
                value &= np.uint64(moves[at + 2])
                row[moves[at + 3]] |= value << np.uint64(moves[at + 4])
            place = place_of(hash_of(row, 0, words), size)
            while table[place] != 0 and not same(
                rows, (np.int64(table[place]) - 1) * words, row, 0, words
            ):
                place += 1
                if place == size:
                    place = 0
            if table[place] == 0:
                copy(row, 0, rows, count * words, words)
                count += 1
                table[place] = count
            views[first + number] = table[place] - 1
        shown.count = count
        return count

    return {"number_views": number_views}
