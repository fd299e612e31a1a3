"""An id that is given away while its session may be alive, and whose fetchers take turns."""

from __future__ import annotations

from random import Random

import pytest
from msgspec.structs import replace

from lockstep_kafka.files.lines import FetchLine, OtherRequest
from lockstep_kafka.rules import Rule
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.knowledge import Connection, Seen, Turn
from lockstep_kafka.sessions.turns import is_possible
from lockstep_kafka.simulated.lines import Line
from tests.kafka.sessions.following import departures, explanations
from tests.kafka.sessions.test_attacks import BEGIN_MS, NEXT, OPENING

CONNECTIONS = {
    who: f"127.0.0.1:9092-127.0.0.1:5000{place}-0-{place}" for place, who in enumerate("abc", 1)
}


@pytest.fixture(scope="module", name="model")
def loaded_explanations() -> Explanations:
    return explanations()


def other_request(line: FetchLine) -> OtherRequest:
    """Another API's request in the place of a Fetch."""
    return OtherRequest(
        line.line,
        line.file,
        "METADATA",
        line.connection,
        line.correlation_id,
        line.client_id,
        line.time_ms,
        line.total_time_ms,
    )


def log(turns: str) -> list[Line]:
    """Lines of connections, one a word: `a0` is the opening of the first, `b2` has epoch 2.

    `a-` is a request of the first that is missing from the log, `a2!` is refused, `ao` is a request
    of another API, and `bf` a full request that opens another session.
    """
    lines: list[Line] = []
    sent = dict.fromkeys(CONNECTIONS, 0)
    for place, turn in enumerate(turns.split(), start=1):
        who = turn[0]
        sent[who] += 1
        if turn[1:] == "-":
            continue
        line = replace(
            OPENING if turn[1] in "0fo" else NEXT,
            line=place,
            connection=CONNECTIONS[who],
            client_id=who,
            correlation_id=sent[who],
            time_ms=BEGIN_MS + 100 * place,
        )
        if turn[1] == "o":
            lines.append(other_request(line))
        elif turn[1] == "f":
            lines.append(replace(line, response_session_id=78))
        elif turn[-1] == "!":
            epoch = int(turn[1:-1])
            refused = {"response_session_id": 0, "error_code": 71, "answered": {}}
            lines.append(replace(line, session_epoch=epoch, **refused))
        else:
            lines.append(replace(line, session_epoch=int(turn[1:])))
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
        # c0 and b0 may have been served right after a0.
        "a0 a1 a2 c0 b0 a3 a4 ao",
    ],
)
def test_what_may_have_come_before_the_opening_is_not_accused(
    model: Explanations, turns: str
) -> None:
    assert departures(model, log(turns)) == []


@pytest.mark.parametrize(
    "turns",
    [
        "a0 a1 a2 b0 a3 b1 b2 a- a4",
        "a0 a1 a2 b0 b1 b2 a- a1",
        # The hole shows later than what it explains: c was given the id, and a1 is missing.
        "b0 a0 b1 c0 a- b2 a2!",
        "a0 a1 a2 b0 b1 ao b- a3 b3!",
        # The hole shows at a line that is none of the session.
        "a0 a1 a2 b0 b1 b- bf ao a3",
    ],
)
def test_what_a_missing_request_explains_is_not_accused(model: Explanations, turns: str) -> None:
    assert departures(model, log(turns)) == []


def lossy_behaviour(random: Random) -> str:
    """What fetchers send one after another whose sessions all get one id, with lines left out.

    A session ends where another one gets its id. Each fetcher has one request under way at a time,
    and a line is written when that is answered.
    """
    written: list[str] = []
    under_way: dict[str, str] = {}
    expected, epochs = 0, dict.fromkeys(CONNECTIONS, 0)
    lost = random.choice((0.05, 0.2, 0.4))
    for _ in range(random.randrange(6, 24)):
        who = random.choice("abc")
        if who in under_way:
            turn = under_way.pop(who)
            written.append(f"{who}-" if random.random() < lost else turn)
            continue
        kind = random.choice("......of0")
        if kind in "of":
            under_way[who] = f"{who}{kind}"
            epochs[who] = epochs[who] if kind == "o" else 0
        elif kind == "0" or epochs[who] == 0:
            under_way[who] = f"{who}0"
            epochs[who] = expected = 1
        elif epochs[who] == expected:
            under_way[who] = f"{who}{expected}"
            epochs[who] = expected = expected + 1
        else:
            under_way[who] = f"{who}{epochs[who]}!"
            epochs[who] = 0
    return " ".join([*written, *under_way.values()])


@pytest.mark.parametrize("seed", range(4))
def test_no_behaviour_that_is_one_of_sessions_is_accused(model: Explanations, seed: int) -> None:
    random = Random(seed)
    for _ in range(250):
        turns = lossy_behaviour(random)
        found = [one for one in departures(model, log(turns)) if one.rule is Rule.ID_ALIVE_TWICE]
        assert found == [], turns


def turn(epoch: int, connection: str, position: int, has_seen: int) -> Turn:
    seen = Seen(connection, position, None, "a.log")
    return Turn(epoch, seen, Connection(position=has_seen, file="a.log"))


def test_a_request_that_is_judged_later_may_come_first() -> None:
    turns = [turn(0, "b", 1, -1), turn(2, "a", 3, 1)]
    assert not is_possible(turns, [], lambda epoch: epoch + 1)
    assert is_possible(turns, [("c", 1)], lambda epoch: epoch + 1)
    assert not is_possible(turns, [("c", 3)], lambda epoch: epoch + 1)
    assert is_possible(turns, [("b", 1)], lambda epoch: epoch + 1)
