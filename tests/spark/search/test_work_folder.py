"""A manifest comes back as it was, and a damaged one is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from lockstep.errors import LockstepError
from lockstep.machine.search.search_folder import SearchFolder
from lockstep.machine.search.workers import ProgramShape, Totals
from lockstep.spark.search.owners import Sampled
from lockstep.spark.search.runs import Run
from lockstep.spark.search.work_folder import Manifest, WorkFolder
from lockstep.system.sealed import Damaged

RUN = Run("00000-00000-00001-ab.parquet", 3, 2**64 - 1, 0, 1, "7")
TOTALS = Totals([1, 2], [0], [3, 0])
MANIFEST = Manifest(4, (1, 2), TOTALS, {0: (RUN,)}, (Sampled(5, 1, (2**63, 8)),))
IDENTITY = {"the model": "m"}
SHAPE = ProgramShape(1, (0, 1, 2), 1, (0,), False, False, False, 1)


def commit(folder: Path, manifest: Manifest, identity: Mapping[str, str] = IDENTITY) -> None:
    with closing(WorkFolder(folder, identity, SHAPE)) as work:
        work.commit(manifest)


def read(folder: Path) -> Manifest | None:
    with closing(WorkFolder(folder, IDENTITY, SHAPE)) as work:
        return work.manifest


def test_it_comes_back(tmp_path: Path) -> None:
    assert read(tmp_path) is None
    commit(tmp_path, MANIFEST)
    assert read(tmp_path) == MANIFEST
    later = Run("00001-00002-00002-cd.parquet", 4, 1, 2, 2, "8")
    more = replace(MANIFEST, levels=(1, 2, 4), runs={**MANIFEST.runs, 1: (later,)}, sample=())
    commit(tmp_path, more)
    assert read(tmp_path) == more
    assert (more.depth, more.states) == (2, 7)
    assert more.frontier == [later]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", "runs", "spark.json"]


def test_a_search_of_something_else_is_refused(tmp_path: Path) -> None:
    commit(tmp_path, MANIFEST, {"the model": "another"})
    with pytest.raises(LockstepError, match="another search: the model is another"):
        read(tmp_path)


def test_every_changed_byte_is_damage(tmp_path: Path) -> None:
    commit(tmp_path, MANIFEST)
    file = tmp_path / "spark.json"
    content = file.read_bytes()
    for place in range(len(content)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(Damaged, match="the checkpoint is damaged"):
            read(tmp_path)
    file.write_bytes(content + b" ")
    with pytest.raises(Damaged):
        read(tmp_path)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("owners", None),
        ("levels", [1, 3]),
        ("levels", "1, 2"),
        ("totals", {"fired": [1], "marks": [0], "report": [3, 0]}),
        ("totals", {"fired": [1, 2], "marks": [0], "report": [3]}),
        ("runs", {"0": [["../spark.json", 3, 1, 0, 1, "9"]]}),
        ("runs", {"0": [["a.parquet", 3, 1, 0, 1]]}),
        ("runs", {}),
        ("sample", [[1, 2]]),
    ],
)
def test_what_describes_no_search_is_damage(tmp_path: Path, part: str, value: object) -> None:
    commit(tmp_path, MANIFEST)
    document: dict[str, Any] = json.loads((tmp_path / "spark.json").read_text())
    content = document["document"]["content"]
    assert json.dumps(content[part]) != json.dumps(value)
    content[part] = value
    with closing(SearchFolder(tmp_path, IDENTITY)) as folder:
        folder.write("spark.json", content)
    with pytest.raises(Damaged):
        read(tmp_path)


def test_a_manifest_of_an_older_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "spark.json").write_text(json.dumps({"crc32": 1, "manifest": "{}"}))
    with pytest.raises(LockstepError, match="another version of lockstep made it") as raised:
        read(tmp_path)
    assert raised.value.cure == "name another folder, or remove this one"
