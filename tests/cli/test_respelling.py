"""Verbs that were once modes of `check`: the old spelling works, with a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

SEEDS = ("--simulate", "5", "--seeds", "1..2")
SCENARIO = """
[costs.entry]
purpose = "Somebody comes in."
to = "somebody_gets_in"

[costs.entry.counts]
coins = ["coin"]
"""


def answers(document: dict[str, Any]) -> list[Any]:
    """What is answered, without what differs between two runs."""
    different = ("seconds", "since")
    return [
        {key: value for key, value in row.items() if key not in different}
        for row in document["results"]
    ]


@pytest.mark.parametrize(
    ("old", "flag", "new"),
    [
        (("turnstile", "--faults"), "--faults", ("faults", "turnstile")),
        (("--mutants", "turnstile"), "--mutants", ("mutants", "turnstile")),
        (("--matrix",), "--matrix", ("matrix",)),
        (("turnstile", "--costs"), "--costs", ("costs", "turnstile")),
        (
            ("turnstile", "--sweep", "MAX_COINS=1..2", "CAN_JAM=all"),
            "--sweep",
            ("sweep", "turnstile", "MAX_COINS=1..2", "CAN_JAM=all"),
        ),
        (
            ("--sweep=MAX_COINS=1..2", "turnstile", "--sweep", "CAN_JAM=all"),
            "--sweep",
            ("sweep", "turnstile", "MAX_COINS=1..2", "CAN_JAM=all"),
        ),
        (("turnstile", *SEEDS), "--seeds", ("sweep", "turnstile", *SEEDS)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else value,
)
def test_it_asks_the_same_with_a_hint(
    desk: Desk, old: tuple[str, ...], flag: str, new: tuple[str, ...]
) -> None:
    with (desk.root / "specs/turnstile.toml").open("a") as spec:
        spec.write(SCENARIO)
    before, after = desk.run("check", *old, "--json"), desk.run(*new, "--json")
    hint = f"lockstep: `check {flag}` is `lockstep {new[0]}` now; it works until 0.2\n"
    assert (before.code, before.err) == (after.code, hint)
    assert after.err == ""
    assert answers(before.json) == answers(after.json) != []


def test_what_is_no_mode_is_left_alone(desk: Desk) -> None:
    assert desk.run("check", "turnstile", "--fault", "stays_open").err == ""
    refused = desk.run("prove", "turnstile", "--faults")
    assert (refused.code, "No such option: --faults" in refused.err) == (2, True)
