"""Every proof is checked again by a solver that shares nothing with the first."""

from pathlib import Path

import cvc5
import pytest

from lockstep.language.model import load_model, model_names
from lockstep.prove.induction import prove
from lockstep.prove.relation import Relation
from lockstep.specs.scopes import load_model_spec

ROOT = Path(__file__).parents[2]
PROOFS = [
    (name, proof) for name in model_names(ROOT) for proof in load_model_spec(ROOT, name).proofs
]
MILLISECONDS = "120000"


def answer(text: str) -> str:
    """What cvc5 says of the assertions in an SMT-LIB text."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", MILLISECONDS)
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
    spec = load_model_spec(ROOT, name).proofs[proof]
    model = load_model(ROOT, name, spec.constants, lemmas=True)
    obligations = prove(Relation(model), k=spec.k).obligations
    assert obligations
    assert {each.name: answer(each.text) for each in obligations} == {
        each.name: "unsat" for each in obligations
    }
