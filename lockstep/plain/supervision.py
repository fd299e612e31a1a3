"""What every search does beside searching: report how far it is, end at a bound, advise."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto

from lockstep.language.values import NotInDomain, TooManyValues
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import Progress, SearchResult
from lockstep.results.verdict import Verdict
from lockstep.system.resident import ResidentBound
from lockstep.words import plural

PROGRESS_SECONDS = 0.1
"""Between two reports of how far a search is."""
_WEIGHING_SECONDS = 0.02
"""Between two looks at how much memory the process has."""


class Bound(Enum):
    """What may end a search before it has seen everything."""

    STATES = auto()
    SECONDS = auto()
    DEPTH = auto()
    MEMORY = auto()


class Stopped(Exception):
    """A bound was met: the text says which."""


class Pace:
    """When it is time again for what is done every so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._next = 0.0

    def is_due(self, now: float) -> bool:
        """Whether so many seconds passed since it was due before; `now` is in seconds, too."""
        if now < self._next:
            return False
        self._next = now + self._seconds
        return True


class Supervision:
    """The clock, the bounds and the reports of one search; it begins when this is made."""

    def __init__(
        self,
        request: Exploration,
        result: SearchResult,
        memory: ResidentBound | None,
        states: Callable[[], int],
    ) -> None:
        """`states` counts the states that the search knows."""
        self._bounds = request.bounds
        self._on_progress = request.on_progress
        self._result = result
        self._memory = memory
        self._states = states
        self._began = time.perf_counter()
        self._reports = Pace(PROGRESS_SECONDS)
        self._weighings = Pace(_WEIGHING_SECONDS)
        self.covered = 0
        """Every behaviour of so many steps is covered."""
        self.covered_states = 0
        """The states that they lead to."""
        self.met: Bound | None = None
        """The bound that ended the search."""

    @property
    def seconds(self) -> float:
        """The seconds since the search began."""
        return time.perf_counter() - self._began

    @contextmanager
    def giving_up(self) -> Iterator[None]:
        """End the block at a bound, at Ctrl-C or for lack of memory, and say so in the result."""
        try:
            yield
        except Stopped as stopped:
            self.give_up(str(stopped))
        except KeyboardInterrupt:
            self._result.interrupted = True
            self.give_up("interrupted")
        except MemoryError:
            self._result.out_of_memory = True
            self.give_up("the memory is full")

    def give_up(self, why: str) -> None:
        """Not everything was explored: say why, and what was covered all the same."""
        self._result.verdict = Verdict.INCONCLUSIVE
        states = self.covered_states if self.met is Bound.STATES else self._states()
        self._result.because = (
            f"{why}, with {plural(states, 'state')} known; "
            f"every behaviour of up to {plural(self.covered, 'step')} is covered"
        )

    def cover(self, depth: int) -> None:
        """Every behaviour of so many steps is covered; `Stopped` if that is what was asked for."""
        self.covered, self.covered_states = depth, self._states()
        if depth == self._bounds.max_depth:
            raise self._stopped(Bound.DEPTH, "stopped as bounded")

    def watch_states(self, more: int = 0) -> None:
        """`Stopped` when more states are known than there may be, with so many of a new level.

        The level that they are on is no part of the result then: how far a search is on it when it
        stops is another thing with each engine, and with each number of threads.
        """
        most = self._bounds.max_states
        if most is not None and self._states() + more > most:
            raise self._stopped(Bound.STATES, "stopped as bounded")

    def watch(self, progress: Callable[[float], Progress]) -> None:
        """Report how far the search is, if it is time; `progress` is given the seconds passed.

        `Stopped` when the time is over, or when the process has as much memory as it may have.
        """
        seconds, most = time.perf_counter() - self._began, self._bounds.max_seconds
        if self._on_progress is not None and self._reports.is_due(seconds):
            self._on_progress(progress(seconds))
        if most is not None and seconds >= most:
            raise self._stopped(Bound.SECONDS, f"stopped after {seconds:.0f} s as bounded")
        memory = self._memory
        if memory is not None and self._weighings.is_due(seconds) and memory.is_met:
            raise self.out_of_memory()

    def out_of_memory(self) -> Stopped:
        """That there is no room for more within the bound on memory."""
        self._result.out_of_memory = True
        return self._stopped(Bound.MEMORY, f"stopped at {self._memory} as bounded")

    def _stopped(self, bound: Bound, why: str) -> Stopped:
        self.met = bound
        return Stopped(why)


WHY = "a model's text has a value in every reachable state, or it means nothing there"


def advice(error: BaseException, guard: str) -> tuple[str, str]:
    """Why an error is one, and its cure; `guard` is how the function says what it presumes."""
    match error:
        case NotInDomain():
            return (
                "a variable, a field and a key hold values of their own domain only",
                f"exclude it first with `{guard}`, bring the value into {error.domain}, or widen "
                "that domain",
            )
        case TooManyValues():
            return (
                "what is enumerated takes time for each value",
                "go through a collection, or explore a scope in which the domain is small",
            )
        case ZeroDivisionError():
            return WHY, f"exclude it first: `{guard.replace('...', 'divisor != 0')}`"
        case IndexError():
            return (
                "a sequence has the items 0 up to its length, and no others",
                f"exclude it first: `{guard.replace('...', 'len(items) > index')}`",
            )
        case KeyError():
            return (
                "a map has the keys of its domain, and no others",
                f"exclude it first with `{guard}`, or give the map a wider domain of keys",
            )
    if "NoneType" in str(error) or "is None" in str(error):
        return (
            "None has no fields, no items and no arithmetic",
            f"exclude it first: `{guard.replace('...', 'x is not None')}`",
        )
    if isinstance(error, ValueError) and ("empty" in str(error) or "arg" in str(error)):
        return WHY, "say what it is where there is nothing: `min(..., default=0)`"
    return WHY, f"exclude it first with `{guard}`"
