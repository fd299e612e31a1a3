"""The loop of every verb: one task after the other, until all are done or Ctrl-C ends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError
from lockstep.results.search_result import Progress
from lockstep.results.verdict import INTERRUPTED, Verdict, exit_code_of, verdict_without, worst


class Result(Protocol):
    """What comes of one task."""

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        ...


class WithVerdict(Result, Protocol):
    """A result in which there is a verdict."""

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        ...


class Interruptible(WithVerdict, Protocol):
    """A result that Ctrl-C may have cut short."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the work on it."""
        ...


class Judged:
    """A result whose exit code follows from its verdict."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the work on it."""
        return False

    @property
    def exit_code(self: Interruptible) -> int:
        """What this result alone would end the process with."""
        return exit_code_of(self.verdict, interrupted=self.interrupted)


class Failure:
    """A task without a result: `error`, a field of such a result, says why."""

    error: LockstepError

    @property
    def verdict(self) -> Verdict:
        """The word for what could not be judged."""
        return verdict_without(self.error)

    @property
    def exit_code(self) -> int:
        """2 where what was given is wrong, 3 where a bound was met, 70 for lockstep's mistakes."""
        return int(self.error.exit_code)


def judged_answer(kind: str, result: WithVerdict | Failure, **values: Any) -> Answer:
    """The answer that a result gives; of a failure, why there is no other."""
    answer = {"kind": kind, "verdict": str(result.verdict), "exit_code": result.exit_code}
    if isinstance(result, Failure):
        answer |= {"because": str(result.error), "error": str(result.error)}
    return Answer(**{**answer, **values})


TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT", bound=Result)


@dataclass(frozen=True)
class Run(Generic[TaskT, ResultT]):
    """All results of a run, in order, and the tasks that it did not come to."""

    results: tuple[ResultT, ...]
    pending: tuple[TaskT, ...] = ()

    @property
    def exit_code(self) -> int:
        """The worst of all; 130 where a task was not come to."""
        codes = [result.exit_code for result in self.results]
        return worst([*codes, *[INTERRUPTED] * bool(self.pending)])


def run_each(
    tasks: Sequence[TaskT],
    work: Callable[[TaskT], ResultT],
    on_result: Callable[[ResultT], None] = lambda _: None,
) -> Run[TaskT, ResultT]:
    """Do one task after the other and tell `on_result` of each; Ctrl-C keeps what there is.

    `work` keeps errors of one task in its result, so that the other tasks are done.
    """
    results: list[ResultT] = []
    try:
        for task in tasks:
            results.append(work(task))
            on_result(results[-1])
            if results[-1].exit_code == INTERRUPTED:
                break
    except KeyboardInterrupt:
        pass  # the results so far stand, and what is pending says that there are not all
    return Run(tuple(results), tuple(tasks[len(results) :]))


OnProgress = Callable[[Progress], None]


class Watch:
    """Who looks on while a verb is at work: here nobody, else a terminal or a notebook."""

    def search(self, title: str, expected: int | None) -> AbstractContextManager[OnProgress | None]:
        """Look on at a search; `expected` is how many states there will be, where that is known."""
        return nullcontext(None)

    def steps(self, title: str) -> AbstractContextManager[Callable[[str], None]]:
        """Look on at work that names each of its steps."""
        return nullcontext(lambda _: None)
