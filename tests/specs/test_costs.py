from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.costs import Scenario
from lockstep.specs.scopes import load_model_spec

WHOLE = """
[model]
name = "gate"

[costs.entry]
purpose = "Somebody comes in."
from = "somebody_waits"
to = "somebody_gets_in"
without = ["jam"]
counts = { coins = ["coin"], weight = "weight_of" }
"""


def load(root: Path, text: str) -> dict[str, Scenario]:
    (root / "specs").mkdir()
    (root / "specs" / "gate.toml").write_text(text)
    return dict(load_model_spec(root, "gate").costs)


def test_everything_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, WHOLE) == {
        "entry": Scenario(
            "entry",
            "Somebody comes in.",
            "somebody_waits",
            "somebody_gets_in",
            ("jam",),
            {"coins": ("coin",), "weight": "weight_of"},
        )
    }


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('to = "somebody_gets_in"\n', "", "costs.entry: to is missing"),
        ('coins = ["coin"], ', "coins = [], ", "costs.entry.counts.coins: is (), not what"),
        ('coins = ["coin"], ', "coins = [1], ", "counts.coins: has something that is no name"),
        ('coins = ["coin"], ', "coins = 1, ", "counts.coins: is 1, not what is counted"),
        ('coins = ["coin"], weight = "weight_of"', "", "costs.entry.counts: counts nothing"),
        ("coins = ", '"a/b" = ', "costs.entry.counts.a/b: is no name of a count"),
        ("costs.entry", "costs.'a b'", "costs.a b: is no name of a scenario"),
        ("purpose", "purposes", "costs.entry.purposes: is not a key that is known here"),
    ],
)
def test_what_is_no_scenario_is_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in WHOLE
    with pytest.raises(LockstepError) as raised:
        load(tmp_path, WHOLE.replace(old, new))
    assert problem in str(raised.value)
