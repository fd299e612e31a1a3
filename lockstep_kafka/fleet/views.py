"""Questions to the tables of a fleet in SQL, and views that answer the usual ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow

from lockstep.errors import LockstepError
from lockstep_kafka.fleet.spark_tables import Tables
from lockstep_kafka.fleet.tables import ALL_TABLES, STATES, Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lockstep_kafka.fleet.local_tables import LocalTables

VIEWS = {
    "departures_by_day": """
        SELECT CAST(time AS DATE) AS day, broker, side, rule, client, api_version, software,
            COUNT(*) AS departures
        FROM departures
        GROUP BY CAST(time AS DATE), broker, side, rule, client, api_version, software""",
    "new_since": """
        SELECT side, rule, client, api_version, software, MIN(time) AS since, MAX(time) AS until,
            COUNT(DISTINCT broker) AS brokers, COUNT(*) AS departures
        FROM departures
        GROUP BY side, rule, client, api_version, software""",
    "client_versions": """
        SELECT client, api_version, MIN(hour) AS first_hour, MAX(hour) AS last_hour,
            COUNT(DISTINCT broker) AS brokers, SUM(lines) AS lines,
            SUM(client_departures) AS client_departures,
            SUM(broker_departures) AS broker_departures, SUM(unknowns) AS unknowns
        FROM metrics
        GROUP BY client, api_version""",
}
"""The views by name, in SQL that Spark and delta-rs read alike."""


def _there(of_target: Tables | LocalTables, target: str | Path) -> tuple[list[Table], list[str]]:
    """The tables that were written to, and the views that can be had of them.

    `LockstepError` where there are none. A run that was stopped may leave some of them alone.
    """
    there = [table for table in ALL_TABLES if table is not STATES and of_target.is_there(table)]
    if not there:
        raise LockstepError(
            f"there are no tables of logs in {target}",
            cure=f"`lockstep conform --out {target} LOG` writes them",
        )
    read = [f"FROM {table.name}\n" for table in there]
    return there, [name for name, view in VIEWS.items() if any(one in view for one in read)]


def ask(tables: str | Path, question: str) -> pyarrow.Table:
    """The answer to a question in SQL, without Spark: `SELECT * FROM new_since`.

    `tables` is a folder of this machine. The question may name the tables in it and `VIEWS`; its
    SQL is that of DataFusion. `LockstepError` where there are no tables, they cannot be
    read, or the SQL is none.
    """
    from deltalake import DeltaTable, QueryBuilder

    from lockstep_kafka.fleet.local_tables import LocalTables

    of_folder = LocalTables(Path(tables))
    there, views = _there(of_folder, tables)
    try:
        builder = QueryBuilder()
        for table in there:
            builder.register(table.name, DeltaTable(of_folder.path(table)))
        for name in views:
            builder.execute(f"CREATE VIEW {name} AS {VIEWS[name]}").read_all()
        answer = pyarrow.table(builder.execute(question).read_all())
    except Exception as error:  # what its reader raises has no class of its own
        reason = " ".join(str(error).split())
        names = ", ".join([*(table.name for table in there), *views])
        raise LockstepError(
            f"the tables in {tables} do not answer: {reason}",
            cure=f"ask in one SELECT of {names}",
        ) from error
    schema = pyarrow.schema([field.with_type(_plain(field.type)) for field in answer.schema])
    return answer.cast(schema)


def _plain(kind: pyarrow.DataType) -> pyarrow.DataType:
    """The same type with plain strings: pandas reads no lists of Arrow's other ones."""
    if kind == pyarrow.string_view():
        return pyarrow.string()
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(_plain(kind.value_type))
    if pyarrow.types.is_struct(kind):
        fields = [kind.field(place) for place in range(kind.num_fields)]
        return pyarrow.struct([field.with_type(_plain(field.type)) for field in fields])
    return kind


def define_views(spark: SparkSession, tables: str | Path) -> None:
    """Give the tables, and `VIEWS` of them, their names in a session of Spark.

    They are temporary views, which end with the session. `tables` is as `follow_logs` takes it.
    `LockstepError` where there are no tables.
    """
    of_target = Tables(spark, tables)
    there, views = _there(of_target, tables)
    for table in there:
        of_target.rows(table).createOrReplaceTempView(table.name)
    for name in views:
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {VIEWS[name]}")
