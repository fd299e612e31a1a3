"""What the verbs that do many tasks have in common: how tasks are planned, and where they go."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias, TypeVar

from lockstep.answers.answer import Answer, encode
from lockstep.answers.store import Dependencies
from lockstep.campaign.campaign import (
    Campaign,
    KeptRows,
    Planned,
    TimeLeft,
    expected_seconds,
    longest_first,
)
from lockstep.campaign.cluster import Cluster
from lockstep.campaign.processes import Here, Place, Processes, Share, cores
from lockstep.campaign.task import Outcome, Task, answer_to
from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.campaign import TasksOptions
from lockstep.requests.run import Run, Watch
from lockstep.requests.search import SPARK
from lockstep.results.verdict import verdict_without
from lockstep.spark.session import master_of
from lockstep.system.crash import failure_of, tell
from lockstep.system.interruption import INTERRUPTION
from lockstep.system.resident import available_memory
from lockstep.system.workspace_text import WorkspaceText
from lockstep.verbs.check_result import PACKAGES
from lockstep.words import plural, shown_path
from lockstep.workspace import Workspace

_LEAST_SECONDS = 3.0
"""Tasks that take less together are done before another process would have begun."""

_LEAST_MEMORY = 512 * 2**20
"""Bytes that a process has use for: with less than that for each there are fewer of them."""

RESULTS = "results.jsonl"
"""The file of the rows among what a workspace keeps."""


class WatchedWork(Protocol):
    """Work that somebody may look on at, which is possible in this process alone."""

    def __call__(
        self, workspace: Path, task: bytes, share: Share, *, watch: Watch = Watch()
    ) -> bytes:
        """Do a task; the outcome."""
        ...


def outcome_of(workspace: Path, task: Task, work: Callable[[], Outcome]) -> bytes:
    """The encoded outcome of a task; where it fails, what is wrong with it is in its row."""
    try:
        return encode(work())
    except Exception as error:
        failure = failure_of(error, Workspace(workspace, workspace.name))
        verdict, code = str(verdict_without(failure)), int(failure.exit_code)
        return encode(Outcome(answer_to(task, verdict=verdict, error=str(failure), exit_code=code)))


class Done(NamedTuple):
    """The number of a task and its row, which an earlier run may have kept."""

    number: int
    row: Answer
    is_kept: bool


class TaskError(LockstepError):
    """Why a task has no verdict, as its row says it."""

    def __init__(self, row: Answer) -> None:
        super().__init__(row.error)
        self.exit_code = ExitCode(row.exit_code)


def campaign_rows(
    workspace: Workspace,
    work: WatchedWork,
    tasks: Sequence[tuple[Task, int | None]],
    options: TasksOptions,
    watch: Watch,
) -> Iterator[Done]:
    """Do tasks, each with the number of states that it may have; their rows as they end.

    Those that a bound on the time of all leaves out have none.

    `LockstepError` where the rows cannot be kept. KeyboardInterrupt for Ctrl-C.
    """
    until = math.inf if options.seconds is None else time.monotonic() + options.seconds
    kept = _kept_rows(workspace, options.results)
    plan = [Planned(task, _seconds(kept, task, states)) for task, states in tasks]
    campaign = _campaign(workspace, kept, [task for task, _ in tasks])
    known = {} if options.anew else campaign.known(plan)
    for number, row in known.items():
        yield Done(number, row, is_kept=True)
    pending = [number for number in range(len(plan)) if number not in known]
    if not pending or time.monotonic() >= until:
        return
    place = _place(work, workspace, options, watch, [plan[number].seconds for number in pending])
    if isinstance(place, Here):
        yield from _done(campaign.rows(place, plan, pending), until)
        return
    pending = longest_first(pending, lambda number: plan[number].seconds)
    left = TimeLeft([plan[number].seconds for number in pending])
    with watch.steps(plural(len(pending), "task")) as note:
        for count, done in enumerate(_done(campaign.rows(place, plan, pending), until), start=1):
            note(f"{count} done{left.after(plan[done.number].seconds)}")
            yield done


class EarlierRows:
    """The rows that earlier runs have kept in a workspace, of whatever text."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        is_there = (workspace.output / RESULTS).is_file()
        self._kept = _kept_rows(workspace, None) if is_there else KeptRows(None)

    def are_there(self, kind: str, model: str) -> bool:
        """Whether there is any row of such tasks of a model."""
        return any((row.kind, row.model) == (kind, model) for row in self._kept.rows.values())

    def of(self, tasks: Sequence[Task]) -> dict[int, Answer]:
        """The rows that still stand, by the number of their tasks."""
        campaign = _campaign(self._workspace, self._kept, tasks)
        return campaign.known([Planned(task, 0.0) for task in tasks])

    def latest(self, kind: str, model: str) -> datetime | None:
        """When the last row of such tasks of a model was kept, whatever its text was."""
        rows = (row for row in self._kept.rows.values() if (row.kind, row.model) == (kind, model))
        return max((row.since for row in rows if row.since is not None), default=None)


