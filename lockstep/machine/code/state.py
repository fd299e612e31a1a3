"""How a whole state is packed into words: the words of its variables, side by side.

The highest bit of the first word is set in every state, so that a word of zeros in a table says
that nothing is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lockstep.language.domains import Domain
from lockstep.language.notation import State
from lockstep.machine.code.cells import WORD, Layout, Place, mask
from lockstep.machine.code.layout import layout_of

PRESENT = 1 << WORD - 1
"""The bit that every state has in its first word."""


@dataclass(frozen=True)
class StateLayout:
    """`places[name]` is where each word of a variable's value stands in the state."""

    state: type[State]
    layouts: Mapping[str, Layout]
    places: Mapping[str, tuple[Place, ...]]
    words: int
    """How many words a state takes."""
    bits: int
    """How many bits of them are used."""

    def encode(self, state: State) -> list[int]:
        """The words of a state."""
        words = [PRESENT] + [0] * (self.words - 1)
        for (name, layout), value in zip(self.layouts.items(), state, strict=True):
            for part, place in zip(layout.encode(value), self.places[name], strict=True):
                words[place.word] |= part << place.shift
        return words

    def decode(self, words: Sequence[int]) -> State:
        """The state that has these words."""
        return self.state.of(
            layout.decode(
                [
                    int(words[place.word]) >> place.shift & mask(width)
                    for width, place in zip(layout.widths, self.places[name], strict=True)
                ]
            )
            for name, layout in self.layouts.items()
        )


def state_layout(state: type[State], variables: Mapping[str, Domain]) -> StateLayout:
    """Pack the variables into as few words as first-fit by decreasing width finds."""
    layouts = {name: layout_of(domain) for name, domain in variables.items()}
    pieces = sorted(
        (
            (width, name, index)
            for name, layout in layouts.items()
            for index, width in enumerate(layout.widths)
        ),
        key=lambda piece: -piece[0],
    )
    room = [WORD - 1]
    places: dict[str, dict[int, Place]] = {name: {} for name in layouts}
    for width, name, index in pieces:
        word = next((word for word, bits in enumerate(room) if bits >= width), len(room))
        if word == len(room):
            room.append(WORD)
        used = (WORD - 1 if word == 0 else WORD) - room[word]
        places[name][index] = Place(word, used)
        room[word] -= width
    return StateLayout(
        state,
        layouts,
        {
            name: tuple(parts[index] for index in range(len(parts)))
            for name, parts in places.items()
        },
        len(room),
        1 + sum(width for width, _, _ in pieces),
    )
