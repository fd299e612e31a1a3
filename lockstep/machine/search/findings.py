"""What goes wrong on a level: of all that does, the first by rank, then by the states' words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lockstep.machine.search.interface import NOTHING_NOTED
from lockstep.machine.search.memory import Array


class Finding:
    """One kind of failure as kernels note it: in `packed` its rank, then the states concerned."""

    def __init__(self, words: int) -> None:
        """`words` of one state, or of two side by side."""
        self.packed: Array = np.zeros(1 + words, np.uint64)
        self.packed[0] = NOTHING_NOTED

    @property
    def is_noted(self) -> bool:
        """Whether there is anything."""
        return int(self.packed[0]) != NOTHING_NOTED

    @property
    def rank(self) -> int:
        """Its rank, where there is anything."""
        return int(self.packed[0])

    @property
    def states(self) -> Array:
        """The words of the states."""
        return self.packed[1:]


@dataclass
class Findings:
    """The failures that one thread noted on a level.

    Steps have two states, the one before and the one after. A rank in `broken` is one more than a
    property's position in the model, 0 for a deadlock; in `failed` it is the rank of the place
    without meaning.
    """

    broken_step: Finding
    broken_state: Finding
    failed_step: Finding
    failed_state: Finding

    @property
    def is_noted(self) -> bool:
        """Whether there is any."""
        return any(finding.is_noted for finding in vars(self).values())

    @classmethod
    def none(cls, words: int) -> Findings:
        """No failure so far, of states of `words` words."""
        return cls(Finding(2 * words), Finding(words), Finding(2 * words), Finding(words))


def first(findings: list[Finding]) -> Finding | None:
    """The first of several findings of one kind; None when nothing is noted in any."""
    noted = [finding for finding in findings if finding.is_noted]
    return min(noted, key=lambda finding: finding.packed.tolist(), default=None)
