"""What goes through nothing, as a scope's constant may be, has Python's value in all engines."""

from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.plain.exploration import Exploration
from lockstep.prove.bounded import check_bounded
from lockstep.prove.relation import Relation

TEXT = """
from lockstep import Constant, Range, Sequence, Set, State, action, require

WEIGHTS: Constant = (1, 2)
ROUNDS: Constant = 1


class Load(State):
    total: Range(0, 9) = 7
    heavy: Set[Range(0, 9)] = {7}
    order: Sequence[Range(0, 9), 2] = (7,)
    none: bool = False


@action
def act(s, new):
"""
TOTAL, HEAVY, ORDER, NONE = 7, frozenset({7}), (7,), False


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        ("new.total = sum(w * 2 for w in WEIGHTS)", (0, HEAVY, ORDER, NONE)),
        ("new.total = sum(WEIGHTS)", (0, HEAVY, ORDER, NONE)),
        ("new.total = max((w + 1 for w in WEIGHTS if w > 1), default=3)", (3, HEAVY, ORDER, NONE)),
        ("new.total = sum(WEIGHTS[i] for i in range(ROUNDS))", (0, HEAVY, ORDER, NONE)),
        ("new.heavy = {w + 1 for w in WEIGHTS}", (TOTAL, frozenset(), ORDER, NONE)),
        ("new.order = tuple(w - 1 for x in s.order for w in WEIGHTS)", (TOTAL, HEAVY, (), NONE)),
        ("new.none = all(w > x for w in WEIGHTS for x in s.heavy)", (TOTAL, HEAVY, ORDER, True)),
        ("require(not any(w > 0 for w in WEIGHTS))\n    new.total = 1", (1, HEAVY, ORDER, NONE)),
    ],
)
def test_nothing_is_gathered_from_nothing(
    tmp_path: Path, lines: str, after: tuple[object, ...]
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "load.py").write_text(f"{TEXT}    {lines}\n", encoding="utf-8")
    model = load_model(tmp_path, "load", {"WEIGHTS": (), "ROUNDS": 0})
    found = [explore(model, Exploration(engine)) for engine in ("python", "compiled")]
    assert [(result.error, result.states) for result in found] == [(None, 2)] * 2
    relation = Relation(model)
    assert check_bounded(relation, 1).error is None
    taken = relation.take(relation.actions[0], relation.constant(model.initial), [])
    reached = model.state.of(after)
    assert {name: taken.after[name] for name in model.variables} == relation.constant(reached)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_the_greatest_of_nothing_has_no_value(tmp_path: Path, engine: str) -> None:
    (tmp_path / "models").mkdir()
    text = f"{TEXT}    new.total = max(w + 1 for w in WEIGHTS)\n"
    (tmp_path / "models" / "load.py").write_text(text, encoding="utf-8")
    model = load_model(tmp_path, "load", {"WEIGHTS": (), "ROUNDS": 0})
    result = explore(model, Exploration(engine))
    assert result.error is not None
    assert "ValueError" in result.error.reason
