"""The reader of Kafka's request log, on logs of a real broker and on damaged copies of them."""

from __future__ import annotations

import gzip
import io
import os
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from lockstep_kafka.files.lines import (
    AnsweredPartition,
    FetchLine,
    LogLine,
    OtherRequest,
    Reason,
    RequestedPartition,
    Skipped,
    TopicPartition,
)
from lockstep_kafka.files.physical_lines import compression_of
from lockstep_kafka.files.request_log import read_request_log
from tests.kafka.files.arrival import in_arrival_order

SAMPLES = Path(__file__).parents[2] / "data" / "request-log"
FETCH_SAMPLES = [
    "aiokafka",
    "follower-fetch",
    "java-classic",
    "java-consumer",
    "kafka-python",
    "librdkafka",
    "raft-fetch",
]
MARKER = b"Completed request:"


def sample_lines(name: str) -> list[bytes]:
    return (SAMPLES / f"{name}.log").read_bytes().splitlines()


def fetches_of(log: Path) -> list[FetchLine]:
    """The lines of a log in which every line is a Fetch."""
    found = []
    for line in read_request_log(log):
        assert isinstance(line, FetchLine), line
        found.append(line)
    return found


def fetches(name: str) -> list[FetchLine]:
    return fetches_of(SAMPLES / f"{name}.log")


