"""What tests cost is measured, printed, and refused where it is too much."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFTEST = """
import pytest
from tests import durations

durations.SLOW, durations.MARGIN = 0.2, 2.0

def pytest_configure(config):
    config.addinivalue_line("markers", "slow: long")
    config.pluginmanager.register(durations.Durations(slow_fails=True))
"""
TESTS = """
import subprocess, sys, time
import pytest

BUSY = "import time\\nwhile time.process_time() < 0.6: pass"

def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture
def shared():
    busy(0.6)

def test_waits():
    time.sleep(0.6)

def test_works():
    busy(0.6)

def test_works_a_little_too_long():
    busy(0.25)

@pytest.mark.slow
def test_may_work():
    busy(0.6)

def test_lets_another_work():
    subprocess.run([sys.executable, "-c", BUSY], check=True)

def test_has_a_fixture_that_works(shared):
    pass
"""


def test_a_test_that_takes_long_needs_a_mark(tmp_path: Path) -> None:
    tmp_path.joinpath("conftest.py").write_text(CONFTEST, encoding="utf-8")
    tmp_path.joinpath("test_some.py").write_text(TESTS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-n", "1", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        [*command, "-o", f"pythonpath={ROOT}", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    failed = {
        line.split("::")[1].split()[0]
        for line in ran.stdout.splitlines()
        if line.startswith("FAILED")
    }
    assert failed == {"test_works", "test_lets_another_work"}, ran.stdout
    unmarked = ran.stdout.partition("without the mark slow")[2].partition("====\n")[2]
    listed = {
        line.split("::")[1] for line in unmarked.splitlines() if "::" in line and line[:8].strip()
    }
    assert "test_works_a_little_too_long" in listed
    assert not listed & {"test_waits", "test_may_work", "test_has_a_fixture_that_works"}
    assert "all" in ran.stdout.partition("processor seconds by folder")[2]
