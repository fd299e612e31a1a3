"""What must come to pass: TLC and plain Python say the same of it, under each kind of fairness."""

from __future__ import annotations

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from tests.twin.conftest import Copy

CLAIM = """

from lockstep import each, leads_to
from models.turnstile import coin, collect, jam, push


@leads_to({fairness})
def comes_to_pass(s, g: Gate):
    return {premise}, {goal}
"""
IN_TLA = """OpensOnlyForACoin ==
    [][\\A g \\in Gates :
         (arm[g] # "OPEN" /\\ arm'[g] = "OPEN") => coins'[g] = coins[g] + 1]_vars
"""


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("fairness", "promised", "premise", "goal", "verdict"),
    [
        pytest.param(
            "",
            "TRUE",
            "s.arm[g] == Arm.OPEN",
            "s.arm[g] != Arm.OPEN",
            "violated",
            id="nothing is promised",
        ),
        pytest.param(
            "weak=push",
            "WF_vars(\\E g \\in Gates : Push(g))",
            "s.arm[g] == Arm.OPEN",
            "s.arm[g] != Arm.OPEN",
            "violated",
            id="one gate for ever",
        ),
        pytest.param(
            "weak=each(push)",
            "\\A g \\in Gates : WF_vars(Push(g))",
            "s.arm[g] == Arm.OPEN",
            "s.arm[g] != Arm.OPEN",
            "holds",
            id="each gate",
        ),
        pytest.param(
            "weak=(each(push), each(collect), each(coin), each(jam))",
            "\\A g \\in Gates : WF_vars(Push(g)) /\\ WF_vars(Collect(g)) /\\ WF_vars(Coin(g))"
            " /\\ WF_vars(Jam(g))",
            "s.arm[g] == Arm.OPEN",
            "s.arm[g] == Arm.JAMMED",
            "violated",
            id="enabled now and then, weakly fair",
        ),
        pytest.param(
            "weak=each(push), strong=each(jam, 'g')",
            "\\A g \\in Gates : WF_vars(Push(g)) /\\ SF_vars(Jam(g))",
            "s.arm[g] == Arm.OPEN",
            "s.arm[g] == Arm.JAMMED",
            "holds",
            id="enabled now and then, strongly fair",
        ),
        pytest.param(
            "weak=(each(push), each(collect)), strong=jam",
            "(\\A g \\in Gates : WF_vars(Push(g)) /\\ WF_vars(Collect(g)))"
            " /\\ SF_vars(\\E g \\in Gates : Jam(g))",
            "s.arm[g] == Arm.OPEN",
            "s.arm[g] == Arm.JAMMED",
            "violated",
            id="strongly fair as a whole",
        ),
    ],
)
def test_tlc_agrees(
    turnstile: Copy, fairness: str, promised: str, premise: str, goal: str, verdict: str
) -> None:
    invariants = turnstile.root / "invariants" / "turnstile.py"
    text = invariants.read_text("utf-8") + CLAIM.format(
        fairness=fairness, premise=premise, goal=goal
    )
    invariants.write_text(text, "utf-8")
    leads = f"{_in_tla(premise)} ~> {_in_tla(goal)}"
    claim = f"ComesToPass == ({promised}) => \\A g \\in Gates : {leads}\n"
    turnstile.edit("tla/Turnstile.tla", IN_TLA, f"{IN_TLA}\n{claim}")
    turnstile.edit("tla/MCTurnstile.cfg", "ForACoin\n", "ForACoin\n    ComesToPass\n")
    scope = load_model_spec(turnstile.root, "turnstile").scope("default")
    found = explore(load_model(turnstile.root, "turnstile", scope.constants))
    compared = turnstile.compare("turnstile", "default")
    assert (found.verdict, compared.verdict) == (verdict, verdict)
    assert (compared.difference, compared.counts) == (None, ())
    if verdict == Verdict.VIOLATED:
        assert compared.refuted == "comes_to_pass"
        assert compared.because == "TLC refutes what the twin claims: ComesToPass"


def _in_tla(condition: str) -> str:
    """`s.arm[g] == Arm.OPEN` as a twin has it."""
    arm = condition.rpartition(".")[2]
    return f'arm[g] {"=" if "==" in condition else "#"} "{arm}"'
