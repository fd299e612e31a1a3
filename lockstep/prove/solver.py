"""Questions to Z3, and what may come of one."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

import z3

_MOST_MILLISECONDS = 4_000_000_000
"""Z3 counts them in 32 bits."""

Answer: TypeAlias = "z3.ModelRef | str | None"
"""A model in which all of it is true; None if there is none; why that is not known."""

# Python sees Ctrl-C when Z3 returns, which may be in a minute, so Z3 works in another thread.
_thread = ThreadPoolExecutor(1, thread_name_prefix="z3")
_pressed = threading.Event()
_GLANCE = 0.1  # seconds between two looks at whether Ctrl-C was pressed


@contextmanager
def ctrl_c_ends_a_question() -> Iterator[None]:
    """Ctrl-C ends the question that is being asked, or the next; pressed again, it ends at once.

    Without this, Python raises KeyboardInterrupt wherever it is, and most of the time that is
    between two calls of Z3, in destructors and in conversions, which swallow it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def press(_signal: int, _frame: FrameType | None) -> None:
        if _pressed.is_set():
            raise KeyboardInterrupt
        _pressed.set()

    before = signal.signal(signal.SIGINT, press)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        _pressed.clear()


def new_solver() -> z3.Solver:
    """A solver of nothing yet, with the arithmetic that answers first (docs/decisions/0005)."""
    solver = z3.Solver()
    solver.set("smt.arith.solver", 2)
    # Otherwise Z3 takes Ctrl-C for itself, and says nothing if it has the answer already.
    solver.set("ctrl_c", False)
    return solver


def ask(solver: z3.Solver, max_seconds: float | None, *assumptions: z3.BoolRef) -> Answer:
    """Whether what a solver was told can be true, with some assumptions; nothing within 0 seconds.

    KeyboardInterrupt on Ctrl-C.
    """
    if _pressed.is_set():
        raise KeyboardInterrupt
    if max_seconds is not None:
        if max_seconds <= 0:
            return "there is no time left"
        solver.set("timeout", max(1, int(min(max_seconds * 1000, _MOST_MILLISECONDS))))
    answering = _thread.submit(solver.check, *assumptions)
    try:
        while wait([answering], _GLANCE).not_done:
            if _pressed.is_set():
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        while wait([answering], _GLANCE).not_done:  # it may not have begun, and not listen yet
            solver.interrupt()
        raise
    answer = answering.result()
    if answer == z3.sat:
        return solver.model()
    if answer == z3.unsat:
        return None
    reason = solver.reason_unknown()
    if max_seconds is not None and reason in ("timeout", "canceled"):
        return f"no answer within {max_seconds:g} s"
    return f"Z3 gave up: {reason}"
