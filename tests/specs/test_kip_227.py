"""What `specs/kip_227.toml` says of the models and of itself is so."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from lockstep.language.model import Model, load_model, model_names
from lockstep.specs.kip import Deviation, Kip, load_kip
from lockstep.specs.matrix import build_matrix
from lockstep.specs.tables import Plain

ROOT = Path(__file__).parents[2]
LAST_INT32 = 2**31 - 1
SCOPED = {"MAX_EPOCH", "SLOTS", "EVICTION_MS"}
"""Constants that a scope makes smaller than Kafka's."""


@pytest.fixture(scope="module")
def kip() -> Kip:
    return load_kip(ROOT / "specs" / "kip_227.toml")


def model(name: str, **constants: Plain) -> Model:
    return load_model(ROOT, name, constants)


def names_in(model: Model, module: str) -> Any:
    """The members of a module of the model; what they are is the module's own affair."""
    return model.universe.modules[f"models.{module}"]


def test_matrix_has_no_wrong_reference() -> None:
    matrix = build_matrix(ROOT, model_names(ROOT), every_file=True)
    assert matrix.problems == []
    assert matrix.unresolved == []
    for kip in matrix.kips:
        identities = [row.id for row in kip.requirements]
        assert identities == [f"{kip.label}-{n}" for n in range(1, len(identities) + 1)]


def test_every_invariant_states_a_requirement() -> None:
    properties = [prop for name in model_names(ROOT) for prop in model(name).properties]
    assert [prop.name for prop in properties if not prop.requirements] == []


# The text at Kafka's own widths.


def test_epoch_one_follows_the_last_at_the_real_width() -> None:
    metadata = names_in(model("fetch_session", MAX_EPOCH=LAST_INT32), "fetch_metadata")
    assert metadata.next_epoch(LAST_INT32) == 1
    assert metadata.next_epoch(LAST_INT32 - 1) == LAST_INT32
    assert metadata.next_epoch(metadata.INITIAL_EPOCH) == 1


def test_no_epoch_of_a_session_is_below_one() -> None:
    metadata = names_in(model("fetch_session", MAX_EPOCH=LAST_INT32), "fetch_metadata")
    assert (metadata.SessionEpoch.low, metadata.SessionEpoch.high) == (1, LAST_INT32)
    assert not any(metadata.is_full(epoch) for epoch in (1, 2, LAST_INT32))
    assert all(metadata.is_full(epoch) for epoch in (-1, 0))


def test_constants_are_those_of_the_models(kip: Kip) -> None:
    for constant in kip.constants:
        for name in constant.used_by:
            loaded = model(name)
            members = {
                key: value
                for module in loaded.universe.modules.values()
                if module.__name__.startswith("models.")
                for key, value in vars(module).items()
            }
            if constant.name in SCOPED:
                assert constant.name in loaded.constants
            elif constant.section == "New Error Codes":
                assert members["Error"][constant.name].value == constant.value
            else:
                assert members[constant.name] == constant.value


@pytest.mark.parametrize(("unused", "stale"), [(120_000, False), (120_001, True)])
def test_eviction_time_is_exceeded_not_reached(kip: Kip, unused: int, stale: bool) -> None:
    (eviction,) = [row.value for row in kip.constants if row.name == "EVICTION_MS"]
    cache = names_in(
        model("session_cache", EVICTION_MS=eviction, MAX_TIME=LAST_INT32), "session_cache"
    )
    session = cache.Session(privileged=True, size=1, created=0, last_used=0)
    consumer = cache.Proposal(privileged=False, size=1)
    assert cache.may_evict(consumer, session, unused) is stale


# Deviations and the text that takes them.


def definitions() -> dict[str, str]:
    """What is defined in the workspace, and its text: functions, classes, constants, modules.

    The text of a constant includes its docstring. Of several with one name it is that of all.
    """
    texts: dict[str, str] = {}
    files = [
        file
        for folder in ("models", "models/faults", "invariants", "invariants/lemmas")
        for file in sorted((ROOT / folder).glob("*.py"))
    ]
    for file in files:
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines = text.splitlines()
        for node, following in zip(tree.body, [*tree.body[1:], None], strict=True):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                name, last = node.name, node.end_lineno
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                described = following if isinstance(following, ast.Expr) else node
                name, last = node.target.id, described.end_lineno
            else:
                continue
            texts[name] = "\n".join([texts.get(name, ""), *lines[node.lineno - 1 : last]])
        if file.parent.name == "models":
            texts.setdefault(file.stem, ast.get_docstring(tree) or "")
    return texts


def named(deviation: Deviation) -> list[str]:
    return re.findall(r"`(\w+)`", deviation.model)


def mentions(text: str) -> list[str]:
    return re.findall(r"\b227-D\d+\b", text)


def test_what_deviations_name_exists(kip: Kip) -> None:
    texts = definitions()
    assert [
        (deviation.id, name)
        for deviation in kip.deviations
        for name in named(deviation)
        if name not in texts
    ] == []


def test_names_in_deviations_are_marked(kip: Kip) -> None:
    """A name without its marks would escape the other tests."""
    for deviation in kip.deviations:
        bare = re.sub(r"`\w+`", "", deviation.model)
        assert re.findall(r"\b\w+_\w+\b", bare) == [], deviation.id


def test_what_takes_a_deviation_says_so(kip: Kip) -> None:
    texts = definitions()
    assert [
        deviation.id
        for deviation in kip.deviations
        if named(deviation)
        and not any(deviation.id in mentions(texts[name]) for name in named(deviation))
    ] == []


def test_deviations_that_are_mentioned_exist(kip: Kip) -> None:
    ids = {deviation.id for deviation in kip.deviations}
    assert [deviation.id for deviation in kip.deviations] == [
        f"227-D{number}" for number in range(1, len(ids) + 1)
    ]
    files = [
        file
        for folder in ("models", "invariants", "tla", "specs", "docs", "lockstep")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".tla", ".cfg", ".toml", ".md")
    ]
    for file in [*files, ROOT / "README.md"]:
        assert set(mentions(file.read_text(encoding="utf-8"))) <= ids, file


def test_what_mentions_a_deviation_is_named_by_it(kip: Kip) -> None:
    rows = {deviation.id: named(deviation) for deviation in kip.deviations}
    modules = set(model_names(ROOT)) | {"fetch_metadata", "fetch_partitions"}
    assert [
        (identity, name)
        for name, text in definitions().items()
        if name not in modules
        for identity in mentions(text)
        if name not in rows[identity]
    ] == []
