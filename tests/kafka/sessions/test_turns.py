"""An id that is given away while its session may be alive, and whose fetchers take turns."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from lockstep_kafka.files.lines import FetchLine
from lockstep_kafka.rules import Rule
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.knowledge import Connection, Seen, Turn
from lockstep_kafka.sessions.turns import is_possible
from tests.kafka.sessions.following import departures, explanations
from tests.kafka.sessions.test_attacks import BEGIN_MS, NEXT, OPENING

FIRST, SECOND = (f"127.0.0.1:9092-127.0.0.1:5000{place}-0-{place}" for place in (1, 2))


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def log(turns: str) -> list[FetchLine]:
    """Lines of two connections, one a word: `a0` is the opening of the first, `b2` has epoch 2.

    `a-` is a request of the first that is missing from the log.
    """
    lines = []
    sent = dict.fromkeys("ab", 0)
    for place, turn in enumerate(turns.split(), start=1):
        who = turn[0]
        sent[who] += 1
        if turn[1:] == "-":
            continue
        epoch = int(turn[1:])
        changes = {} if epoch == 0 else {"session_epoch": epoch}
        lines.append(
            replace(
                OPENING if epoch == 0 else NEXT,
                line=place,
                connection=FIRST if who == "a" else SECOND,
                client_id=who,
                correlation_id=sent[who],
                time_ms=BEGIN_MS + 100 * place,
                **changes,
            )
        )
    return lines


@pytest.mark.parametrize(
    ("turns", "at"),
    [
        # Whichever opened it last, a5 needs an epoch before it that only the other session has.
        ("a0 a1 a2 a3 b0 a4 b1 a5", 8),
        # b2 was sent after a3 was answered, and no session goes from 3 to 2.
        ("a0 a1 b0 a2 a3 b1 a4 b2", 8),
        ("a0 a1 a2 a3 b0 b1 a4 b2 a5", 9),
        # The missing request came after a4, which needs the b2 that was sent after its answer.
        ("a0 a1 a2 b0 a3 a4 b1 a5 a- a6 b2", 11),
        # One missing request moves a session by one epoch.
        ("a0 a1 a2 a3 b0 a4 b1 a- a5", 9),
        ("a0 a1 a2 b0 a3 b1 b2 a4", 8),
    ],
)
def test_sessions_that_take_turns_depart(model: Explanations, turns: str, at: int) -> None:
    (remark,) = departures(model, log(turns))
    assert (remark.rule, remark.at.line) == (Rule.ID_ALIVE_TWICE, at)
    assert remark.requirements == ("227-3",)


@pytest.mark.parametrize(
    "turns",
    [
        "a0 a1 a2 b0 b1 b2 b3",
        # a3 may have been served before b0: it was sent before that was answered.
        "a0 a1 a2 b0 a3 b1 b2",
        "a0 a1 a2 b0 b1 a3 b2 b3",
        "a0 a1 b0 b1 b2 a2 b3",
        # a1 may have been served before b0, though b1 is judged first.
        "a0 b0 b1 a1 b2",
    ],
)
def test_what_may_have_come_before_the_opening_is_not_accused(
    model: Explanations, turns: str
) -> None:
    assert departures(model, log(turns)) == []


@pytest.mark.parametrize("turns", ["a0 a1 a2 b0 a3 b1 b2 a- a4", "a0 a1 a2 b0 b1 b2 a- a1"])
def test_what_a_missing_request_explains_is_not_accused(model: Explanations, turns: str) -> None:
    assert departures(model, log(turns)) == []


def turn(epoch: int, connection: str, position: int, has_seen: int) -> Turn:
    seen = Seen(connection, position, None, "a.log")
    return Turn(epoch, seen, Connection(position=has_seen, file="a.log"))


def test_a_request_that_is_judged_later_may_come_first() -> None:
    turns = [turn(0, "b", 1, -1), turn(2, "a", 3, 1)]
    assert not is_possible(turns, [], lambda epoch: epoch + 1)
    assert is_possible(turns, [("c", 1)], lambda epoch: epoch + 1)
    assert not is_possible(turns, [("c", 3)], lambda epoch: epoch + 1)
    assert is_possible(turns, [("b", 1)], lambda epoch: epoch + 1)
