"""`--memory` bounds what the whole process has in memory, whichever engine explores."""

import subprocess
import sys
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore, simulate
from lockstep.language.model import load_model
from lockstep.plain.exploration import Bounds, Exploration, Walks
from lockstep.results.verdict import Verdict
from lockstep.system.resident import resident_memory

ROOT = Path(__file__).parents[2]
MIB = 2**20
MEASURED = """
import sys
from lockstep.cli.main import run
from lockstep.system.resident import resident_memory

code = run(sys.argv[1:])
with open("/proc/self/status", encoding="ascii") as lines:
    fields = dict(line.split(":", 1) for line in lines)
print("peak", int(fields["VmHWM"].split()[0]) * 1024)
sys.exit(code)
"""


def measured(*options: str) -> tuple[int, str, int]:
    """A large scope by a process of its own: its exit code, what it says, and its peak."""
    command = [sys.executable, "-c", MEASURED, "check", "session_cache", "--scope", "large"]
    ended = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    output, _, peak = ended.stdout.rpartition("peak ")
    return ended.returncode, output, int(peak)


@pytest.mark.parametrize("threads", [1, 8])
def test_a_search_keeps_to_its_memory(threads: int) -> None:
    options = ("--engine", "compiled", "--threads", str(threads))
    # Translates it, which takes memory of its own.
    measured(*options, "--memory", "1GiB", "--max-states", "1")
    code, output, peak = measured(*options, "--memory", "160MiB")
    assert code == 3
    assert "stopped at 160 MiB of memory as bounded" in output
    assert 120 * MIB < peak < 176 * MIB


@pytest.mark.slow
@pytest.mark.daily(3)
def test_plain_python_keeps_to_its_memory() -> None:
    code, output, peak = measured("--engine", "python", "--memory", "80MiB")
    assert code == 3
    assert "stopped at 80 MiB of memory as bounded" in output
    assert 76 * MIB < peak < 86 * MIB


@pytest.mark.parametrize("engine", ["compiled", "python", "auto"])
def test_less_than_lockstep_itself_takes_is_refused(engine: str) -> None:
    model = load_model(ROOT, "session_cache")
    with pytest.raises(LockstepError, match="1 MiB of memory are too few: lockstep takes") as error:
        explore(model, Exploration(engine, Bounds(memory=MIB)))
    assert "name at least" in str(error.value)
    with pytest.raises(LockstepError, match="too few"):
        simulate(model, Walks(10), Exploration(bounds=Bounds(memory=MIB)))


def test_where_plain_python_has_too_little_machine_code_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = load_model(ROOT, "session_cache")
    monkeypatch.setattr("lockstep.explore.engines._TRIAL_SECONDS", 3600)
    monkeypatch.setattr("lockstep.system.resident.ResidentBound.is_met", True)
    trial = explore(model, Exploration("python", Bounds(memory=resident_memory() + 100 * MIB)))
    assert trial.verdict is Verdict.INCONCLUSIVE
    assert "of memory as bounded" in trial.because
    monkeypatch.setattr("lockstep.machine.search.search.ParallelSearch._watch", lambda _: None)
    result = explore(model, Exploration("auto", Bounds(memory=resident_memory() + 100 * MIB)))
    assert (result.engine, result.verdict) == ("compiled", Verdict.HOLDS)
