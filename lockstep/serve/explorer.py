"""The questions of the page `explore`, each from JSON to JSON; nothing here knows of HTTP."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import msgspec

from lockstep.errors import LockstepError
from lockstep.serve.views import coverage_view, drawing_view, here_view
from lockstep.verbs.explore import Explored
from lockstep.walk.drawing import Drawing, TooLarge
from lockstep.walk.nearest import Refused, find_nearest
from lockstep.walk.walk import NotTaken

MOST_STEPS = 2_000
"""Steps of a walk that is asked for."""

Reply: TypeAlias = dict[str, Any]


class Busy(LockstepError):
    """A search runs already, and one at a time is enough."""


class Walked(msgspec.Struct, forbid_unknown_fields=True):
    """Where a page stands: the names of its steps, and how many of them are taken."""

    walk: list[str] = []
    position: int | None = None


class Looked(msgspec.Struct, forbid_unknown_fields=True):
    """A state that a page looks for, from where it stands."""

    predicate: str
    walk: list[str] = []
    position: int | None = None


class Clicked(msgspec.Struct, forbid_unknown_fields=True):
    """A state of the graph, by its number."""

    state: int


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """A question without particulars."""


_Question = TypeVar("_Question", Walked, Looked, Clicked, Nothing)


class Explorer:
    """Answers the questions of one page, or of several tabs, about one model."""

    def __init__(self, explored: Explored) -> None:
        self._explored = explored
        self._walking = threading.Lock()  # there is one walk: each question begins with its own
        self._searching = threading.Lock()
        self._questions: dict[str, Callable[[bytes], Reply]] = {
            "about": lambda body: self._about(_read(body, Nothing)),
            "here": lambda body: self._here(_read(body, Walked)),
            "jump": lambda body: self._jump(_read(body, Looked)),
            "graph": lambda body: self._graph(_read(body, Nothing)),
            "state": lambda body: self._state(_read(body, Clicked)),
            "coverage": lambda body: self._coverage(_read(body, Nothing)),
        }

    def answer(self, question: str, body: bytes) -> Reply:
        """The answer to a question. `LockstepError` for one that makes no sense, `Busy` later."""
        if question not in self._questions:
            raise LockstepError(f"there is no question {question!r}")
        return self._questions[question](body)

    def _about(self, _: Nothing) -> Reply:
        explored = self._explored
        return {
            "model": explored.name,
            "scope": explored.scope.name,
            "purpose": explored.scope.purpose,
            "doc": explored.model.doc,
            "command": explored.command,
            "seconds": explored.request.max_seconds,
        }

    def _here(self, asked: Walked) -> Reply:
        with self._walking:
            problem = self._go(asked)
            return self._view(problem)

    def _jump(self, asked: Looked) -> Reply:
        with self._search():
            with self._walking:
                problem = self._go(Walked(asked.walk, asked.position))
                walk = self._explored.walk
                names, position = walk.names, walk.position
                start = walk.here
            if problem is not None:
                raise LockstepError(problem)
            explored = self._explored
            try:
                nearest = find_nearest(explored.model, start, asked.predicate, explored.bounds)
            except Refused as refused:
                return {"found": False, "because": "", "refused": str(refused)}
            if nearest.steps is None:
                return {"found": False, "because": nearest.because}
            with self._walking:
                walk.go(names, position)
                walk.follow(nearest.steps)
                return {"found": True, "because": nearest.because, **self._view(None)}

    def _graph(self, _: Nothing) -> Reply:
        drawing = self._drawing
        if isinstance(drawing, TooLarge):
            return {"problem": str(drawing)}
        return drawing_view(drawing)

    def _state(self, asked: Clicked) -> Reply:
        drawing = self._drawing
        if isinstance(drawing, TooLarge) or not 0 <= asked.state < len(drawing.space.states):
            raise LockstepError(f"there is no state {asked.state} in a graph")
        trace = drawing.space.trace(drawing.space.way_to(asked.state))
        with self._walking:
            walk = self._explored.walk
            walk.go(walk.names_of(trace))
            return self._view(None)

    def _coverage(self, _: Nothing) -> Reply:
        with self._search():
            return self._covered

    def _go(self, asked: Walked) -> str | None:
        """Stand where a page stands; what is wrong with it, where only some steps can be taken."""
        if len(asked.walk) > MOST_STEPS:
            raise LockstepError(f"a walk has up to {MOST_STEPS:,} steps here")
        try:
            self._explored.walk.go(asked.walk, asked.position)
        except NotTaken as error:
            return str(error)
        return None

    def _view(self, problem: str | None) -> Reply:
        drawing = self._drawing
        walk = self._explored.walk
        number = None if isinstance(drawing, TooLarge) else drawing.number(walk.here)
        return {"problem": problem, "state_number": number, **here_view(walk)}

    @cached_property
    def _drawing(self) -> Drawing | TooLarge:
        """The graph, or why there is none to draw; it is made once."""
        try:
            return self._explored.drawing()
        except TooLarge as reason:
            return reason

    @cached_property
    def _covered(self) -> Reply:
        """What a search came by; it is done once."""
        return coverage_view(self._explored)

    @contextmanager
    def _search(self) -> Iterator[None]:
        """One search at a time."""
        if not self._searching.acquire(blocking=False):
            seconds = self._explored.request.max_seconds
            raise Busy(
                f"a search is running, for up to {seconds:g} s or a little more",
                cure="ask again when it is over",
            )
        try:
            yield
        finally:
            self._searching.release()


def _read(body: bytes, shape: type[_Question]) -> _Question:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LockstepError(f"this question is damaged: {error}") from None
