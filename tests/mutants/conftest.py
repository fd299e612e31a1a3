"""Small models written for a test, and their mutants by name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep.language.model import Model, load_model

Load = Callable[[str, str], Model]

NAMES = "Constant, Map, OneOf, Range, Record, Sequence, Set, State, action, replace, require"
CLAIMS = "action, invariant, leads_to, sometimes, step_invariant, when"


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads the model `sample` from the text of its file and that of its claims."""

    def load(text: str, claims: str = "") -> Model:
        for folder in ("models", "invariants"):
            (tmp_path / folder).mkdir(exist_ok=True)
        names = f"from enum import Enum\nfrom lockstep import {NAMES}\n"
        (tmp_path / "models" / "sample.py").write_text(f"{names}{text}", encoding="utf-8")
        own = f"from lockstep import {CLAIMS}\nfrom models.sample import *\n"
        (tmp_path / "invariants" / "sample.py").write_text(f"{own}{claims}", encoding="utf-8")
        return load_model(tmp_path, "sample")

    return load
