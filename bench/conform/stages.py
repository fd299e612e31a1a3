"""`python -m bench.conform.stages STAGE LOG`: one stage of `conform` in a process of its own.

It prints seconds of processor time and by the clock, without those of Python's start and of loading
the model. The stage `json.loads` is no part of `conform`: it is Python's own reading of the JSON of
the same lines, with their bytes in memory already, as a measure of the others. `in columns` is all
of `conform` as large logs are followed, with what works on them compiled before.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from pathlib import Path

from lockstep.language.model import Model, load_model
from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.arrival_order import ArrivalOrder
from lockstep_kafka.files.lines import LogLine, Skipped
from lockstep_kafka.files.log_files import BrokerPaths
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
COLUMNS = "in columns"

STAGES: Mapping[str, Callable[[Iterable[LogLine]], None]] = {
    "reading": _read,
    "ordering": _order,
    "following": _follow,
}
"""Each one goes as far as the one before it, and one step on."""

_ROOT = Path(__file__).resolve().parents[2]


_MODELS: dict[str, Model] = {}


def _model(constants: Mapping[str, object] | None) -> Model:
    """The model, loaded once: that is not measured."""
    key = repr(constants)
    if key not in _MODELS:
        _MODELS[key] = load_model(_ROOT, "fetch_session", constants)
    return _MODELS[key]


_FOLLOWER = BrokerFollower("", Explanations(_model))


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
    if stage == COLUMNS:
        # Loading is not measured; nor is it done by who measures other processes.
        import_module("lockstep_kafka.columns.log_reader")
    started, processor = time.perf_counter(), time.process_time()
    if stage == JSON:
        _load(documents)
    elif stage == COLUMNS:
        for _ in observe([log], _model, BrokerPaths(), in_columns=True):
            pass
    else:
        STAGES[stage](read_request_log(log))
    taken = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - processor,
    }
    print(json.dumps(taken))


if __name__ == "__main__":
    main(*sys.argv[1:])
