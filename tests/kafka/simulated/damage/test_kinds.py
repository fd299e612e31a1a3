"""A kind of damage does what it says and nothing else, and is counted only where a log shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.simulated.damage.kind import BOTH, BROKER, Damage, Place, shown_places
from lockstep_kafka.simulated.damage.log import MARKER, Log
from lockstep_kafka.simulated.damage.of_answers import (
    StrangerAnswered,
    WatermarkBack,
    WatermarkBackAcross,
    WatermarkLeftOut,
)
from lockstep_kafka.simulated.damage.of_records import (
    RecordsWithheld,
    StrangerForgotten,
    UnchangedListed,
)
from lockstep_kafka.simulated.damage.of_sessions import (
    EpochErrorUndeserved,
    EpochSkipped,
    NoIdInResponse,
    NotFoundUndeserved,
    OneIdTwice,
    WrongIdInRequest,
)
from lockstep_kafka.simulated.damage.requests import Document
from lockstep_kafka.simulated.episodes import KINDS
from tests.kafka.conform.following import LOGS, read_log
from tests.kafka.simulated.damage.lines import fetch, log

A, B, C = ("t", 0), ("t", 1), ("t", 2)
OTHER = "127.0.0.1:9092-127.0.0.1:40001-0-2"

RETENTION = read_log(LOGS / "fresh" / "retention-delete-records.log.gz")
"""It has places of every kind."""

TOUCHED = {
    "epoch-repeated": {"request.sessionEpoch"},
    "epoch-skipped": {"request.sessionEpoch"},
    "wrong-id-in-request": {"request.sessionId"},
    "wrong-id-in-response": {"response.sessionId"},
    "id-0-in-request": {"request.sessionId"},
    "id-0-in-response": {"response.sessionId"},
    "70-undeserved": {"response.errorCode", "response.sessionId", "response.responses"},
    "71-undeserved": {"response.errorCode", "response.sessionId", "response.responses"},
    "one-id-alive-twice": {"request.sessionId", "response.sessionId"},
    "changed-watermark-left-out": {"response.responses"},
    "unchanged-partition-added": {"response.responses"},
    "stranger-answered": {"response.responses"},
    "log-start-back": {"response.responses"},
    "watermark-back-in-session": {"response.responses"},
    "watermark-back-across-fetchers": {"response.responses"},
    "records-withheld": {"response.responses"},
    "forgotten-in-full-request": {"request.forgottenTopicsData"},
    "unchanged-partition-listed": {"request.topics"},
    "stranger-forgotten": {"request.forgottenTopicsData"},
}
OF_MANY_LINES = {"epoch-skipped", "one-id-alive-twice"}


def fields(document: Mapping[str, Any]) -> dict[str, Any]:
    """Every field of the line, those of request and response apart."""
    rest = {name: value for name, value in document.items() if name not in ("request", "response")}
    return rest | {
        f"{part}.{name}": value
        for part in ("request", "response")
        for name, value in document[part].items()
    }


def differences(before: Document, after: Document) -> set[str]:
    old, new = fields(before), fields(after)
    return {name for name in old | new if old.get(name) != new.get(name)}


by_name = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.replace(" ", "-"))


def test_every_kind_is_here_once() -> None:
    assert [kind.name for kind in KINDS] == list(dict.fromkeys(kind.name for kind in KINDS))
    assert {kind.name for kind in KINDS} == set(TOUCHED)


@by_name
def test_a_damaged_log_differs_where_it_says_and_reads_as_before(
    kind: Damage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("damaged") / "a.log"
    places = list(shown_places(kind, RETENTION, 3, seed=3))
    assert places
    for place, damaged, shown in places:
        assert len(damaged.lines) == len(RETENTION.lines)
        changed = [
            number
            for number, (old, new) in enumerate(zip(RETENTION.lines, damaged.lines, strict=True), 1)
            if old != new
        ]
        assert changed
        assert min(changed) == shown.since
        assert kind.name in OF_MANY_LINES or changed == [place.line]
        touched: set[str] = set()
        for number in changed:
            old, new = RETENTION.by_number[number], damaged.by_number[number]
            touched |= differences(old.document, new.document)
            assert damaged.lines[number - 1].startswith(
                RETENTION.lines[number - 1].partition(MARKER)[0] + MARKER
            )
        assert touched <= TOUCHED[kind.name]
        assert touched
        file.write_text("".join(f"{damaged.lines[number - 1]}\n" for number in changed))
        assert all(isinstance(line, FetchLine) for line in read_request_log(file))
        again = Log.of([damaged.lines[number - 1] for number in changed])
        assert [line.document for line in again.fetches] == [
            damaged.by_number[number].document for number in changed
        ]


@by_name
def test_the_same_seed_gives_the_same_places(kind: Damage) -> None:
    def places(seed: int) -> list[Place]:
        return [place for place, _, _ in shown_places(kind, RETENTION, 6, seed)]

    assert places(5) == places(5)
    assert len(set(places(5))) == len(places(5)) <= 6


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_no_damage_changes_the_log_that_it_is_given(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(KINDS))
    place = data.draw(st.sampled_from(list(kind.places(RETENTION))))
    before = [fields(line.document) for line in RETENTION.fetches]
    damaged = kind.apply(RETENTION, place)
    shown = kind.shown(RETENTION, damaged, place)
    assert [fields(line.document) for line in RETENTION.fetches] == before
    assert shown is None or not shown.sides & shown.blameless


def lines(*epochs: int, holes: int = 0) -> Iterator[str]:
    """A session of id 7: its full request, and one request an epoch, each before a hole."""
    yield fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 0})
    for number, epoch in enumerate(epochs, 2):
        yield fetch(number + holes * (number - 1), (7, epoch), session=7)


def shows(kind: Damage, intact: Log, place: Place) -> bool:
    return kind.shown(intact, kind.apply(intact, place), place) is not None


@pytest.mark.parametrize(("holes", "is_shown"), [(0, True), (1, False)])
@pytest.mark.parametrize("kind", [EpochSkipped(), EpochErrorUndeserved()])
def test_a_missing_request_excuses(kind: Damage, holes: int, is_shown: bool) -> None:
    assert shows(kind, log(*lines(1, 2, holes=holes)), Place(3)) == is_shown


@pytest.mark.parametrize(("holes", "sides"), [(1, BOTH), (2, BROKER)])
def test_a_client_may_have_opened_another_session_out_of_sight(
    holes: int, sides: frozenset[str]
) -> None:
    intact, kind = log(*lines(1, 2, holes=holes)), WrongIdInRequest()
    shown = kind.shown(intact, kind.apply(intact, Place(3)), Place(3))
    assert shown is not None
    assert shown.sides == sides


@pytest.mark.parametrize(("line", "is_shown"), [(3, True), (4, False)])
def test_the_last_request_of_a_session_may_have_lost_it(line: int, is_shown: bool) -> None:
    assert shows(NotFoundUndeserved(), log(*lines(1, 2, 3)), Place(line)) == is_shown


def test_a_session_that_may_be_empty_may_be_closed() -> None:
    middle = log(fetch(4, (7, 3), session=7), fetch(5, (7, 4), session=7))
    assert not shows(NoIdInResponse(), middle, Place(2))
    assert shows(NoIdInResponse(), log(*lines(1, 2)), Place(3))


def test_a_throttled_response_may_name_no_session() -> None:
    throttled = log(
        *lines(1), fetch(3, (7, 2), session=7, throttle=50), fetch(4, (7, 3), session=7)
    )
    assert [place.line for place in NoIdInResponse().places(throttled)] == [2, 4]


def two_sessions(*order: str) -> Log:
    """Requests of two sessions in the order of their letters, a response before the next."""
    sent = {"a": 0, "b": 0}
    text = []
    for name in order:
        connection = {"a": "a", "b": "b"}[name]
        session = {"a": 7, "b": 8}[name]
        count = sent[name]
        request = (session, count) if count else (0, 0)
        asks = {} if count else {A: 0}
        text.append(
            fetch(
                count + 1,
                request,
                asks=asks,
                session=session,
                answers=dict.fromkeys(asks, 0),
                connection=connection,
            )
        )
        sent[name] += 1
    return log(*text)


@pytest.mark.parametrize(
    ("order", "is_shown"),
    [
        ("abababab", True),
        ("aaabbb", False),
        ("bbbaaa", False),
        ("ab", False),
        ("aabb", False),
        ("abba", False),
        ("aabbaaa", False),  # one session served b's requests, and a's from the third on
        ("aabbbbaaa", True),
    ],
)
def test_only_lives_that_overlap_are_one_id_twice(order: str, is_shown: bool) -> None:
    intact = two_sessions(*order)
    pairs = list(OneIdTwice().places(intact))
    assert len(pairs) == 2
    assert any(shows(OneIdTwice(), intact, pair) for pair in pairs) == is_shown


def reported_by_another(at: int, watermark: int, version: int = 13) -> Log:
    """A session whose third line answers watermark 5, and another fetcher's line before a line."""
    text = [
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 1}, version=version),
        fetch(2, (7, 1), session=7, version=version),
        fetch(3, (7, 2), session=7, answers={A: 5}, version=version),
        fetch(4, (7, 3), session=7, version=version),
        fetch(5, (7, 4), session=7, version=version),
    ]
    other = fetch(
        1, (0, -1), asks={A: 0}, answers={A: watermark}, connection=OTHER, version=version
    )
    return log(*text[: at - 1], other, *text[at - 1 :])


