"""What `doctor` prints, for a reader and as JSON (docs/reference/json.md)."""

from __future__ import annotations

from lockstep.report.json import document
from lockstep.report.output import Columns, Output
from lockstep.verbs.doctor import DoctorResult, Presence

_STYLES = {Presence.OK: "holds", Presence.ABSENT: "inconclusive", Presence.MISSING: "violated"}


def print_findings(output: Output, result: DoctorResult) -> None:
    """Print a line a thing, what to do about those that are not there, and the sum of it."""
    width = max(len(finding.name) for finding in result.findings)
    columns = Columns((("", width), ("", len(Presence.MISSING)), ("", 0)), ())
    for finding in result.findings:
        row = columns.row((finding.name, finding.presence, finding.what))
        output.line(row, None if finding.presence is Presence.OK else _STYLES[finding.presence])
        if finding.needed_for:
            output.line(f"  needed for  {finding.needed_for}")
        if finding.cure is not None:
            output.line(f"  cure        {finding.cure}")
    missing, absent = result.named(Presence.MISSING), result.named(Presence.ABSENT)
    output.line()
    if missing:
        output.line(f"missing: {', '.join(missing)}", _STYLES[Presence.MISSING])
    else:
        output.line("everything that lockstep needs is there", _STYLES[Presence.OK])
    if absent:
        output.line(f"absent, and needed for some things only: {', '.join(absent)}")


def doctor_json(result: DoctorResult) -> dict[str, object]:
    """What was found, as a document."""
    rows = [
        {
            "name": finding.name,
            "presence": str(finding.presence),
            "what": finding.what,
            "needed_for": finding.needed_for,
            "cure": finding.cure,
        }
        for finding in result.findings
    ]
    summary = {str(presence): len(result.named(presence)) for presence in Presence}
    return document(rows, {**summary, "exit_code": int(result.exit_code)})
