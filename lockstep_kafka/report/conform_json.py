"""What `conform --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from lockstep.answers.answer import Answer
from lockstep.pages.output import document
from lockstep_kafka.files.layouts import LAYOUTS
from lockstep_kafka.findings import (
    NodeFinding,
    NodeRemark,
    Remark,
    SessionFinding,
    Side,
    Verdict,
)
from lockstep_kafka.totals import EXIT_CODES, Cause, reason_of
from lockstep_kafka.verbs.conform import ConformResult

Texts = Mapping[str, str]


def conform_json(result: ConformResult) -> dict[str, object]:
    """The document; it has every session and line that the result has kept."""
    totals, texts = result.totals, result.requirements
    return document(
        list(_answers(result)),
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
                "lost": totals.lost,
                "other_requests": totals.other_requests,
                "in_columns": totals.in_columns,
            },
            "layouts": dict(totals.layouts),
            "known_layouts": list(LAYOUTS),
            "unreadable_files": len(totals.files),
            "files_of_unknown_layout": len(totals.unknown_layouts),
            "nodes": _verdicts(Counter(node.verdict for node in totals.nodes)),
            "interrupted": result.is_interrupted,
            "failure": None if result.failure is None else str(result.failure),
            "exit_code": result.exit_code,
        },
        causes=[_cause(cause, texts) for cause in totals.causes],
        lines=totals.lines.items,
        files=totals.files,
        unknown_layouts=totals.unknown_layouts,
    )


def _answers(result: ConformResult) -> Iterator[Answer]:
    """The sessions, the worst ones first, and the nodes."""
    texts = result.requirements
    for session in result.sessions:
        sides = {name: getattr(session, name) for name in ("client_side", "broker_side")}
        reasons = (
            reason_of(side, session).because
            for side in sides.values()
            if side.verdict is session.verdict is not Verdict.CONFORMS
        )
        details = {name: _side(side, texts) for name, side in sides.items()}
        yield _answer(result, session, next(reasons, ""), details)
    for node in result.totals.nodes:
        because = [one.because for one in node.departures] + [one.because for one in node.damaged]
        departures = [_remark(remark, texts) for remark in node.departures]
        yield _answer(result, node, "".join(because[:1]), {"departures": departures})


def _answer(
    result: ConformResult,
    finding: SessionFinding | NodeFinding,
    because: str,
    details: Mapping[str, object],
) -> Answer:
    return Answer(
        kind="conform",
        model=result.model,
        verdict=str(finding.verdict),
        because=because,
        exit_code=int(EXIT_CODES[finding.verdict]),
        details={**_fields(finding), **details},
    )


def _fields(finding: Any) -> dict[str, object]:
    return {field.name: getattr(finding, field.name) for field in fields(finding)}


def _side(side: Side, texts: Texts) -> dict[str, object]:
    worst = None if side.worst is None else _remark(side.worst, texts)
    return {**_fields(side), "verdict": side.verdict, "worst": worst}


def _remark(remark: Remark | NodeRemark, texts: Texts) -> dict[str, object]:
    """A remark with its sentence, and the texts of what is not met."""
    return {
        **_fields(remark),
        "verdict": remark.rule.verdict,
        "because": remark.because,
        "requirements": [{"id": one, "text": texts.get(one)} for one in remark.requirements],
    }


def _cause(cause: Cause, texts: Texts) -> dict[str, object]:
    """A cause, with the first remark of it and the lines that show that one."""
    first = cause.first
    return {
        **{name: getattr(cause, name) for name in ("who", "sessions", "first_ms", "last_ms")},
        "side": first.side,
        "rule": first.remark.rule,
        "lines": cause.places.count,
        "places": cause.places.items,
        "first": {**_fields(first), "remark": _remark(first.remark, texts), "shown": cause.shown},
    }


def _verdicts(counts: Counter[Verdict]) -> dict[str, int]:
    return {str(verdict): counts[verdict] for verdict in Verdict}
