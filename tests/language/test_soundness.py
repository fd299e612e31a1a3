"""What the front end says of an expression is true of its values, in random models.

Engines lean on it: a type decides how many bits a value gets and which checks are left out.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, reject

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.source import ModelError
from lockstep.language.totality import may_fail, walk
from lockstep.language.types import is_within
from lockstep.results.search_result import EvaluationError
from tests.day import drawn_daily
from tests.interpreter.closures import Evaluator, ExpressionCompiler, Frame
from tests.interpreter.interpreter import InterpreterEngine
from tests.random_models.parts.states import some_states
from tests.random_models.random_models import RandomModel, random_models

UNCHECKED = ExpressionCompiler.expression
EXAMPLES = drawn_daily(60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


def loaded(text: RandomModel, folder: Path) -> tuple[Model, ir.ModelCode]:
    try:
        model = text.load(folder)
        return model, lower(model)
    except ModelError:
        reject()


def parts(code: ir.ModelCode) -> Iterator[ir.ActionCode | ir.PropertyCode]:
    yield from code.actions
    yield from code.properties


def may_end_in_an_error(part: ir.ActionCode | ir.PropertyCode) -> bool:
    nodes = list(walk(part))
    writes = [node for node in nodes if isinstance(node, ir.Write)]
    # A part of an option may not be there, a key may be none of the map's.
    unsure = any(w.path or not is_within(w.value.domain, w.target) for w in writes)
    return unsure or any(isinstance(node, ir.Expression) and may_fail(node) for node in nodes)


def checked(compiler: ExpressionCompiler, node: ir.Expression) -> Evaluator:
    """An expression that fails the test when its value is not of its type."""
    evaluate = UNCHECKED(compiler, node)

    def evaluate_and_check(frame: Frame) -> Any:
        value = evaluate(frame)
        assert node.domain.contains(value), (type(node).__name__, str(node.place), value)
        return value

    return evaluate_and_check


@EXAMPLES
@given(text=random_models())
def test_values_are_of_their_types(folder: Path, text: RandomModel) -> None:
    model, _ = loaded(text, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExpressionCompiler, "expression", checked)
        engine = InterpreterEngine(model)
    states = some_states(model, 30)
    for before, after in pairwise(states):
        with suppress(EvaluationError):
            list(engine.successors(before))
        for prop in model.properties:
            with suppress(EvaluationError):
                engine.evaluate(prop, before, after)


@EXAMPLES
@given(text=random_models(risky=True))
def test_what_cannot_fail_does_not(folder: Path, text: RandomModel) -> None:
    model, code = loaded(text, folder)
    certain = {part.name for part in parts(code) if not may_end_in_an_error(part)}
    assume(certain)
    engine, failed = InterpreterEngine(model), set()
    for before, after in pairwise(some_states(model, 30)):
        try:
            list(engine.successors(before))
            for prop in model.properties:
                engine.evaluate(prop, before, after)
        except EvaluationError as error:
            failed.add(error.function)
    assert not failed & certain
