"""A model with a change: a fault or a proposal that stands where a function of the model stood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.loader import Universe
from lockstep.language.notation import MARK


@dataclass(frozen=True)
class Variant:
    """What changes a model, under a name that says what it is, such as `the fault torn_write`.

    `loaded` are the modules that the model had before the change was loaded.
    """

    universe: Universe
    model: str
    name: str
    loaded: frozenset[str]

    def replace(self, old: Callable[..., Any], new: Callable[..., Any]) -> None:
        """Let a function stand in place of another one, of the same kind.

        `LockstepError` where the model does not use the other one.
        """
        if old.__module__ not in self.loaded:
            raise LockstepError(
                f"{self.name} replaces {old.__name__}, which {self.model} does not use",
                cure=f"name a function of models/{self.model}.py or of what it imports",
            )
        mark = getattr(old, MARK, None)
        if mark is not None:
            setattr(new, MARK, mark)
        self.universe.substitute(old, new)
