"""What the files of KIPs 595, 630 and 951 say of themselves, and 630 of protocol and files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kio.schema.errors import ErrorCode
from kio.schema.fetch_snapshot.v1.request import FetchSnapshotRequest

from lockstep.language.model import model_names
from lockstep.specs.kip import Kip, load_kip
from lockstep.specs.tables import Plain
from lockstep_kafka.files import snapshot_name
from tests.snapshots import snapshot_file

ROOT = Path(__file__).parents[2]
NUMBERS = (595, 630, 951)
ERRORS = (
    "NOT_LEADER_OR_FOLLOWER",
    "POLICY_VIOLATION",
    "FENCED_LEADER_EPOCH",
    "UNKNOWN_LEADER_EPOCH",
    "SNAPSHOT_NOT_FOUND",
    "POSITION_OUT_OF_RANGE",
)


@pytest.fixture(scope="module", params=NUMBERS)
def kip(request: pytest.FixtureRequest) -> Kip:
    return load_kip(ROOT / "specs" / f"kip_{request.param}.toml")


def constants() -> dict[str, Plain]:
    return {row.name: row.value for row in load_kip(ROOT / "specs" / "kip_630.toml").constants}


def test_requirements_and_deviations_are_numbered_without_gaps(kip: Kip) -> None:
    assert [row.id for row in kip.requirements] == [
        f"{kip.number}-{number}" for number in range(1, len(kip.requirements) + 1)
    ]
    assert [row.id for row in kip.deviations] == [
        f"{kip.number}-D{number}" for number in range(1, len(kip.deviations) + 1)
    ]


def test_no_row_waits_for_its_answer() -> None:
    waiting = [
        row.id
        for number in NUMBERS
        for row in load_kip(ROOT / "specs" / f"kip_{number}.toml").requirements
        if (row.unanswerable or "").startswith("Not yet")
    ]
    assert waiting == []


def test_rows_and_deviations_that_are_mentioned_exist(kip: Kip) -> None:
    ids = {row.id for row in kip.requirements} | {row.id for row in kip.deviations}
    files = [
        file
        for folder in ("models", "invariants", "tla", "specs", "docs", "tests")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".tla", ".cfg", ".toml", ".md")
    ]
    for file in files:
        mentioned = re.findall(rf"\b{kip.number}-D?\d+\b", file.read_text(encoding="utf-8"))
        assert set(mentioned) <= ids, file


def test_names_in_deviations_exist(kip: Kip) -> None:
    texts = [
        file.read_text(encoding="utf-8")
        for folder in ("models", "invariants")
        for file in (ROOT / folder).rglob("*.py")
    ]
    for deviation in kip.deviations:
        for name in re.findall(r"`(\w+)`", deviation.model):
            definition = re.compile(rf"^(?:def {name}\(|class {name}\b|{name}\b.*=)", re.MULTILINE)
            assert any(definition.search(text) for text in texts), (deviation.id, name)


def test_error_codes_are_those_of_the_protocol() -> None:
    stated = constants()
    for name in ERRORS:
        assert stated[name] == ErrorCode[name.lower()].value, name


def test_the_key_of_the_request_is_that_of_the_protocol() -> None:
    assert constants()["FETCH_SNAPSHOT"] == FetchSnapshotRequest.__api_key__


def test_the_files_are_read_with_the_constants_stated() -> None:
    stated = constants()
    assert stated["OFFSET_DIGITS"] == snapshot_name.OFFSET_DIGITS
    assert stated["EPOCH_DIGITS"] == snapshot_name.EPOCH_DIGITS
    assert stated["SNAPSHOT_HEADER"] == snapshot_file.SNAPSHOT_HEADER
    assert stated["SNAPSHOT_FOOTER"] == snapshot_file.SNAPSHOT_FOOTER


def test_every_constant_is_held_to_something() -> None:
    """The rest are defaults of settings: nothing here has them but the models that name them."""
    rows = load_kip(ROOT / "specs" / "kip_630.toml").constants
    held = {*ERRORS, "FETCH_SNAPSHOT", "OFFSET_DIGITS", "EPOCH_DIGITS"}
    held |= {"SNAPSHOT_HEADER", "SNAPSHOT_FOOTER"}
    assert {row.name for row in rows} - held == {"MIN_NEW_BYTES", "LAG_TIME_MS"}
    assert {name for row in rows for name in row.used_by} <= set(model_names(ROOT))