@pytest.mark.parametrize(
    ("at", "line", "watermark", "is_shown"),
    [
        (2, 4, 5, True),  # before the line before
        (2, 4, 1, False),  # nothing new
        (3, 4, 5, True),  # before the line before the next one
        (5, 3, 5, False),  # the last request may have been sent before
        (1, 4, 5, False),  # before the connection: the broker may have restarted
    ],
)
def test_another_fetcher_proves_a_watermark_left_out(
    at: int, line: int, watermark: int, is_shown: bool
) -> None:
    intact = reported_by_another(at, watermark)
    assert list(WatermarkLeftOut().places(intact)) == [Place(line, A)]
    assert shows(WatermarkLeftOut(), intact, Place(line, A)) == is_shown


def test_a_topic_known_by_its_name_may_have_been_made_again() -> None:
    intact = reported_by_another(2, 5, version=12)
    assert not shows(WatermarkLeftOut(), intact, Place(4, A))
    assert list(WatermarkBack().places(intact)) == []
    assert list(WatermarkBack().places(reported_by_another(2, 5))) == [Place(4, A)]


@pytest.mark.parametrize(("version", "lines"), [(11, [2, 3]), (12, []), (13, [2, 3])])
def test_version_12_may_list_a_topic_made_again(version: int, lines: list[int]) -> None:
    intact = log(
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 0}, version=version),
        fetch(2, (7, 1), session=7, version=version),
        fetch(3, (7, 2), session=7, version=version),
    )
    assert [place.line for place in UnchangedListed().places(intact)] == lines


