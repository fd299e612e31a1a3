"""The command `lockstep conform`, with a follower that finds what the lines of a log say."""

import gzip
import io
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep_kafka.files.layouts import LAYOUTS
from tests.kafka.conform.following import LOGS, ROOT
from tests.kafka.conform.plain import COMMAND, follow_plainly
from tests.processes import COMMAND as PROGRAM
from tests.processes import started_program, without_progress

if TYPE_CHECKING:
    from tests.cli.conftest import Desk, Ran


@pytest.fixture
def following(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> "Desk":
    """A desk at which logs can be followed."""
    follow_plainly(monkeypatch.setattr)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return desk


def follow(desk: "Desk", *lines: str, options: tuple[str, ...] = ()) -> "Ran":
    (desk.root / "a.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return desk.run("conform", "a.log", *options)


DEPARTURE = """\
a.log:2: the broker departs (full-request-expected): 1 session, 1 line, gate
  line 2: coin -> jam
  session 2 of c: nobody paid since line 1
  requirement 9-1: Every entry shall be paid for.
  requirement 9-D1: A jammed gate
  requirement 9-77
"""
CONJUNCTS = """\
a.log:2: session 2 of c: the broker departs (full-request-expected), because \
nobody paid since line 1
  in the states that the log leaves open,
    push, enter cannot be taken: `s.arm[g] == Arm.OPEN` is false (s.arm[g] = SHUT, g = left)
    coin can be taken; then a second coin is there
    jam cannot be taken
"""


def test_departures_and_totals(following: "Desk") -> None:
    ran = follow(following, "conforms conforms 1 c", "conforms departs 2 c", "other", "other")
    totals = """\
2 sessions: 1 conform, 1 depart, 0 unknown
  client: 2 conform, 0 depart, 0 unknown
  broker: 1 conform, 1 depart, 0 unknown
4 lines: 2 followed, 2 not followed (2 of them other requests)
"""
    assert (ran.code, ran.out, ran.err) == (1, DEPARTURE + totals, "")
    verbose = following.run("conform", "a.log", "--verbose")
    _, _, rest = verbose.out.partition(DEPARTURE)
    assert rest == CONJUNCTS + totals


def test_both_sides_of_a_session(following: "Desk") -> None:
    lines = "departs departs 1 c", "unknown departs 0 \x1b[31mc"
    ran = follow(following, *lines, options=("-v",))
    departs = "departs (full-request-expected), because nobody paid since line 1"
    assert [line for line in ran.out.splitlines() if "because" in line] == [
        f"a.log:1: session 1 of c: the client {departs}",
        f"a.log:1: session 1 of c: the broker {departs}",
        rf"a.log:2: \x1b[31mc, no session: the broker {departs}",
        r"a.log:2: \x1b[31mc, no session: the client is unknown (request-before-response), "
        "because it was open before the log begins",
    ]


@pytest.mark.parametrize("folder", [LOGS / "cases", Path()])
def test_lines_that_depart_besides_are_named(
    desk: "Desk", folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `line 12`, for places in the file that was just named."""
    monkeypatch.chdir(LOGS / "cases")
    log = folder / "fb5-listed-and-removed-at-once.log.gz"
    ran = desk.run("conform", str(log), "--workspace", str(ROOT))
    (more,) = (line for line in ran.out.splitlines() if "also" in line)
    assert more == "  also at line 13, line 17"
    ran = desk.run("conform", str(log), "--workspace", str(ROOT), "--verbose")
    (more,) = (line for line in ran.out.splitlines() if "more line" in line)
    assert more == "  it departs on 3 more lines: line 12, line 13, line 17"


def test_what_is_unknown_is_never_silent(following: "Desk") -> None:
    ran = follow(
        following, "unknown unknown 1 c", *["conforms unknown 2 c"] * 9, "cut", "word", "moved"
    )
    assert ran.code == 3
    assert ran.out == (
        "1 session with client and broker unknown (request-before-response), because it was open "
        "before the log begins: a.log:1\n"
        "9 sessions with broker unknown (request-before-response), because it was open before "
        "the log begins: a.log:2, a.log:3, a.log:4, a.log:5, a.log:6, a.log:7, a.log:8, "
        "a.log:9, ...\n"
        "a.log: 1 line truncated (requests may be lost): 11\n"
        "a.log: 1 line foreign: 12\n"
        "a.log: 1 line out of order: 13\n"
        "10 sessions: 0 conform, 0 depart, 10 unknown\n"
        "  client: 9 conform, 0 depart, 1 unknown\n"
        "  broker: 0 conform, 0 depart, 10 unknown\n"
        "12 lines: 10 followed (10 of them judged in part), 2 not followed\n"
        "no verdict is on 1 line that may be requests of the protocol\n"
    )


def test_many_departures(following: "Desk") -> None:
    lines = ["conforms departs 2 c"] * 30
    ran = follow(following, *lines)
    assert ran.out.startswith(
        "a.log:1: the broker departs (full-request-expected): 30 sessions, 30 lines, gate\n"
    )
    assert ran.out.count("the broker departs") == 1
    assert "\n  also at line 2, line 3, line 4, line 5, line 6, line 7, line 8, ...\n" in ran.out
    ran = follow(following, *lines, options=("-v",))
    assert ran.out.count("session 2 of c: the broker departs") == 30


def test_many_files(following: "Desk") -> None:
    names = [f"{number}.log" for number in range(30)]
    for name in names:
        (following.root / name).write_text("word\nword\n")
    ran = following.run("conform", *names)
    assert ran.out.count("lines foreign") == 20
    assert "\n20 lines not followed in more files; --verbose prints all\n" in ran.out


def test_verbose(following: "Desk") -> None:
    ran = follow(
        following, "conforms conforms 1 c", "unknown conforms 2 d", "other", "cut", options=("-v",)
    )
    assert ran.code == 3
    assert ran.out.splitlines()[:5] == [
        "from     session  client id   lines  in part client    broker",
        "a.log:2  2        d               1        1 unknown   conforms",
        "a.log:1  1        c               1        0 conforms  conforms",
        "a.log:2: session 2 of d: the client is unknown (request-before-response), because "
        "it was open before the log begins",
        "a.log:4: truncated (requests may be lost): it says cut",
    ]


def test_what_a_log_says_does_not_move_the_cursor(following: "Desk") -> None:
    ran = follow(following, "conforms conforms 1 c", "\x1b[31mword\x07", options=("-v",))
    assert "a.log:2: foreign: \\x1b[31mword\\x07\n" in ran.out


def test_json(following: "Desk") -> None:
    ran = follow(following, "unknown departs 1 c", "conforms conforms 2 d", "cut", "other", "moved")
    assert ran.code == 1
    ran = following.run("conform", "a.log", "damaged.gz", "--json")
    assert ran.code == 1
    first, second = ran.json["results"]
    place = {"file": "a.log", "line": 1}
    said = {name: first[name] for name in ("kind", "model", "verdict", "because", "exit_code")}
    assert said == {
        "kind": "conform",
        "model": "turnstile",
        "verdict": "departs",
        "because": "nobody paid since a.log:1",
        "exit_code": 1,
    }
    assert first["details"] == {
        "session": 1,
        "client": "c",
        "connection": "connection",
        "first": place,
        "last": place,
        "is_whole": True,
        "lines": 1,
        "partial": 1,
        "broker": "",
        "api_version": None,
        "first_ms": None,
        "last_ms": None,
        "client_side": {
            "verdict": "unknown",
            "judged": 0,
            "departures": 0,
            "unknowns": 1,
            "more": [],
            "by_rule": {},
            "worst": {
                "verdict": "unknown",
                "at": place,
                "rule": "request-before-response",
                "arguments": {},
                "because": "it was open before the log begins",
                "requirements": [],
                "candidates": [],
            },
        },
        "broker_side": {
            "verdict": "departs",
            "judged": 0,
            "departures": 1,
            "unknowns": 0,
            "more": [],
            "by_rule": {},
            "worst": {
                "verdict": "departs",
                "at": place,
                "rule": "full-request-expected",
                "arguments": {"since": place},
                "because": "nobody paid since a.log:1",
                "requirements": [
                    {"id": "9-1", "text": "Every entry shall be paid for."},
                    {"id": "9-D1", "text": "A jammed gate"},
                    {"id": "9-77", "text": None},
                ],
                "candidates": [
                    {
                        "action": "push",
                        "conjunct": "s.arm[g] == Arm.OPEN",
                        "values": {"s.arm[g]": "SHUT", "g": "left"},
                        "outcome": "",
                    },
                    {
                        "action": "coin",
                        "conjunct": "",
                        "values": {},
                        "outcome": "a second coin is there",
                    },
                    {
                        "action": "enter",
                        "conjunct": "s.arm[g] == Arm.OPEN",
                        "values": {"s.arm[g]": "SHUT", "g": "left"},
                        "outcome": "",
                    },
                    {"action": "jam", "conjunct": "", "values": {}, "outcome": ""},
                ],
            },
        },
    }
    details = second["details"]
    assert (second["because"], second["exit_code"]) == ("", 0)
    assert details["broker_side"]["worst"] is None
    (cause,) = ran.json["causes"]
    assert cause == {
        "side": "broker",
        "rule": "full-request-expected",
        "who": "gate",
        "sessions": 1,
        "lines": 1,
        "first_ms": None,
        "last_ms": None,
        "places": [place],
        "first": {
            "side": "broker",
            "broker": "gate",
            "session": 1,
            "began": place,
            "client": "c",
            "api_version": 1,
            "time_ms": None,
            "remark": first["details"]["broker_side"]["worst"],
            "software": "",
            "abridged": "coin -> jam",
            "is_first": True,
            "shown": [{"at": place, "time": None, "text": "coin -> jam"}],
        },
    }
    assert ran.json["lines"][0] == {
        "at": {"file": "a.log", "line": 3},
        "reason": "truncated",
        "detail": "it says cut",
        "is_loss": True,
    }
    assert ran.json["files"] == [{"file": "damaged.gz", "because": "the gzip stream is damaged"}]
    assert ran.json["summary"] == {
        "model": "turnstile",
        "sessions": {"conforms": 1, "unknown": 0, "departs": 1},
        "client": {"conforms": 1, "unknown": 1, "departs": 0},
        "broker": {"conforms": 1, "unknown": 0, "departs": 1},
        "lines": {
            "read": 4,
            "followed": 2,
            "judged_in_part": 1,
            "moved": 1,
            "not_followed": 2,
            "lost": 1,
            "other_requests": 1,
            "in_columns": 0,
        },
        "layouts": {},
        "known_layouts": list(LAYOUTS),
        "unreadable_files": 1,
        "files_of_unknown_layout": 0,
        "nodes": {"conforms": 0, "unknown": 0, "departs": 0},
        "interrupted": False,
        "failure": None,
        "exit_code": 1,
    }


def test_json_has_everything(following: "Desk") -> None:
    ran = follow(following, *["conforms departs 2 c"] * 30, *["word"] * 30, options=("--json",))
    assert (len(ran.json["results"]), len(ran.json["lines"])) == (30, 30)


def test_standard_input(following: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("conforms departs 2 c\n"))
    ran = following.run("conform", "-")
    assert ran.code == 1
    said = "the broker departs (full-request-expected): "
    assert ran.out.startswith(f"-:1: coin -> jam: {said}nobody paid since line 1\n-:1: {said}")
    assert "\nstandard input cannot be read again: the lines that come before" in ran.out
    ran = following.run("conform", "-", "--json")
    assert ran.json["summary"]["lines"]["read"] == 0


def test_nothing_to_judge_is_inconclusive(following: "Desk") -> None:
    assert follow(following, "other").code == 3


def test_an_unreadable_file(following: "Desk") -> None:
    (following.root / "a.log").write_text("conforms conforms 1 c\n")
    ran = following.run("conform", "a.log", "damaged.gz")
    assert ran.code == 3
    assert "damaged.gz: not read, or not to its end: the gzip stream is damaged\n" in ran.out
    assert "\n1 session: 1 conform, " in f"\n{ran.out}"


STATE = '{"leaderId":1,"leaderEpoch":%d,"votedId":-1,"data_version":0}'


def files_of_a_node(desk: "Desk", name: str, epoch: int, snapshot: str) -> None:
    """A node whose log is empty, and starts at offset 0."""
    node = desk.root / name
    node.mkdir()
    (node / f"{0:020}.log").touch()
    (node / "quorum-state").write_text(STATE % epoch)
    batch = struct.pack(">qiibIhi", 0, 49, 2, 2, 0, 0x20, 0) + bytes(34)
    footer = struct.pack(">q", 1) + batch[8:]
    (node / snapshot).write_bytes(batch + footer)


def test_the_files_of_nodes(desk: "Desk") -> None:
    name = "00000000000000000007-0000000002.checkpoint"
    files_of_a_node(desk, "one", 2, name)
    files_of_a_node(desk, "two", 1, name)
    files_of_a_node(desk, "three", 2, name)
    (desk.root / "three" / name).write_bytes(b"half of")
    ran = desk.run("conform", "--kraft", "one", "two", "three", "--workspace", str(ROOT))
    assert (ran.code, ran.err) == (1, "")
    assert (
        ran.out
        == f"""\
one: epoch 2, 1 snapshot, a log from 0 to 0: conforms
two: epoch 1, 1 snapshot, a log from 0 to 0: departs
two/{name}: the node departs (snapshot-epoch-newer), because its epoch is 2, that of \
quorum-state is 1
  requirement 595-2: Epoch and vote shall be on disk before anybody hears of them, so that a \
replica that restarts still has them.
three: epoch 2, 0 snapshots, a log from 0 to 0: unknown
three/{name}: not read, or not to its end: byte 7: it ends within the batch that begins at 0
3 nodes: 1 conform, 1 depart, 1 unknown
"""
    )


def test_the_files_of_a_node_as_json(desk: "Desk") -> None:
    files_of_a_node(desk, "two", 1, "00000000000000000007-0000000002.checkpoint")
    ran = desk.run("conform", "--kraft", "two", "--workspace", str(ROOT), "--json")
    (answer,) = ran.json["results"]
    node = answer["details"]
    (departure,) = node.pop("departures")
    assert [one["id"] for one in departure["requirements"]] == ["595-2"]
    assert (answer["verdict"], answer["because"]) == ("departs", departure["because"])
    assert node == {
        "directory": "two",
        "epoch": 1,
        "snapshots": 1,
        "log": [0, 0],
        "damaged": [],
        "torn": 0,
    }
    assert ran.json["summary"]["nodes"] == {"conforms": 0, "unknown": 0, "departs": 1}


def test_no_directory_of_a_node(desk: "Desk") -> None:
    ran = desk.run("conform", "--kraft", "no-such", "--workspace", str(ROOT))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "lockstep: no-such cannot be read: No such file or directory\n"
        "  cure: name the directory __cluster_metadata-0 of a node, or the log directory that it "
        "is in\n"
    )


def test_missing_log(following: "Desk") -> None:
    ran = following.run("conform", "no-such.log")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "lockstep: there is no log no-such.log\n"


def test_no_log(following: "Desk") -> None:
    assert following.run("conform").code == 2


def test_ctrl_c_reports_what_was_read(following: "Desk") -> None:
    ran = follow(following, "conforms departs 2 c", "ctrl-c", "conforms conforms 1 c")
    assert ran.code == 130
    assert ran.out.startswith("a.log:1: the broker departs")
    assert ran.out.endswith("\ninterrupted: what is above is not all\n")
    assert ran.err == "lockstep: interrupted\n"
    ran = follow(following, "conforms departs 2 c", "ctrl-c", options=("--json",))
    assert ran.code == 130
    assert (ran.json["summary"]["interrupted"], ran.json["summary"]["exit_code"]) == (True, 130)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda sent: sent.name)
def test_a_signal_while_a_pipe_is_read(
    following: "Desk", tmp_path: "Path", number: signal.Signals
) -> None:
    pipe = tmp_path / "pipe.log"
    os.mkfifo(pipe)
    (following.root / "a.log").write_text("conforms departs 2 c\n")
    arguments = [sys.executable, "-m", COMMAND, "conform", "a.log", str(pipe)]
    with started_program(arguments, temporary=tmp_path / "temporary") as command:
        opened = os.open(pipe, os.O_WRONLY)  # goes on when the command has opened the other end
        command.send(number)
        code, out, err = command.ended()
        os.close(opened)
    assert (code, err) == (130, "lockstep: interrupted\n")
    assert out.startswith("a.log:1: the broker departs")


def test_a_log_that_is_still_written(tmp_path: "Path") -> None:
    """A remark is printed as soon as a later line shows that nothing comes before it."""
    log = tmp_path / "a.log"
    case = LOGS / "cases" / "m2-session-not-found-then-accepted.log.gz"
    log.write_bytes(gzip.decompress(case.read_bytes()))
    arguments = [*PROGRAM, "conform", "--follow", str(log), "--workspace", str(ROOT)]
    with started_program(arguments, temporary=tmp_path / "temporary") as command:
        with log.open("a") as file:
            file.write(LOGS.joinpath("java-consumer.log").read_text())
        remarks = [command.line(), command.line()]
        command.send(signal.SIGINT)
        code, out, err = command.ended()
    assert (code, err) == (130, "lockstep: interrupted\n")
    said = "09:07:04.940 broker 127.0.0.1:55867, client kafka-python v12: (204474231, 5)"
    assert all(line.startswith(f"{log}:6: {said}") for line in remarks)
    assert ": the client departs (full-request-expected): " in remarks[0]
    assert ": the broker departs (accepted-without-session): " in remarks[1]
    # Remarks that were made before the interruption may come first.
    first = f"{log}:6: the client departs (full-request-expected): 1 session, 1 line"
    assert f"\n{first}" in f"\n{out}"


def test_output_that_nobody_reads_and_input_that_is_closed(following: "Desk") -> None:
    (following.root / "a.log").write_text("conforms departs 2 c\n" * 5_000)
    lockstep = f"{sys.executable} -m {COMMAND}"
    script = f"{{ {lockstep} conform -v a.log; echo $? >&2; }} | head -n 1"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False)
    assert without_progress(ran.stderr) == "1\n"
    script = f"{lockstep} conform - <&-"
    ran = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    complaint = without_progress(ran.stderr)
    assert complaint.startswith("lockstep: standard input is closed: there is no log to read")
    assert complaint.count("\n") == 2
