"""What plain Python finds in logs, and what is found in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import CountedLines, Finding, Progress
from tests.kafka_models import fetch_session

Found = tuple[list[Finding], Counter[tuple[object, ...]], list[int]]


def found_in(logs: Sequence[str], paths: BrokerPaths, *, in_columns: bool) -> Found:
    """The findings in order, the lines by broker, client, version, hour and outcome, and totals."""
    findings: list[Finding] = []
    counts: Counter[tuple[object, ...]] = Counter()
    totals: list[int] = []
    for finding in observe(logs, fetch_session, paths, in_columns=in_columns):
        if isinstance(finding, CountedLines):
            for row in finding.counts:
                key = (finding.broker, row.client, row.api_version, row.hour)
                for name in ("lines", "partial", "client_departures", "broker_departures"):
                    counts[*key, name] += getattr(row, name)
                counts[*key, "unknowns"] += row.unknowns
        elif isinstance(finding, Progress):
            totals = [finding.lines, finding.followed, finding.others]
        else:
            findings.append(finding)
    return findings, counts, totals
