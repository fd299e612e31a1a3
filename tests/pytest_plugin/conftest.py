"""pytest run in a copy of the turnstile, in a process of its own, as its users run it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


@dataclass(frozen=True)
class Run:
    """How a run of pytest ended: `outcomes` is by the item, as `specs.turnstile.check[small]`."""

    code: int
    out: str
    err: str
    outcomes: Mapping[str, str]
    properties: Mapping[str, Mapping[str, str]]

    def ids(self, outcome: str) -> list[str]:
        return [name for name, one in self.outcomes.items() if one == outcome]


@dataclass(frozen=True)
class Project:
    """A folder in which pytest is run; nothing of this project's own settings reaches it."""

    root: Path

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new))

    def pytest(self, *arguments: str, **changed: str) -> Run:
        ours = ("PYTEST_", "COV_", "PY_COLORS", "FORCE_COLOR")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        report = self.root / "report.xml"
        reporting = ("--junitxml", str(report), "-o", "junit_family=xunit1")
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments, *reporting],
            cwd=self.root,
            env={**inherited, **changed},
            capture_output=True,
            text=True,
            timeout=300,
        )
        cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []
        report.unlink(missing_ok=True)
        return Run(
            ended.returncode,
            ended.stdout,
            ended.stderr,
            {_name(case): _outcome(case) for case in cases},
            {_name(case): _properties(case) for case in cases},
        )


def _name(case: ElementTree.Element) -> str:
    return f"{case.get('classname')}.{case.get('name')}"


def _outcome(case: ElementTree.Element) -> str:
    outcomes = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
    return outcomes[0] if outcomes else "passed"


def _properties(case: ElementTree.Element) -> dict[str, str]:
    return {str(one.get("name")): str(one.get("value")) for one in case.iter("property")}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The turnstile alone, without the model that has no faults."""
    shutil.copytree(TURNSTILE, tmp_path / "turnstile")
    root = tmp_path / "turnstile"
    for file in ("models/letters.py", "invariants/letters.py", "specs/letters.toml"):
        (root / file).unlink()
    root.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return Project(root)
