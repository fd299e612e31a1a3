"""Work in another thread, so that this one can be interrupted and say how far it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from typing import TypeVar

T = TypeVar("T")

_STOP_SECONDS = 30.0
"""How long work is waited for that is to stop."""


def in_thread(
    work: Callable[[], T],
    meanwhile: Callable[[], object],
    *,
    every: float,
    stop: Callable[[], object],
) -> T:
    """What the work gives, or what it raises; `meanwhile` is called every so many seconds.

    Where KeyboardInterrupt or an error of `meanwhile` ends the waiting, `stop` is called, from
    another thread, until the work has ended, or for half a minute.
    """
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    def end() -> None:
        ends = time.monotonic() + _STOP_SECONDS
        while not future.done() and time.monotonic() < ends:
            with suppress(Exception):  # what runs it may have ended already
                stop()
            wait([future], every)

    threading.Thread(target=run, name="lockstep-work", daemon=True).start()
    try:
        while True:
            try:
                return future.result(every)
            except NotYet:
                if future.done():
                    raise  # the work's own
                meanwhile()
    except BaseException:
        ending = threading.Thread(target=end, name="lockstep-stop", daemon=True)
        ending.start()
        ending.join()
        raise
