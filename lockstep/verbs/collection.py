"""The results of models, made of the rows of their tasks, which come in any order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from lockstep.answers.answer import Answer
from lockstep.campaign.task import Task
from lockstep.verbs.campaign import Done
from lockstep.verbs.run import Run

Planned: TypeAlias = tuple[Task, int | None]
"""A task, and the number of states that it may have where that is known."""


class OfModel(Protocol):
    """What comes of the tasks of one model; `interrupted` that there are not all of them."""

    name: str
    interrupted: bool

    @property
    def exit_code(self) -> int:
        """What this model alone would end the process with."""
        ...

    def take(self, row: Answer) -> None:
        """Take in the row of a task."""
        ...


ModelT = TypeVar("ModelT", bound=OfModel)


@dataclass(frozen=True)
class ModelsRun(Run[str, ModelT]):
    """The result of each model; `kept` are the rows that an earlier run has kept."""

    kept: tuple[Answer, ...] = ()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it, or a bound on the time of all."""
        return bool(self.pending) or any(model.interrupted for model in self.results)


def run_models(
    names: Sequence[str],
    plan: Callable[[str], tuple[ModelT, Sequence[Planned]]],
    rows: Callable[[Sequence[Planned]], Iterable[Done]],
    on_result: Callable[[ModelT], None],
) -> ModelsRun[ModelT]:
    """Plan the tasks of models, and have the rows of all of them.

    `on_result` is told of each model, in the order of the names, as soon as it and those before it
    are done. Ctrl-C keeps what there is.
    """
    collection = Collection(on_result)
    models: list[tuple[ModelT, range]] = []
    tasks: list[Planned] = []
    try:
        for name in names:
            model, planned = plan(name)
            models.append((model, range(len(tasks), len(tasks) + len(planned))))
            tasks += planned
        collection.begin(models)
        for done in rows(tasks):
            collection.add(done)
        collection.interrupt()  # where a bound on the time of all has left some out
    except KeyboardInterrupt:
        collection.interrupt()
    begun = {model.name for model in collection.results}
    pending = tuple(name for name in names if name not in begun)
    return ModelsRun(tuple(collection.results), pending, tuple(collection.kept))


class Collection(Generic[ModelT]):
    """Tells of each model as soon as all of its rows are there, in the order of the models."""

    def __init__(self, on_result: Callable[[ModelT], None]) -> None:
        self._on_result = on_result
        self._models: deque[tuple[ModelT, range]] = deque()
        self._rows: dict[int, Answer] = {}
        self.results: list[ModelT] = []
        self.kept: list[Answer] = []

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
