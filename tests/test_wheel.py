"""The wheel in an empty environment, outside of any checkout.

What is installed beside it is what `requirements.lock` has, from the index that pip is set up for.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from hatch_build import WORKSPACE
from tests.packages import PIP, wheel_in
from tests.processes import started_program

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.verify

PIN = re.compile(r"^([\w.-]+==\S+(?: ; [^\\]+)?)", re.MULTILINE)


def run(*command: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {
        name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")
    }
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**own, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def done(*command: str | Path, folder: Path) -> str:
    """What a command prints that ends well."""
    ran = run(*command, folder=folder)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_in(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def programs(wheel: Path) -> Path:
    """The programs of an environment that has the wheel, what it needs, and pytest."""
    folder = wheel.parent
    pins = PIN.findall((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    (folder / "constraints.txt").write_text("\n".join(pins), encoding="utf-8")
    done(sys.executable, "-m", "venv", "environment", folder=folder)
    bin_ = folder / "environment" / "bin"
    install = (*PIP, "install", "--only-binary", ":all:", "--constraint", "constraints.txt")
    done(bin_ / "python", *install, wheel, "pytest", folder=folder)
    return bin_


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """An empty folder that is in no workspace."""
    folders = (tmp_path, *tmp_path.parents)
    assert [folder for folder in folders if (folder / "lockstep.toml").exists()] == []
    return tmp_path


def test_it_holds_the_workspaces_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"lockstep", "lockstep_kafka", "lockstep-0.1.0.dist-info"}
    carried = {name.split("/")[2] for name in names if name.startswith("lockstep/kafka/")}
    assert carried == set(WORKSPACE)
    assert "lockstep/starter/templates/workspace/lockstep.toml" in names
    assert [name for name in names if "__pycache__" in name or "/." in name] == []


IMPORT_ALL = """
import importlib, itertools, pkgutil, lockstep, lockstep_kafka
for module in itertools.chain(
    pkgutil.walk_packages(lockstep.__path__, "lockstep."),
    pkgutil.walk_packages(lockstep_kafka.__path__, "lockstep_kafka."),
):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(error.name.partition(".")[0])
"""


def test_every_dependency_is_declared(programs: Path, outside: Path) -> None:
    """No module needs a package that the wheel does not bring, but for those of the extras."""
    lacking = done(programs / "python", "-c", IMPORT_ALL, folder=outside).split()
    extras = {"deltalake", "jinja2", "matplotlib", "pandas", "pyarrow", "pyspark"}
    assert set(lacking) <= extras


def test_the_models_of_kafka(programs: Path, outside: Path) -> None:
    lockstep, kafka = programs / "lockstep", ("--workspace", "kafka")
    ran = run(lockstep, "check", "fetch_response", "--scope", "small", folder=outside)
    assert ran.returncode == 2
    assert "there is no workspace in" in ran.stderr
    assert ran.stdout == ""
    out = done(lockstep, "check", "fetch_response", "--scope", "small", *kafka, folder=outside)
    assert "fetch_response holds" in out
    ran = run(lockstep, "check", "fetch_session", "--fault", "throttled_response_without_session",
              *kafka, folder=outside)  # fmt: skip
    assert ran.returncode == 1
    saved = re.search(r"lockstep replay (\S+\.itf\.json) --workspace kafka", ran.stdout)
    assert saved is not None
    replay = (lockstep, "replay", saved[1], *kafka)
    assert run(*replay, folder=outside).returncode == 1
    assert run(*replay, "--html", "page.html", folder=outside).returncode == 1
    assert "<svg" in (outside / "page.html").read_text(encoding="utf-8")
    versions = ("session_cache", "session_cache@MAX_TIME=2")
    done(lockstep, "review", *versions, "--scope", "small", "--brief", *kafka, folder=outside)


def test_a_log_is_followed_outside_of_any_workspace(programs: Path, outside: Path) -> None:
    log = ROOT / "tests" / "data" / "request-log" / "java-consumer.log"
    ran = run(programs / "lockstep", "conform", log, folder=outside)
    assert ran.returncode == 0, ran
    assert "no workspace here has the model: --workspace kafka is used" in ran.stderr


def test_a_workspace_of_ones_own(programs: Path, outside: Path) -> None:
    lockstep = programs / "lockstep"
    done(lockstep, "init", "demo", folder=outside)
    demo = outside / "demo"
    done(lockstep, "new", "model", "lock_service", folder=demo)
    for command in ("check", "faults", "matrix", "prove", "twin"):
        assert "delivery" in done(lockstep, *command.split(), folder=demo)
    summary = done(lockstep, "report", "--out", "report.html", folder=demo)
    assert summary.startswith("holds  3 of 3 models as claimed")
    assert "delivery" in (demo / "report.html").read_text(encoding="utf-8")
    assert "5 passed" in done(programs / "pytest", "-q", folder=demo)
    assert " passed" in done(programs / "pytest", "-q", "--lockstep", folder=demo)


def test_a_page_to_walk_a_model(programs: Path, outside: Path) -> None:
    command = [str(programs / "lockstep"), "explore", "session_cache", "--workspace", "kafka"]
    with started_program(command, outside) as process:
        url = process.line().strip()
        with urllib.request.urlopen(url, timeout=30) as page:
            assert b"explore.js" in page.read()
        process.send(signal.SIGINT)
        assert process.ended()[0] == 130


def test_the_doctor_is_content(programs: Path, outside: Path) -> None:
    command = ("doctor", "--json", "--workspace", "kafka")
    result = json.loads(done(programs / "lockstep", *command, folder=outside))
    presence = {row["details"]["name"]: row["verdict"] for row in result["results"]}
    assert (presence["numpy"], presence["z3-solver"], presence["workspace"]) == ("ok",) * 3
    assert (presence["spark"], presence["tables"]) == ("absent", "absent")
    assert result["summary"]["missing"] == 0
