"""Hypothesis profiles: `ci` unless LOCKSTEP_PROFILE names another.

`ci` draws the same examples in every run, so a failure is a change and not luck; `wide` draws new
ones, thousands of them, to look for what `ci` misses. A run of `wide` remembers its failures in
`.hypothesis/` and prints how to reproduce each.

`kafka_output` is the fixture of tests that judge what Apache Kafka itself wrote, `browser` that of
tests that open a page, `ctrl_c` that of tests that are interrupted. Processes that are sent signals
are started by `tests/processes.py`.
"""

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Page, sync_playwright

from lockstep.language.source import allow_nesting
from lockstep.system.resident import look_seldom
from tests.day import DEAR, VARIABLE, day, leave_for_verify
from tests.durations import OPTION, RECORD, Durations

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("wide", max_examples=5_000, deadline=None, print_blob=True)
# Hypothesis takes it for a mistake of the test when a model that is loaded in it does so.
allow_nesting()
settings.load_profile(os.environ.get("LOCKSTEP_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    explanation = "let tests fail that take long and are not marked `slow`: tests/durations.py"
    parser.addoption(OPTION, action="store_true", dest="slow_fails", help=explanation)
    explanation = (
        "write what dear tests take, which decides on how many days they run: tests/day.py"
    )
    parser.addoption(RECORD, action="store_true", dest="record_dear", help=explanation)


JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=128m"
"""The compiler that does little is done sooner: no job of a test lasts."""


SMALL_SEARCHES = {"MALLOC_MMAP_THRESHOLD_": str(2**20), "NUMPY_MADVISE_HUGEPAGE": "0"}
"""A search takes the pages of its buffers that it writes to, and gives them back when it ends.

With huge pages, and a threshold that glibc raises, a search of ten states cleared 16 MiB a thread
and kept them: a worker grew to 6 GiB and spent a third of its time there. They are read when a
process starts, so they count for workers and for the processes that tests start.
"""


def pytest_configure(config: pytest.Config) -> None:
    day()  # workers, which are started later, have the same
    look_seldom()
    for variable in ("SPARK_SUBMIT_OPTS", "SPARK_LAUNCHER_OPTS"):  # of every JVM that Spark starts
        os.environ.setdefault(variable, JAVA_OPTIONS)
    for variable, value in SMALL_SEARCHES.items():
        os.environ.setdefault(variable, value)
    slow_fails = bool(config.getoption("slow_fails"))
    records = config.getoption("record_dear") and not hasattr(config, "workerinput")
    durations = Durations(slow_fails=slow_fails, dear=DEAR if records else None)
    config.pluginmanager.register(durations, "durations")


@pytest.hookimpl(tryfirst=True)  # before tests are left out by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker is left with one at the end."""
    leave_for_verify(items, verifies=config.getoption("markexpr") == "verify")
    slow = {item.path for item in items if "slow" in item.keywords}
    items.sort(key=lambda item: item.path not in slow)


def pytest_report_header() -> str:
    return f"{VARIABLE}={day()}"


DATA = Path(__file__).parent / "data"

KafkaOutput: TypeAlias = Callable[[str], Path]
"""The file of a name below `tests/data`."""


@pytest.fixture(scope="session")
def kafka_output() -> KafkaOutput:
    """Files that Apache Kafka wrote, as `tests/data/kafka_output.sha256` has them, and no others.

    Only a test that takes this fixture may stand in a requirement's `shown_by`.
    """
    lines = (DATA / "kafka_output.sha256").read_text(encoding="utf-8").splitlines()
    digests = {name: digest for digest, name in map(str.split, lines)}

    def file(name: str) -> Path:
        path = DATA / name
        assert sha256(path.read_bytes()).hexdigest() == digests[name], f"{path} was changed"
        return path

    return file


@pytest.fixture(scope="session", autouse=True)
def _no_progress() -> Iterator[None]:
    """What is tested prints no lines of progress, however slow the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lockstep.pages.progress.EVERY", 3_600.0)
        yield


def chromium() -> str | None:
    """The program of a Chromium that is installed, None where there is none."""
    programs = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, programs)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium; where none is installed its tests are skipped, and it is said so."""
    program = chromium()
    if program is None:
        pytest.skip("no Chromium is installed: the tests of pages did not run")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def ctrl_c() -> Iterator[Callable[[], None]]:
    """Presses Ctrl-C in the process of the tests, which heeds it whatever its caller ignores."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield partial(signal.raise_signal, signal.SIGINT)
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """An empty page 1280 wide; a mistake of a script in it, or an error it logs, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    tab = context.new_page()
    mistakes: list[str] = []
    tab.on("pageerror", lambda error: mistakes.append(str(error)))
    tab.on("console", lambda line: mistakes.append(line.text) if line.type == "error" else None)
    yield tab
    context.close()
    assert not mistakes
