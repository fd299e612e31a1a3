"""What a model keeps for all that is derived from it."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model, with_goal
from lockstep.language.notation import Kind
from lockstep.language.source import ModelError

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture
def model() -> Model:
    return load_model(ROOT, "turnstile")


def functions(code: ir.ModelCode) -> Iterable[int]:
    return map(id, (*code.actions, *code.properties))


def test_each_function_is_lowered_once(model: Model) -> None:
    assert list(functions(lower(model))) == list(functions(lower(model)))


def test_what_is_derived_from_a_model_is_not_lowered_again(model: Model, tmp_path: Path) -> None:
    bare = model.without(Kind.INVARIANT)
    more = with_goal(model, "asked", "True", tmp_path / "asked.py")
    assert set(functions(lower(bare))) < set(functions(lower(model))) < set(functions(lower(more)))


def test_what_is_refused_is_refused_again(model: Model, tmp_path: Path) -> None:
    wrong = with_goal(model, "asked", "s.nothing", tmp_path / "asked.py")
    for _ in range(2):
        with pytest.raises(ModelError, match="there is no variable nothing"):
            lower(wrong)
    assert len(lower(model).properties) == len(model.properties)
