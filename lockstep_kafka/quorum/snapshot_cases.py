"""Whether the models explain an answer to FetchSnapshot, and the request that follows it.

`fetch_snapshot_response` says which error an answer has and how many bytes come; `snapshot_fetch`
what a leader's answer carries, and from where a follower goes on. How many bytes came is not in a
log: the next request shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from lockstep.language.values import NotInDomain
from lockstep_kafka.findings import Candidate
from lockstep_kafka.quorum.models import (
    BLOCK,
    FOLLOWER,
    HIGHEST_BYTES,
    LEADER,
    PARTITION,
    QuorumModels,
)
from lockstep_kafka.small_model import SmallModel

NONE = 0
NOT_LEADER_OR_FOLLOWER = 6
FENCED_LEADER_EPOCH = 74
OPEN = -1
"""What the log does not show."""

_KEPT = 4_096
_END = 2
"""The end offset of the snapshot that the small model has; another one ends elsewhere."""


class Chunk(NamedTuple):
    """What a request asks of one partition, and what is answered."""

    named_epoch: int
    """The leader epoch in the request."""
    epoch: int
    """The leader epoch in the answer; OPEN where it has none."""
    error: int
    position: int
    size: int
    """Of the whole snapshot as answered; of an answer with an error, as known before, or OPEN."""
    max_bytes: int
    """Of the request."""


class SnapshotCases:
    """Puts cases to the models; answers are kept."""

    def __init__(self, models: QuorumModels) -> None:
        self._models = models
        self.explains = lru_cache(_KEPT)(self._explains)
        """Whether a receiver can answer so, as to error and size."""
        self.goes_on = lru_cache(_KEPT)(self._goes_on)
        """Whether the next request of a follower may ask for this position."""
        self._resumes = lru_cache(None)(self._blocks_after)

    @property
    def errors(self) -> frozenset[int]:
        """The errors that the model knows."""
        modules = self._answers(HIGHEST_BYTES).model.universe.modules
        return frozenset(error.value for error in modules["models.fetch_snapshot_response"].Error)

    def refusals(self, chunk: Chunk) -> tuple[Candidate, ...]:
        """What the receiver answers instead, each error once."""
        found: dict[str, Candidate] = {}
        model = self._answers(chunk.max_bytes)
        for before in self._asked(model, chunk):
            action, after = _served(model, before)
            if after is not None:
                outcome = f"the answer has error {after.answers[PARTITION].error.name}"
                found.setdefault(outcome, Candidate(action, outcome=outcome))
        return tuple(found.values())

    def carries(self, *, asked_id: bool, asked_position: bool, known_size: bool) -> bool:
        """Whether a leader's answer with bytes can name this snapshot, position and size.

        Each is, or is not, the one that was asked for, or that the snapshot is known to have.
        """
        state = self._models.download.step(self._download(1, 3), "answer_chunk", r=FOLLOWER)
        sent = state.response[FOLLOWER]
        end = sent.snapshot.end_offset
        seen = (
            end if asked_id else end - 1,
            sent.position if asked_position else sent.position - 1,
            sent.size if known_size else sent.size - 1,
        )
        return seen == (_END, BLOCK, 3 * BLOCK)

    def may_be_whole(self, chunk: Chunk) -> bool:
        """Whether the follower may have all of the snapshot once this answer came."""
        return chunk.error == NONE and self._next(chunk, HIGHEST_BYTES) is None

    def _explains(self, chunk: Chunk) -> bool:
        model = self._answers(chunk.max_bytes)
        for before in self._asked(model, chunk):
            _, after = _served(model, before)
            if after is not None and after.answers[PARTITION].error.value == chunk.error:
                return True
        return False

    def _goes_on(self, chunk: Chunk, position: int) -> bool:
        """The leader's own limit is open: it may have sent fewer bytes than were asked for."""
        before, furthest = int(chunk.position > 0), self._next(chunk, HIGHEST_BYTES)
        blocks = self._resumes(bool(before), chunk.error == NONE, furthest is None)
        if position == 0:
            return 0 in blocks
        if position == chunk.position:
            return before in blocks
        sent = position - chunk.position
        if not 0 < sent <= HIGHEST_BYTES or before + 1 not in blocks:
            return False
        return position in (furthest, self._next(chunk, sent))

    def _next(self, chunk: Chunk, leader_max_bytes: int) -> int | None:
        """Where the next request begins once the answer came; None where none follows."""
        model = self._answers(chunk.max_bytes, leader_max_bytes)
        for before in self._asked(model, chunk):
            _, after = _served(model, before)
            if after is None or after.answers[PARTITION].error.value != chunk.error:
                continue
            asked = model.step(after, "send_response").asked[PARTITION]
            return None if asked is None else int(asked.position)
        return None

    def _answers(self, max_bytes: int, leader_max_bytes: int = HIGHEST_BYTES) -> SmallModel:
        return self._models.answers(max(0, max_bytes), leader_max_bytes)

    def _asked(self, model: SmallModel, chunk: Chunk) -> Iterator[Any]:
        """The states in which the request has arrived: what is open has all values that matter."""
        record = model.model.universe.modules["models.fetch_snapshot_response"].Asked
        # Epochs are only compared: one more than each, for -1 is an epoch that is not known.
        named, position = max(chunk.named_epoch, -1) + 1, chunk.position
        epochs = (named - 1, named, named + 1) if chunk.epoch == OPEN else (chunk.epoch + 1,)
        sizes: set[int | None] = {chunk.size}
        if chunk.error != NONE:  # it may be gone, or nothing is known of it
            sizes = {None, *({1, position, position + 1} if chunk.size == OPEN else sizes)}
        for epoch in epochs:
            for leads in (True, False):
                for size in sizes:
                    fields = (named, epoch, leads, size, max(position, -1))
                    names = ("named_epoch", "epoch", "leads", "size", "position")
                    try:
                        state = model.state(
                            asked={PARTITION: record(**dict(zip(names, fields, strict=True)))}
                        )
                    except NotInDomain:
                        continue
                    yield model.step(state, "begin_response")

    def _blocks_after(self, has_before: bool, has_bytes: bool, is_last: bool) -> frozenset[int]:
        """How many blocks the follower may have when it asks again; 0 where it begins again."""
        model, before = self._models.download, int(has_before)
        blocks = before + 1 + (not is_last)
        state = self._download(before, blocks, has_file=has_bytes)
        answer = "answer_chunk" if has_bytes else "answer_snapshot_not_found"
        answered = model.step(state, answer, r=FOLLOWER)
        ends = [
            model.step(answered, "lose_response", r=FOLLOWER),
            model.step(answered, "restart_follower", r=FOLLOWER),
            model.step(answered, "receive_chunk", r=FOLLOWER, repeated=False),
            model.step(answered, "receive_last_chunk", r=FOLLOWER, repeated=False),
            model.step(answered, "receive_error", r=FOLLOWER),
        ]
        downloads = [end.download[FOLLOWER] for end in ends if end is not None]
        return frozenset(0 if one is None else len(one.part) // BLOCK for one in downloads)

    def _download(self, before: int, blocks: int, *, has_file: bool = True) -> Any:
        """A follower that has some blocks of a file with so many, and asks for the next one."""
        model = self._models.download
        states = model.model.universe.modules["models.snapshot_fetch_state"]
        ids = model.model.universe.modules["models.snapshot_id"]
        file = (1,) * (BLOCK * blocks - 1) + (states.FOOTER,)
        initial: Any = model.model.initial
        snapshots = dict(initial.snapshots[LEADER].items()) | {_END: file if has_file else None}
        download = states.Download(
            snapshot=ids.OffsetAndEpoch(end_offset=_END, epoch=1), part=file[: BLOCK * before]
        )
        return model.state(
            snapshots={LEADER: snapshots, FOLLOWER: initial.snapshots[FOLLOWER]},
            download={LEADER: None, FOLLOWER: download},
        )


def _served(model: SmallModel, before: Any) -> tuple[str, Any]:
    """The action that answers, and the state after it."""
    for action in ("give", "refuse"):
        after = model.step(before, action, p=PARTITION)
        if after is not None:
            return action, after
    return "give", None
