"""What goes wrong on a level: of all that does, the first by rank, then by the states' words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lockstep.machine.search.memory import Array


class Finding:
    """One kind of failure as kernels note it: a rank (-1 for none), and the states concerned."""

    def __init__(self, words: int) -> None:
        """`words` of one state, or of two side by side."""
        self.rank = np.full(1, -1, np.int64)
        self.states: Array = np.zeros(words, np.uint64)

    @property
    def key(self) -> tuple[int, ...] | None:
        """What findings are ordered by; None when there is nothing."""
        if self.rank[0] < 0:
            return None
        return (int(self.rank[0]), *(int(part) for part in self.states))


@dataclass
class Findings:
    """What one thread found on a level. Steps have two states, the one before and the one after.

    A rank in `broken` is one more than a property's position in the model, 0 for a deadlock; in
    `failed` it is the rank of the place without meaning.
    """

    broken_step: Finding
    broken_state: Finding
    failed_step: Finding
    failed_state: Finding

    @classmethod
    def none(cls, words: int) -> Findings:
        """Nothing found yet, of states of `words` words."""
        return cls(Finding(2 * words), Finding(words), Finding(2 * words), Finding(words))


def first(findings: list[Finding]) -> Finding | None:
    """The first of several findings of one kind."""
    some = [finding for finding in findings if finding.key is not None]
    return min(some, key=lambda finding: finding.key or (), default=None)
