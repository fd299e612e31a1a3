"""A manifest comes back as it was, and a damaged one is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lockstep.machine.search.crew import Totals
from lockstep.spark.search.manifest import (
    Manifest,
    NotAManifest,
    manifest_of,
    read_document,
    with_level,
    write_manifest,
)
from lockstep.spark.search.runs import Run
from lockstep.spark.search.sampling import Sampled

RUN = Run("00000-00000-00001-ab.parquet", 3, 2**64 - 1, 0, 1, 900, 7)
TOTALS = Totals([1, 2], [0], [3, 0])
MANIFEST = Manifest(4, (1, 2), TOTALS, {0: (RUN,)}, (Sampled(5, 1, (2**63, 8)),))


def read(file: Path) -> Manifest:
    return manifest_of(read_document(file), actions=2, properties=1)


def test_it_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "spark.json"
    write_manifest(file, {"the model": "m"}, MANIFEST)
    assert read(file) == MANIFEST
    assert read_document(file)["search"] == {"the model": "m"}
    later = Run("00001-00002-00002-cd.parquet", 4, 1, 2, 2, 90, 8)
    more = with_level(MANIFEST, {1: (later,)}, 4, TOTALS, [])
    write_manifest(file, {}, more)
    assert read(file) == more
    assert (more.depth, more.states, more.bytes) == (2, 7, 990)
    assert more.frontier == [later]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spark.json"]


def test_every_changed_byte_is_told(tmp_path: Path) -> None:
    file = tmp_path / "spark.json"
    write_manifest(file, {"the model": "m"}, MANIFEST)
    content = file.read_bytes()
    for place in range(len(content)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(NotAManifest):
            read(file)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("owners", None),
        ("levels", [1, 3]),
        ("levels", "1, 2"),
        ("totals", {"fired": [1], "marks": [0], "report": [3, 0]}),
        ("totals", {"fired": [1, 2], "marks": [0], "report": [3]}),
        ("runs", {"0": [["../spark.json", 3, 1, 0, 1, 9, 9]]}),
        ("runs", {"0": [["a.parquet", 3, 1, 0, 1, 9]]}),
        ("runs", {}),
        ("sample", [[1, 2]]),
    ],
)
def test_what_describes_no_search_is_told(tmp_path: Path, part: str, value: object) -> None:
    file = tmp_path / "spark.json"
    write_manifest(file, {}, MANIFEST)
    document = read_document(file)
    assert json.dumps(document[part]) != json.dumps(value)
    document[part] = value
    with pytest.raises(NotAManifest):
        manifest_of(document, actions=2, properties=1)
