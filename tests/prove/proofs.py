"""The proofs that `specs/` asks for, made as `lockstep prove` makes them."""

from collections.abc import Mapping
from pathlib import Path

from lockstep.language.model import Model, load_model
from lockstep.prove.any_number import names_for, prove_for_any
from lockstep.prove.induction import prove
from lockstep.prove.proofs import Induction
from lockstep.prove.relation import Relation
from lockstep.specs.scopes import ProofScope


def make_proof(
    root: Path,
    name: str,
    proof: ProofScope,
    *,
    fault: str | None = None,
    constants: Mapping[str, object] | None = None,
) -> Induction:
    """One proof; with a fault in place, and with constants where the proof has none of its own."""
    given = {**(constants or {}), **proof.constants}

    def load(changed: Mapping[str, object]) -> Model:
        return load_model(root, name, {**given, **changed}, fault=fault, lemmas=True)

    model, constant = load({}), proof.any_number
    if constant is None:
        return prove(Relation(model), k=proof.k)
    names = names_for(constant, model)
    return prove_for_any(lambda these: load({constant: these}), constant, names)[0]
