"""What a terminal is shown while a verb is at work."""

import io
import sys
import threading
import time

import pytest

from lockstep.pages.progress import TerminalWatch
from lockstep.results.search_result import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_step_may_look_like_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setattr(sys, "stderr", terminal)
    with TerminalWatch().steps("conform [lamp]") as on_step:
        on_step("a[/b].log  3 lines")
    assert "conform [lamp]" in terminal.getvalue()


def test_a_pipe_is_shown_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, pipe = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", pipe)
    monkeypatch.setattr(sys, "stderr", terminal)
    with TerminalWatch().steps("conform lamp") as on_step:
        on_step("a.log")
    assert (terminal.getvalue(), pipe.getvalue()) == ("", "")


def test_a_log_is_reported_now_and_then_what_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where the work says nothing while it goes on, and across pieces of work."""
    monkeypatch.setattr("lockstep.pages.progress.EVERY", 0.05)
    watch = TerminalWatch()
    with watch.steps("faults\x1b[31m") as on_step:
        on_step("3 done")
        assert awaited(capsys, "lockstep: 0 s  faults\\x1b[31m  3 done\n")
    with watch.search("lamp small", 200) as on_progress:
        assert on_progress is not None
        on_progress(Progress(states=100, transitions=150, depth=7, frontier=9, seconds=4.0))
        assert awaited(capsys, "lamp small  100 states  depth 7  frontier 9  25 states/s  abo")
    assert [thread for thread in threading.enumerate() if "progress" in thread.name] == []


def test_what_ends_soon_is_said_nothing_of(capsys: pytest.CaptureFixture[str]) -> None:
    watch = TerminalWatch()
    for _ in range(3):
        with watch.search("lamp small", None) as on_progress:
            assert on_progress is not None
            on_progress(Progress(states=100, transitions=150, depth=7, frontier=9, seconds=4.0))
    assert capsys.readouterr() == ("", "")


def awaited(capsys: pytest.CaptureFixture[str], words: str) -> bool:
    """Whether something is printed on standard error in a minute, and nothing elsewhere."""
    said, until = "", time.monotonic() + 60
    while words not in said and time.monotonic() < until:
        time.sleep(0.01)
        printed = capsys.readouterr()
        assert printed.out == ""
        said += printed.err
    return words in said
