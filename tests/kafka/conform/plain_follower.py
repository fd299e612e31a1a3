"""A follower for workspaces of tests: each line of a log says what is to be found of it.

A session is `VERDICT OF CLIENT'S SIDE, VERDICT OF BROKER'S SIDE, ID, CLIENT`.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep_kafka.files.log_files import BrokerPaths, Wait
from lockstep_kafka.findings import (
    MOVED,
    Candidate,
    FileFinding,
    Finding,
    LineFinding,
    Place,
    Progress,
    Remark,
    RemarkFinding,
    SessionFinding,
    Side,
    SideName,
    Verdict,
)
from lockstep_kafka.rules import Rule
from lockstep_kafka.workspaces import LoadModel

UNPAID, UNSEEN = Rule.FULL_EXPECTED, Rule.NOT_WAITING
"""The rules of Kafka that `plain.follow_plainly` gives the sentences of a turnstile."""


def observe(
    logs: Sequence[str], load: LoadModel, paths: BrokerPaths, *, wait: Wait | None = None
) -> Iterator[Finding]:
    read = others = 0
    for log in logs:
        if log == "-":
            lines = list(sys.stdin)
        elif Path(log).suffix == ".gz":
            yield FileFinding(log, "the gzip stream is damaged")
            continue
        elif not Path(log).exists():
            raise LockstepError(f"there is no log {log}")
        else:
            lines = Path(log).read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            read += line != "moved"  # such a line is one of a session, too
            others += line == "other"
            yield from of_line(line.strip(), Place(log, number))
        yield Progress(log, read, 0, others)


def of_line(line: str, at: Place) -> Iterator[Finding]:
    reasons = {"moved": (MOVED, False), "cut": ("truncated", True)}
    if line == "other":
        return
    if line in reasons:
        reason, is_loss = reasons[line]
        yield LineFinding(at, reason, f"it says {line}", is_loss)
    elif line.count(" ") == 3:
        found = session(line, at)
        yield from departures(found, at)
        yield found
    elif line == "ctrl-c":
        raise KeyboardInterrupt
    elif line == "ending":
        sys.exit("over")
    elif line == "failing":
        raise ValueError("of this line\nnothing is known")
    elif line == "unreadable":
        Path("not", "there").read_text()
    elif line == "odd":
        yield line  # type: ignore[misc]
    else:
        yield LineFinding(at, "foreign", line)


def session(line: str, at: Place) -> SessionFinding:
    client_verdict, broker_verdict, identity, client = line.split(" ")
    found = SessionFinding(int(identity), client, "connection", at, at, True, lines=1)
    found.partial = int("unknown" in line)
    for side, verdict in (
        (found.client_side, client_verdict),
        (found.broker_side, broker_verdict),
    ):
        judge(side, Verdict(verdict), at)
    return found


def departures(found: SessionFinding, at: Place) -> Iterator[Finding]:
    for name, side in ((SideName.CLIENT, found.client_side), (SideName.BROKER, found.broker_side)):
        if side.worst is not None and side.verdict is Verdict.DEPARTS:
            yield RemarkFinding(
                side=name,
                broker="gate",
                session=found.session,
                began=at,
                client=found.client,
                api_version=1,
                time_ms=None,
                remark=side.worst,
                abridged="coin -> jam",
            )


def judge(side: Side, verdict: Verdict, at: Place) -> None:
    if verdict is Verdict.CONFORMS:
        side.judged = 1
    elif verdict is Verdict.UNKNOWN:
        side.remark(Remark(UNSEEN, at))
    else:
        candidates = (
            Candidate("push", "s.arm[g] == Arm.OPEN", {"s.arm[g]": "SHUT", "g": "left"}),
            Candidate("coin", outcome="a second coin is there"),
            Candidate("enter", "s.arm[g] == Arm.OPEN", {"s.arm[g]": "SHUT", "g": "left"}),
            Candidate("jam"),
        )
        side.remark(Remark(UNPAID, at, {"since": Place(at.file, 1)}, candidates))
