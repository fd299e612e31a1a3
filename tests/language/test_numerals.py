"""Integers written where names are wanted that happen to be integers are those names."""

from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.language.source import ModelError
from lockstep.plain.exploration import Exploration
from lockstep.prove.bounded import check_bounded
from lockstep.prove.relation import Relation

PREAMBLE = """
from lockstep import Constant, OneOf, Sequence, Set, State, action, require

BROKERS: Constant = (1, 2, 5)
ENDS: Constant = (1, 5)
Broker = OneOf(BROKERS)


def is_led_by(s, b: Broker | None):
    return s.leader == b


class Cluster(State):
    alive: Set[Broker] = set()
    leader: Broker | None = None
    order: Sequence[Broker, 2] = ()


@action
def act(s, new, b: Broker):
    new.leader = b
"""


def written(folder: Path, statement: str) -> Model:
    folder.joinpath("models").mkdir()
    folder.joinpath("models/cluster.py").write_text(f"{PREAMBLE}    {statement}\n")
    return load_model(folder, "cluster")


@pytest.mark.parametrize(
    ("statement", "states"),
    [
        ("new.alive = {1, 5}", 4),
        ("new.alive = s.alive | {1, 5} if b == 5 else s.alive - {2, 5}", 6),
        ("new.alive = {5 if b == 5 else 1, 2}", 4),
        ("new.alive = {1, 2} if b in (1, 2) else set()", 4),
        ("new.order = ENDS", 4),
        ("new.order = s.order[1:] + (2,) if len(s.order) > 0 else (1, 5)", 10),
        ("new.order = ((1, 5) + (2,))[1:]", 4),
        ("require(s.leader not in {1, 5} and b in ENDS)", 3),
        ("require(b in ((1, 2) + ENDS)[2:])", 3),
        ("require(s.alive != {1, 5} and not {1, 5} <= s.alive)", 4),
        ("require(not is_led_by(s, 5) and not is_led_by(s, 1 if b == 5 else 2))", 4),
        ("new.leader = 1 if s.leader is None else 5", 3),
    ],
)
def test_all_engines_take_them_for_names(tmp_path: Path, statement: str, states: int) -> None:
    model = written(tmp_path, statement)
    plain, compiled = (explore(model, Exploration(name)) for name in ("python", "compiled"))
    assert (plain.states, plain.error) == (states, None)
    assert (compiled.states, compiled.transitions) == (plain.states, plain.transitions)
    assert check_bounded(Relation(model), plain.depth + 1).error is None


@pytest.mark.parametrize(
    "statement",
    [
        "new.alive = {len(s.alive), 5}",
        "require(b in {x + 1 for x in ENDS})",
    ],
)
def test_what_is_counted_is_no_name(tmp_path: Path, statement: str) -> None:
    with pytest.raises(ModelError):
        lower(written(tmp_path, statement))
