"""The state spaces of models, kept as long as more than one question is asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from lockstep.language.model import Model

SpaceT = TypeVar("SpaceT")


class Spaces(Generic[SpaceT]):
    """The state spaces of models, so that each is made once.

    Models that differ in their properties alone have the same. `explorations` says for each search
    that was begun which model it was of.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[Model, SpaceT]] = []
        self.explorations: list[str] = []

    def keep(self, model: Model, space: SpaceT) -> None:
        """Keep the whole state space of a model."""
        self._kept.append((model, space))

    def find(self, model: Model) -> SpaceT | None:
        """The state space of a model; None where it was not made."""
        for other, space in self._kept:
            if other.actions is model.actions and other.initial == model.initial:
                return space
        return None
