"""What `conform` says of logs in one process, as rows of the tables."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.fleet.columns import FOLLOWED, batches_of
from lockstep_kafka.fleet.following import rows_of_finding
from lockstep_kafka.totals import ConformTotals
from tests.kafka.fleet.pipeline import BROKER_FROM, Rows
from tests.kafka_models import fetch_session


def rows_of(*logs: Path, broker_from: str | None = BROKER_FROM) -> dict[str, Rows]:
    """The rows of `session`, `departure` and `quarantined`."""
    found = observe([str(log) for log in logs], fetch_session, BrokerPaths(broker_from))
    rows = [
        row
        for finding in found
        for row in rows_of_finding(getattr(finding, "broker", ""), finding, is_open=False)
    ]
    dicts = [row for batch in batches_of(rows, FOLLOWED) for row in batch.to_pylist()]
    return {
        kind: [{"broker": row["broker"], **row[kind]} for row in dicts if row[kind] is not None]
        for kind in ("session", "departure", "quarantined")
    }


def causes_of(*logs: Path) -> Counter[tuple[Any, ...]]:
    """The causes of departures."""
    totals = ConformTotals()
    for finding in observe([str(log) for log in logs], fetch_session, BrokerPaths(BROKER_FROM)):
        totals.add(finding)
    return comparable_causes(totals)


def comparable_causes(totals: ConformTotals) -> Counter[tuple[Any, ...]]:
    """What is counted of each cause."""
    return Counter(
        (
            *(str(cause.first.side), cause.first.remark.rule.id, cause.who),
            *(cause.sessions, cause.places.count, cause.first_ms, cause.last_ms),
        )
        for cause in totals.causes
    )


def comparable(rows: Rows) -> Counter[str]:
    """Rows whatever their order, without what only tables have."""
    left_out = {"is_open", "batch", "offset", "text"}
    if rows and "reason" in rows[0]:
        left_out.add("broker")  # which a line alone does not say

    def plain(value: Any) -> Any:
        if isinstance(value, list) and value and isinstance(value[0], tuple):
            value = dict(value)  # Arrow gives a map as its entries
        if isinstance(value, dict):
            return sorted((name, plain(part)) for name, part in value.items())
        if isinstance(value, datetime):
            return value.replace(tzinfo=None)
        return [plain(part) for part in value] if isinstance(value, list) else value

    return Counter(
        repr(plain({name: value for name, value in row.items() if name not in left_out}))
        for row in rows
    )
