"""The results of models, made of the rows of their tasks, which come in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from lockstep.campaign.task import Row
from lockstep.verbs.campaign import Done


class OfModel(Protocol):
    """What comes of the tasks of one model; `interrupted` that there are not all of them."""

    interrupted: bool

    def take(self, row: Row) -> None:
        """Take in the row of a task."""
        ...


ModelT = TypeVar("ModelT", bound=OfModel)


class Collection(Generic[ModelT]):
    """Tells of each model as soon as all of its rows are there, in the order of the models."""

    def __init__(self, on_result: Callable[[ModelT], None]) -> None:
        self._on_result = on_result
        self._models: deque[tuple[ModelT, range]] = deque()
        self._rows: dict[int, Row] = {}
        self.results: list[ModelT] = []
        self.kept: list[Row] = []

    def begin(self, models: Sequence[tuple[ModelT, range]]) -> None:
        """Wait for the rows of models, each with the numbers of its tasks."""
        self._models += models
        self._finish()

    def add(self, done: Done) -> None:
        """Take in the row of a task, and tell of each model that is done with it."""
        self._rows[done.number] = done.row
        self.kept += [done.row] * done.is_kept
        self._finish()

    def interrupt(self) -> None:
        """Tell of each model of which something is known."""
        for model, numbers in self._models:
            if not self._rows.keys().isdisjoint(numbers):
                model.interrupted = not self._has_all(numbers)
                self._tell(model, numbers)
        self._models.clear()

    def _finish(self) -> None:
        while self._models and self._has_all(self._models[0][1]):
            self._tell(*self._models.popleft())

    def _has_all(self, numbers: range) -> bool:
        return all(number in self._rows for number in numbers)

    def _tell(self, model: ModelT, numbers: range) -> None:
        for number in numbers:
            if (row := self._rows.get(number)) is not None:
                model.take(row)
        self.results.append(model)
        self._on_result(model)
