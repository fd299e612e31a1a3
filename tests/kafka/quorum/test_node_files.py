"""The files of three nodes of a real quorum: as they were, and with damage of each kind."""

from __future__ import annotations

import json
import os
import shutil
import struct
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.errors import ExitCode, LockstepError
from lockstep.report.view import text_of
from lockstep.workspace import find_workspace
from lockstep_kafka.files.snapshot_name import SnapshotId, snapshot_name
from lockstep_kafka.findings import NodeFinding, Verdict
from lockstep_kafka.report.conform import conform_blocks
from lockstep_kafka.verbs.conform import ConformResult, conform
from lockstep_kafka.verbs.requests import ConformRequest
from tests.kafka_models import ROOT

if TYPE_CHECKING:
    from tests.conftest import KafkaOutput

FOLDER = "__cluster_metadata-0"
EPOCH = struct.Struct(">i")
EPOCH_AT, LENGTH_AT = 12, 8

Damage = Callable[[Path], None]


@pytest.fixture(scope="module", name="nodes")
def captured_nodes(kafka_output: KafkaOutput, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nodes")
    with tarfile.open(kafka_output("snapshots/nodes.tar.xz")) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(name="node")
def one_node(nodes: Path, tmp_path: Path) -> Path:
    """The second node's: ten snapshots of epochs 4 and 5, and a log from 822 to 1282."""
    return Path(shutil.copytree(nodes / "node2" / FOLDER, tmp_path / FOLDER))


def judged(directory: Path) -> NodeFinding:
    (found,) = result(directory).totals.nodes
    return found


def result(*directories: Path) -> ConformResult:
    request = ConformRequest(directories, kraft=True, workspace=find_workspace(ROOT))
    return conform(request)


def batches(content: bytes) -> Iterator[int]:
    """The position of each batch of a file."""
    position = 0
    while position < len(content):
        yield position
        position += 12 + EPOCH.unpack_from(content, position + LENGTH_AT)[0]


def of_epoch(content: bytes, epoch: int) -> bytes:
    """The batches of a file as if a leader of this epoch had written them; no sum covers that."""
    changed = bytearray(content)
    for position in batches(content):
        EPOCH.pack_into(changed, position + EPOCH_AT, epoch)
    return bytes(changed)


def snapshot(node: Path, of: SnapshotId, epoch: int | None = None) -> Path:
    """A snapshot more, with the content of another one."""
    path = node / snapshot_name(of)
    content = next(iter(sorted(node.glob("*.checkpoint")))).read_bytes()
    path.write_bytes(of_epoch(content, of.epoch if epoch is None else epoch))
    return path


def state(node: Path, **fields: object) -> None:
    """Change what the node keeps of elections; None leaves a field out."""
    kept = json.loads((node / "quorum-state").read_text()) | fields
    (node / "quorum-state").write_text(
        json.dumps({name: value for name, value in kept.items() if value is not None})
    )


def test_the_nodes_of_a_quorum_conform(nodes: Path) -> None:
    found = result(*sorted(nodes.iterdir()))
    assert [
        (node.verdict, node.epoch, node.snapshots, node.log) for node in found.totals.nodes
    ] == [
        (Verdict.CONFORMS, 5, 5, (1137, 1282)),
        (Verdict.CONFORMS, 5, 10, (822, 1282)),
        (Verdict.CONFORMS, 5, 10, (885, 1282)),
    ]
    assert found.exit_code == ExitCode.HOLDS


def older_epoch_in_the_state(node: Path) -> None:
    state(node, leaderEpoch=4)


def epoch_of_a_snapshot_is_newer(node: Path) -> None:
    snapshot(node, SnapshotId(1282, 6))


def wrong_epoch_of_a_snapshot(node: Path) -> None:
    snapshot(node, SnapshotId(1100, 4))


def two_snapshots_at_one_end(node: Path) -> None:
    snapshot(node, SnapshotId(1280, 4))


def no_snapshot_where_the_log_starts(node: Path) -> None:
    for path in node.glob("*.checkpoint"):
        path.unlink()


def older_snapshot_beyond_the_log(node: Path) -> None:
    snapshot(node, SnapshotId(2000, 4))


def epochs_of_records_fall(node: Path) -> None:
    path = node / "00000000000000001259.log"
    path.write_bytes(of_epoch(path.read_bytes(), 4))


@pytest.mark.parametrize(
    ("damage", "requirements"),
    [
        (older_epoch_in_the_state, {"595-2"}),
        (epoch_of_a_snapshot_is_newer, {"595-2", "630-1"}),
        (wrong_epoch_of_a_snapshot, {"630-1"}),
        (two_snapshots_at_one_end, {"630-1"}),
        (no_snapshot_where_the_log_starts, {"630-34"}),
        (older_snapshot_beyond_the_log, {"630-1", "630-35"}),
        (epochs_of_records_fall, {"595-11", "630-1"}),
    ],
)
def test_damage_departs(damage: Damage, requirements: set[str], node: Path) -> None:
    damage(node)
    found = judged(node)
    assert found.verdict is Verdict.DEPARTS
    assert {one for remark in found.departures for one in remark.requirements} == requirements
    assert found.damaged == ()
    assert result(node).exit_code == ExitCode.VIOLATED


def test_a_snapshot_before_the_log_does_not_stand_in_for_it(node: Path) -> None:
    content = of_epoch(sorted(node.glob("*.checkpoint"))[0].read_bytes(), 4)
    no_snapshot_where_the_log_starts(node)
    (node / snapshot_name(SnapshotId(800, 4))).write_bytes(content)
    (remark,) = judged(node).departures
    assert remark.requirements == ("630-34",)
    assert remark.because == (
        "the log is from offset 822 to 1282, and snapshots end at 800, but it must hold that what "
        "is below the log's start is in a snapshot"
    )


def test_epochs_of_snapshots_that_fall_depart(node: Path) -> None:
    for path in node.glob("*.log"):
        path.unlink()
    snapshot(node, SnapshotId(1281, 4))
    found = judged(node)
    assert [remark.requirements for remark in found.departures] == [("630-1",)]
    assert found.departures[0].file.endswith(snapshot_name(SnapshotId(1281, 4)))


def state_of_version_1(node: Path) -> None:
    state(
        node,
        data_version=1,
        votedDirectoryId="J8aAPcfLQt2bqs1JT_rMgQ",
        clusterId=None,
        appliedOffset=None,
        currentVoters=None,
    )


def snapshot_that_was_just_fetched(node: Path) -> None:
    snapshot(node, SnapshotId(1400, 5))


def bootstrap_snapshot(node: Path) -> None:
    snapshot(node, SnapshotId(0, 0))


def half_a_batch_at_the_end(node: Path) -> None:
    path = sorted(node.glob("*.log"))[-1]
    path.write_bytes(path.read_bytes()[:-1])


def files_of_other_names(node: Path) -> None:
    for name in ("00000000000000001137-0000000005.checkpoint.deleted", "1.part", "notes.txt"):
        (node / name).write_bytes(b"anything")


def no_state(node: Path) -> None:
    (node / "quorum-state").unlink()


@pytest.mark.parametrize(
    "change",
    [
        state_of_version_1,
        snapshot_that_was_just_fetched,
        bootstrap_snapshot,
        half_a_batch_at_the_end,
        files_of_other_names,
        no_state,
    ],
)
def test_what_the_protocol_may_leave_conforms(change: Damage, node: Path) -> None:
    change(node)
    found = judged(node)
    assert found.departures == ()
    assert found.damaged == ()


def cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def first(node: Path, suffix: str) -> Path:
    return sorted(node.glob(f"*{suffix}"))[0]


@pytest.mark.parametrize(
    ("damage", "name", "because"),
    [
        (lambda node: cut(first(node, ".checkpoint"), 10_000), "885-0000000004.checkpoint",
         "byte 10000: it ends within the batch that begins at 83"),
        (lambda node: cut(first(node, ".checkpoint"), 83), "885-0000000004.checkpoint",
         "it does not end with a snapshot's footer"),
        (lambda node: cut(first(node, ".checkpoint"), 0), "885-0000000004.checkpoint",
         "it does not begin with a snapshot's header"),
        (lambda node: snapshot(node, SnapshotId(1200, 5), epoch=4), "1200-0000000005.checkpoint",
         "byte 0: a batch is of epoch 4, the snapshot of 5"),
        (lambda node: (node / "5-1.checkpoint").write_bytes(b""), "5-1.checkpoint",
         "the name is not of the form 20 digits, a hyphen, 10 digits, .checkpoint"),
        (lambda node: (node / "00000000000000001067.log").unlink(), "1077.log",
         "it begins at offset 1077, but the segment before ends at 1067"),
        (lambda node: cut(first(node, ".log"), 3_000), "822.log", "byte 3000: it ends within"),
        (lambda node: first(node, ".log").write_bytes(bytes(100)), "822.log",
         "byte 0: there is no record batch of magic 2"),
        (lambda node: state(node, leaderEpoch=None), "quorum-state", "`leaderEpoch`"),
        (lambda node: state(node, leaderEpoch=-1), "quorum-state", "`int` >= 0"),
        (lambda node: state(node, data_version=2), "quorum-state", "`int` <= 1"),
        (lambda node: state(node, votedId="2"), "quorum-state", "Expected `int`, got `str`"),
        (lambda node: cut(node / "quorum-state", 0), "quorum-state", "truncated"),
        (lambda node: (node / "quorum-state").write_text("[" * 9_999), "quorum-state", "array"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_one_line(damage: Damage, name: str, because: str, node: Path) -> None:
    damage(node)
    found = judged(node)
    (damaged,) = found.damaged
    assert damaged.file.endswith(name)
    assert because in damaged.because
    assert "\n" not in damaged.because
    assert found.departures == ()
    assert found.verdict is Verdict.UNKNOWN
    assert result(node).exit_code == ExitCode.INCONCLUSIVE


def test_a_pipe_is_no_file(node: Path) -> None:
    os.mkfifo(node / snapshot_name(SnapshotId(1290, 5)))
    (damaged,) = judged(node).damaged
    assert damaged.because == "it is no regular file"


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_changed_bytes_are_read(
    data: st.DataObject, nodes: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What is in the files is data: whatever it says, a node has a verdict."""
    node = Path(shutil.copytree(nodes / "node1" / FOLDER, tmp_path_factory.mktemp("node") / FOLDER))
    path = data.draw(st.sampled_from(sorted(node.iterdir())))
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, min(len(content), 200)))
    content[place : place + 4] = data.draw(st.binary(min_size=1, max_size=12))
    path.write_bytes(content)
    assert judged(node).verdict in Verdict


@pytest.mark.parametrize("name", ["no-such-folder", "quorum-state", "empty"])
def test_what_is_no_directory_of_a_node(name: str, node: Path) -> None:
    (node / "empty").mkdir()
    with pytest.raises(LockstepError) as error:
        result(node / name)
    assert error.value.cure == (
        "name the directory __cluster_metadata-0 of a node, or the log directory that it is in"
    )


@pytest.mark.parametrize(
    "options",
    [{"engine": "spark", "out": Path("out")}, {"model": "fetch_session"}, {"follow": True}],
)
def test_what_does_not_go_with_it(options: dict[str, Any]) -> None:
    with pytest.raises(LockstepError, match="--kraft does not go with"):
        ConformRequest(("a",), kraft=True, **options)


def test_files_that_say_nothing_do_not_conform(tmp_path: Path) -> None:
    """A log that ends within its first batch, and no other file: nothing was judged."""
    (tmp_path / "00000000000000000000.log").write_bytes(b"junk\n")
    finding = judged(tmp_path)
    assert finding.torn == 5
    shown = text_of(conform_blocks(result(tmp_path), verbose=False))
    assert ": the log ends with 5 bytes of a batch that is not whole: not read\n" in shown
    assert (finding.verdict, finding.departures) == (Verdict.UNKNOWN, ())
    assert result(tmp_path).exit_code == ExitCode.INCONCLUSIVE
