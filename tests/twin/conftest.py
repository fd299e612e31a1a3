"""Copies of whole workspaces, whose twins a test may change."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lockstep.language.model import load_model
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import Scope, load_model_spec
from lockstep.twin.compare import TwinResult
from lockstep.twin.twin import TwinOptions, compare_twin

KAFKA = Path(__file__).parents[2]
TURNSTILE = KAFKA / "tests" / "workspaces" / "turnstile"


@dataclass(frozen=True)
class Copy:
    """A workspace of a test's own."""

    root: Path

    def edit(self, file: str, old: str, new: str) -> None:
        """Changes the one place in a file where `old` stands."""
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def compare(self, model: str, scope: str | Scope = "small", **options: Any) -> TwinResult:
        """Compares a model with its twin."""
        spec = load_model_spec(self.root, model)
        chosen = spec.scope(scope) if isinstance(scope, str) else scope
        loaded = load_model(self.root, model, chosen.constants)
        return compare_twin(loaded, spec, chosen, TwinOptions(**options))


def assert_same(result: TwinResult) -> None:
    """Both are the same, and TLC refutes nothing."""
    assert (result.verdict, result.because) == (Verdict.HOLDS, "")
    assert (result.difference, result.counts, result.refuting) == (None, (), None)
    explored, run = result.explored, result.run
    assert (run.distinct, run.transitions, run.steps) == (
        explored.states,
        explored.transitions,
        explored.depth,
    )


def _copy(source: Path, root: Path) -> Copy:
    for folder in ("models", "invariants", "specs", "tla"):
        ignored = shutil.ignore_patterns("__pycache__", "observed")
        shutil.copytree(source / folder, root / folder, ignore=ignored)
    shutil.copy(source / "lockstep.toml", root)
    return Copy(root)


@pytest.fixture
def turnstile(tmp_path: Path) -> Copy:
    return _copy(TURNSTILE, tmp_path / "turnstile")


@pytest.fixture
def kafka(tmp_path: Path) -> Copy:
    return _copy(KAFKA, tmp_path / "kafka")
