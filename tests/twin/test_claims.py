"""What the twins claim: each invariant of the model, and nothing that no mistake could break."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from lockstep.language.model import load_model, model_names
from lockstep.language.notation import Kind
from lockstep.specs.scopes import load_model_spec
from lockstep.twin.config import scope_config, without_checks
from lockstep.twin.names import definition_name
from lockstep.twin.tlc import TlcOptions, run_tlc, twin_files
from tests.twin.conftest import KAFKA, Copy
from tests.twin.mistakes.mistake import Mistake

MODELS = model_names(KAFKA)


def _mistakes(model: str) -> dict[str, Mistake]:
    """A mistake for each claim, or for each half of one: its name, a colon, and which half."""
    found: dict[str, Mistake] = import_module(f"tests.twin.mistakes.{model}").MISTAKES
    return found


def _claims(model: str) -> dict[str, str]:
    """What the twin's configuration claims, each with its keyword."""
    template = twin_files(KAFKA, load_model_spec(KAFKA, model)).template.read_text("utf-8")
    invariants, _, properties = template.split("INVARIANTS", 1)[1].partition("PROPERTIES")
    return {claim: "INVARIANT" for claim in invariants.split()} | {
        claim: "PROPERTY" for claim in properties.split()
    }


@pytest.mark.parametrize("name", MODELS)
def test_the_twin_claims_every_invariant_of_the_model(name: str) -> None:
    model = load_model(KAFKA, name, {})
    invariants = [prop.name for prop in model.properties if prop.kind is not Kind.SOMETIMES]
    assert sorted(_claims(name)) == sorted(["TypeOK", *map(definition_name, invariants)])


@pytest.mark.parametrize("name", MODELS)
def test_a_mistake_is_known_for_every_claim(name: str) -> None:
    assert {half.partition(":")[0] for half in _mistakes(name)} == set(_claims(name))


@pytest.mark.verify
@pytest.mark.parametrize(
    ("name", "half"), [(name, half) for name in MODELS for half in _mistakes(name)]
)
def test_every_claim_is_refuted_by_a_mistake(
    kafka: Copy, tmp_path: Path, name: str, half: str
) -> None:
    mistake, claim = _mistakes(name)[half], half.partition(":")[0]
    kafka.edit(f"tla/{mistake.module}.tla", mistake.right, mistake.wrong)
    spec = load_model_spec(kafka.root, name)
    files = twin_files(kafka.root, spec)
    model = load_model(kafka.root, name, {**spec.scope("small").constants, **mistake.constants})
    config = tmp_path / "claim.cfg"
    text = scope_config(model.constants, without_checks(files.template.read_text("utf-8")))
    config.write_text(f"{text}\n{_claims(name)[claim]} {claim}\n")
    run = run_tlc(files.module, config, TlcOptions(workers=2, brief=True, timeout=120))
    pending = {definition_name(prop.name) for prop in model.of_kind(Kind.LEADS_TO)}
    named = None if claim in pending else claim  # TLC does not name what fails to come to pass
    assert (run.verdict, run.violated) == ("violated", named), run.message
