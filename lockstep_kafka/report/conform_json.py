"""What `conform --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from msgspec import structs

from lockstep.pages.output import document
from lockstep_kafka.files.layouts import LAYOUTS
from lockstep_kafka.findings import (
    LayoutFinding,
    LineFinding,
    NodeFinding,
    Place,
    Remark,
    SessionFinding,
    ShownLine,
    Side,
    Verdict,
)
from lockstep_kafka.totals import Cause
from lockstep_kafka.verbs.conform import ConformResult


def conform_json(result: ConformResult) -> dict[str, object]:
    """The document; it has every session and line that the result has kept."""
    totals = result.totals
    return document(
        [_session(session, result.requirements) for session in result.sessions],
        {
            "model": result.model,
            "sessions": {str(verdict): kept.count for verdict, kept in totals.sessions.items()},
            "client": _verdicts(totals.client),
            "broker": _verdicts(totals.broker),
            "lines": {
                "read": totals.read,
                "followed": totals.followed,
                "judged_in_part": totals.partial,
                "moved": totals.moved,
                "not_followed": totals.not_followed,
                "other_requests": totals.other_requests,
                "in_columns": totals.in_columns,
            },
            "layouts": dict(totals.layouts),
            "unreadable_files": len(totals.files),
            "files_of_unknown_layout": len(totals.unknown_layouts),
            "nodes": _verdicts(Counter(node.verdict for node in totals.nodes)),
            "interrupted": result.is_interrupted,
            "exit_code": result.exit_code,
        },
        causes=[_cause(cause, result.requirements) for cause in totals.causes],
        lines=[_line(line) for line in totals.lines.items],
        files=[asdict(file) for file in totals.files],
        unknown_layouts=[_unknown(file) for file in totals.unknown_layouts],
        nodes=[_node(node, result.requirements) for node in totals.nodes],
    )


def _cause(cause: Cause, texts: Mapping[str, str]) -> dict[str, object]:
    """A cause, with the first remark of it and the lines that show that one."""
    finding = cause.first
    same = ("session", "client", "broker", "api_version")
    return {
        "side": str(finding.side),
        "rule": finding.remark.rule.id,
        "who": cause.who,
        "sessions": cause.sessions,
        "lines": cause.places.count,
        "first_ms": cause.first_ms,
        "last_ms": cause.last_ms,
        "places": [structs.asdict(place) for place in cause.places.items],
        "first": {
            **{name: getattr(finding, name) for name in same},
            **_remark(finding.remark, texts),
            "shown": [_shown(line) for line in cause.shown],
        },
    }


def _shown(line: ShownLine) -> dict[str, object]:
    time = None if line.time is None else line.time.isoformat(timespec="milliseconds")
    return {**structs.asdict(line.at), "time": time, "text": line.text}


def _session(session: SessionFinding, texts: Mapping[str, str]) -> dict[str, object]:
    same = ("session", "client", "connection", "is_whole", "lines")
    return {
        **{name: getattr(session, name) for name in same},
        "verdict": str(session.verdict),
        "first": structs.asdict(session.first),
        "last": structs.asdict(session.last),
        "judged_in_part": session.partial,
        "sides": {
            "client": _side(session.client_side, texts),
            "broker": _side(session.broker_side, texts),
        },
    }


def _node(node: NodeFinding, texts: Mapping[str, str]) -> dict[str, object]:
    return {
        "directory": node.directory,
        "verdict": str(node.verdict),
        "epoch": node.epoch,
        "snapshots": node.snapshots,
        "log": None if node.log is None else {"start": node.log[0], "end": node.log[1]},
        "torn": node.torn,
        "departures": [
            {
                "file": remark.file,
                "rule": remark.rule.id,
                "arguments": dict(remark.arguments),
                "because": remark.because,
                "requirements": _requirements(remark.requirements, texts),
            }
            for remark in node.departures
        ],
    }


def _requirements(ids: Sequence[str], texts: Mapping[str, str]) -> list[dict[str, object]]:
    return [{"id": one, "text": texts.get(one)} for one in ids]


def _side(side: Side, texts: Mapping[str, str]) -> dict[str, object]:
    return {
        **{name: getattr(side, name) for name in ("judged", "departures", "unknowns")},
        "verdict": str(side.verdict),
        "worst": None if side.worst is None else _remark(side.worst, texts),
        "more": [structs.asdict(place) for place in side.more],
        "rules": {rule.id: count for rule, count in side.by_rule.items()},
    }


def _remark(remark: Remark, texts: Mapping[str, str]) -> dict[str, object]:
    return {
        "verdict": str(remark.verdict),
        **structs.asdict(remark.at),
        "rule": remark.rule.id,
        "arguments": {name: _argument(value) for name, value in remark.arguments.items()},
        "because": remark.because,
        "requirements": _requirements(remark.requirements, texts),
        "candidates": [asdict(candidate) for candidate in remark.candidates],
    }


def _unknown(file: LayoutFinding) -> dict[str, object]:
    return {"file": file.file, "line": file.line, "text": file.text, "known": list(LAYOUTS)}


def _argument(value: str | int | Place) -> object:
    return structs.asdict(value) if isinstance(value, Place) else value


def _line(line: LineFinding) -> dict[str, object]:
    named = {name: getattr(line, name) for name in ("reason", "detail", "is_loss")}
    return {**structs.asdict(line.at), **named}


def _verdicts(counts: Counter[Verdict]) -> dict[str, int]:
    return {str(verdict): counts[verdict] for verdict in Verdict}
