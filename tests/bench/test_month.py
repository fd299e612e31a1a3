"""Tables of which old days are deleted say of the other days what one run says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.fleet.month import Days, differences, follow_days, sizes
from lockstep.workspace import find_workspace
from lockstep_kafka.fleet.local_tables import LocalTables
from lockstep_kafka.fleet.tables import (
    ALERTS,
    ALL_TABLES,
    BATCHES,
    DEPARTURES,
    INPUTS,
    METRICS,
    SESSIONS,
)
from lockstep_kafka.verbs.simulate import SimulateRequest, simulate
from tests.kafka.fleet.pipeline import OBSERVED, ROOT

DAYS, RETAINED = 8, 3
REQUEST = SimulateRequest(
    lines=3_200, clients=6, departures=0.0025, behaviours=40, workspace=find_workspace(ROOT)
)


def test_old_days_are_gone_and_kept_ones_are_right(tmp_path: Path) -> None:
    (log,) = simulate(replace(REQUEST, log=tmp_path / "simulated")).log.rglob("*.log")
    brokers = {"broker-1": log.read_bytes().splitlines(keepends=True)}
    logs, tables = Days(brokers, DAYS, tmp_path / "logs"), LocalTables(tmp_path / "tables")
    follow_days(logs, tables, OBSERVED, RETAINED)
    for table in (SESSIONS, DEPARTURES, METRICS, ALERTS, BATCHES):
        closed = [row["batch"] for row in tables.rows(table) if not row.get("is_open")]
        assert all(batch >= DAYS - RETAINED for batch in closed), table.name
    assert tables.rows(SESSIONS)
    assert tables.rows(DEPARTURES)
    assert {row["batch"] for row in tables.rows(BATCHES)} == set(range(DAYS - RETAINED, DAYS + 1))
    of_files = {row["path"] for row in tables.rows(INPUTS) if row["batch"] < DAYS - RETAINED}
    assert of_files <= {str(path) for path in (tmp_path / "logs").rglob("*.log.*")}
    for table in ALL_TABLES:
        files, _, _ = sizes(tables, table)
        assert files <= (2 if table.has_open_rows else 1), table.name
    assert differences(logs, tables, OBSERVED, RETAINED) == 0
