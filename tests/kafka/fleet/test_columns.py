"""docs/reference/tables.md names every column of every table, with its type."""

from __future__ import annotations

import re

import pytest

from lockstep_kafka.fleet.columns import spark_schema
from lockstep_kafka.fleet.tables import ALL_TABLES, Table
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
