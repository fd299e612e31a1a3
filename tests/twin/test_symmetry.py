"""States up to exchanging names: as many as TLC finds with SYMMETRY on the twin."""

from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.plain.exploration import Exploration
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.twin.config import scope_config, without_checks
from lockstep.twin.names import definition_name
from lockstep.twin.tlc import TlcOptions, run_tlc, twin_files

ROOT = Path(__file__).parents[2]
THREE_SLOTS = {"SLOTS": ("slot1", "slot2", "slot3"), "MAX_TIME": 2, "MAX_SIZE": 1}


@pytest.mark.parametrize(
    ("name", "scope", "changes", "exchanged"),
    [
        ("session_cache", "default", {}, "SLOTS"),
        ("session_cache", "default", THREE_SLOTS, "SLOTS"),
        ("fetch_session", "partitions", {}, "PARTITIONS"),
        pytest.param("session_cache", "large", {}, "SLOTS", marks=pytest.mark.verify),
        pytest.param("fetch_session", "data", {}, "PARTITIONS", marks=pytest.mark.verify),
    ],
)
def test_as_many_states_as_tlc_finds(
    tmp_path: Path, name: str, scope: str, changes: dict[str, object], exchanged: str
) -> None:
    spec = load_model_spec(ROOT, name)
    model = load_model(ROOT, name, {**spec.scope(scope).constants, **changes})
    all_states = explore(model, Exploration("compiled"))
    reduced = explore(model, Exploration("compiled", symmetry=True))
    assert reduced.verdict is Verdict.HOLDS
    assert reduced.states < all_states.states

    files = twin_files(ROOT, spec)
    names = model.constants[exchanged]
    assert isinstance(names, tuple)
    assert len(names) > 1
    template = without_checks(files.template.read_text("utf-8"))
    config = scope_config(model.constants, template)
    for each in names:
        # Only what TLC calls a model value can be exchanged, and it is written without quotes.
        config = config.replace(f'"{each}"', str(each))
    module = tmp_path / "Symmetric.tla"
    module.write_text(
        f"---- MODULE Symmetric ----\nEXTENDS {files.module.stem}, TLC\n"
        f"Exchanged == Permutations({definition_name(exchanged)})\n====\n"
    )
    (tmp_path / "Symmetric.cfg").write_text(f"{config}\nSYMMETRY Exchanged\n")
    run = run_tlc(
        module, tmp_path / "Symmetric.cfg", TlcOptions(library=files.module.parent, brief=True)
    )
    assert run.verdict == "holds"
    assert run.distinct == reduced.states
