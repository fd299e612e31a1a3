from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.scopes import Pins, Scope, load_model_spec

WHOLE = """
[model]
name = "gate"
requirements = ["kip_9"]
twin = "Gate"
deadlock = "allowed"
deadlock_reason = "the coins run out"

[scopes.small]
purpose = "One gate."
constants = { GATES = ["east"], MAX = 2, JAMS = false, PAIRS = [["a", 1]] }
verdict = "holds"
states = 5
transitions = 7
depth = 4
compare = "graph"

[scopes.small.idle]
jam = "it cannot"

[scopes.small.vacuous]
pays = "nobody does"

[scopes.default]
purpose = "Two gates."
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "kip_9.toml").write_text("")
    return tmp_path


def write(root: Path, text: str) -> None:
    (root / "specs" / "gate.toml").write_text(text)


def test_everything_is_read(root: Path) -> None:
    write(root, WHOLE)
    spec = load_model_spec(root, "gate")
    assert (spec.name, spec.requirements, spec.twin) == ("gate", ("kip_9",), "Gate")
    assert spec.deadlock_allowed
    assert spec.deadlock_reason == "the coins run out"
    assert spec.scope("small") == Scope(
        "small",
        "One gate.",
        {"GATES": ("east",), "MAX": 2, "JAMS": False, "PAIRS": (("a", 1),)},
        Pins("holds", 5, 7, 4),
        "graph",
        {"jam": "it cannot"},
        {"pays": "nobody does"},
    )
    assert spec.scope("default") == Scope("default", "Two gates.")
    assert spec.scope("default").pins.missing == ["verdict", "states", "transitions", "depth"]


def test_without_a_file_the_model_stands_as_it_is(root: Path) -> None:
    spec = load_model_spec(root, "gate")
    assert spec.file is None
    assert spec.scope("default") == Scope("default")
    assert not spec.deadlock_allowed
    with pytest.raises(LockstepError, match=r"there is no specs/gate.toml"):
        spec.scope("small")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('name = "gate"', 'name = "door"', r"gate.toml: model.name: is 'door'"),
        ('["kip_9"]', '["kip_8"]', r"model.requirements: there is no specs/kip_8.toml"),
        ('"allowed"', '"forbidden"', r"model.deadlock_reason: is there, but deadlock is forbidden"),
        ('twin = "Gate"', 'twins = "Gate"', r"model.twins: is not a key(.|\n)*mean twin\?"),
        ("states = 5", "states = 5.0", r"scopes.small.states: is 5.0, not a whole number"),
        ('"holds"', '"fine"', r"scopes.small.verdict: is 'fine'(.|\n)*holds, violated"),
        ('"graph"', '"both"', r"scopes.small.compare: is 'both'"),
        ("MAX = 2", "MAX = 2.5", r"scopes.small.constants.MAX: is 2.5, which no constant"),
        ('jam = "it cannot"', "jam = 1", r"scopes.small.idle.jam: is 1, not a text"),
        ('purpose = "One gate."', 'purpose = " "', r"scopes.small.purpose: is ' ', not a text"),
        ("[scopes.default]", "[scope.default]", r"scope: is not a key(.|\n)*did you mean scopes"),
        ("[model]", "[modle]", r"model is missing"),
    ],
)
def test_errors_name_file_and_key(root: Path, old: str, new: str, told: str) -> None:
    assert old in WHOLE
    write(root, WHOLE.replace(old, new, 1))
    with pytest.raises(LockstepError, match=told) as error:
        load_model_spec(root, "gate")
    assert str(root / "specs" / "gate.toml") in str(error.value)


def test_an_unknown_scope_names_the_nearest(root: Path) -> None:
    write(root, WHOLE)
    spec = load_model_spec(root, "gate")
    with pytest.raises(LockstepError, match=r"no scope 'smal'(.|\n)*did you mean small\?"):
        spec.scope("smal")
    with pytest.raises(LockstepError, match=r"its scopes are: small, default"):
        spec.scope("huge")
