"""Columns find what plain Python finds: verdicts, places, reasons and counts, in one order."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given
from msgspec import structs

from bench.conform.logs import is_fetch, lines_of, of_connections, of_partitions
from lockstep.workspace import find_workspace
from lockstep_kafka.columns import memory
from lockstep_kafka.files import arrival_order
from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import Finding, RemarkFinding, Verdict
from lockstep_kafka.rules import Rule
from lockstep_kafka.sessions import broker
from lockstep_kafka.simulated.kafka_json import text
from lockstep_kafka.simulated.lines import Line
from lockstep_kafka.verbs.simulate import SimulateRequest, simulate
from tests.day import drawn_daily
from tests.kafka.columns.both import found_in
from tests.kafka.conform.following import LOGS, ROOT
from tests.kafka.quorum.test_spoiled_logs import (
    LINES,
    SPOILS,
    Spoil,
)
from tests.kafka.sessions.random_logs import LOSSES, SEEDS, Loss, some_log

_FEW_HELD = {"window_ms": arrival_order.WINDOW_MS, "held": 20, "state": None}
CAPTURES = sorted(path for path in LOGS.rglob("*.log*") if path.is_file())


def agree(logs: Iterable[Path], paths: BrokerPaths | None = None) -> list[Finding]:
    """What both find; it has to be the same."""
    names, paths = [str(log) for log in logs], paths or BrokerPaths()
    expected = found_in(names, paths, in_columns=False)
    assert found_in(names, paths, in_columns=True) == expected
    return expected[0]


@pytest.mark.daily(3)
@pytest.mark.parametrize("log", CAPTURES, ids=lambda log: str(log.relative_to(LOGS)))
def test_a_capture(log: Path) -> None:
    agree([log])


def test_all_captures_as_one_log() -> None:
    assert len(agree(CAPTURES)) > len(CAPTURES)


_FIELDS = (
    "session_id",
    "session_epoch",
    "error_code",
    "response_session_id",
    "throttle_time_ms",
    "correlation_id",
    "isolation_level",
    "answered",
    "partitions",
    "forgotten",
)


def _nothing(line: Line, chance: random.Random) -> Line:
    return line


def _any_field(line: Line, chance: random.Random) -> Line:
    """Now and then another number in one field of the request, the response or a partition."""
    if not isinstance(line, FetchLine) or chance.random() > 0.1:
        return line
    name = chance.choice(_FIELDS)
    if name == "forgotten":
        return structs.replace(line, forgotten=tuple(line.partitions))
    if name in ("answered", "partitions"):
        parts = dict(getattr(line, name))
        if not parts:
            return line
        partition = chance.choice(list(parts))
        fields = ("high_watermark", "log_start_offset", "error_code", "records_size")
        if name == "partitions":
            fields = ("fetch_offset", "leader_epoch", "max_bytes", "fetch_offset")
        field = chance.choice(fields)
        value = getattr(parts[partition], field) + chance.choice((-1, 1, 1, 70))
        parts[partition] = structs.replace(parts[partition], **{field: max(value, 0)})
        return structs.replace(line, **{name: parts})
    return structs.replace(line, **{name: max(getattr(line, name) + chance.choice((-1, 1)), -1)})


def _moment(line: Line, chance: random.Random) -> Line:
    """Now and then another time, or none."""
    if line.time_ms is None or chance.random() > 0.05:
        return line
    return structs.replace(line, time_ms=line.time_ms + chance.choice((-7_000, -400, 400, 9_000)))


@pytest.mark.daily(3)
@pytest.mark.parametrize("change", [_nothing, _any_field, _moment], ids=lambda one: one.__name__)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
@given(seed=SEEDS)
@drawn_daily(3)
def test_a_random_log(
    tmp_path_factory: pytest.TempPathFactory,
    loss: Loss,
    change: Callable[[Line, random.Random], Line],
    seed: int,
) -> None:
    chance = random.Random(seed)
    log = [change(line, chance) for line in loss(some_log(chance, 60), chance)]
    versions = [line.version for line in log if isinstance(line, FetchLine)] or [12]
    file = tmp_path_factory.mktemp("random") / "kafka-request.log"
    file.write_text("".join(f"{text(line, versions[0])}\n" for line in log))
    agree([file])


def test_many_connections_and_sessions(tmp_path: Path) -> None:
    lines = lines_of(LOGS / "fresh" / "busy.log.gz")
    file = tmp_path / "many.log"
    file.write_bytes(b"".join(of_connections(lines, connections=3_000, lines_each=3)))
    assert len(agree([file])) >= 3_000


def test_many_partitions(tmp_path: Path) -> None:
    lines = lines_of(LOGS / "fresh" / "busy.log.gz")
    file = tmp_path / "many.log"
    file.write_bytes(b"".join(of_partitions(lines, partitions=5_000, length=300)))
    assert agree([file])


@pytest.mark.parametrize(
    "lines", [6_000, pytest.param(1_000_000, marks=pytest.mark.verify)], ids=str
)
def test_simulated_brokers_with_every_kind_of_departure(tmp_path: Path, lines: int) -> None:
    out = tmp_path / "out"
    simulate(
        SimulateRequest(
            log=out,
            lines=lines,
            brokers=2,
            seed=lines,
            departures=0.0025,
            workspace=find_workspace(ROOT),
        )
    )
    paths = BrokerPaths(r"(?P<broker>broker-[0-9]+)/")
    found = agree([out / f"broker-{number}" for number in (1, 2)], paths)
    departing = [
        one
        for one in found
        if isinstance(one, RemarkFinding) and one.remark.verdict is Verdict.DEPARTS
    ]
    assert departing


@pytest.mark.parametrize("name", ["busy", "many-clients-one-id-default-layout", "restart"])
def test_little_is_remembered(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Sessions, connections and lines that are let go are the same ones."""
    monkeypatch.setattr(broker, "MOST_SESSIONS", 3)
    monkeypatch.setattr(broker, "_ENDED_FOR", 20)
    monkeypatch.setattr(broker, "MOST_CONNECTIONS", 6)
    for module in (arrival_order, memory):
        monkeypatch.setattr(module, "CONNECTIONS", 4)
    monkeypatch.setattr(arrival_order.ArrivalOrder.__init__, "__kwdefaults__", _FEW_HELD)
    monkeypatch.setattr(memory, "HELD_AT_MOST", _FEW_HELD["held"])
    monkeypatch.setattr(memory, "NAMED_AT_MOST", 2)
    agree([LOGS / "fresh" / f"{name}.log.gz"])