def test_a_partition_just_added_cannot_be_left_out() -> None:
    intact = log(*lines(1), fetch(3, (7, 2), asks={B: 0}, session=7, answers={B: 0}))
    assert shows(WatermarkLeftOut(), intact, Place(3, B))


def test_only_what_the_session_was_not_sent_goes_back_across_fetchers() -> None:
    assert list(WatermarkBackAcross().places(reported_by_another(2, 4))) == [Place(4, A)]
    assert list(WatermarkBackAcross().places(reported_by_another(2, 1))) == []


@pytest.mark.parametrize(
    ("change", "is_shown"), [({}, True), ({"offset": 5}, False), ({"rack": "a"}, None)]
)
def test_records_are_withheld_where_some_can_be_read(
    change: dict[str, Any], is_shown: bool | None
) -> None:
    offset = change.get("offset", 4)
    text = fetch(1, (0, -1), asks={A: offset}, answers={A: 5}, records=[A])
    if "rack" in change:
        text = text.replace('"rackId": ""', '"rackId": "a"')
    places = list(RecordsWithheld().places(log(text)))
    assert [shows(RecordsWithheld(), log(text), place) for place in places] == (
        [] if is_shown is None else [is_shown]
    )


def test_from_the_middle_only_what_was_removed_is_a_stranger() -> None:
    middle = log(
        fetch(5, (7, 4), forgets=[B], session=7, answers={A: 1}),
        fetch(6, (7, 5), session=7, answers={A: 2}),
    )
    assert list(StrangerAnswered().places(middle)) == [Place(1, B), Place(2, B)]
    assert list(StrangerForgotten().places(middle)) == [Place(2, B)]
