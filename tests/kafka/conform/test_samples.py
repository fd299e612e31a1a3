"""Request logs of a real broker, whole and corrupted, followed through `fetch_session`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lockstep_kafka.findings import Remark, SessionFinding, SideName, Verdict
from lockstep_kafka.rules import Rule
from lockstep_kafka.simulated.damage.kind import shown_places
from lockstep_kafka.simulated.damage.of_answers import WatermarkLeftOut
from lockstep_kafka.totals import ConformTotals
from tests.kafka.conform.following import LOGS, Findings, follow, read_log, sides

if TYPE_CHECKING:
    from tests.conftest import KafkaOutput

MARKER = "Completed request:"

Lines = list[str]


def edited(tmp_path: Path, sample: str, edit: Callable[[Lines], Lines]) -> Findings:
    lines = (LOGS / sample).read_text().splitlines()
    log = tmp_path / sample
    log.write_text("\n".join(edit(lines)) + "\n")
    return follow(log)


def change(number: int, edit: Callable[[Any], None]) -> Callable[[Lines], Lines]:
    """Edit the JSON of one line; lines count from 1."""

    def apply(lines: Lines) -> Lines:
        prefix, marker, body = lines[number - 1].partition(MARKER)
        document = json.loads(body)
        edit(document)
        lines[number - 1] = prefix + marker + json.dumps(document)
        return lines

    return apply


def close_the_hole(lines: Lines, number: int) -> Lines:
    """Count the correlation ids of the lines from one on lower by one."""

    def renumber(document: Any) -> None:
        document["requestHeader"]["correlationId"] -= 1

    for line in range(number, len(lines) + 1):
        lines = change(line, renumber)(lines)
    return lines


def only(findings: Findings) -> SessionFinding:
    (session,) = findings.sessions
    return session


def departure(findings: Findings, side: str, line: int) -> Remark:
    """What is remarked of the one session's side, which departs first at this line."""
    finding = sides(only(findings))[SideName(side)]
    assert finding.verdict is Verdict.DEPARTS
    assert finding.worst is not None
    assert finding.worst.at.line == line
    return finding.worst


def verdicts(findings: Findings) -> tuple[Verdict, Verdict]:
    """Of the client and of the broker of the one session."""
    session = only(findings)
    return session.client_side.verdict, session.broker_side.verdict


@pytest.mark.parametrize(
    ("sample", "sessions", "lines"),
    [
        ("aiokafka.log", [0], 43),
        ("follower-fetch.log", [94803863, 331185710], 150),
        ("java-classic.log", [380972674], 52),
        ("java-consumer.log", [685957690], 50),
        ("kafka-python.log", [204474231], 43),
        ("librdkafka.log", [0], 40),
        ("raft-fetch.log", [0, 0], 50),
    ],
)
def test_sample_conforms(
    sample: str, sessions: list[int], lines: int, kafka_output: KafkaOutput
) -> None:
    findings = follow(kafka_output(f"request-log/{sample}"))
    assert [str(departure) for departure in findings.departures] == []
    assert sorted(session.session for session in findings.sessions) == sessions
    assert {session.verdict for session in findings.sessions} == {Verdict.CONFORMS}
    assert sum(session.lines for session in findings.sessions) == lines
    assert sum(session.partial for session in findings.sessions) == 0


def test_a_sample_that_repeats_a_line() -> None:
    lines = follow(LOGS / "raft-fetch.log").lines
    assert sorted((line.at.line, line.reason) for line in lines) == [
        (2, "not in the order of its writing"),
        (9, "out of order"),
        (10, "repeated"),
    ]
    assert not any(line.is_loss for line in lines)


def test_other_apis_are_counted() -> None:
    findings = follow(LOGS / "fresh" / "quota.log.gz")
    log = read_log(LOGS / "fresh" / "quota.log.gz")
    assert findings.total.followed == len(log.fetches)
    assert findings.total.others == len(log.lines) - len(log.fetches)


@pytest.mark.parametrize("number", [2, 20, 40])
def test_repeated_epoch_departs(tmp_path: Path, number: int) -> None:
    def repeat(document: Any) -> None:
        document["request"]["sessionEpoch"] -= 1

    findings = edited(tmp_path, "kafka-python.log", change(number + 1, repeat))
    assert "227-31" in departure(findings, "client", number + 1).requirements
    assert "227-6" in departure(findings, "broker", number + 1).requirements


def test_wrong_session_id_departs(tmp_path: Path) -> None:
    def other(document: Any) -> None:
        document["response"]["sessionId"] = 4711

    findings = edited(tmp_path, "java-consumer.log", change(17, other))
    remark = departure(findings, "broker", 17)
    assert "4711" in remark.because
    assert "227-4" in remark.requirements