class Reader:
    """Reads bytes as if they were a log file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def all(self, content: bytes) -> list[LogLine]:
        self.file.write_bytes(content)
        return list(read_request_log(self.file))

    def one(self, content: bytes) -> LogLine:
        (line,) = self.all(content)
        return line

    def skipped(self, content: bytes) -> Skipped:
        line = self.one(content)
        assert isinstance(line, Skipped), line
        return line


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return Reader(tmp_path_factory.mktemp("request-log") / "kafka-request.log")


class TestSamples:
    @pytest.mark.parametrize("name", FETCH_SAMPLES)
    def test_every_line_is_a_fetch_with_its_line_number_and_file(self, name: str) -> None:
        lines = fetches(name)
        assert [line.line for line in lines] == list(range(1, len(sample_lines(name)) + 1))
        assert {line.file for line in lines} == {str(SAMPLES / f"{name}.log")}

    @pytest.mark.parametrize(
        ("name", "lines", "version", "requested", "answered", "followers"),
        [
            ("aiokafka", 43, 11, 258, 258, False),
            ("follower-fetch", 150, 18, 4, 4, True),
            ("java-classic", 52, 18, 69, 66, False),
            ("java-consumer", 50, 18, 66, 63, False),
            ("kafka-python", 43, 12, 55, 55, False),
            ("librdkafka", 40, 16, 235, 235, False),
            ("raft-fetch", 51, 18, 51, 51, True),
        ],
    )
    def test_counts(
        self, name: str, lines: int, version: int, requested: int, answered: int, followers: bool
    ) -> None:
        found = fetches(name)
        assert len(found) == lines
        assert {line.version for line in found} == {version}
        assert sum(len(line.partitions) for line in found) == requested
        assert sum(len(line.answered) for line in found) == answered
        assert {line.is_follower for line in found} == {followers}

    def test_first_line_of_kafka_python_field_by_field(self) -> None:
        line = fetches("kafka-python")[0]
        assert structs.replace(
            line, file="", partitions={}, answered={}, fingerprint=0
        ) == FetchLine(
            line=1,
            file="",
            time_ms=1795252024432,
            version=12,
            correlation_id=7,
            client_id="kafka-python",
            connection="127.0.0.1:55867-127.0.0.1:41312-0-2",
            replica_id=-1,
            session_id=0,
            session_epoch=0,
            partitions={},
            forgotten=(),
            max_wait_ms=500,
            min_bytes=1,
            error_code=0,
            response_session_id=204474231,
            throttle_time_ms=0,
            answered={},
            isolation_level=0,
            total_time_ms=20.477,
            software_name="kafka-python",
            software_version="3.0.12",
        )
        assert line.software == "kafka-python 3.0.12"
        assert line.arrival_ms == 1795252024432 - 20.477
        wire_order = ["t2-1", "t2-0", "t2-2", "t1-0", "t1-2", "t1-1"]
        assert [str(partition) for partition in line.partitions] == wire_order
        assert [str(partition) for partition in line.answered] == wire_order
        assert line.partitions[TopicPartition("t1", 0)] == RequestedPartition(
            fetch_offset=0,
            log_start_offset=-1,
            max_bytes=1048576,
            leader_epoch=0,
            last_fetched_epoch=-1,
        )
        assert line.answered[TopicPartition("t1", 0)] == AnsweredPartition(
            error_code=0,
            high_watermark=1,
            last_stable_offset=1,
            log_start_offset=0,
            records_size=70,
            preferred_read_replica=-1,
            has_diverging_epoch=False,
        )

    def test_sessions_are_used_as_the_samples_describe(self) -> None:
        assert [fetches(name)[-1].session_epoch for name in ("java-classic", "java-consumer")] == [
            -1,
            -1,
        ]
        assert all(line.session_epoch >= 0 for line in fetches("kafka-python"))
        for name in ("aiokafka", "librdkafka", "raft-fetch"):
            asked = {(line.session_id, line.session_epoch) for line in fetches(name)}
            assert asked == {(0, -1)}

    def test_kafka_python_forgets_the_partitions_that_it_paused(self) -> None:
        forgotten = [(line.line, line.forgotten) for line in fetches("kafka-python")]
        assert [named for named in forgotten if named[1]] == [
            (42, (TopicPartition("t1", 1), TopicPartition("t2", 1)))
        ]

    def test_followers_name_their_replica(self) -> None:
        assert {line.replica_id for line in fetches("follower-fetch")} == {2, 3}

    @pytest.mark.parametrize("name", FETCH_SAMPLES)
    def test_order_of_arrival(self, name: str) -> None:
        lines = list(in_arrival_order(read_request_log(SAMPLES / f"{name}.log")))
        moved = [line.line for line in lines if isinstance(line, FetchLine) and line.moved]
        skipped = [(line.line, line.reason) for line in lines if isinstance(line, Skipped)]
        raft = name == "raft-fetch"
        assert moved == ([9] if raft else [])
        assert skipped == ([(10, Reason.REPEATED)] if raft else [])

    def test_other_apis_are_named(self, reader: Reader) -> None:
        chunk = sample_lines("fetch-snapshot-chunks")[0]
        line = reader.one(chunk.replace(b":59,", b":82,").replace(b"FETCH_SNAPSHOT", b"ANOTHER"))
        assert isinstance(line, OtherRequest)
        assert structs.replace(line, fingerprint=0) == OtherRequest(
            line=1,
            file=str(reader.file),
            api="ANOTHER",
            connection="127.0.0.1:56805-127.0.0.1:42090-1-3",
            correlation_id=3,
            client_id="raft-client-2",
            time_ms=1795252944772,
            total_time_ms=5.267,
        )


class TestPrefix:
    JSON = sample_lines("java-consumer")[0].partition(MARKER)[2]

    @pytest.mark.parametrize(
        ("prefix", "time_ms"),
        [
            (b"", None),
            (b"DEBUG ", None),
            (b"1795252024432 ", 1795252024432),
            (b"[1795252024432] DEBUG ", 1795252024432),
            (b"\xef\xbb\xbf1795252024432 ", 1795252024432),
            (b"17952520244321 ", None),
            # 1795262401 s is 2026-11-21 12:00:01 UTC by `date -u -d @1795262401`.
            (b"[2026-11-21 12:00:01,123] DEBUG ", 1795262401123),
            (b"[2026-11-21 12:00:01] DEBUG ", 1795262401000),
            (b"[2026-11-21 12:00:01.5] DEBUG ", 1795262401500),
            (b"broker-1 | [2026-11-21T12:00:01.123456789Z] DEBUG ", 1795262401123),
            (b"[2026-11-21T14:00:01,123+02:00] DEBUG ", 1795262401123),
            (b"[2026-11-21 06:30:01,123 -0530] DEBUG ", 1795262401123),
            (b"[2026-13-21 12:00:01,123] DEBUG ", None),
            (b"[0000-01-01 12:00:01,123] DEBUG ", None),
            (b"[2026-11-21 12:00:01,123+99:00] DEBUG ", None),
            (b"\xff\xfe\x00 ", None),
        ],
    )
    def test_time(self, reader: Reader, prefix: bytes, time_ms: int | None) -> None:
        line = reader.one(prefix + MARKER + self.JSON + b"\n")
        assert isinstance(line, FetchLine)
        assert line.time_ms == time_ms

    @pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b" (kafka.request.logger)\n"])
    def test_what_the_layout_prints_after_the_message(self, reader: Reader, end: bytes) -> None:
        assert isinstance(reader.one(MARKER + self.JSON + end), FetchLine)


class TestMalformed:
    JSON = sample_lines("java-consumer")[0].partition(MARKER)[2]

    @pytest.mark.parametrize(
        ("found", "put", "detail"),
        [
            (b'"maxWaitMs":500', b'"maxWaitMs":NaN', "NaN is no JSON number"),
            (b'"totalTimeMs":', b'"totalTimeMs":Infinity,"x":', "Infinity is no JSON number"),
            (b'"minBytes":1', b'"minBytes":' + b"9" * 5000, "an integer of thousands of digits"),
            (b'"clientId":"', b'"clientId":"\\ud800', "not followed: "),
            (b'"correlationId":', b'"id":', "requestHeader.correlationId is missing"),
            (b'"connection":', b'"id":', "connection is missing"),
            (b'"maxWaitMs":500', b'"maxWaitMs":' + b"9" * 4000, "request.maxWaitMs is 9999"),
            (b'"maxWaitMs":500', b'"maxWaitMs":2147483648', "request.maxWaitMs is 2147483648: "),
            (b'"maxWaitMs":500,', b"", "request.maxWaitMs is missing"),
            (b'"requestApiKey":1', b'"requestApiKey":"1"', 'requestHeader.requestApiKey is "1"'),
            (b'"rackId":""', b'"rackId":' + b"[" * 100_000 + b"]" * 100_000, "nested too deep"),
            (b'"rackId":""', b'"rackId":' + b'{"a":' * 100_000, "nested too deep"),
            (b'"rackId":""', b'"rackId" ""', "Expecting ':' delimiter"),
            (b'"rackId":""}', b'"rackId":""}}', 'stands ",\\"response\\"'),
        ],
    )
    def test_is_refused_and_said_why(
        self, reader: Reader, found: bytes, put: bytes, detail: str
    ) -> None:
        assert found in self.JSON
        skipped = reader.skipped(MARKER + self.JSON.replace(found, put, 1) + b"\n")
        assert skipped.reason is Reason.MALFORMED
        assert detail in skipped.detail
        assert len(skipped.detail) < 250

    def test_the_text_that_brokers_wrote_before_2_8(self, reader: Reader) -> None:
        body = b"RequestHeader(apiKey=FETCH, apiVersion=11) -- {replica_id=-1},response:{}"
        skipped = reader.skipped(MARKER + body + b"\n")
        assert skipped.reason is Reason.MALFORMED
        assert skipped.detail.startswith('not a JSON object: "RequestHeader(')

    def test_an_api_whose_name_cannot_be_printed(self, reader: Reader) -> None:
        header = (
            b'{"requestApiKey":2,"requestApiVersion":1,"correlationId":3,"clientId":null,'
            b'"requestApiKeyName":"\\u001b[2J"}'
        )
        line = reader.one(MARKER + b'{"requestHeader":' + header + b',"connection":"c"}')
        assert isinstance(line, OtherRequest)
        assert (line.api, line.client_id, line.total_time_ms) == (r'"\u001b[2J"', "", 0.0)

    def test_an_empty_object(self, reader: Reader) -> None:
        skipped = reader.skipped(MARKER + b"{}\n")
        assert (skipped.reason, skipped.detail) == (Reason.MALFORMED, "requestHeader is missing")

    def test_a_key_that_stands_twice_has_its_last_value(self, reader: Reader) -> None:
        twice = self.JSON.replace(b'"minBytes":1', b'"minBytes":1,"minBytes":2', 1)
        line = reader.one(MARKER + twice)
        assert isinstance(line, FetchLine)
        assert line.min_bytes == 2


class TestTruncatedAndForeign:
    @pytest.mark.parametrize("name", ["kafka-python", "raft-fetch"])
    @pytest.mark.parametrize("end", [b"", b"\n"])
    def test_json_cut_anywhere(self, reader: Reader, name: str, end: bytes) -> None:
        prefix, marker, encoded = sample_lines(name)[0].partition(MARKER)
        cuts = [prefix + marker + encoded[:size] for size in range(len(encoded))]
        if end:
            found = reader.all(b"\n".join(cuts) + end)
        else:
            found = [reader.one(cut) for cut in cuts[:: len(cuts) // 100]]
        assert len(found) > 99
        assert {type(line) for line in found} == {Skipped}
        reason = Reason.TRUNCATED if end else Reason.UNFINISHED
        assert {line.reason for line in found if isinstance(line, Skipped)} == {reason}

    @pytest.mark.parametrize("size", [300, 700, 2000])
    def test_two_writers_on_one_line(self, reader: Reader, size: int) -> None:
        first, second = sample_lines("java-consumer")[:2]
        for glued in (first[:size] + second, first + second, first + b" " + second):
            skipped = reader.skipped(glued + b"\n")
            assert skipped.reason is Reason.TRUNCATED
            assert "another request" in skipped.detail

    @pytest.mark.parametrize(
        "line",
        [
            b"",
            b"\r",
            b"[2026-11-21 12:00:01,123] INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
            b"\tat kafka.server.KafkaApis.handle(KafkaApis.scala:180)",
            b'{"isForwarded":false}',
            b"\x00\xff\xfe\x80",
            b"Completed request",
        ],
    )
    def test_other_lines_of_the_broker(self, reader: Reader, line: bytes) -> None:
        skipped = reader.skipped(line + b"\n")
        assert skipped.reason is Reason.FOREIGN
        assert skipped.detail.isprintable()

    @pytest.mark.parametrize("line", [b"1795252024432 Compl", b"1", b"[2026-11-21 12:00:01,12"])
    def test_a_file_that_ends_before_the_line_says_what_it_is(
        self, reader: Reader, line: bytes
    ) -> None:
        assert reader.skipped(line).reason is Reason.UNFINISHED

    def test_an_empty_file(self, reader: Reader) -> None:
        assert reader.all(b"") == []

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        file = str(tmp_path / "kafka-request.log")
        assert list(read_request_log(file)) == [
            Skipped(1, file, Reason.UNREADABLE, "No such file or directory")
        ]


class TestFiles:
    def test_gzip(self, tmp_path: Path) -> None:
        plain = SAMPLES / "follower-fetch.log"
        packed = tmp_path / "kafka-request.log.gz"
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        unpacked = [structs.replace(line, file=str(plain)) for line in fetches_of(packed)]
        assert unpacked == fetches_of(plain)

    @pytest.mark.parametrize("compressed", [False, True])
    def test_the_standard_input(self, monkeypatch: pytest.MonkeyPatch, compressed: bool) -> None:
        plain = SAMPLES / "follower-fetch.log"
        content = plain.read_bytes()
        stream = io.BytesIO(gzip.compress(content) if compressed else content)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))
        lines = [structs.replace(line, file=str(plain)) for line in read_request_log("-")]
        assert lines == fetches_of(plain)

    def test_a_line_of_a_pipe_is_given_out_when_it_is_read(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        output, input_ = os.pipe()
        with open(output) as read_end, open(input_, "wb", buffering=0) as write_end:
            monkeypatch.setattr(sys, "stdin", read_end)
            lines = read_request_log("-")
            for number, line in enumerate(sample_lines("kafka-python")[:3], 1):
                write_end.write(line + b"\n")
                assert next(lines).line == number
            write_end.close()
            assert list(lines) == []

    @pytest.mark.parametrize(
        ("compress", "name"), [(gzip.compress, "gzip"), (zstandard.compress, "zstd")]
    )
    def test_a_stream_cut_short_keeps_the_lines_before_the_cut(
        self, reader: Reader, compress: Callable[[bytes], bytes], name: str
    ) -> None:
        content = (SAMPLES / "follower-fetch.log").read_bytes() * 20
        packed = compress(content)
        *whole, last, end = reader.all(packed[: len(packed) - 100])
        assert len(whole) > 20
        assert {type(line) for line in whole} == {FetchLine}
        why = f"the {name} stream is cut short: the file ends before it does"
        number = len(whole) + 1
        assert last == Skipped(number, str(reader.file), Reason.TRUNCATED, why)
        assert end == Skipped(number + 1, str(reader.file), Reason.UNREADABLE, why)

    def test_memory_does_not_grow_with_the_file(self, tmp_path: Path) -> None:
        content = (SAMPLES / "java-classic.log").read_bytes()
        log = tmp_path / "kafka-request.log.gz"
        log.write_bytes(gzip.compress(content * 100))
        tracemalloc.start()
        try:
            counts = Counter(type(line) for line in read_request_log(log))
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert counts == {FetchLine: 5200}
        assert len(content) * 100 > 6_000_000
        assert peak < 1_000_000


SAMPLE_LINES = [
    line
    for path in sorted(SAMPLES.glob("*.log"))
    for line in {len(raw): raw for raw in path.read_bytes().splitlines()}.values()
]


@st.composite
def damaged_logs(draw: st.DrawFn) -> bytes:
    """A few real lines with bytes changed, inserted, cut out or repeated anywhere."""
    lines = draw(st.lists(st.sampled_from(SAMPLE_LINES), min_size=1, max_size=4))
    content = bytearray(b"\n".join(lines) + b"\n")
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.sampled_from([0, 0, 1, 1, 2, 40, 3000])))
        put = draw(
            st.one_of(
                st.binary(max_size=4),
                st.sampled_from(
                    [b"\n", b"\r\n", b'"', b"{", b"}", b"[", b",", b"\\", b"-", b"1e9"]
                ),
                st.just(bytes(content[start:stop]) * 2),
                st.just(MARKER),
            )
        )
        content[start:stop] = put
    return bytes(content)


def physical_lines_of(content: bytes) -> list[bytes]:
    """The lines with their ends; unlike `splitlines`, only a newline ends one."""
    *ended, rest = content.split(b"\n")
    return [line + b"\n" for line in ended] + ([rest] if rest else [])


class TestDamage:
    @given(content=damaged_logs())
    @settings(max_examples=400, deadline=None)
    def test_every_physical_line_gives_exactly_one_result(
        self, reader: Reader, content: bytes
    ) -> None:
        found = reader.all(content)
        physical = physical_lines_of(content)
        assert [line.line for line in found] == list(range(1, len(physical) + 1))
        for line, raw in zip(found, physical, strict=True):
            # Neighbours do not matter: the line alone gives the same result.
            assert structs.replace(reader.one(raw), line=line.line) == line
            if isinstance(line, Skipped):
                assert line.detail.isprintable()
                assert line.reason is not Reason.FOREIGN or MARKER not in raw

    @given(content=damaged_logs(), data=st.data())
    @settings(max_examples=150, deadline=None)
    def test_damaged_gzip_files(self, reader: Reader, content: bytes, data: st.DataObject) -> None:
        packed = bytearray(gzip.compress(content, mtime=0))
        start = data.draw(st.integers(2, len(packed)))
        packed[start : start + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        found = reader.all(bytes(packed))
        assert [line.line for line in found] == list(range(1, len(found) + 1))

    @given(content=st.binary(max_size=200))
    @settings(max_examples=200, deadline=None)
    def test_any_bytes(self, reader: Reader, content: bytes) -> None:
        if compression_of(content) is None:
            assert len(reader.all(content)) == len(physical_lines_of(content))
        assert len(reader.all(MARKER + content.replace(b"\n", b""))) == 1
