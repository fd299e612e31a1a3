"""What comes of logs is counted whole, and kept in memory that does not grow with them."""

import gc
import tracemalloc
from collections.abc import Iterator

import pytest

from lockstep.errors import ExitCode
from lockstep.report.view import text_of
from lockstep_kafka.findings import (
    MOST_PLACES,
    MOVED,
    FileFinding,
    Finding,
    LayoutFinding,
    LineFinding,
    Place,
    Progress,
    Remark,
    RemarkFinding,
    SessionFinding,
    SideName,
    Verdict,
)
from lockstep_kafka.report.conform import SHOWN, conform_blocks
from lockstep_kafka.rules import Rule
from lockstep_kafka.totals import MOST_CAUSES, ConformTotals, LineReason
from lockstep_kafka.verbs.conform import ConformResult


def place(line: int) -> Place:
    return Place("a.log", line)


def session(client: str = "", broker: str = "", line: int = 1, *, lines: int = 2) -> SessionFinding:
    """A session of which one thing is remarked a side: `departs`, or `unknown` and how much is."""
    found = SessionFinding(7, "c", "x", place(line), place(line), True, lines=lines, partial=1)
    for side, remark in ((found.client_side, client), (found.broker_side, broker)):
        verdict, _, needed = remark.partition(" ")
        if verdict == "silent":
            continue
        side.judged = 1
        if verdict:
            rule = Rule.ANSWERED_WHEN_EMPTIED if verdict == "departs" else Rule.NEW_CONNECTION
            arguments = {"session": 7, "needed": int(needed)} if needed else {}
            side.remark(Remark(rule, place(line), arguments))
    return found


def totals_of(*findings: Finding, most: int | None = None) -> ConformTotals:
    totals = ConformTotals(most)
    for finding in findings:
        totals.add(finding)
    return totals


def test_sides_are_counted_apart() -> None:
    totals = totals_of(session(), session("departs"), session("unknown 1", "departs"))
    assert {verdict: kept.count for verdict, kept in totals.sessions.items()} == {
        Verdict.CONFORMS: 1,
        Verdict.UNKNOWN: 0,
        Verdict.DEPARTS: 2,
    }
    assert totals.client == {Verdict.CONFORMS: 1, Verdict.DEPARTS: 1, Verdict.UNKNOWN: 1}
    assert totals.broker == {Verdict.CONFORMS: 2, Verdict.DEPARTS: 1}
    assert (totals.followed, totals.partial) == (6, 3)


@pytest.mark.parametrize(
    ("findings", "code"),
    [
        ((session(),), ExitCode.HOLDS),
        ((session(), LineFinding(place(3), "foreign", "x")), ExitCode.HOLDS),
        ((), ExitCode.INCONCLUSIVE),
        ((Progress("", 3, 0, 3),), ExitCode.INCONCLUSIVE),
        ((session("silent"),), ExitCode.INCONCLUSIVE),
        ((session(), session("unknown 1")), ExitCode.INCONCLUSIVE),
        ((session(), FileFinding("b.log", "no")), ExitCode.INCONCLUSIVE),
        ((session("unknown 1", "departs"), FileFinding("b.log", "no")), ExitCode.VIOLATED),
    ],
)
def test_exit_code(findings: tuple[Finding, ...], code: ExitCode) -> None:
    assert totals_of(*findings).exit_code is code


def test_unknown_sessions_are_counted_by_rule() -> None:
    totals = totals_of(
        session("unknown 2", "unknown 2", 1),
        session("unknown 2", "unknown 2", 2),
        session("", "unknown 2", 3),
        session("silent", "", 4),
        session("departs", "unknown 2", 5),
    )
    assert [(one.side, one.rule, one.places.items) for one in totals.unknown] == [
        ("client and broker", Rule.NEW_CONNECTION, [place(1), place(2)]),
        ("broker", Rule.NEW_CONNECTION, [place(3)]),
        ("client", Rule.NOTHING_JUDGED, [place(4)]),
    ]


def test_sentences_of_one_rule_are_one_reason() -> None:
    totals = totals_of(*(session("", f"unknown {count}", count) for count in (2, 2, 13)))
    (unknown,) = totals.unknown
    assert unknown.because.startswith("2 requests of session 7 may be missing")
    assert (unknown.varies, unknown.places.count) == (True, 3)
    (unknown,) = totals_of(session("", "unknown 1"), session("", "unknown 1")).unknown
    assert not unknown.varies


def test_lines_are_counted_by_file_and_reason() -> None:
    totals = totals_of(
        session(lines=5),
        *(LineFinding(place(line), "foreign", "x") for line in range(1, 21)),
        LineFinding(Place("b.log", 3), "foreign", "x", is_loss=True),
        LineFinding(place(30), MOVED, "x"),
        Progress("", 27, 5, 1),
    )
    foreign = totals.reasons[LineReason("a.log", "foreign", False)]
    assert (foreign.items, foreign.count) == ([*range(1, MOST_PLACES + 1)], 20)
    assert totals.reasons[LineReason("b.log", "foreign", True)].items == [3]
    assert totals.reasons[LineReason("a.log", MOVED, False)].items == [30]
    assert (totals.other_requests, totals.moved, totals.not_followed) == (1, 1, 22)
    assert (totals.read, totals.followed) == (27, 5)


