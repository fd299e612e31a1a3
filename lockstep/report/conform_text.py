"""What `conform` prints for a reader: a row a session, why it departs, and the unused lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lockstep.conform.findings import LogFindings, SessionFinding
from lockstep.report.output import Output
from lockstep.verbs.conform import ConformResult
from lockstep.words import plural

HEADERS = ("log", "session", "client", "lines", "verdict", "line")
RIGHT = ("lines", "line")

_SHOWN_NUMBERS = 8
"""The most line numbers that are listed for one reason."""


def print_conform(output: Output, result: ConformResult, *, verbose: bool) -> None:
    """Print all of it; with `verbose` each line that was not used, too."""
    if result.sessions:
        output.table(HEADERS, [_row(session) for session in result.sessions], RIGHT)
    for log in result.logs:
        for session in log.sessions:
            if session.line is not None:
                output.line(
                    f"{session.file}:{session.line}: session {session.session or 'none'} "
                    f"{session.verdict}, because {session.because}"
                )
        for text in _unused(log, verbose):
            output.line(text)
    totals = result.totals
    output.line(
        f"{totals['conforms']} conform, {totals['departs']} depart, {totals['unknown']} unknown; "
        f"{plural(totals['lines'], 'line')} followed"
    )


def _row(session: SessionFinding) -> tuple[str, ...]:
    return (
        session.file,
        str(session.session or "none"),
        repr(session.client)[1:-1],
        f"{session.lines:,}",
        session.verdict,
        "" if session.line is None else str(session.line),
    )


def _unused(log: LogFindings, verbose: bool) -> Iterator[str]:
    """The lines of a log that were not used, or not in their place, reason by reason."""
    unused = log.unused + log.reordered
    for reason, count in Counter(line.reason for line in unused).items():
        lines = [line for line in unused if line.reason == reason]
        numbers = ", ".join(str(line.line) for line in lines[:_SHOWN_NUMBERS])
        more = ", ..." if count > _SHOWN_NUMBERS else ""
        yield f"{log.file}: {plural(count, 'line')} {reason}: {numbers}{more}"
        for line in lines if verbose else ():
            yield f"  {log.file}:{line.line}: {line.detail}"
