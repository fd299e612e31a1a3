"""Every proof is checked again by a solver that shares nothing with the first."""

from pathlib import Path

import cvc5
import pytest

from lockstep.language.model import model_names
from lockstep.specs.scopes import load_model_spec
from tests.prove.proofs import made

ROOT = Path(__file__).parents[2]
PROOFS = [
    (name, proof) for name in model_names(ROOT) for proof in load_model_spec(ROOT, name).proofs
]
PATIENCE_MS = 120_000
TOO_MUCH = {("fetch_session", "two_fetchers"): 8_000, ("snapshot_election", "epochs"): 4_000}
"""Proofs with questions to which cvc5 had no answer within minutes, and how long each may take now.
What it does answer has to be the same."""


def answer(text: str, patience: int = PATIENCE_MS) -> str:
    """What cvc5 says of the assertions in an SMT-LIB text."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(patience))
    solver.setOption("decision", "internal")  # its default decides by the text, and gets lost in it
    symbols = cvc5.SymbolManager(solver)
    parser = cvc5.InputParser(solver, symbols)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols)
    return said.strip()


def test_a_false_claim_is_not_confirmed() -> None:
    assert answer("(set-logic ALL)(declare-const x Int)(assert (> x 3))(check-sat)") == "sat"


@pytest.mark.verify
@pytest.mark.parametrize(("name", "proof"), PROOFS)
def test_second_solver_agrees(name: str, proof: str) -> None:
    obligations = made(ROOT, name, load_model_spec(ROOT, name).proofs[proof]).obligations
    assert obligations
    patience = TOO_MUCH.get((name, proof), PATIENCE_MS)
    answers = {each.name: answer(each.text, patience) for each in obligations}
    confirmed = [each for each, said in answers.items() if said == "unsat"]
    if (name, proof) in TOO_MUCH:
        left = [each for each in answers if each not in confirmed]
        assert all(answers[each].startswith("unknown") for each in left)
        assert confirmed
    else:
        assert confirmed == list(answers)
