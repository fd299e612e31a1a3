"""How far a search is, on a terminal and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from lockstep.results.search_result import Progress

_ESTIMATE_AFTER = 2.0
"""Seconds until the rate says something about the time that is left."""


@contextmanager
def progress_line(title: str, expected: int | None) -> Iterator[Callable[[Progress], None] | None]:
    """What to give a `Search` as `on_progress`; None where no terminal would show it.

    `expected` is how many states there will be, where that is known: without it nobody can tell
    how long it takes. The line goes to standard error and is gone at the end.
    """
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield None
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

        def show(now: Progress) -> None:
            rate = now.states / now.seconds if now.seconds else 0.0
            text = f"{now.states:,} states  step {now.depth}, {now.frontier:,} to go on from  "
            text += f"{rate:,.0f} states/s"
            if now.memory:
                text += f"  {now.memory / 2**20:,.0f} MiB"
            if now.tasks[1]:
                text += f"  task {now.tasks[0]:,} of {now.tasks[1]:,}"
            if expected is not None and now.seconds >= _ESTIMATE_AFTER and now.states < expected:
                text += f"  about {(expected - now.states) / rate:,.0f} s left"
            bar.update(task, completed=now.states - now.frontier, text=text)

        yield show


@contextmanager
def note_line(title: str) -> Iterator[Callable[[str], None]]:
    """What to tell what is being done to: shown on a terminal, and nowhere else."""
    if not (sys.stdout.isatty() and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(title)) as status:
        # A text, for names of files may look like rich's markup.
        yield lambda note: status.update(Text(f"{title}  {note}"))


class TerminalWatch:
    """Looks on at a verb from a terminal."""

    def search(
        self, title: str, expected: int | None
    ) -> AbstractContextManager[Callable[[Progress], None] | None]:
        """A line that says how far a search is."""
        return progress_line(title, expected)

    def steps(self, title: str) -> AbstractContextManager[Callable[[str], None]]:
        """A line that names the step that is being taken."""
        return note_line(title)
