"""Work in another thread."""

from __future__ import annotations

import threading

import pytest

from lockstep_kafka.fleet.run import in_thread


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_work_that_is_not_waited_for_is_stopped_until_it_ends(error: type[BaseException]) -> None:
    """What runs when it is first asked to stop may not be all that it does."""
    ended = threading.Event()
    stops = threading.Semaphore(0)

    def work() -> None:
        for _ in range(2):
            stops.acquire()
        ended.set()

    def interrupt() -> None:
        raise error

    with pytest.raises(error):
        in_thread(work, interrupt, every=0.01, stop=stops.release)
    assert ended.is_set()
