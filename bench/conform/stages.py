"""`python -m bench.conform.stages STAGE LOG`: one stage of `conform` in a process of its own.

It prints seconds of processor time and by the clock, without those of Python's start and of loading
the model, and how many lines and Fetch requests there were.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lockstep.language.model import load_model
from models.kafka_files.request_log import (
    FetchLine,
    LogLine,
    OtherRequest,
    in_arrival_order,
    read_request_log,
)
from models.observed_sessions.explanations import Explanations
from models.observed_sessions.request_log_follower import RequestLogFollower


def _read(lines: Iterable[LogLine]) -> None:
    for _ in lines:
        pass


def _order(lines: Iterable[LogLine]) -> None:
    _read(in_arrival_order(lines))


def _follow(lines: Iterable[LogLine]) -> None:
    for number, line in enumerate(in_arrival_order(lines)):
        if isinstance(line, FetchLine):
            _FOLLOWER.follow(line, number)
        elif isinstance(line, OtherRequest):
            _FOLLOWER.other_request(line, number)
    _FOLLOWER.close()


STAGES: Mapping[str, Callable[[Iterable[LogLine]], None]] = {
    "reading": _read,
    "ordering": _order,
    "following": _follow,
}
"""Each one goes as far as the one before it, and one step on."""

_ROOT = Path(__file__).resolve().parents[2]
_FOLLOWER = RequestLogFollower(
    Explanations(lambda constants: load_model(_ROOT, "fetch_session", constants))
)


def main(stage: str, log: str) -> None:
    """Go through a log as far as a stage, and print what that took."""
    started, processor = time.perf_counter(), time.process_time()
    STAGES[stage](read_request_log(log))
    taken = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - processor,
    }
    print(json.dumps(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