def test_partition_dropped_from_a_full_response_departs(tmp_path: Path) -> None:
    def drop(document: Any) -> None:
        document["response"]["responses"][0]["partitions"].pop(0)

    departure(edited(tmp_path, "java-classic.log", change(1, drop)), "broker", 1)


def drop_everything(document: Any) -> None:
    document["response"]["responses"] = []


def test_partition_with_changed_watermark_dropped_departs(tmp_path: Path) -> None:
    """The log shows the loss where another fetcher had been sent the watermark before."""
    log = read_log(LOGS / "fresh" / "quota.log.gz")
    ((place, damaged, shown),) = shown_places(WatermarkLeftOut(), log, count=1, seed=1)
    file = tmp_path / "damaged.log"
    file.write_text(damaged.text())
    (departure,) = follow(file).departures
    assert (departure.side, departure.session) == (SideName.BROKER, *shown.sessions)
    assert departure.remark.at.line >= place.line
    assert "227-13" in departure.remark.requirements


def test_an_offset_that_moves_without_records_is_a_seek(tmp_path: Path) -> None:
    """Nothing proves that the watermark had moved: the client may seek (227-D39)."""
    findings = edited(tmp_path, "kafka-python.log", change(3, drop_everything))
    assert [str(departure) for departure in findings.departures] == []


def test_watermark_that_goes_back_departs(tmp_path: Path) -> None:
    def stale(document: Any) -> None:
        partition = document["response"]["responses"][0]["partitions"][0]
        partition["highWatermark"] = 0
        partition["lastStableOffset"] = 0
        partition["recordsSizeInBytes"] = 0

    findings = edited(tmp_path, "java-consumer.log", change(10, stale))
    departure(findings, "broker", 10)
    assert only(findings).client_side.verdict is Verdict.CONFORMS


def test_undeserved_error_departs(tmp_path: Path) -> None:
    def fail(document: Any) -> None:
        document["response"].update(errorCode=71, sessionId=0, responses=[])

    remark = departure(edited(tmp_path, "java-classic.log", change(9, fail)), "broker", 9)
    assert "227-28" in remark.requirements


@pytest.mark.parametrize(("sample", "line"), [("java-consumer.log", 21), ("kafka-python.log", 13)])
def test_a_client_whose_broker_names_another_session_goes_on(
    sample: str, line: int, tmp_path: Path
) -> None:
    """Kafka's fetcher goes on with its own session (227-D45)."""

    def rename(document: Any) -> None:
        document["response"]["sessionId"] = 99

    renamed = change(line, rename)
    for edit in (renamed, lambda lines: [*renamed(lines)[:line], *lines[line + 1 :]]):
        found = edited(tmp_path, sample, edit).departures
        assert [(one.side, one.remark.at.line) for one in found] == [("broker", line)]


def test_eviction_is_inferred(tmp_path: Path) -> None:
    """FETCH_SESSION_ID_NOT_FOUND, at the end of a session, conforms."""

    def evict(document: Any) -> None:
        document["response"].update(errorCode=70, sessionId=0, responses=[])

    findings = edited(tmp_path, "java-classic.log", lambda lines: change(9, evict)(lines)[:9])
    assert verdicts(findings) == (Verdict.CONFORMS, Verdict.CONFORMS)


def test_unchanged_partition_answered_departs(tmp_path: Path) -> None:
    def add(document: Any) -> None:
        topic = document["response"]["responses"][0]
        again = {**topic["partitions"][0], "partitionIndex": 0, "highWatermark": 44}
        topic["partitions"].append({**again, "lastStableOffset": 44, "recordsSizeInBytes": 0})

    remark = departure(edited(tmp_path, "java-classic.log", change(4, add)), "broker", 4)
    assert "227-52" in remark.requirements


@pytest.mark.parametrize(
    ("sample", "number"),
    [
        ("java-classic.log", 1),
        ("java-classic.log", 4),
        ("kafka-python.log", 3),
        ("aiokafka.log", 1),
    ],
)
def test_a_partition_answered_twice_departs(tmp_path: Path, sample: str, number: int) -> None:
    def repeat(document: Any) -> None:
        partitions = document["response"]["responses"][0]["partitions"]
        partitions.append(partitions[0])

    findings = edited(tmp_path, sample, change(number, repeat))
    assert [(each.side, each.remark.at.line) for each in findings.departures] == [
        (SideName.BROKER, number)
    ]
    assert "answered more than once" in findings.departures[0].remark.because
    assert findings.lines == []


def test_session_open_before_the_log_is_judged_in_part(tmp_path: Path) -> None:
    session = only(edited(tmp_path, "java-consumer.log", lambda lines: lines[3:]))
    assert session.verdict is Verdict.CONFORMS
    assert not session.is_whole
    assert session.partial > 0
    assert min(session.client_side.judged, session.broker_side.judged) >= 0.9 * session.lines


