"""The state spaces of models, kept as long as more than one question is asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from lockstep.language.model import Model

GraphT = TypeVar("GraphT")


class Spaces(Generic[GraphT]):
    """The graphs of models, so that each is made once.

    Models that differ in their properties alone have the same. `explorations` says for each search
    that was begun which model it was of.
    """

    def __init__(self) -> None:
        self._kept: list[tuple[Model, GraphT]] = []
        self.explorations: list[str] = []

    def keep(self, model: Model, graph: GraphT) -> None:
        """Keep the whole graph of a model."""
        self._kept.append((model, graph))

    def find(self, model: Model) -> GraphT | None:
        """The graph of a model; None where it was not made."""
        for other, graph in self._kept:
            if other.actions is model.actions and other.initial == model.initial:
                return graph
        return None
