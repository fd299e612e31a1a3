"""What a terminal is shown while a verb is at work."""

import io
import sys

import pytest

from lockstep.report.progress import TerminalWatch


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