def test_truncated_line_is_named_and_nobody_is_blamed(tmp_path: Path) -> None:
    def cut(lines: Lines) -> Lines:
        lines[9] = lines[9][: len(lines[9]) // 2]
        return lines

    findings = edited(tmp_path, "java-consumer.log", cut)
    assert [(line.at.line, line.reason, line.is_loss) for line in findings.lines] == [
        (10, "truncated", True)
    ]
    assert findings.departures == []
    assert only(findings).verdict is Verdict.UNKNOWN


def test_missing_line_departs(tmp_path: Path) -> None:
    """The epoch shows it, if the correlation ids do not."""

    def lose(lines: Lines) -> Lines:
        return close_the_hole([*lines[:9], *lines[10:]], 10)

    findings = edited(tmp_path, "kafka-python.log", lose)
    assert "227-31" in departure(findings, "client", 10).requirements
    assert "227-6" in departure(findings, "broker", 10).requirements


def test_missing_line_is_unknown_where_correlation_ids_show_it(tmp_path: Path) -> None:
    findings = edited(tmp_path, "kafka-python.log", lambda lines: [*lines[:9], *lines[10:]])
    assert [str(departure) for departure in findings.departures] == []
    assert only(findings).verdict is Verdict.UNKNOWN


def test_foreign_lines_are_named_and_harmless(tmp_path: Path) -> None:
    def mix(lines: Lines) -> Lines:
        return ["[2026-11-21] INFO started", *lines[:5], "", "garbage {", *lines[5:]]

    findings = edited(tmp_path, "kafka-python.log", mix)
    assert [line.at.line for line in findings.lines] == [1, 7, 8]
    assert only(findings).verdict is Verdict.CONFORMS


def test_lines_out_of_order_are_put_right_and_named(tmp_path: Path) -> None:
    def swap(lines: Lines) -> Lines:
        lines[11], lines[12] = lines[12], lines[11]
        return lines

    findings = edited(tmp_path, "java-classic.log", swap)
    reasons = [line.reason for line in findings.lines]
    assert reasons == ["not in the order of its writing", "out of order"]
    assert only(findings).verdict is Verdict.CONFORMS


def test_preferred_replica_is_no_departure(tmp_path: Path) -> None:
    def add(document: Any) -> None:
        topic = document["response"]["responses"][0]
        again = {**topic["partitions"][0], "partitionIndex": 0, "highWatermark": 44}
        answer = {**again, "lastStableOffset": 44, "recordsSizeInBytes": 0}
        topic["partitions"].append({**answer, "preferredReadReplica": 2})

    findings = edited(tmp_path, "java-classic.log", change(4, add))
    assert [str(departure) for departure in findings.departures] == []


@pytest.mark.parametrize("number", [1, 17], ids=["full", "incremental"])
@pytest.mark.parametrize("throttle", [50, 0])
def test_empty_response_over_quota_without_session(
    tmp_path: Path, number: int, throttle: int
) -> None:
    def empty(document: Any) -> None:
        response = {"throttleTimeMs": throttle, "sessionId": 0, "responses": []}
        document["response"].update(response)

    findings = edited(
        tmp_path, "java-consumer.log", lambda lines: change(number, empty)(lines)[:number]
    )
    if throttle:
        assert [str(departure) for departure in findings.departures] == []
    else:
        departure(findings, "broker", number)


def test_what_departs_first_stands_above_what_comes_of_it(tmp_path: Path) -> None:
    """One answer has a log start behind its high watermark; from then on many answers depart."""

    def beyond(document: Any) -> None:
        for topic in document["response"]["responses"]:
            for partition in topic["partitions"]:
                partition["logStartOffset"] = 1_000_000

    totals = ConformTotals()
    for finding in edited(tmp_path, "java-consumer.log", change(25, beyond)).all:
        totals.add(finding)
    first, *others = totals.causes
    assert (first.first.remark.rule, first.first.remark.at.line) == (Rule.LOG_START_OUTSIDE, 25)
    assert max(cause.places.count for cause in others) > first.places.count


def test_one_watermark_that_goes_back_is_one_departure(tmp_path: Path) -> None:
    """The next answer leaves the partition out: nothing says that 65 is what the broker cached."""

    def back(document: Any) -> None:
        for topic in document["response"]["responses"]:
            for partition in topic["partitions"]:
                partition["highWatermark"] = partition["lastStableOffset"] = 65

    findings = edited(tmp_path, "java-consumer.log", change(25, back))
    assert "227-12" in departure(findings, "broker", 25).requirements
    assert only(findings).broker_side.departures == 1
