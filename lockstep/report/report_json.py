"""What `report --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from dataclasses import asdict

import msgspec

from lockstep.report.json import document
from lockstep.verbs.report_entry import Entry
from lockstep.verbs.report_result import Report


def report_json(report: Report) -> dict[str, object]:
    """The document: a row a result."""
    revision = report.revision
    return document(
        [_entry(entry) for entry in report.entries],
        {
            "workspace": report.workspace.name,
            "revision": None if revision is None else revision.commit,
            "changed": revision is not None and revision.is_changed,
            "verdict": str(report.verdict),
            "broken": len(report.broken),
            "not_checked": len(report.open),
            "exit_code": report.exit_code,
        },
        conformance=[msgspec.to_builtins(one) for one in report.conformance],
        damaged=list(report.history.damaged),
        unread=list(report.unread),
    )


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "kind": entry.kind,
        "model": entry.model,
        "scope": entry.scope,
        "verdict": None if entry.verdict is None else str(entry.verdict),
        "because": entry.because,
        "expected": entry.is_expected,
        "wanted": entry.wanted,
        "judged": entry.judged,
        "violates": list(entry.violates),
        "length": entry.length,
        **asdict(entry.counts),
        "since": None if entry.since is None else entry.since.isoformat(),
        "outdated": None if entry.outdated is None else entry.outdated.isoformat(),
        "again": entry.again,
    }
