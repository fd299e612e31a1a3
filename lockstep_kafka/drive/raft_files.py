"""The file of a snapshot: Kafka's bytes, and the units that the model has of it."""

from __future__ import annotations

from dataclasses import dataclass

FOOTER = 0
"""The last unit of a file."""
OUTSIDE = -1
"""An epoch, a size or a position that the model does not have."""


@dataclass(frozen=True)
class File:
    """A snapshot: its bytes, and the model's units of it."""

    data: bytes
    units: tuple[int, ...]

    def at(self, unit: int) -> int:
        """The position at which a unit begins; the size of the file, behind the last one."""
        count = len(self.units)
        return len(self.data) if unit >= count else unit * (len(self.data) // count)

    def unit_at(self, position: int) -> int:
        """The unit that begins at a position; `OUTSIDE` where none does."""
        places = [self.at(unit) for unit in range(len(self.units) + 1)]
        return places.index(position) if position in places else OUTSIDE

    def read(self, data: bytes, position: int, damaged: int) -> tuple[int, ...]:
        """Which units bytes are, if they are put at a position; `damaged` for other bytes."""
        first, end = self.unit_at(position), self.unit_at(position + len(data))
        if min(first, end) == OUTSIDE:
            return (damaged,)
        return tuple(
            unit
            if data[self.at(at) - position : self.at(at + 1) - position] == self._of(at)
            else damaged
            for at, unit in enumerate(self.units[first:end], first)
        )

    def _of(self, unit: int) -> bytes:
        return self.data[self.at(unit) : self.at(unit + 1)]
