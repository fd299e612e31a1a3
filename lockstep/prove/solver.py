"""Questions to Z3, and what may come of one."""

from __future__ import annotations

import _thread
import signal
import socket
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

import z3

from lockstep.system.interruption import ENDING_SIGNALS, INTERRUPTION

_PATIENCE = 2.0
"""Seconds until a signal that has come to nothing ends the proof wherever it is."""

_MOST_MILLISECONDS = 4_000_000_000
"""Z3 counts them in 32 bits."""

NO_TIME = "there is no time left"
"""Why nothing is known of a question that was not asked any more."""

Answer: TypeAlias = "z3.ModelRef | str | None"
"""A model in which all of it is true; None if there is none; why that is not known."""


class _CtrlC:
    """Whether Ctrl-C was pressed, and the solver that is at work then."""

    def __init__(self) -> None:
        self.is_watched = False
        self.pressed = threading.Event()
        self.ended = threading.Event()
        """Set where what may be interrupted is over."""
        self.at_work: z3.Solver | None = None

    def watch(self, signals: socket.socket, heeded: Collection[int]) -> None:
        """Interrupt the solver once a heeded signal comes; until the other end is closed."""
        while number := signals.recv(1):
            if number[0] not in heeded:
                continue
            self.pressed.set()
            while (solver := self.at_work) is not None:  # it may not have begun, and not listen yet
                solver.interrupt()
                time.sleep(0.05)
            self._insist_unless_it_ends(number[0])

    def _insist_unless_it_ends(self, number: int) -> None:
        """Press again for the reader, where formulas are made and no question is asked.

        The same signal: the process may ignore SIGINT, as what runs in the background does.
        """
        while not self.ended.wait(_PATIENCE):
            _thread.interrupt_main(signal.Signals(number))


_ctrl_c = _CtrlC()


@contextmanager
def ctrl_c_ends_a_question() -> Iterator[None]:
    """Ctrl-C ends the question that is being asked, or the next; pressed again, it ends at once.

    So do SIGTERM and SIGHUP.

    Without this, Python raises KeyboardInterrupt wherever it is, and most of the time that is
    between two calls of Z3, in destructors and in conversions, which swallow it; and Z3 says
    nothing of a signal that comes when it has the answer already.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    presses = 0

    def press(_signal: int, _frame: FrameType | None) -> None:
        nonlocal presses
        presses += 1
        _ctrl_c.pressed.set()
        if presses > 1:
            INTERRUPTION.has_come = True  # Z3's conversions make other exceptions of it
            raise KeyboardInterrupt

    # Python's own handlers wait until Z3 returns; what is written to a socket does not.
    ours, pythons = socket.socketpair()
    pythons.setblocking(False)
    before = {number: signal.signal(number, press) for number in _heeded_signals()}
    watching = [ours, frozenset(before)]
    watcher = threading.Thread(target=_ctrl_c.watch, args=watching, name="Ctrl-C", daemon=True)
    watcher.start()
    file = signal.set_wakeup_fd(pythons.fileno(), warn_on_full_buffer=False)
    _ctrl_c.is_watched = True
    _ctrl_c.ended.clear()
    had_come = INTERRUPTION.has_come
    try:
        yield
    finally:
        INTERRUPTION.has_come = had_come
        _ctrl_c.ended.set()
        signal.set_wakeup_fd(file)
        for number, handler in before.items():
            signal.signal(number, handler)
        pythons.close()
        watcher.join()
        ours.close()
        _ctrl_c.is_watched = False
        _ctrl_c.pressed.clear()


def _heeded_signals() -> list[signal.Signals]:
    """The signals that mean what Ctrl-C means, but those that the process ignores."""
    return [one for one in ENDING_SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]


def new_solver() -> z3.Solver:
    """A solver of nothing yet, with the arithmetic that answers first (docs/decisions/0005)."""
    solver = z3.Solver()
    solver.set("smt.arith.solver", 2)
    # Z3's own handler would heed SIGINT where the process ignores it.
    heeds = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    solver.set("ctrl_c", heeds and not _ctrl_c.is_watched)
    return solver


def ask(solver: z3.Solver, max_seconds: float | None, *assumptions: z3.BoolRef) -> Answer:
    """Whether all that a solver has can be true, with some assumptions; nothing within 0 seconds.

    KeyboardInterrupt on Ctrl-C.
    """
    if _ctrl_c.pressed.is_set():
        raise KeyboardInterrupt
    if max_seconds is not None:
        if max_seconds <= 0:
            return NO_TIME
        solver.set("timeout", max(1, int(min(max_seconds * 1000, _MOST_MILLISECONDS))))
    _ctrl_c.at_work = solver
    try:
        answer = solver.check(*assumptions)
    finally:
        _ctrl_c.at_work = None
    if answer == z3.sat:
        return solver.model()
    if answer == z3.unsat:
        return None
    reason = solver.reason_unknown()
    if _ctrl_c.pressed.is_set() or "interrupted" in reason:
        raise KeyboardInterrupt
    if max_seconds is not None and reason in ("timeout", "canceled"):
        return f"no answer within {max_seconds:g} s"
    return f"Z3 gave up: {reason}"
