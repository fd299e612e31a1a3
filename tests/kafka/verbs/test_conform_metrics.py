"""`conform --metrics` writes what the findings say, as Prometheus's own parser reads it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from lockstep.cli.main import run
from lockstep.errors import ExitCode, LockstepError
from lockstep.workspace import find_workspace
from lockstep_kafka.findings import CountedLines, LineCounts, SideName, Verdict
from lockstep_kafka.verbs.conform import ConformMetrics, conform
from lockstep_kafka.verbs.requests import ConformRequest
from tests.kafka.conform.following import LOGS, ROOT

CASES = LOGS / "cases"

Samples = dict[str, Counter[frozenset[tuple[str, str]]]]


def samples(file: Path) -> Samples:
    """Each counter with its values by their labels."""
    found: Samples = {}
    for family in text_string_to_metric_families(file.read_text(encoding="utf-8")):
        assert family.type == "counter"
        for sample in family.samples:
            labels = frozenset(sample.labels.items())
            found.setdefault(sample.name, Counter())[labels] += int(sample.value)
    return found


def test_counters_are_those_of_the_findings(tmp_path: Path) -> None:
    file = tmp_path / "lockstep.prom"
    logs = (CASES, LOGS / "raft-fetch.log")
    result = conform(ConformRequest(logs, metrics=file, workspace=find_workspace(ROOT)))
    found = samples(file)
    assert found["lockstep_conform_lines_total"].total() == result.totals.followed
    for name in SideName:
        sides = [getattr(session, f"{name}_side") for session in result.sessions]
        verdicts = Counter(side.verdict for side in sides)
        rules: Counter[str] = Counter()
        for side in sides:
            rules.update({rule.id: count for rule, count in side.by_rule.items()})
        assert verdicts == by_label(found["lockstep_conform_sessions_total"], "verdict", name)
        assert rules == by_label(found["lockstep_conform_remarks_total"], "rule", name)
        assert verdicts[Verdict.DEPARTS] > 1
        assert len(rules) > 1
    reasons = Counter(line.reason for line in result.totals.lines.items)
    assert reasons == by_label(found["lockstep_conform_lines_not_followed_total"], "reason")
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def by_label(
    counts: Counter[frozenset[tuple[str, str]]], label: str, side: SideName | None = None
) -> Counter[str]:
    sums: Counter[str] = Counter()
    for labels, count in counts.items():
        named = dict(labels)
        if side is None or named["side"] == side.value:
            sums[named[label]] += count
    return sums


def test_a_name_may_hold_anything(tmp_path: Path) -> None:
    client = 'a"b\\c\nd{e="f"} 1'
    metrics = ConformMetrics(tmp_path / "a.prom")
    for _ in range(2):
        metrics.add(CountedLines("b", [LineCounts(client, 17, None, lines=2)]))
    metrics.write()
    labels = frozenset({("client", client), ("version", "17"), ("broker", "b")})
    assert samples(tmp_path / "a.prom")["lockstep_conform_lines_total"] == {labels: 4}


@pytest.mark.parametrize("file", ["no/a.prom", "."])
def test_a_file_that_cannot_be_one_is_refused_at_the_start(tmp_path: Path, file: str) -> None:
    with pytest.raises(LockstepError, match="cannot be written: "):
        conform(
            ConformRequest(
                ("no-such.log",), metrics=tmp_path / file, workspace=find_workspace(ROOT)
            )
        )


def test_a_log_is_not_written_over_and_metrics_are(tmp_path: Path) -> None:
    log, file = tmp_path / "a.log", tmp_path / "a.prom"
    log.write_text("a line\n", encoding="utf-8")
    with pytest.raises(LockstepError, match="it is there, and has no metrics"):
        ConformMetrics(log)
    assert log.read_text(encoding="utf-8") == "a line\n"
    for _ in range(2):
        ConformMetrics(file).write()
    assert file.read_bytes().startswith(b"# HELP ")


def test_a_full_disk_leaves_the_findings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = tmp_path / "a.prom"
    link.symlink_to("/dev/full")
    log = CASES / "m2-session-not-found-then-accepted.log.gz"
    arguments = ["conform", str(log), "--metrics", str(link), "--workspace", str(ROOT)]
    assert run(arguments) == ExitCode.USAGE
    out, err = capsys.readouterr()
    assert "\n1 session: 0 conform, 1 depart, 0 unknown\n" in out
    assert err == f"lockstep: {link} cannot be written: No space left on device\n"
    assert link.is_symlink()


def test_tables_have_metrics_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(LockstepError, match="--metrics does not go with --out"):
        ConformRequest(("a",), engine="spark", out=tmp_path, metrics=tmp_path / "a.prom")
