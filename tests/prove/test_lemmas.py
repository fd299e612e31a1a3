"""Lemmas are true in every reachable state, and models are proved as `specs/` says.

An induction that needs a false lemma would not be one; the search knows nothing of solvers and says
whether it is false.
"""

import json

import pytest

from lockstep.cli.main import run
from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.plain.exploration import Exploration
from lockstep.prove.proofs import MEANING
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from tests.kafka_models import MODELS, ROOT, kafka_model

QUICK = ("small", "default")
MOST_STATES = 500_000

SLOW = {
    ("fetch_session", "any_fetchers"),
    ("fetch_session", "any_ids"),
    ("fetch_session", "any_partitions"),
    ("snapshot_election", "epochs"),
    ("snapshot_fetch", "two_voters"),
}
"""Proofs of more than ten seconds."""

SPECS = {name: load_model_spec(ROOT, name) for name in MODELS}


def has_lemmas(name: str) -> bool:
    """Whether a model has lemmas; it is not loaded for that."""
    return (ROOT / "invariants" / "lemmas" / f"{name}.py").is_file()


def lemmas_of(name: str) -> set[str]:
    every = kafka_model(name, lemmas=True).properties
    return {prop.name for prop in every} - {prop.name for prop in kafka_model(name).properties}


def scopes() -> list[object]:
    """The scopes of models with lemmas, but for the largest."""
    parameters: list[object] = []
    for name, spec in SPECS.items():
        for scope in spec.scopes.values() if has_lemmas(name) else ():
            states = scope.pins.states
            if states is not None and states <= MOST_STATES:
                marks = [] if scope.name in QUICK else [pytest.mark.verify]
                parameters.append(pytest.param(name, scope.name, marks=marks))
    return parameters


def proofs() -> list[object]:
    return [
        pytest.param(name, proof, marks=[pytest.mark.verify] if (name, proof) in SLOW else [])
        for name, spec in SPECS.items()
        for proof in spec.proofs
    ]


@pytest.mark.parametrize("name", MODELS)
def test_lemmas_are_where_they_are_looked_for(name: str) -> None:
    assert has_lemmas(name) == bool(lemmas_of(name))


@pytest.mark.daily(3)
@pytest.mark.parametrize(("name", "scope"), scopes())
def test_lemmas_are_true(name: str, scope: str) -> None:
    chosen = SPECS[name].scope(scope)
    model = load_model(ROOT, name, chosen.constants, lemmas=True)
    deadlock_allowed = SPECS[name].deadlock_allowed
    result = explore(model, Exploration("compiled", deadlock_allowed=deadlock_allowed))
    assert result.violation is None
    assert result.verdict is Verdict.HOLDS
    assert result.states == chosen.pins.states
    if scope == "small" and (silent := lemmas_of(name) - result.applied):
        wider = load_model(ROOT, name, SPECS[name].scope("default").constants, lemmas=True)
        request = Exploration("compiled", deadlock_allowed=deadlock_allowed)
        assert silent <= explore(wider, request).applied


@pytest.mark.daily(3)
@pytest.mark.parametrize(("name", "proof"), proofs())
def test_proofs_come_out_as_specified(
    name: str, proof: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    code = run(["prove", name, "--proof", proof, "--json", "--no-cache"])
    (row,) = json.loads(capsys.readouterr().out)["results"]
    proved = {prop["name"]: prop["proved"] for prop in row["details"]["properties"]}
    excused = SPECS[name].proofs[proof].bounded
    assert {prop for prop, holds in proved.items() if not holds} == set(excused)
    assert proved.keys() >= {*lemmas_of(name), MEANING}
    assert (row["verdict"], code) == ("holds", 0)