def _campaign(workspace: Workspace, kept: KeptRows, tasks: Sequence[Task]) -> Campaign:
    has_texts = all(task.text for task in tasks)
    options = {} if has_texts else {"workspace": WorkspaceText.of(workspace.root).digest}
    return Campaign(kept, Dependencies({}, options, (*PACKAGES, "hypothesis")).digest, tell)


def _done(rows: Generator[tuple[int, Answer], None, None], until: float) -> Iterator[Done]:
    with closing(rows):  # which ends what is still at work
        for number, row in rows:
            INTERRUPTION.heed()
            yield Done(number, row, is_kept=False)
            if time.monotonic() >= until:
                return


def _place(
    work: WatchedWork,
    workspace: Workspace,
    options: TasksOptions,
    watch: Watch,
    seconds: Sequence[float],
) -> Place:
    """Where tasks that take so many seconds each are done."""
    whole = Share(options.memory, options.threads)
    memory = available_memory() if whole.memory is None else whole.memory
    width = min(options.threads or cores(), len(seconds), max(1, memory // _LEAST_MEMORY))
    if options.engine == SPARK:
        return Cluster(work, workspace.root, master_of(options.master), whole)
    if width == 1 or sum(seconds) < _LEAST_SECONDS:
        return Here(partial(work, watch=watch), workspace.root, whole)
    return Processes(work, workspace.root, width, whole)


def _kept_rows(workspace: Workspace, file: Path | None) -> KeptRows:
    """The rows of a file; where that of the workspace cannot be written, none are kept."""
    if file is not None:
        kept = KeptRows.open(file)
    else:
        file = workspace.output / RESULTS
        try:
            workspace.make_output()
            kept = KeptRows.open(file)
        except (OSError, LockstepError) as error:
            tell(f"lockstep: the results are not kept: {error}")
            return KeptRows(None)
    for line in kept.damaged:
        tell(f"lockstep: {shown_path(file)}:{line} is damaged: its task is done again")
    return kept


def _seconds(kept: KeptRows, task: Task, states: int | None) -> float:
    earlier = kept.rows.get(task.digest)
    return expected_seconds(None if earlier is None else earlier.seconds, states)


SizedTask: TypeAlias = tuple[Task, int | None]
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
    plan: Callable[[str], tuple[ModelT, Sequence[SizedTask]]],
    rows: Callable[[Sequence[SizedTask]], Iterable[Done]],
    on_result: Callable[[ModelT], None],
) -> ModelsRun[ModelT]:
    """Plan the tasks of models, and have the rows of all of them.

    `on_result` is given each model, in the order of the names, as soon as it and those before it
    are done. Ctrl-C keeps what there is.
    """
    models, groups, results = list[ModelT](), list[range](), list[ModelT]()
    tasks, kept = list[SizedTask](), list[Answer]()

    def report(number: int, answers: Sequence[Answer]) -> None:
        model = models[number]
        model.interrupted = len(answers) < len(groups[number])
        for answer in answers:
            model.take(answer)
        results.append(model)
        on_result(model)

    try:
        for name in names:
            model, planned = plan(name)
            models.append(model)
            groups.append(range(len(tasks), len(tasks) + len(planned)))
            tasks += planned
        kept = report_in_order(groups, rows(tasks), report)
    except KeyboardInterrupt:
        pass  # nothing was begun
    begun = {model.name for model in results}
    pending = tuple(name for name in names if name not in begun)
    return ModelsRun(tuple(results), pending, tuple(kept))


def report_in_order(
    groups: Sequence[range],
    rows: Iterable[Done],
    report: Callable[[int, Sequence[Answer]], None],
) -> list[Answer]:
    """Report each group of tasks as soon as it and those before it are done; the kept rows.

    `report` is given the number of a group and its rows. Ctrl-C, or a bound on the time of all,
    keeps what there is: then a group may lack some rows, and one without any is not reported.
    """
    waiting, found, kept = deque(enumerate(groups)), dict[int, Answer](), list[Answer]()

    def finish(*, all_that_is: bool = False) -> None:
        while waiting:
            number, group = waiting[0]
            answers = [found[task] for task in group if task in found]
            if len(answers) < len(group) and not all_that_is:
                return
            waiting.popleft()
            if answers or not all_that_is:
                report(number, answers)

    finish()
    try:
        for done in rows:
            found[done.number] = done.row
            kept += [done.row] * done.is_kept
            finish()
    except KeyboardInterrupt:
        pass
    finish(all_that_is=True)
    return kept
