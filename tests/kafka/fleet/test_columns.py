"""docs/reference/tables.md names every column of every table, with its type."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pyspark.sql.types import StructType

from lockstep_kafka.fleet.columns import spark_schema
from lockstep_kafka.fleet.tables import ALL_TABLES, FOLLOWED_TABLES, Table
from tests.kafka.fleet.pipeline import ROOT

PAGE = ROOT.joinpath("docs", "reference", "tables.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.name)
def test_the_page_has_the_columns(table: Table) -> None:
    (section,) = re.findall(rf"^## `{table.name}`$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| (`.*?) \| (.*?) \|", section, re.MULTILINE)
    columns = [
        (name.strip(" `"), kind)
        for names, kinds in rows
        for name, kind in zip(
            names.split(","), kinds.split(", ") if kinds else ["string"], strict=True
        )
    ]
    schema = spark_schema(table.columns)
    kinds = [(column.name, column.dataType.simpleString().split("<")[0]) for column in schema]
    assert columns == kinds


@pytest.mark.parametrize("table", FOLLOWED_TABLES, ids=lambda table: table.name)
def test_delta_keeps_statistics_of_what_a_batch_replaces_rows_by(table: Table) -> None:
    """By default it keeps them of the first 32 columns, and counts each field of a struct."""
    first = list(leaves(spark_schema(table.columns)))[:32]
    assert {"batch", "is_open"} & set(table.columns.names) <= set(first)
    assert "batch" in first


def leaves(struct: StructType, path: str = "") -> Iterator[str]:
    """The names of a struct's fields, those of the structs in it included."""
    for column in struct:
        name = f"{path}{column.name}"
        if isinstance(column.dataType, StructType):
            yield from leaves(column.dataType, f"{name}.")
        else:
            yield name
