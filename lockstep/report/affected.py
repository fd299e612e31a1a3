"""What was not done in this run: what a change cannot affect, and what an earlier run decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from lockstep.answers.answer import Answer, earliest
from lockstep.pages.blocks import Paragraph
from lockstep.report.ci.problems import Gap, Level, Unknown
from lockstep.requests.affected import Affected
from lockstep.words import plural


def affected_blocks(affected: Affected | None) -> Iterator[Paragraph]:
    """Why each model is checked or skipped; once where it is the same of all."""
    if affected is None:
        return
    reasons = set(affected.reasons.values())
    if len(affected.reasons) > 1 and len(reasons) == 1 and not affected.skipped:
        yield Paragraph(f"every model: checked, {reasons.pop()}", "dim")
    else:
        for name, why in affected.reasons.items():
            yield Paragraph(f"{name}: checked, {why}", "dim")
    for name in affected.skipped:
        yield Paragraph(f"{name}: skipped, {affected.why_skipped}", "dim")


def skipped_text(affected: Affected | None) -> str:
    """What is said of skipped models after the sum of the others; empty where there are none."""
    if affected is None or not affected.skipped:
        return ""
    number = len(affected.skipped)
    skipped = f"{plural(number, 'model')} skipped"
    return skipped if affected.reasons else f"{skipped}: nothing had to be checked"


def affected_json(affected: Affected | None) -> dict[str, object] | None:
    """The same as JSON; null where it was not asked."""
    if affected is None:
        return None
    return {
        "revision": affected.revision,
        "commit": affected.commit,
        "checked": [{"model": name, "because": why} for name, why in affected.reasons.items()],
        "skipped": [{"model": name, "because": affected.why_skipped} for name in affected.skipped],
    }


def skipped_gaps(affected: Affected | None) -> Iterator[Gap]:
    """A gap for each model that was skipped."""
    if affected is None:
        return
    for name in affected.skipped:
        text = f"{name}: skipped, {affected.why_skipped}"
        yield Gap(Unknown.SKIPPED, Level.NOTE, name, text)


def since_text(since: datetime | None) -> str:
    """What a line says after its verdict; nothing of a result that was decided in this run."""
    return "" if since is None else f", kept since {since.astimezone():%Y-%m-%d %H:%M}"


def rows_since_text(rows: Sequence[Answer]) -> str:
    """A line on the rows of a table that an earlier run has kept."""
    return f"{plural(len(rows), 'row')}{since_text(earliest(rows))}; --no-cache explores again"
