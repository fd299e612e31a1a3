"""Tests start processes and send signals in one way, whatever their caller ignores."""

import ast
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import is_alive, started_program

TESTS = Path(__file__).parent
HELPERS = {
    "processes.py": "starts and ends them",
    "conftest.py": "has the fixture that presses Ctrl-C",
    "test_processes.py": "holds them to it",
    "prove/test_induction.py": "ignores SIGINT itself, and sends what it has a handler for",
    "agreement/__main__.py": "is a program, and no test",
}
BY_HAND = frozenset(
    {"Popen", "send_signal", "terminate", "kill", "killpg", "raise_signal", "pthread_kill"}
)
SHOWN = """
import signal
print([signal.getsignal(number).name for number in (signal.SIGTERM, signal.SIGHUP)])
print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
time.sleep(600)
"""


def by_hand(text: str) -> Iterator[str]:
    """What a module calls to start a process or to send a signal, but for one to itself."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_own = bool(node.args) and ast.unparse(node.args[0]) == "os.getpid()"
            if node.func.attr in BY_HAND and not is_own:
                yield ast.unparse(node)


def test_no_other_test_starts_a_process_or_sends_a_signal_by_hand() -> None:
    found = {}
    for file in TESTS.rglob("*.py"):
        name = file.relative_to(TESTS).as_posix()
        if name not in HELPERS and (calls := list(by_hand(file.read_text("utf-8")))):
            found[name] = calls
    assert found == {}, "tests/processes.py does that"


@pytest.mark.parametrize(
    "call",
    ["subprocess.Popen(['a'])", "process.terminate()", "os.kill(child, 15)", "x.process.kill()"],
)
def test_what_is_done_by_hand_is_seen(call: str) -> None:
    assert list(by_hand(call)) == [call]
    assert list(by_hand("os.kill(os.getpid(), 9)")) == []


@pytest.fixture
def ignoring() -> Iterator[None]:
    """This process ignores what `nohup` in a shell's background lets it ignore."""
    numbers = (signal.SIGINT, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def test_a_process_begins_as_from_a_terminal(ignoring: None) -> None:
    with started_program([sys.executable, "-c", SHOWN]) as program:
        assert program.ended() == (0, "['SIG_DFL', 'SIG_DFL']\nTrue\n", "")


def test_all_of_it_ends_with_the_block() -> None:
    with started_program([sys.executable, "-c", PARENT]) as program:
        child = int(program.line())
        # The kernel shows a program's environment a moment after it has begun.
        program.await_that(lambda: program.below() == {child})
    assert not is_alive(child)
    assert not is_alive(program.process.pid)


def test_a_process_ends_with_the_one_of_the_tests() -> None:
    text = (
        "import sys, time; from tests.processes import started_program\n"
        "with started_program([sys.executable, '-c', 'import time; time.sleep(600)']) as one:\n"
        "    print(one.process.pid, flush=True); time.sleep(600)\n"
    )
    with started_program([sys.executable, "-c", text], TESTS.parent) as tests:
        started = int(tests.line())
        tests.send(signal.SIGKILL)
        end = time.monotonic() + 30
        while is_alive(started):
            assert time.monotonic() < end
            time.sleep(0.01)
