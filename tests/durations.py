"""What each test costs in processor time, whatever else the machine does.

Counted are the process of the test, the processes that it waited for, and those still at work below
it, such as Spark's. A controller of workers gets the figures with the reports.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.day import DEAR_SECONDS

PROPERTY = "processor seconds"
"""Under this name a report says what its phase (setup, call, teardown) took."""
DEAREST = 40
"""How many tests are listed at the end of a run."""
SLOW = 10.0
"""Processor seconds above which a test needs the mark `slow`."""
MARGIN = 2.0
"""A test fails above this many times `SLOW` only: caches, compilers and machines differ."""
OPTION = "--slow-fails"
RECORD = "--record-dear"
_TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """What this process and all below it, those that ended included, have used until now."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + _at_work(os.getpid())


def _at_work(process: int) -> float:
    """What the descendants that still run have used; 0 where the system does not list them."""
    seconds = 0.0
    with suppress(OSError):  # it ended meanwhile
        for task in os.listdir(f"/proc/{process}/task"):
            children = _children(process, task)
            seconds += sum(_used(child) + _at_work(int(child)) for child in children)
    return seconds


def _children(process: int, task: str) -> list[str]:
    try:
        return Path(f"/proc/{process}/task/{task}/children").read_text().split()
    except OSError:
        return []  # the thread ended meanwhile, or the system does not list them


def _used(process: str) -> float:
    """User and system time of a process and of the children that it waited for."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return 0.0  # it ended meanwhile
    return sum(map(int, stat.rpartition(")")[2].split()[11:15])) / _TICKS


def _dearest(seconds: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda one: -one[1])


class Durations:
    """A plugin that measures tests, lists the dearest and those that need the mark `slow`.

    What dear tests took is kept in `dear`, if that is a file. With `slow_fails`, a test without the
    mark fails when its call takes `MARGIN` times `SLOW`. What fixtures take does not count: the
    first test pays for those that are shared.
    """

    def __init__(self, *, slow_fails: bool, dear: Path | None = None) -> None:
        self._slow_fails = slow_fails
        self._dear = dear
        self._calls: dict[str, float] = {}
        self._since = processor_seconds()
        self._tests = defaultdict[str, float](float)
        self._unmarked: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        self._since = processor_seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Iterator[None]:
        report: pytest.TestReport = yield  # type: ignore[assignment]
        now = processor_seconds()
        seconds, self._since = now - self._since, now
        report.user_properties.append((PROPERTY, seconds))
        too_slow = seconds > MARGIN * SLOW and "slow" not in report.keywords
        if self._slow_fails and too_slow and call.when == "call" and report.passed:
            report.outcome = "failed"
            report.longrepr = (
                f"{item.nodeid} took {seconds:.0f} s of processor time: more than {SLOW:.0f} s need"
                " the mark `slow`, or less to do"
            )
        return report  # type: ignore[return-value]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seconds = float(str(dict(report.user_properties).get(PROPERTY, 0)))
        self._tests[report.nodeid] += seconds
        if report.when == "call" and seconds > SLOW and "slow" not in report.keywords:
            self._unmarked[report.nodeid] = seconds
        if report.when == "call" and report.passed and not {"daily", "verify"} & {*report.keywords}:
            self._calls[report.nodeid] = round(seconds, 1)

    def pytest_sessionfinish(self) -> None:
        if self._dear is not None and self._calls:
            known = json.loads(self._dear.read_text(encoding="utf-8"))
            dear = {
                test: seconds
                for test, seconds in sorted({**known, **self._calls}.items())
                if seconds >= DEAR_SECONDS and Path(test.partition("::")[0]).is_file()
            }
            self._dear.write_text(f"{json.dumps(dear, indent=1)}\n", encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        folders = defaultdict[str, float](float)
        for test, seconds in self._tests.items():
            folders["/".join(test.partition("::")[0].split("/")[:2])] += seconds
        lists = {
            PROPERTY: _dearest(self._tests)[:DEAREST],
            f"{PROPERTY} by folder": [*_dearest(folders), ("all", sum(folders.values()))],
            f"more than {SLOW:.0f} {PROPERTY} without the mark slow": _dearest(self._unmarked),
        }
        for title, lines in lists.items():
            if lines and self._tests:
                terminalreporter.section(title)
            for name, seconds in lines if self._tests else ():
                terminalreporter.write_line(f"{seconds:8.1f}  {name}")
