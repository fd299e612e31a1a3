"""The command `lockstep costs`, and what `lockstep review` says of scenarios."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

SPEC = "specs/turnstile.toml"
ENTRY = """
[costs.entry]
purpose = "Somebody comes in."
to = "somebody_gets_in"

[costs.entry.counts]
coins = ["coin"]
mended = "jams_mended"
"""
MEASURE = """

from lockstep import measure


@measure
def jams_mended(s, new):
    return sum(1 for g in Gate if s.arm[g] == Arm.JAMMED and new.arm[g] == Arm.LOCKED)
"""


@pytest.fixture
def counting(desk: "Desk") -> "Desk":
    """A desk with a scenario, one count of which is a measure."""
    with (desk.root / SPEC).open("a") as spec:
        spec.write(ENTRY)
    with (desk.root / "invariants/turnstile.py").open("a") as claims:
        claims.write(MEASURE)
    return desk


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_the_fewest_and_the_most_are_shown_with_their_behaviours(
    counting: "Desk", engine: str
) -> None:
    ran = counting.run("costs", "turnstile", "--engine", engine)
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[:5] == [
        "turnstile, scope default",
        "  cost        entry: from the initial state to somebody_gets_in",
        "            fewest  most",
        "    coins   1       2",
        "    mended  0       no bound",
    ]
    assert lines[5] == "    no bound of mended by collect"
    assert "      coin, coin, push" in lines
    assert "      jam, again and again (collect, jam), coin, push" in lines


def test_each_behaviour_can_be_replayed(counting: "Desk") -> None:
    ran = counting.run("costs", "turnstile", "--scope", "small", "--json")
    (row,) = ran.json["results"]
    counts = row["details"]["costs"]["entry"]["counts"]
    assert [counts["coins"][extreme]["number"] for extreme in ("fewest", "most")] == [1, 1]
    for extremes in counts.values():
        for attained in extremes.values():
            replayed = counting.run("replay", attained["file"])
            assert replayed.code == 0
            assert "the model still goes so; it was found for entry, " in replayed.out


def test_a_review_counts_on_both_sides(counting: "Desk") -> None:
    counting.edit(SPEC, "counts]\n", 'counts]\npushes = ["push"]\n')
    ran = counting.run(
        *("review", "turnstile", "turnstile@CAN_JAM=false", "--scope", "default", "--brief")
    )
    assert "  cost        entry: from the initial state to somebody_gets_in" in ran.out
    assert "    coins   1       2\n" in ran.out
    assert "    mended  0       no bound -> 0\n" in ran.out
    assert "    BASE: no bound of mended by collect\n" in ran.out
    ran = counting.run(
        *("review", "turnstile", "turnstile@CAN_JAM=false", "--scope", "default", "--json")
    )
    (row,) = ran.json["results"]
    (cost,) = row["details"]["costs"]
    assert (cost["scenario"], cost["is_reworded"]) == ("entry", False)
    base, head = (cost[side]["counts"]["mended"]["most"] for side in ("base", "head"))
    assert (base["number"], base["repeated"]) == (None, ["collect"])
    assert head["number"] == 0
    assert base["file"] != head["file"]
    assert all(Path(one["file"]).is_file() for one in (base, head))


def test_a_goal_that_is_not_reached_is_no_number(counting: "Desk") -> None:
    counting.edit(SPEC, 'to = "somebody_gets_in"', 'to = "somebody_gets_in"\nwithout = ["push"]')
    ran = counting.run("costs", "turnstile")
    assert ran.code == 0
    assert "    not reached, for somebody_gets_in is never reached from there" in ran.out


def test_a_bound_that_is_met_is_no_number(counting: "Desk") -> None:
    ran = counting.run("costs", "turnstile", "--max-states", "3")
    assert ran.code == 3
    assert "    inconclusive: more than 3 states" in ran.out


def test_a_measure_below_zero_is_refused(counting: "Desk") -> None:
    counting.edit("invariants/turnstile.py", "return sum(1 for", "return -sum(1 for")
    ran = counting.run("costs", "turnstile")
    assert ran.code == 2
    assert "the measure jams_mended of turnstile is -1 for a step by collect" in ran.out
    assert "cure: return a whole number from 0 up" in ran.out


@pytest.mark.parametrize(
    ("old", "new", "problem", "cure"),
    [
        (
            'to = "somebody_gets_in"',
            'to = "somebody_gets_out"',
            ":27: costs.entry.to: turnstile has no `sometimes` 'somebody_gets_out'",
            "did you mean somebody_gets_in?",
        ),
        (
            '["coin"]',
            '["coins"]',
            ":30: costs.entry.counts.coins: turnstile has no action 'coins'",
            "did you mean coin?",
        ),
        (
            '"jams_mended"',
            '"coin"',
            ":31: costs.entry.counts.mended: turnstile has no measure 'coin'",
            "there are: jams_mended",
        ),
    ],
)
def test_an_unknown_name_is_refused_by_every_check(
    counting: "Desk", old: str, new: str, problem: str, cure: str
) -> None:
    counting.edit(SPEC, old, new)
    for verb in ("check", "costs"):
        ran = counting.run(verb, "turnstile")
        assert ran.code == 2
        assert problem in ran.out
        assert f"cure: {cure}" in ran.out


def test_a_model_without_a_scenario_is_refused(desk: "Desk") -> None:
    ran = desk.run("costs", "turnstile")
    assert ran.code == 2
    assert "turnstile has no scenario to count" in ran.err
    assert "cure: write a table [costs.NAME] in specs/MODEL.toml" in ran.err


def test_a_fault_is_counted_with_the_constants_that_it_sets(counting: "Desk") -> None:
    counting.edit("models/turnstile.py", "s.entries[g] + 1", "min(s.entries[g] + 1, MAX_COINS)")
    counting.edit(SPEC, 'coins = ["coin"]', 'coins = ["coin"]\nkicks = ["kicked_open"]')
    faulty = ("costs", "turnstile", "--scope", "default", "--fault", "kicked_open")
    own, one_gate, two_gates = (
        [line for line in ran.out.splitlines()[1:-1] if not line.endswith(".itf.json")]
        for ran in (
            counting.run(*faulty),
            counting.run(*faulty, "--set", 'GATES=["east"]'),
            counting.run(*faulty, "--set", 'GATES=["east", "west"]'),
        )
    )
    assert own == one_gate != two_gates


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_version_without_a_meaning_is_not_counted(counting: "Desk", engine: str) -> None:
    counting.edit("models/turnstile.py", "s.arm[g] == Arm.LOCKED and has_room(s, g)", "True")
    ran = counting.run("costs", "turnstile", "--engine", engine)
    assert ran.code == 3, ran.out + ran.err
    assert "    inconclusive: coin: coins['east'] = 3 is not in 0..2\n" in ran.out
