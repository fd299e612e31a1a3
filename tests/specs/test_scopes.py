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
"it cannot" = ["jam"]

[scopes.small.vacuous]
"nobody does" = ["pays"]

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


LIKE = """
[scopes.wide]
purpose = "As large, with one coin."
like = "large"
constants = { MAX = 1, JAMS = true }

[scopes.wide.idle]
"there is no push" = ["push", "kick"]
"it never does" = ["jam"]

[scopes.large]
purpose = "As small, with more coins."
like = "small"
constants = { MAX = 9 }
states = 50

[proofs.all]
purpose = "As any."
like = "any"
k = 2

[proofs.any]
purpose = "All coins."
constants = { MAX = 2147483647 }

[proofs.any.vacuous]
"nobody does" = ["pays"]
"""


def test_a_scope_is_like_another_but_for_what_it_says(root: Path) -> None:
    write(root, WHOLE + LIKE)
    spec = load_model_spec(root, "gate")
    assert list(spec.scopes) == ["small", "default", "wide", "large"]
    small, wide, large = (spec.scope(name) for name in ("small", "wide", "large"))
    assert large.constants == {**small.constants, "MAX": 9}
    assert wide.constants == {**small.constants, "MAX": 1, "JAMS": True}
    assert (large.idle, large.vacuous) == (small.idle, small.vacuous)
    assert wide.vacuous == small.vacuous
    assert wide.idle == {
        "jam": "it never does",
        "push": "there is no push",
        "kick": "there is no push",
    }
    assert (large.pins, large.compare) == (Pins(states=50), "counts"), "found for each by itself"


def test_a_proof_is_like_another_one(root: Path) -> None:
    write(root, WHOLE + LIKE)
    proofs = load_model_spec(root, "gate").proofs
    assert proofs["all"].constants == proofs["any"].constants == {"MAX": 2147483647}
    assert proofs["all"].vacuous == proofs["any"].vacuous == {"pays": "nobody does"}
    assert (proofs["all"].k, proofs["any"].k) == (2, 1)


def test_scopes_that_are_like_each_other(root: Path) -> None:
    write(root, WHOLE + LIKE.replace('like = "small"', 'like = "wide"'))
    with pytest.raises(LockstepError, match="wide is like large is like wide"):
        load_model_spec(root, "gate")
    write(root, WHOLE + LIKE.replace('like = "any"', 'like = "small"'))
    with pytest.raises(LockstepError, match=r"proofs.all.like: there is no 'small' beside it"):
        load_model_spec(root, "gate")


def test_without_a_file_the_model_stands_as_it_is(root: Path) -> None:
    spec = load_model_spec(root, "gate")
    assert spec.file is None
    assert spec.scope("default") == Scope("default")
    assert not spec.deadlock_allowed
    with pytest.raises(LockstepError, match=r"there is no specs/gate.toml"):
        spec.scope("small")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "gate"', 'name = "door"', r"gate.toml:3: model.name: is 'door'"),
        ('["kip_9"]', '["kip_8"]', r"model.requirements: there is no specs/kip_8.toml"),
        ('"allowed"', '"forbidden"', r"model.deadlock_reason: is there, but deadlock is forbidden"),
        ('twin = "Gate"', 'twins = "Gate"', r"model.twins: is not a key(.|\n)*mean twin\?"),
        ("states = 5", "states = 5.0", r"scopes.small.states: is 5.0, not a whole number"),
        ('"holds"', '"fine"', r"scopes.small.verdict: is 'fine'(.|\n)*holds, violated"),
        ('"graph"', '"both"', r"scopes.small.compare: is 'both'"),
        ("MAX = 2", "MAX = 2.5", r"scopes.small.constants.MAX: is 2.5, which no constant"),
        ('"it cannot" = ["jam"]', "jam = 1", r"scopes.small.idle.jam: is 1, not an array"),
        (
            '"it cannot" = ["jam"]',
            'jam = "it cannot"',
            r"idle.jam: is 'it cannot', not an array of texts(.|\n)*write the reason first",
        ),
        ('["jam"]', "[]", r"scopes.small.idle.it cannot: is a reason without names"),
        ('"it cannot"', '" "', r"scopes.small.idle. : is a reason without words"),
        ('["jam"]', '["jam", "jam"]', r"jam has a reason already: 'it cannot'"),
        ('purpose = "One gate."', 'purpose = " "', r"scopes.small.purpose: is ' ', not a text"),
        ('"Two gates."', '"Two gates."\nlike = 1', r"scopes.default.like: is 1, not a text"),
        (
            '"Two gates."',
            '"Two gates."\nlike = "smal"',
            r"scopes.default.like: there is no 'smal' beside it(.|\n)*did you mean small\?",
        ),
        (
            '"Two gates."',
            '"Two gates."\nlike = "default"',
            r"scopes.default.like: goes round in a circle: default is like default",
        ),
        ("[scopes.default]", "[scope.default]", r"scope: is not a key(.|\n)*did you mean scopes"),
        ("[model]", "[modle]", r"gate.toml:2: modle: is not a key(.|\n)*did you mean model\?"),
        (WHOLE, "", r"gate.toml: model is missing(.|\n)*add `\[model\]`"),
    ],
)
def test_errors_name_file_and_key(root: Path, old: str, new: str, message: str) -> None:
    assert old in WHOLE
    write(root, WHOLE.replace(old, new, 1))
    with pytest.raises(LockstepError, match=message) as error:
        load_model_spec(root, "gate")
    assert str(root / "specs" / "gate.toml") in str(error.value)


def test_an_unknown_scope_names_the_nearest(root: Path) -> None:
    write(root, WHOLE)
    spec = load_model_spec(root, "gate")
    with pytest.raises(LockstepError, match=r"no scope 'smal'(.|\n)*did you mean small\?"):
        spec.scope("smal")
    with pytest.raises(LockstepError, match=r"its scopes are: small, default"):
        spec.scope("huge")
