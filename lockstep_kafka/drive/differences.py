"""Leaders that differ from Kafka's by one mistake each, to measure what driving finds.

Each stands between the fetchers and Kafka's own leader, and changes what passes. The mistakes are
faults of the models that can be made from there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lockstep_kafka.drive.leader import CachedPartition, Leader, Read, Session
from lockstep_kafka.drive.messages import UNKNOWN, VERSION, Answer, Interest, Request, Response

_NOT_FOUND = 70


class _Between(Leader):
    """A leader that knows which request it answers, and the session as it was before."""

    request: Request
    before: Session | None

    def open(self, request: Request, version: int = VERSION) -> Any:
        self.request, self.before = request, self.session(request.session_id)
        return super().open(request, version)

    @property
    def answered(self) -> Mapping[str, CachedPartition]:
        """What the session was answered last; nothing where the request is a full one."""
        return self.before.partitions if self.before and self.request.epoch > 0 else {}


class RepeatedEpoch(_Between):
    """A request with the epoch before the one that is expected is served as if it had that one."""

    def open(self, request: Request, version: int = VERSION) -> Any:
        session = self.session(request.session_id)
        if session is not None and 0 < request.epoch == session.epoch - 1:
            request = replace(request, epoch=session.epoch)
        return super().open(request, version)


class WrongError(_Between):
    """A session that expects another epoch is reported as one that is not known."""

    def answer(self, context: Any, read: Read) -> Response:
        response = super().answer(context, read)
        if response.error == "INVALID_FETCH_SESSION_EPOCH":
            response.java.data().setErrorCode(self.messages.jvm.short(_NOT_FOUND))
        return self.messages.read_response(response.java)


class WrongId(_Between):
    """An incremental response has an id that is of no session."""

    def answer(self, context: Any, read: Read) -> Response:
        response = super().answer(context, read)
        if self.request.epoch > 0 and response.session_id:
            response.java.data().setSessionId(response.session_id ^ 1)
        return self.messages.read_response(response.java)


class WatermarkLeftOut(_Between):
    """An incremental response has no partition of which only the high watermark changed."""

    def answer(self, context: Any, read: Read) -> Response:
        def read_otherwise(p: str, asked: Interest) -> tuple[Answer, bool]:
            answer, diverges = read(p, asked)
            known = self.answered.get(p)
            if known is None or UNKNOWN in (known.high_watermark, answer.high_watermark):
                return answer, diverges
            if answer.records or answer.log_start_offset != known.log_start_offset:
                return answer, diverges
            return replace(answer, high_watermark=known.high_watermark), diverges

        return super().answer(context, read_otherwise)


class StaleLogStart(_Between):
    """The log start that a session was answered first is reported until it ends."""

    def answer(self, context: Any, read: Read) -> Response:
        def read_otherwise(p: str, asked: Interest) -> tuple[Answer, bool]:
            answer, diverges = read(p, asked)
            known = self.answered.get(p)
            if known is None or UNKNOWN in (known.log_start_offset, answer.log_start_offset):
                return answer, diverges
            return replace(answer, log_start_offset=known.log_start_offset), diverges

        return super().answer(context, read_otherwise)


class UnchangedSent(_Between):
    """An incremental response has every partition of the session."""

    def answer(self, context: Any, read: Read) -> Response:
        if self.request.epoch > 0:
            self.forget_answers(self.request.session_id)
        return super().answer(context, read)


class EvictsAgainstTheRules(_Between):
    """Where no rule lets a new session in, the youngest makes room for it."""

    _youngest = 0

    def answer(self, context: Any, read: Read) -> Response:
        response = super().answer(context, read)
        if self.request.epoch == 0 and not response.session_id and self.session(self._youngest):
            request = self.request
            self.open(self.messages.request(self._youngest, -1, {}))
            response = super().answer(self.open(request), read)
        self._youngest = response.session_id or self._youngest
        return response


OF_SESSIONS: Mapping[str, type[Leader]] = {
    "repeated-epoch": RepeatedEpoch,
    "watermark-left-out": WatermarkLeftOut,
    "wrong-error": WrongError,
    "wrong-id": WrongId,
    "unchanged-sent": UnchangedSent,
    "stale-log-start": StaleLogStart,
}
"""Those of `kafka-sessions`, by name."""

OF_THE_CACHE: Mapping[str, type[Leader]] = {"eviction-against-the-rules": EvictsAgainstTheRules}
"""Those of `kafka-session-cache`, by name."""
