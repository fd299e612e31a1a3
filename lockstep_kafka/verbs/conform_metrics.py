"""Counters of what `conform` finds, by client, version, broker and rule, as Prometheus reads them.

A collector of files, such as that of node_exporter, takes them from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError, not_written
from lockstep_kafka.findings import (
    CountedLines,
    Finding,
    LineFinding,
    RemarkFinding,
    SessionFinding,
)

if TYPE_CHECKING:
    from prometheus_client.core import CounterMetricFamily


class ConformMetrics:
    """Counts findings. Its memory grows with the number of clients, and not with the logs."""

    def __init__(self) -> None:
        self._lines: Counter[tuple[str, ...]] = Counter()
        self._remarks: Counter[tuple[str, ...]] = Counter()
        self._sessions: Counter[tuple[str, ...]] = Counter()
        self._not_followed: Counter[tuple[str, ...]] = Counter()

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        match finding:
            case CountedLines():
                for counts in finding.counts:
                    key = counts.client, str(counts.api_version), finding.broker
                    self._lines[key] += counts.lines
            case RemarkFinding(client=client, broker=broker, side=side, remark=remark):
                who = client, str(finding.api_version), broker
                self._remarks[*who, side.value, remark.rule.id, remark.verdict.value] += 1
            case SessionFinding(broker=broker):
                sides = {"client": finding.client_side, "broker": finding.broker_side}
                for name, judged in sides.items():
                    self._sessions[broker, name, judged.verdict.value] += 1
            case LineFinding():
                self._not_followed[(finding.reason,)] += 1

    def write(self, path: Path) -> None:
        """Write the file, all of it at once; `LockstepError` where it cannot be written."""
        from prometheus_client import CollectorRegistry, write_to_textfile

        registry = CollectorRegistry()
        registry.register(self)
        try:
            write_to_textfile(str(path), registry)
        except OSError as error:
            raise LockstepError(
                not_written(path, error), cure="name a file in a folder that can be written"
            ) from error

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The counters, as the library asks for them."""
        who = ("client", "version", "broker")
        yield _family("lines", "Fetch requests that were followed.", who, self._lines)
        yield _family(
            "remarks",
            "Remarks on requests and responses, by rule.",
            (*who, "side", "rule", "verdict"),
            self._remarks,
        )
        yield _family(
            "sessions",
            "Sessions, by the verdict on each side.",
            ("broker", "side", "verdict"),
            self._sessions,
        )
        yield _family(
            "lines_not_followed",
            "Lines that were not followed, or not in their place.",
            ("reason",),
            self._not_followed,
        )


def _family(
    name: str, text: str, labels: tuple[str, ...], counts: Counter[tuple[str, ...]]
) -> CounterMetricFamily:
    from prometheus_client.core import CounterMetricFamily

    family = CounterMetricFamily(f"lockstep_conform_{name}", text, labels=labels)
    for values, count in sorted(counts.items()):
        family.add_metric(values, count)
    return family