def test_the_summary_says_what_is_malformed_first() -> None:
    details = ("expected `int` from 4 to 18", "not JSON")
    lines = [LineFinding(place(line), "malformed", text) for line, text in enumerate(details, 1)]
    blocks = conform_blocks(ConformResult("fetch_session", totals_of(*lines)), verbose=False)
    assert f"a.log: 2 lines malformed: 1, 2; the first one: {details[0]}\n" in text_of(blocks)


def test_files_of_no_known_layout_are_printed_as_far_as_people_read() -> None:
    files = [LayoutFinding(f"{number}.log", None, 1, "x") for number in range(SHOWN + 2)]
    result = ConformResult("fetch_session", totals_of(*files))
    for verbose, shown in ((False, SHOWN), (True, SHOWN + 2)):
        text = text_of(conform_blocks(result, verbose=verbose, rest="--verbose prints all"))
        assert text.count("no line is of a known layout") == shown
        assert text.count("known are plain lines") == 1
        more = "2 more files of no known layout; --verbose prints all\n"
        assert (more in text) is not verbose


def test_what_is_still_open_is_counted_by_progress() -> None:
    totals = totals_of(session(lines=5), Progress("a.log", 300, 280, 20))
    assert (totals.read, totals.followed) == (300, 280)


def test_the_first_of_each_verdict_are_kept() -> None:
    findings = [session(), *(session("departs", line=line) for line in (1, 2, 3))]
    totals = totals_of(*findings, most=2)
    assert totals.departing.items == findings[1:3]
    assert (totals.departing.count, totals.departing.more) == (3, 1)
    assert totals_of(*findings).departing.more == 0


def many(count: int) -> Iterator[Finding]:
    for line in range(count):
        yield LineFinding(place(line), ("foreign", "truncated", MOVED)[line % 3], f"{line}")
        if line % 10 == 0:
            yield session("", ("", "departs", f"unknown {line % 99}")[line % 3], line)


def test_many_findings_do_not_grow_memory() -> None:
    totals = ConformTotals(20)
    for finding in many(2_000):
        totals.add(finding)
    tracemalloc.start()
    try:
        for finding in many(100_000):
            totals.add(finding)
        del finding
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert totals.lines.count == 102_000
    assert grown < 50_000


def remarked(who: str, line: int, *, is_first: bool, time_ms: int | None = None) -> RemarkFinding:
    """A client of some software departs on a line of a session."""
    return RemarkFinding(
        side=SideName.CLIENT,
        broker="b",
        session=7,
        began=place(1),
        client="c",
        api_version=17,
        time_ms=time_ms,
        remark=Remark(Rule.STRANGER_REMOVED, place(line), {"partition": "t-0"}),
        software=who,
        is_first=is_first,
    )


def test_causes_count_sessions_and_lines_and_the_first_is_first() -> None:
    totals = totals_of(
        remarked("a 1", 1, is_first=True, time_ms=9),
        remarked("", 2, is_first=True),
        remarked("b 1", 3, is_first=True, time_ms=30),
        remarked("b 1", 3, is_first=False, time_ms=30),  # another partition of the line
        remarked("b 1", 4, is_first=True, time_ms=20),
        remarked("a 1", 5, is_first=False, time_ms=0),
        RemarkFinding(
            *(SideName.CLIENT, "b", 7, place(1), "c", 17, None),
            Remark(Rule.NEGATIVE_ID, place(6), {"session": -1}),
        ),
    )
    assert [
        (one.who, one.sessions, one.places.count, one.first_ms, one.last_ms)
        for one in totals.causes
    ] == [
        ("a 1", 1, 2, 0, 9),
        ("unnamed software (Fetch v17)", 1, 1, None, None),
        ("b 1", 2, 2, 20, 30),
    ]


def test_kinds_of_software_do_not_pile_up() -> None:
    count = MOST_CAUSES + 50
    totals = totals_of(*(remarked(f"a {line}", line, is_first=True) for line in range(1, count)))
    assert len(totals.causes) == MOST_CAUSES + 1
    assert (totals.causes[-1].who, totals.causes[-1].sessions) == ("others", 49)


def test_a_log_of_which_most_is_late_is_inconclusive() -> None:
    late = [LineFinding(place(line), "late", "correlation id 1", True) for line in range(3)]
    few = totals_of(session(lines=3), *late)
    assert (few.late, few.is_mostly_late, few.exit_code) == (3, False, ExitCode.INCONCLUSIVE)
    most = totals_of(session(lines=2), *late)
    assert (most.is_mostly_late, most.exit_code) == (True, ExitCode.INCONCLUSIVE)
    result = ConformResult("fetch_session", most)
    assert text_of(conform_blocks(result, verbose=False)).endswith(
        "\n60 % of the requests are late: the log is not in the order of its writing\n"
    )
    departs = totals_of(session("departs", lines=2), *late)
    assert departs.exit_code == ExitCode.VIOLATED
