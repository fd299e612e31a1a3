"""Logs to measure with, made from the lines of real ones, which begin with milliseconds."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

_FETCH = b'"requestApiKey":1,'
_FIRST_WITH_TOPIC_IDS = 13
_CONNECTION = re.compile(rb'"connection":"([^"-]*)-[^:"]*:')
_MARKER = b" Completed request:"
_CAPTURES = ("busy", "size-limits", "static-members")
"""Logs of tests/data/request-log/fresh/, each of one broker, whose address is this one:"""
_CAPTURED = b'"connection":"127.0.0.1:'
_PERIOD_MS = 30_000
"""How often each of many connections sends a request."""

Document = dict[str, Any]


def lines_of(log: Path) -> list[bytes]:
    """The lines of a log that is compressed."""
    with gzip.open(log) as file:
        return file.read().splitlines(keepends=True)


def fetches(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of Fetch requests alone."""
    return filter(is_fetch, lines)


def is_fetch(line: bytes) -> bool:
    """Whether a line is of a Fetch request."""
    return _FETCH in line


def lengthened(lines: Sequence[bytes], times: int) -> Iterator[bytes]:
    """The lines so many times, each time later, and of connections from another address.

    A broker writes such a log that is started again and again: the numbers of its connections, its
    session ids and its offsets begin again.
    """
    moments = [int(line[:13]) for line in lines if line[:13].isdigit()]
    span = max(moments) - min(moments) + _PERIOD_MS
    for time in range(times):
        address = rb'"connection":"\1-10.0.%d.%d:' % divmod(time, 256)
        for line in lines:
            moment, rest = line[:13], line[13:]
            if moment.isdigit():
                moment = b"%d" % (int(moment) + time * span)
            yield moment + _CONNECTION.sub(address, rest)


def write_captured(root: Path, logs: Path, lines: int, brokers: int) -> None:
    """So many lines in all, in a folder for each broker, which has a capture again and again."""
    captures = root / "tests" / "data" / "request-log" / "fresh"
    count = lines // brokers
    for broker, name in zip(range(1, brokers + 1), cycle(_CAPTURES), strict=False):
        captured = lines_of(captures / f"{name}.log.gz")
        address = _CAPTURED.replace(b"127.0.0.1", b"10.9.0.%d" % broker)
        file = logs / f"broker-{broker}" / "kafka-request.log"
        file.parent.mkdir(parents=True)
        with file.open("wb") as log:
            for line in islice(lengthened(captured, -(-count // len(captured))), count):
                log.write(line.replace(_CAPTURED, address))


def of_connections(lines: Sequence[bytes], connections: int, lines_each: int) -> Iterator[bytes]:
    """One session's first lines, from so many clients, each by a connection of its own."""
    template = _session(lines)[:lines_each]
    begin = _moment(template[0])
    for turn, line in enumerate(template):
        document = _document(line)
        header, request = document["requestHeader"], document["request"]
        correlation_id = header["correlationId"]
        for number in range(connections):
            moment = begin + turn * _PERIOD_MS + number * _PERIOD_MS // connections
            client = f"10.1.{number // 256}.{number % 256}:50000"
            document["connection"] = f"10.0.0.1:9092-{client}-0-{number}"
            header["clientId"] = f"client-{number}"
            header["correlationId"] = correlation_id + number
            document["response"]["sessionId"] = number + 1
            if turn:
                request["sessionId"] = number + 1
            yield _line(moment, document)


def of_partitions(lines: Sequence[bytes], partitions: int, length: int) -> Iterator[bytes]:
    """One session of so many partitions; after the first line, each names one or two of them.

    Between any two requests a record is written, to one partition after the other: it is returned,
    and the next request asks for what follows it.
    """
    first = _session(lines)[0]
    begin, document = _moment(first), _document(first)
    header, request, response = (
        document[part] for part in ("requestHeader", "request", "response")
    )
    correlation_id = header["correlationId"]
    asked, reported = request["topics"][0], response["responses"][0]
    interest, answer = asked["partitions"][0], reported["partitions"][0]

    def listing(offsets: Iterable[tuple[int, int]]) -> list[Document]:
        listed = [
            {**interest, "partition": number, "fetchOffset": offset} for number, offset in offsets
        ]
        return [{**asked, "partitions": listed}] if listed else []

    def answering(ends: Iterable[tuple[int, int]], size: int) -> list[Document]:
        answered = [
            {
                **answer,
                "partitionIndex": number,
                "highWatermark": end,
                "lastStableOffset": end,
                "logStartOffset": 0,
                "recordsSizeInBytes": size,
            }
            for number, end in ends
        ]
        return [{**reported, "partitions": answered}]

    everything = [(number, 0) for number in range(partitions)]
    request["topics"], response["responses"] = listing(everything), answering(everything, 0)
    yield _line(begin, document)
    request["sessionId"] = response["sessionId"]
    fetched: list[tuple[int, int]] = []
    for epoch in range(1, length):
        rounds, number = divmod(epoch - 1, partitions)
        written = [(number, rounds + 1)]
        header["correlationId"], request["sessionEpoch"] = correlation_id + epoch, epoch
        request["topics"], response["responses"] = listing(fetched), answering(written, 100)
        fetched = written
        yield _line(begin + epoch * 1_000, document)


def _session(lines: Sequence[bytes]) -> list[bytes]:
    """The lines of the first session that names topics by id, from the one that opens it."""
    session: list[bytes] = []
    number = 0
    for line in fetches(lines):
        document = _document(line)
        request, response = document["request"], document["response"]
        is_opening = (request["sessionId"], request["sessionEpoch"]) == (0, 0)
        has_ids = document["requestHeader"]["requestApiVersion"] >= _FIRST_WITH_TOPIC_IDS
        if session and request["sessionId"] == number:
            session.append(line)
        elif not session and is_opening and has_ids:
            session, number = [line], response["sessionId"]
    return session


def _moment(line: bytes) -> int:
    return int(line[:13])


def _document(line: bytes) -> Document:
    document: Document = json.loads(line.partition(_MARKER)[2])
    return document


def _line(moment: int, document: Document) -> bytes:
    encoded = json.dumps(document, separators=(",", ":")).encode()
    return b"%d%s%s\n" % (moment, _MARKER, encoded)
