"""The signals that ask the process to end: all of them do what Ctrl-C does."""

from __future__ import annotations

import signal
from types import FrameType

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, `kill`, and a terminal that is closed."""


class Interruption:
    """Whether one of the signals has come, which then raised KeyboardInterrupt.

    An extension module may have made another exception of it: what is raised after it has come is a
    consequence of it.
    """

    def __init__(self) -> None:
        self.has_come = False

    def listen(self) -> None:
        """Let each signal raise KeyboardInterrupt, but those that the parent has ignored.

        `nohup` ignores SIGHUP, and a shell SIGINT of what it runs in the background.
        """
        for number in ENDING_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._raise)

    def heed(self) -> None:
        """Raise KeyboardInterrupt again if a signal has come: a callback may have swallowed it."""
        if self.has_come:
            raise KeyboardInterrupt

    def stop_listening(self) -> None:
        """Let each signal end the process at once: there is nothing left to tidy up."""
        for number in ENDING_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)

    def _raise(self, _signal: int, _frame: FrameType | None) -> None:
        self.has_come = True
        raise KeyboardInterrupt


INTERRUPTION = Interruption()
"""That of the process: signals have no other owner."""
