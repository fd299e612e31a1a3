"""How far a verb is: a line that changes on a terminal, and a line now and then anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from lockstep.requests.run import Watch
from lockstep.results.search_result import Progress
from lockstep.system.crash import tell
from lockstep.words import plural, printable

_ESTIMATE_AFTER = 2.0
"""Seconds until the rate says something about the time that is left."""

EVERY = 10.0
"""Seconds between two lines where no terminal shows one that changes, as in a log of CI."""


@dataclass
class _Clock:
    """When the command began, and when the next line is due; of all that it does one by one."""

    began: float = field(default_factory=time.monotonic)
    due: float = field(default_factory=lambda: time.monotonic() + EVERY)


_CLOCK = _Clock()


@contextmanager
def progress_line(title: str, expected: int | None) -> Iterator[Callable[[Progress], None] | None]:
    """What to give a `Search` as `on_progress`.

    `expected` is how many states there will be, where that is known: without it nobody can tell
    how long it takes. The line goes to standard error; on a terminal it is gone at the end.
    """
    if not _is_terminal():
        with _lines(title) as note:
            yield lambda now: note(_text(now, expected))
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[text]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=expected, text="")
        yield lambda now: bar.update(
            task, completed=now.states - now.frontier, text=_text(now, expected)
        )


@contextmanager
def note_line(title: str) -> Iterator[Callable[[str], None]]:
    """What to tell what is being done to."""
    if not _is_terminal():
        with _lines(title) as note:
            yield note
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(title)) as status:
        # A text, for names of files may look like rich's markup.
        yield lambda note: status.update(Text(f"{title}  {note}"))


class TerminalWatch(Watch):
    """Looks on at a verb for its user, at a terminal or in a script."""

    def __init__(self) -> None:
        _CLOCK.began = time.monotonic()
        _CLOCK.due = _CLOCK.began + EVERY

    def search(
        self, title: str, expected: int | None
    ) -> AbstractContextManager[Callable[[Progress], None] | None]:
        return progress_line(title, expected)

    def steps(self, title: str) -> AbstractContextManager[Callable[[str], None]]:
        return note_line(title)


def _is_terminal() -> bool:
    return sys.stdout.isatty() and sys.stderr.isatty()


def _text(now: Progress, expected: int | None) -> str:
    """How far a search is."""
    rate = now.states / now.seconds if now.seconds else 0.0
    text = f"{plural(now.states, 'state')}  depth {now.depth}  frontier {now.frontier:,}"
    if now.depth:
        text += f"  {rate:,.0f} states/s"
    if now.memory:
        text += f"  {now.memory / 2**20:,.0f} MiB"
    if now.tasks[1]:
        text += f"  task {now.tasks[0]:,} of {now.tasks[1]:,}"
    is_known = now.depth and now.seconds >= _ESTIMATE_AFTER
    if is_known and expected is not None and now.states < expected:
        text += f"  about {(expected - now.states) / rate:,.0f} s left"
    return text


@contextmanager
def _lines(title: str) -> Iterator[Callable[[str], None]]:
    """What to tell what is being done: the latest of it is printed whenever a line is due.

    A thread prints it, for what takes long may say nothing meanwhile.
    """
    latest, ended = [""], threading.Event()

    def speak() -> None:
        while not ended.wait(max(0.0, _CLOCK.due - time.monotonic())):
            if (now := time.monotonic()) < _CLOCK.due:
                continue  # another thread has printed meanwhile
            _CLOCK.due = now + EVERY
            parts = filter(None, (f"{now - _CLOCK.began:,.0f} s", title, latest[0]))
            tell(f"lockstep: {printable('  '.join(parts))}")

    def note(text: str) -> None:
        latest[0] = text

    speaker = threading.Thread(target=speak, name="lockstep progress", daemon=True)
    speaker.start()
    try:
        yield note
    finally:
        ended.set()
        speaker.join()
