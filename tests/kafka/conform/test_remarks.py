"""All that is remarked of the captures: line, side, session, rule, requirements, and the sentence.

`LOCKSTEP_ACCEPT=1 pytest tests/kafka/conform/test_remarks.py` writes what is said now: look at
what changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lockstep_kafka.findings import RemarkFinding
from tests.kafka.conform.following import LOGS, follow

REMARKS = LOGS / "remarks.txt"


def remarks() -> Iterator[str]:
    for log in (*sorted(LOGS.glob("*.log")), *sorted(LOGS.glob("cases/*.gz"))):
        for finding in follow(log).all:
            if isinstance(finding, RemarkFinding):
                yield said(log, finding)


def said(log: Path, finding: RemarkFinding) -> str:
    remark = finding.remark
    requirements = f" ({', '.join(remark.requirements)})" if remark.requirements else ""
    because = remark.because.replace(f"{log}:", "line ")
    what = f"{finding.side} of {finding.session} {remark.verdict}: {remark.rule.id}{requirements}"
    return f"{log.relative_to(LOGS)}:{remark.at.line}: {what}: {because}\n"


def test_what_is_remarked_of_the_captures() -> None:
    now = "".join(remarks())
    if os.environ.get("LOCKSTEP_ACCEPT"):
        REMARKS.write_text(now, encoding="utf-8")
    assert now == REMARKS.read_text(encoding="utf-8")
