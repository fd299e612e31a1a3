"""Runs of sessions, and what a log fixes there."""

from __future__ import annotations

import pytest

from lockstep_kafka.simulated.damage.session import Run
from tests.kafka.simulated.damage.lines import fetch, log

A, B, C = ("t", 0), ("t", 1), ("t", 2)


def run(*lines: str) -> Run:
    (run,) = log(*lines).runs
    return run


def test_a_run_goes_from_the_full_request_to_the_last_that_was_accepted() -> None:
    opened = run(
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 0}),
        fetch(2, (7, 1), session=7),
        fetch(3, (7, 2), session=7),
        fetch(4, (7, 3), session=0, error=70),
    )
    assert (opened.session, opened.is_whole, len(opened.lines)) == (7, True, 3)


def test_a_missing_epoch_begins_another_run() -> None:
    runs = log(
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 0}),
        fetch(2, (7, 1), session=7),
        fetch(4, (7, 3), session=7),
        fetch(5, (7, 4), session=7),
    ).runs
    assert [(run.is_whole, len(run.lines)) for run in runs] == [(True, 2), (False, 2)]


def test_a_request_for_a_new_session_ends_a_run() -> None:
    runs = log(
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 0}),
        fetch(2, (7, 0), asks={A: 0}, session=8, answers={A: 0}),
        fetch(3, (8, 1), session=8),
        fetch(4, (8, -1)),
    ).runs
    assert [(run.session, len(run.lines)) for run in runs] == [(7, 1), (8, 2)]


def test_a_session_on_two_connections_has_no_run() -> None:
    assert (
        log(
            fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 0}),
            fetch(2, (7, 1), session=7),
            fetch(1, (7, 2), session=7, connection="other"),
        ).runs
        == ()
    )


def test_what_was_reported_is_the_last_answer() -> None:
    standing = run(
        fetch(1, (0, 0), asks={A: 0, B: 0}, session=7, answers={A: 1, B: 2}),
        fetch(2, (7, 1), session=7, answers={A: 3}),
        fetch(3, (7, 2), session=7, answers={A: 4}),
    ).standings[2]
    assert {
        partition: reported["highWatermark"] for partition, reported in standing.reported.items()
    } == {
        A: 3,
        B: 2,
    }
    assert standing.steady == standing.reported
    assert standing.due == set()


def test_what_was_added_or_in_error_is_due() -> None:
    standings = run(
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 1}),
        fetch(2, (7, 1), asks={B: 0}, session=7),
        fetch(3, (7, 2), session=7, answers={B: 1, A: None}),
        fetch(4, (7, 3), session=7),
    ).standings
    assert [standing.due for standing in standings] == [{A}, {B}, {B}, {A}]
    assert set(standings[3].steady) == {B}


def test_what_was_removed_is_gone_until_it_is_asked_again() -> None:
    standings = run(
        fetch(1, (0, 0), asks={A: 0, B: 0}, session=7, answers={A: 1, B: 1}),
        fetch(2, (7, 1), forgets=[B], session=7),
        fetch(3, (7, 2), asks={B: 0}, session=7, answers={B: 1}),
    ).standings
    assert [set(standing.gone) for standing in standings] == [set(), {B}, set()]
    assert [set(standing.interests) for standing in standings] == [{A, B}, {A}, {A, B}]
    assert standings[2].due == {B}


@pytest.mark.parametrize(("epoch", "steady"), [(0, {A}), (1, set())])
def test_another_leader_epoch_unsettles(epoch: int, steady: set[tuple[str, int]]) -> None:
    standings = run(
        fetch(1, (0, 0), asks={A: 0}, session=7, answers={A: 1}),
        fetch(2, (7, 1), asks={A: 1}, session=7, leader_epoch=epoch),
    ).standings
    assert set(standings[1].steady) == steady


def test_from_the_middle_only_what_is_named_is_known() -> None:
    middle = run(
        fetch(5, (7, 4), asks={A: 3}, session=7),
        fetch(6, (7, 5), session=7, answers={A: 4, B: 2}),
        fetch(7, (7, 6), forgets=[C], session=7),
        fetch(8, (7, 7), asks={C: 0}, session=7),
    )
    assert not middle.is_whole
    assert middle.standings[0].due == set()
    assert set(middle.standings[2].interests) == {A, B}
    assert middle.standings[2].interests[B] is None
    assert set(middle.standings[2].steady) == {A}
    assert middle.standings[3].due == {C}
