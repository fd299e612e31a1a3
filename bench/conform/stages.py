"""`python -m bench.conform.stages STAGE LOG`: one stage of `conform` in a process of its own.

It prints seconds of processor time and by the clock, without those of Python's start and of loading
the model. The stage `json.loads` is no part of `conform`: it is Python's own reading of the JSON of
the same lines, with their bytes in memory already, as a measure of the others.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lockstep.language.model import load_model
from lockstep_kafka.files.arrival_order import ArrivalOrder
from lockstep_kafka.files.lines import LogLine, Skipped
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations


def _read(lines: Iterable[LogLine]) -> None:
    for _ in lines:
        pass


def _order(lines: Iterable[LogLine]) -> None:
    order = ArrivalOrder()
    for position, line in enumerate(lines):
        if not isinstance(line, Skipped):
            order.read(line, position)
            while order.next() is not None:
                pass


def _follow(lines: Iterable[LogLine]) -> None:
    for position, line in enumerate(lines):
        if not isinstance(line, Skipped):
            _FOLLOWER.follow(line, position)
    _FOLLOWER.close()


JSON = "json.loads"

STAGES: Mapping[str, Callable[[Iterable[LogLine]], None]] = {
    "reading": _read,
    "ordering": _order,
    "following": _follow,
}
"""Each one goes as far as the one before it, and one step on."""

_ROOT = Path(__file__).resolve().parents[2]
_FOLLOWER = BrokerFollower(
    "", Explanations(lambda constants: load_model(_ROOT, "fetch_session", constants))
)


def _documents(log: str) -> list[bytes]:
    """The JSON of each line that has some."""
    lines = Path(log).read_bytes().splitlines()
    return [line[line.index(b"{") : line.rindex(b"}") + 1] for line in lines if b"{" in line]


def _load(documents: Iterable[bytes]) -> None:
    for document in documents:
        json.loads(document)


def main(stage: str, log: str) -> None:
    """Go through a log as far as a stage, and print what that took."""
    documents = _documents(log) if stage == JSON else []
    started, processor = time.perf_counter(), time.process_time()
    if stage == JSON:
        _load(documents)
    else:
        STAGES[stage](read_request_log(log))
    taken = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - processor,
    }
    print(json.dumps(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
