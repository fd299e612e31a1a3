"""How a line of the request log appears to the model `fetch_session`.

Each line is one request and its response: the model's fetcher sends, its leader serves, its
fetcher receives. A line gives those actions their parameters. What it cannot show is inferred,
as little as explains the line: records and offsets that arrived at the leader, partitions that
failed or recovered, an eviction before FETCH_SESSION_ID_NOT_FOUND, a request or response that was
lost before the fetcher asks for a new session. The model's own text decides what may follow.

A fetcher is a connection; when it reconnects, the session that it names shows who it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lockstep.conform.findings import (
    DEPARTS,
    UNKNOWN,
    LoadModel,
    LogFindings,
    SessionFinding,
    Unused,
)
from lockstep.conform.walker import Walker
from models.kafka_files.request_log import (
    FetchLine,
    OtherRequest,
    Reason,
    Skipped,
    in_arrival_order,
    read_request_log,
)

_INT32_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1
_SESSION_ERRORS = {70: "FETCH_SESSION_ID_NOT_FOUND", 71: "INVALID_FETCH_SESSION_EPOCH"}


def observe(log: Path, load: LoadModel) -> LogFindings:
    """Follow every session of a request log. Raises `OSError` when the file cannot be read."""
    file = str(log)
    findings = LogFindings(file)
    lines: list[FetchLine] = []
    unreadable: list[int] = []
    for result in in_arrival_order(read_request_log(log)):
        if isinstance(result, OtherRequest):
            findings.unused.append(Unused(file, result.line, "other API", result.api))
        elif isinstance(result, Skipped):
            if result.reason is Reason.UNREADABLE:
                raise OSError(result.detail)
            findings.unused.append(Unused(file, result.line, result.reason.value, result.detail))
            if result.reason in (Reason.TRUNCATED, Reason.MALFORMED):
                unreadable.append(result.line)
        else:
            lines.append(result)
    findings.unused.sort(key=lambda line: line.line)
    findings.reordered = [
        Unused(file, line.line, "out of order", f"correlation id {line.correlation_id}")
        for line in sorted(lines, key=lambda line: line.line)
        if line.moved
    ]
    for fetcher_lines in _by_fetcher(lines):
        findings.sessions.extend(_Fetcher(file, fetcher_lines, unreadable, load).follow())
    findings.sessions.sort(key=lambda session: (session.client, session.session))
    return findings


def _by_fetcher(lines: Iterable[FetchLine]) -> list[list[FetchLine]]:
    """The lines of each fetcher: of a connection, and of those that its sessions move to."""
    owners: dict[str, list[FetchLine]] = {}
    holders: dict[tuple[str, int], list[FetchLine]] = {}
    fetchers: list[list[FetchLine]] = []
    for line in lines:
        fetcher = owners.get(line.connection)
        if fetcher is None and line.session_id != 0:
            fetcher = holders.get((line.client_id, line.session_id))
        if fetcher is None:
            fetcher = []
            fetchers.append(fetcher)
        owners[line.connection] = fetcher
        fetcher.append(line)
        if line.response_session_id != 0:
            holders[line.client_id, line.response_session_id] = fetcher
    return fetchers


class _Departure(Exception):
    """The log and the model part here."""


class _LostSight(Exception):
    """From here on the log does not show enough to tell."""


class _Fetcher:
    """One fetcher, followed through an instance of the model with the leader it talks to."""

    def __init__(
        self, file: str, lines: list[FetchLine], unreadable: list[int], load: LoadModel
    ) -> None:
        self._file = file
        self._lines = lines
        self._unreadable = unreadable
        self._client = lines[0].client_id
        self._model = load(_constants(lines, self._client))
        self._records = vars(self._model.universe.modules["models.fetch_partitions"])
        self._enums = vars(self._model.universe.modules["models.fetch_session_state"])
        self._findings: dict[int, SessionFinding] = {}
        self._walker: Walker | None = Walker(self._model)
        self._last_line = 0
        self._told_on: dict[str, int] = {}

    def follow(self) -> list[SessionFinding]:
        """A verdict for each session, and one for the requests outside of any."""
        for line in self._lines:
            finding = self._finding(line)
            if self._walker is None:
                if line.session_epoch > 0:
                    continue  # departed, or lost sight of, until the next full request
                self._walker = Walker(self._model)
            finding.lines += 1
            try:
                self._follow_line(self._walker, line)
            except _Departure as departure:
                self._stop(finding, DEPARTS, line, str(departure))
            except _LostSight as lost:
                self._stop(finding, UNKNOWN, line, str(lost))
            self._last_line = line.line
        return list(self._findings.values())

    def _finding(self, line: FetchLine) -> SessionFinding:
        """The session that a line belongs to: the one it opens, or the one that is followed."""
        held = 0 if self._walker is None else self._held()
        session = line.session_id or line.response_session_id
        if line.session_epoch > 0 and held:
            session = held
        if session not in self._findings:
            self._findings[session] = SessionFinding(self._file, session, self._client)
        return self._findings[session]

    def _stop(self, finding: SessionFinding, verdict: str, line: FetchLine, because: str) -> None:
        if finding.line is None:
            finding.verdict, finding.line, finding.because = verdict, line.line, because
        self._walker = None

    def _held(self) -> int:
        assert self._walker is not None
        return int(self._state.metadata[self._client].session_id)

    @property
    def _state(self) -> Any:
        """The model's state; its fields are the model's variables."""
        assert self._walker is not None
        return self._walker.state

    def _follow_line(self, walker: Walker, line: FetchLine) -> None:
        self._send(walker, line)
        self._move_the_leader(walker, line)
        self._serve(walker, line)
        self._receive(walker)
        for partition in line.answered:
            self._told_on[str(partition)] = line.line

    # The fetcher sends.

    def _send(self, walker: Walker, line: FetchLine) -> None:
        f = self._client
        self._catch_up(walker, line)
        listed = {
            str(partition): self._records["Interest"](
                fetch_offset=interest.fetch_offset,
                log_start_offset=interest.log_start_offset,
                partition_max_bytes=interest.max_bytes,
                current_leader_epoch=interest.leader_epoch,
                last_fetched_epoch=interest.last_fetched_epoch,
            )
            for partition, interest in line.partitions.items()
        }
        forgotten = {str(partition) for partition in line.forgotten}
        if line.session_epoch > 0:
            self._send_incremental(walker, listed, forgotten)
            return
        if forgotten:
            raise _Departure(f"a full request names {_some(forgotten)} as removed")
        action = "send_full"
        if line.session_epoch < 0:
            action = "send_close" if line.session_id else "send_sessionless"
        interests = {p: listed.get(p) for p in self._partitions()}
        if not walker.take(action, f=f, wanted=interests):
            raise _Departure(
                f"the fetcher cannot send ({line.session_id}, {line.session_epoch}) with "
                f"{len(listed)} partitions here"
            )

    def _catch_up(self, walker: Walker, line: FetchLine) -> None:
        """Infer what happened, unlogged, between the last line and this request."""
        f, state = self._client, self._state
        held, epoch = state.metadata[f].session_id, state.metadata[f].epoch
        request = (line.session_id, line.session_epoch)
        if line.session_epoch > 0:
            if held == 0:
                raise _LostSight(
                    f"session {line.session_id} was open before the log begins: its first line "
                    f"here has epoch {line.session_epoch}"
                )
            missing = line.session_epoch - epoch
            gap = [n for n in self._unreadable if self._last_line < n < line.line]
            if line.session_id == held and 0 < missing <= len(gap):
                raise _LostSight(
                    f"line {gap[0]} cannot be read, and {missing} requests are missing"
                )
            if request != (held, epoch):
                raise _Departure(
                    f"the fetcher's next request is ({held}, {epoch}), but it sent {request}"
                )
        elif line.session_id == 0 and held != 0:
            walker.take("restart_fetcher", f=f, arrives=False)
        elif line.session_id not in (0, held):
            if held != 0:
                raise _Departure(f"the fetcher has session {held}, but it closes {line.session_id}")
            raise _LostSight(f"session {line.session_id} was open before the log begins")
        elif line.session_epoch == 0 and epoch > 0:
            # A request or its response was lost: the fetcher closes the session and asks anew.
            walker.take("send_incremental", f=f, wanted=state.fetching[f])
            walker.take("disconnect", f=f, arrives=False)

    def _send_incremental(
        self, walker: Walker, listed: Mapping[str, object], forgotten: set[str]
    ) -> None:
        f, state = self._client, self._state
        old = state.fetching[f]
        for p in listed:
            if listed[p] == old[p]:
                raise _Departure(f"{p} is listed, although nothing about it changed")
        for p in forgotten:
            if old[p] is None:
                raise _Departure(f"{p} is named as removed, but the session does not have it")
        interests = {
            p: None if p in forgotten else listed.get(p, old[p]) for p in self._partitions()
        }
        if not walker.take("send_incremental", f=f, wanted=interests):
            raise _Departure(self._why_not_sent(old, interests))

    def _why_not_sent(self, old: Mapping[str, Any], interests: Mapping[str, Any]) -> str:
        knowledge = self._state.told[self._client]
        for p in self._partitions():
            before, after = old[p], interests[p]
            if before is None or after is None or after.fetch_offset <= before.fetch_offset:
                continue
            if knowledge[p] is None or not knowledge[p].records:
                since = self._told_on.get(p)
                return (
                    f"the fetch offset of {p} moved from {before.fetch_offset} to "
                    f"{after.fetch_offset}, but no response carried records of it"
                    + (f" since line {since}" if since else "")
                )
        return "the fetcher cannot send this request here"

    # The leader moves, and serves.

    def _move_the_leader(self, walker: Walker, line: FetchLine) -> None:
        """Infer, from what is answered, what happened at the leader since the last response."""
        f = self._client
        for partition, answer in line.answered.items():
            p = str(partition)
            if p not in self._partitions():
                raise _Departure(f"{p} is answered, but was never asked for")
            if answer.error_code != 0:
                walker.take("fail_partition", p=p)
                continue
            walker.take("recover_partition", p=p)
            request = self._state.request[f].partitions[p]
            cached = self._cached(p)
            interest = request if request is not None else cached and cached.interest
            high, start = answer.high_watermark, answer.log_start_offset
            if high < self._state.high_watermark[p]:
                raise _Departure(
                    f"the high watermark of {p} went back from "
                    f"{self._state.high_watermark[p]} to {high}"
                )
            if start < self._state.log_start[p]:
                raise _Departure(
                    f"the log start of {p} went back from {self._state.log_start[p]} to {start}"
                )
            end = high
            if answer.records_size and interest is not None:
                end = max(end, interest.fetch_offset + 1)
            walker.take("append", p=p, end=end)
            walker.take("advance_high_watermark", p=p, to=high)
            walker.take("advance_log_start", p=p, to=start)

    def _cached(self, p: str) -> Any:
        held = self._held()
        session = self._state.sessions[held] if held else None
        return None if session is None else session.partitions[p]

    def _serve(self, walker: Walker, line: FetchLine) -> None:
        f, via = self._client, self._enums["Via"].AWAITED
        filled = {str(p) for p, answer in line.answered.items() if answer.records_size}
        incremental = line.session_epoch > 0
        if line.error_code != 0:
            self._serve_error(walker, line, via)
            return
        if incremental and line.response_session_id not in (0, line.session_id):
            raise _Departure(
                f"the response names session {line.response_session_id}, "
                f"the request session {line.session_id}"
            )
        actions: list[tuple[str, dict[str, object]]]
        if line.session_epoch < 0:
            actions = [("serve_sessionless", {"filled": filled})]
        elif not incremental and line.response_session_id:
            opened = {"filled": filled, "i": line.response_session_id}
            actions = [("serve_full_creating", opened)]
        elif not incremental:
            actions = [("serve_full_without_session", {"filled": filled})]
        elif line.response_session_id == 0:
            actions = [("serve_incremental_emptying", {})]
        else:
            actions = [("serve_incremental", {"filled": filled})]
            if line.throttle_time_ms > 0 and not line.answered:
                actions.append(("serve_incremental_throttled", {}))
        observed = self._answers(line)
        because = ""
        for action, arguments in actions:
            after: Any = walker.peek(action, f=f, via=via, **arguments)
            if after is None:
                because = because or self._why_not_served(line, action, filled)
                continue
            response = after.response[f]
            difference = self._difference(response.partitions, observed, line)
            if difference is None and response.session_id == line.response_session_id:
                walker.state = after
                return
            because = (
                because
                or difference
                or (
                    f"the response has session id {line.response_session_id}, "
                    f"not {response.session_id}"
                )
            )
        if line.throttle_time_ms > 0 and not line.answered and line.response_session_id == 0:
            raise _LostSight("empty responses over quota with session id 0 are outside the model")
        raise _Departure(because)

    def _serve_error(self, walker: Walker, line: FetchLine, via: object) -> None:
        f, state = self._client, self._state
        name = _SESSION_ERRORS.get(line.error_code)
        if name is None:
            raise _LostSight(f"error {line.error_code} is outside the model")
        action = "serve_wrong_epoch"
        if line.error_code == 70:
            action = "serve_unknown_session"
            if line.session_id and state.sessions[line.session_id] is not None:
                walker.take("evict", i=line.session_id)
        if line.session_epoch <= 0 or not walker.take(action, f=f, via=via):
            raise _Departure(
                f"{name} is not deserved: the request is the one that the session expects"
                if line.session_epoch > 0
                else f"{name} answers a full request"
            )

    def _why_not_served(self, line: FetchLine, action: str, filled: set[str]) -> str:
        if action == "serve_incremental_emptying":
            return f"the response closes session {line.session_id}, which still has partitions"
        if any(
            0 <= answer.last_stable_offset < answer.high_watermark
            for answer in line.answered.values()
        ):
            raise _LostSight("open transactions hide records, and are outside the model")
        if not filled:
            return "no records are returned, although a partition has some"
        return f"records are returned of {_some(filled)}, which has none to return"

    def _answers(self, line: FetchLine) -> dict[str, Any]:
        """The response's partitions as the model writes them: an error hides the offsets."""
        make = self._records["Answer"]
        return {
            str(partition): make(failed=True, high_watermark=-1, log_start_offset=-1, records=False)
            if answer.error_code != 0
            else make(
                failed=False,
                high_watermark=answer.high_watermark,
                log_start_offset=answer.log_start_offset,
                records=bool(answer.records_size),
            )
            for partition, answer in line.answered.items()
        }

    def _difference(
        self, expected: Mapping[str, Any], observed: Mapping[str, Any], line: FetchLine
    ) -> str | None:
        knowledge_of = self._state.told[self._client]
        for p in self._partitions():
            answer_due, answer_given = expected[p], observed.get(p)
            if answer_due == answer_given:
                continue
            if answer_given is None:
                knowledge = knowledge_of[p]
                before = (
                    "nothing yet"
                    if knowledge is None
                    else f"high watermark {knowledge.high_watermark}"
                )
                return (
                    f"{p} is not answered: the fetcher knows {before}, and the leader has high "
                    f"watermark {answer_due.high_watermark}"
                )
            if answer_due is None:
                answer = next(
                    partition_answer
                    for of, partition_answer in line.answered.items()
                    if str(of) == p
                )
                if answer.has_diverging_epoch or answer.preferred_read_replica >= 0:
                    raise _LostSight(
                        f"{p} is answered for a diverging epoch or a preferred replica, which are "
                        "outside the model"
                    )
                return f"{p} is answered, although nothing about it changed and it has no records"
            return f"{p} is answered with {answer_given}, not {answer_due}"
        return None

    # The fetcher receives.

    def _receive(self, walker: Walker) -> None:
        for action in (
            "receive_full",
            "receive_sessionless",
            "receive_incremental",
            "receive_session_closed",
            "receive_unknown_session",
            "receive_wrong_epoch",
        ):
            if walker.take(action, f=self._client):
                return
        raise _Departure("the fetcher cannot handle this response")

    def _partitions(self) -> tuple[str, ...]:
        return tuple(self._model.constants["PARTITIONS"])  # type: ignore[arg-type]


def _constants(lines: list[FetchLine], client: str) -> dict[str, object]:
    """The model at real widths, for one fetcher: its partitions, the ids it meets."""
    partitions = dict.fromkeys(
        str(p) for line in lines for p in (*line.partitions, *line.forgotten, *line.answered)
    )
    ids = dict.fromkeys(
        i for line in lines for i in (line.session_id, line.response_session_id) if i != 0
    )
    return {
        "PARTITIONS": tuple(partitions) or ("none",),
        "SESSION_IDS": tuple(ids) or (1,),
        "FETCHERS": (client,),
        "FOLLOWERS": (client,) if lines[0].is_follower else (),
        "MAX_EPOCH": _INT32_MAX,
        "MAX_OFFSET": _INT64_MAX,
        "MAX_BYTES": _INT32_MAX,
        "MAX_FETCHER_LOG_START": _INT64_MAX,
        "MAX_LEADER_EPOCH": _INT32_MAX,
        "MAX_FETCHED_EPOCH": _INT32_MAX,
        "MAX_FAILURES": _INT64_MAX,
        "MAX_DISTURBANCES": _INT64_MAX,
    }


def _some(partitions: Iterable[str]) -> str:
    names = sorted(partitions)
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
