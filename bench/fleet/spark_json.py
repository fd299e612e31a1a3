"""`python -m bench.fleet.spark_json MASTER FILES`: Spark's own JSON reader on each line, no more.

Spark reads all columns of the schema that it infers of the first lines, and writes them nowhere.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lockstep.spark.session import SparkOptions, spark_session

_OBJECT = r"Completed request:(\{.*\})"
_LOOKED_AT = 2_000


def main(master: str, files: Sequence[str]) -> None:
    """Parse each line."""
    with spark_session("bench", SparkOptions(master)) as spark:
        from pyspark.sql import functions as sql

        lines = spark.read.text(list(files))
        objects = lines.select(sql.regexp_extract("value", _OBJECT, 1).alias("text")).where(
            "text <> ''"
        )
        sample = objects.limit(_LOOKED_AT)
        schema = spark.read.json(sample.rdd.map(lambda row: row.text)).schema
        parsed = objects.select(sql.from_json("text", schema).alias("request"))
        parsed.write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
