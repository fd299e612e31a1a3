"""What Spark's event log says of the tasks of a run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def logged(events: Path) -> dict[str, str]:
    """The environment in which Spark writes its events into a folder, which is made."""
    events.mkdir()
    settings = {"enabled": "true", "dir": events.as_uri(), "compress": "false"}
    lines = [f"spark.eventLog.{name} {value}\n" for name, value in settings.items()]
    events.joinpath("spark-defaults.conf").write_text("".join(lines), "utf-8")
    return {"SPARK_CONF_DIR": str(events)}


def events_in(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The events that were written into a folder."""
    for file in folder.rglob("events_*"):
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def tasks_in(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The events of tasks that ended, with what they took."""
    for event in events_in(folder):
        if event["Event"] == "SparkListenerTaskEnd" and "Task Metrics" in event:
            yield event
