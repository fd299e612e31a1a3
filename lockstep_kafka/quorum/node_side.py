"""Judges the files of a node: what KIP-630 and KIP-595 let stand beside each other.

The offsets of log and snapshots are put to `snapshot_offsets`: its own invariants must hold of
them. What the files do not show is chosen so that they hold if anything makes them hold: the log
may start later than its first segment, and the high watermark is at most where the log ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from lockstep.language.model import load_model
from lockstep.language.notation import Kind
from lockstep_kafka.files.snapshot_name import SnapshotId, snapshot_name
from lockstep_kafka.findings import NodeFinding, NodeRemark
from lockstep_kafka.quorum.node_files import Log, NodeFiles
from lockstep_kafka.rules import Arguments, Rule
from lockstep_kafka.small_model import SmallModel

MODEL = "snapshot_offsets"

_ONE, _NEXT, _LATEST = _PLACES = ("one", "next", "latest")
_HIGHEST_OFFSET = 2**63 - 1


class NodeSide:
    """Judges nodes by the model of the workspace at `root`."""

    def __init__(self, root: Path) -> None:
        constants = {"PLACES": _PLACES, "MAX_OFFSET": _HIGHEST_OFFSET}
        self._model = SmallModel(load_model(root, MODEL, constants))

    def judge(self, files: NodeFiles) -> NodeFinding:
        """What comes of a node's files."""
        remarks = [*_ids(files), *_epochs(files)]
        if files.log is not None:
            remarks += [*self._offsets(files, files.log), *_records(files, files.log)]
        return NodeFinding(
            str(files.directory),
            None if files.state is None else files.state.leader_epoch,
            len(files.snapshots),
            None if files.log is None else (files.log.start, files.log.end),
            tuple(remarks),
            tuple(files.damaged),
            0 if files.log is None else files.log.torn,
        )

    def _offsets(self, files: NodeFiles, log: Log) -> Iterator[NodeRemark]:
        """The invariants of the model, of each two snapshots that follow each other."""
        ends = [one.end_offset for one in files.snapshots if one.end_offset > 0]  # 630-D22
        broken: dict[str, tuple[str, ...]] = {}
        latest = max(ends, default=None)
        pairs: list[tuple[int | None, int | None]] = [*pairwise(ends)] or [(latest, None)]
        for one, following in pairs:
            places = {_ONE: one, _NEXT: following, _LATEST: latest}
            if latest in (one, following):
                places[_LATEST] = None
            state = self._model.state(
                log_start=log.start,
                high_watermark=log.end,
                log_end=log.end,
                snapshots=places,
                unapplied=latest is not None and latest > log.end,
            )
            broken |= {
                claim.doc.partition("\n\n")[0]: claim.requirements
                for claim in self._model.broken(state, Kind.INVARIANT)
            }
        snapshots = ", ".join(map(str, ends)) or "no offset"
        offsets: Arguments = {"start": log.start, "end": log.end, "ends": snapshots}
        for text, requirements in broken.items():
            claim = " ".join(text.split()).removesuffix(".")
            arguments = {**offsets, "claim": f"{claim[0].lower()}{claim[1:]}"}
            directory = str(files.directory)
            yield NodeRemark(directory, Rule.OFFSETS_OF_FILES, arguments, requirements)


def _of(files: NodeFiles, snapshot: SnapshotId, rule: Rule, arguments: Arguments) -> NodeRemark:
    """A remark on the file of a snapshot."""
    return NodeRemark(str(files.directory / snapshot_name(snapshot)), rule, arguments)


def _ids(files: NodeFiles) -> Iterator[NodeRemark]:
    """In one log epochs never fall: of two snapshots the later one has no lower epoch."""
    for one, other in pairwise(files.snapshots):
        if other.epoch < one.epoch:
            yield _of(files, other, Rule.LATER_EPOCH_BEFORE, {"snapshot": str(one)})


def _epochs(files: NodeFiles) -> Iterator[NodeRemark]:
    """The epoch of the node is on disk before it has anything of that epoch."""
    if files.state is None:
        return
    epoch = files.state.leader_epoch
    for snapshot in files.snapshots:
        if snapshot.epoch > epoch:
            arguments = {"epoch": snapshot.epoch, "known": epoch}
            yield _of(files, snapshot, Rule.SNAPSHOT_EPOCH_NEWER, arguments)
    if files.log is not None and files.log.epochs:
        offset, latest = max(files.log.epochs, key=lambda run: run[1])
        if latest > epoch:
            arguments = {"epoch": latest, "offset": offset, "known": epoch}
            yield NodeRemark(str(files.directory), Rule.LOG_EPOCH_NEWER, arguments)


def _records(files: NodeFiles, log: Log) -> Iterator[NodeRemark]:
    """Snapshots and records of one log: a snapshot's epoch is that of its last record."""
    for (_, one), (offset, other) in pairwise(log.epochs):
        if other < one:
            arguments = {"epoch": other, "offset": offset, "before": one}
            yield NodeRemark(str(files.directory), Rule.EPOCHS_FALL, arguments)
    for snapshot in files.snapshots:
        end, epoch = snapshot
        last, following = log.epoch_at(end - 1), log.epoch_at(max(end, log.start))
        if last is not None and last != epoch:
            arguments = {"offset": end - 1, "epoch": last}
            yield _of(files, snapshot, Rule.SNAPSHOT_EPOCH_OTHER, arguments)
        elif following is not None and following < epoch:
            arguments = {"offset": max(end, log.start), "epoch": following}
            yield _of(files, snapshot, Rule.SNAPSHOT_EPOCH_OTHER, arguments)
        elif end > log.end and log.last_epoch is not None and log.last_epoch > epoch:
            arguments = {"end": log.end, "epoch": log.last_epoch}
            yield _of(files, snapshot, Rule.LOG_NOT_RESET, arguments)
