"""Every proof is checked again by a solver that shares nothing with the first."""

from pathlib import Path

import cvc5
import pytest

from lockstep.language.model import model_names
from lockstep.specs.scopes import load_model_spec
from tests.prove.proofs import make_proof

ROOT = Path(__file__).parents[2]
PROOFS = [
    (name, proof) for name in model_names(ROOT) for proof in load_model_spec(ROOT, name).proofs
]
PATIENCE_MS = 120_000


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
    obligations = make_proof(ROOT, name, load_model_spec(ROOT, name).proofs[proof]).obligations
    assert obligations
    answers = {obligation.name: answer(obligation.text) for obligation in obligations}
    assert {name: said for name, said in answers.items() if said != "unsat"} == {}
