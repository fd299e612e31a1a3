"""`python -m bench.fleet.topic`: the logs of brokers in a topic, and what Spark shuffles of them.

A broker on loopback has the topic, with a record a line, whose key is the name of the log's broker.
Bytes are those that tasks wrote for a shuffle, by Spark's event log.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from bench.fleet.events import logged, tasks_in
from bench.machine import this_machine
from bench.process import measure
from bench.table import machine_text
from lockstep.spark.session import SparkOptions, spark_session
from lockstep_kafka.drive.broker import Broker
from lockstep_kafka.drive.wire import HOST
from lockstep_kafka.jars import NEWEST_BROKER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ROOT = Path(__file__).resolve().parents[2]
_VERDICTS = (0, 1, 3)
_TOPIC = "logs"


def main() -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet.topic", description=__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--brokers", type=int, default=8)
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--departures", default="0.0001")
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args()
    lockstep = [sys.executable, "-m", "lockstep"]
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-bench-") as scratch,
        closing(Broker(NEWEST_BROKER)) as broker,
    ):
        logs, tables, address = Path(scratch, "logs"), Path(scratch, "tables"), broker.port
        sizes = ["--lines", str(options.lines), "--brokers", str(options.brokers)]
        seeded = ["--departures", options.departures]
        simulate = [*lockstep, "simulate", "--log", str(logs), *sizes, *seeded]
        subprocess.run(simulate, cwd=_ROOT, check=True, stdout=subprocess.DEVNULL)
        with spark_session("bench", SparkOptions(options.master, topics=True)) as spark:
            lines = _fill(spark, f"{HOST}:{address}", logs, options.partitions)
        command = [*lockstep, "conform", "--engine", "spark", "--master", options.master]
        command += ["--out", str(tables), "--broker-from", "(?P<broker>[^/]+)$"]
        command.append(f"kafka://{HOST}:{address}/{_TOPIC}")
        events = Path(scratch, "events")
        run = measure(command, _ROOT, environment=logged(events))
        if run.exit_code not in _VERDICTS:
            raise SystemExit(f"exit code {run.exit_code}: {run.last_words}")
        print(machine_text(this_machine(_ROOT)))
        print(f"{lines:,} lines of {options.brokers} brokers in {options.partitions} partitions:")
        print(f"{run.cpu_seconds:.1f} CPU s, {run.seconds:.1f} s by the clock")
        _print_stages(events, lines)
    return 0


def _fill(spark: SparkSession, servers: str, logs: Path, partitions: int) -> int:
    """Write the lines of all logs into a new topic; how many they are."""
    java = spark._jvm  # the client that Spark's own source has
    assert java is not None, "this session has Java in a process of its own"
    properties = java.java.util.Properties()
    properties.put("bootstrap.servers", servers)
    with closing(java.org.apache.kafka.clients.admin.Admin.create(properties)) as admin:
        topic = java.org.apache.kafka.clients.admin.NewTopic(_TOPIC, partitions, 1)
        admin.createTopics(java.java.util.List.of(topic)).all().get()
    count = 0
    for broker in sorted(path for path in logs.iterdir() if path.is_dir()):
        for file in sorted(broker.glob("*.log")):
            rows = spark.read.text(str(file)).coalesce(1)
            rows = rows.selectExpr(f"'{broker.name}' AS key", "value")
            writer = rows.write.format("kafka").option("topic", _TOPIC)
            writer.option("kafka.bootstrap.servers", servers).save()
            count += file.read_bytes().count(b"\n")
    return count


def _print_stages(events: Path, lines: int) -> None:
    """Print what the stages wrote that shuffled most, and all."""
    written: dict[int, int] = {}
    for event in tasks_in(events):
        bytes_ = event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
        written[event["Stage ID"]] = written.get(event["Stage ID"], 0) + bytes_
    print("| stage | bytes shuffled | a line |\n|---|---:|---:|")
    most = sorted(written.items(), key=lambda one: -one[1])[:3]
    for name, size in (*most, ("all", sum(written.values()))):
        print(f"| {name} | {size:,} | {size / lines:.1f} |")


if __name__ == "__main__":
    raise SystemExit(main())
