"""What is said of a line that is not used."""

from __future__ import annotations

from lockstep_kafka.files.request_log import Reason, Skipped
from lockstep_kafka.findings.findings import FileFinding, LineFinding, Place

_LOSSES = (Reason.TRUNCATED, Reason.MALFORMED, Reason.LATE)


def finding_of(line: Skipped) -> LineFinding | FileFinding:
    """The finding of a line, or of its file where that cannot be read on."""
    if line.reason is Reason.UNREADABLE:
        return FileFinding(line.file, line.detail)
    return LineFinding(
        Place(line.file, line.line),
        line.reason.value,
        line.detail,
        is_loss=line.reason in _LOSSES,
    )