def test_many_requests_of_other_kinds(tmp_path: Path) -> None:
    """More than are remembered stand between two Fetch requests of a connection."""
    fetches = [
        line
        for line in lines_of(LOGS / "fresh" / "busy.log.gz")
        if is_fetch(line) and b'"clientId":"java-sub1"' in line
    ]
    others = [
        re.sub(rb'"correlationId":[0-9]+', b'"correlationId":%d' % (1_000_000 + number), other)
        for number, other in enumerate(1_500 * [_as_other(fetches[20])])
    ]
    file = tmp_path / "kafka-request.log"
    file.write_bytes(b"".join([*fetches[:20], *others, *fetches[20:]]))
    assert agree([file])


def _as_other(request: bytes) -> bytes:
    other = re.sub(rb'"requestApiKey":[0-9]+', b'"requestApiKey":3', request)
    return re.sub(rb'"requestApiKeyName":"[A-Z_]+"', b'"requestApiKeyName":"METADATA"', other)


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("spoil", SPOILS)
def test_a_spoiled_log_of_a_quorum(spoil: Spoil, name: str, tmp_path: Path) -> None:
    file = tmp_path / "kafka-request.log"
    file.write_text("\n".join(spoil(LINES[name], random.Random(name))) + "\n")
    assert agree([file])


def test_other_requests_on_a_connection_of_a_quorum(tmp_path: Path) -> None:
    """They take correlation ids, so that nothing is missing between two pieces of a snapshot."""
    lines = (LOGS / "fetch-snapshot-chunks.log").read_bytes().splitlines(keepends=True)
    file = tmp_path / "kafka-request.log"
    file.write_bytes(b"".join([*lines[:2], _as_other(lines[2]), *lines[3:]]))
    rules = [one.remark.rule for one in agree([file]) if isinstance(one, RemarkFinding)]
    assert rules == [Rule.BYTES_SKIPPED]
