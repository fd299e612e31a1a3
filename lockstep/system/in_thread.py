"""Work in another thread, so that this one can be interrupted and say how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar

T = TypeVar("T")


def in_thread(work: Callable[[], T], meanwhile: Callable[[], object], *, every: float) -> T:
    """What the work gives, or what it raises; `meanwhile` is called every so many seconds.

    Where KeyboardInterrupt ends the waiting, the work is left to itself.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="lockstep-work", daemon=True).start()
    while True:
        try:
            return future.result(every)
        except NotYet:
            if future.done():
                raise  # the work's own
            meanwhile()
