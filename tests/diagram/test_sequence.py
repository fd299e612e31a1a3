"""What is drawn of a behaviour: lanes, steps, and what becomes of messages."""

from pathlib import Path

import pytest

from lockstep.diagram.diagram import Fate, Message
from lockstep.diagram.sequence import sequence
from lockstep.language.model import load_model
from tests.diagram.post import DIAGRAM, MODEL, post, walk

ROOT = Path(__file__).parents[2]
TURNSTILE = ROOT / "tests" / "workspaces" / "turnstile"

ANN, OFFICE = 0, 1


def messages(root: Path, *steps: str | tuple[str, object]) -> tuple[Message, ...]:
    model = post(root)
    return sequence(model, walk(model, *steps)).messages


def test_a_message_is_sent_and_received(tmp_path: Path) -> None:
    assert messages(tmp_path, "write", "open_letter", "take_receipt") == (
        Message("letter 1", ANN, OFFICE, 1, 2, Fate.RECEIVED),
        Message("receipt", OFFICE, ANN, 2, 3, Fate.RECEIVED),
    )


def test_who_takes_no_part_has_no_lane(tmp_path: Path) -> None:
    model = post(tmp_path)
    assert sequence(model, walk(model, "write", "open_letter")).lanes == ("ann", "office")
    assert sequence(model, walk(model, ("write", "bo"))).lanes == ("bo", "office")
    assert sequence(model, walk(model)).lanes == ("ann", "bo", "office")


def test_everybody_that_a_parameter_names_has_a_lane(tmp_path: Path) -> None:
    model = post(tmp_path, model=GREETED)
    drawn = sequence(model, walk(model, "greet"))
    assert drawn.lanes == ("ann", "bo")
    assert [step.lane for step in drawn.steps] == [ANN]


GREETED = (
    MODEL
    + """

@action
def greet(s, new, c: Client, other: Client):
    require(c != other)
    new.opened = 1
"""
)


def test_another_one_that_takes_a_message_loses_it(tmp_path: Path) -> None:
    (message,) = messages(tmp_path, "write", "burn")
    assert (message.fate, message.ended) == (Fate.LOST, 2)
    assert message.label == "letter 1 (lost)"


def test_what_nobody_took_is_under_way(tmp_path: Path) -> None:
    (message,) = messages(tmp_path, "write", "smudge")
    assert message == Message("letter 0", ANN, OFFICE, 1, None, Fate.UNDER_WAY)
    assert message.label == "letter 0 (still under way)"


def test_a_message_that_is_put_aside_arrives_late(tmp_path: Path) -> None:
    (message,) = messages(tmp_path, "write", "put_aside", "open_spare")
    assert message == Message("letter 1", ANN, OFFICE, 1, 3, Fate.RECEIVED)
    assert message.label == "letter 1 (sent in step 1)"


def test_a_copy_is_a_message_of_its_own(tmp_path: Path) -> None:
    copied = messages(tmp_path, "write", "copy", "open_letter", "open_spare")
    assert Message("letter 1", ANN, OFFICE, 1, 3, Fate.RECEIVED) in copied
    assert Message("letter 1", ANN, OFFICE, 1, 4, Fate.RECEIVED, is_copy=True) in copied


def test_what_is_sent_again_was_lost(tmp_path: Path) -> None:
    assert messages(tmp_path, "write", "write_again", "open_letter")[:2] == (
        Message("letter 1", ANN, OFFICE, 1, 2, Fate.LOST),
        Message("letter 1", ANN, OFFICE, 2, 3, Fate.RECEIVED),
    )


def test_a_message_may_take_no_time(tmp_path: Path) -> None:
    assert messages(tmp_path, "visit") == (Message("talk of 0", ANN, OFFICE, 1, 1, Fate.RECEIVED),)


def test_what_is_received_and_kept_is_there_once_more(tmp_path: Path) -> None:
    kept = DIAGRAM.replace('lost = ["write_again"]', 'received = ["peek"]')
    model = post(tmp_path, kept.replace('"close"]', '"close", "peek"]'), PEEKED)
    drawn = sequence(model, walk(model, "write", "peek", "open_letter")).messages
    assert [(message.ended, message.fate, message.is_copy) for message in drawn[:2]] == [
        (2, Fate.RECEIVED, False),
        (3, Fate.RECEIVED, True),
    ]


PEEKED = (
    MODEL
    + """

@action
def peek(s, new, c: Client):
    require(s.letter[c] is not None)
    new.letter[c] = s.letter[c]
"""
)


def test_a_message_may_be_there_from_the_start(tmp_path: Path) -> None:
    model = post(tmp_path)
    trace = walk(model, "write", "open_letter")
    later = type(trace)(trace.steps[0].state, trace.steps[1:])
    first = sequence(model, later).messages[0]
    assert first == Message("letter 1", ANN, OFFICE, 0, 1, Fate.RECEIVED)


def test_steps_are_in_their_lanes(tmp_path: Path) -> None:
    model = post(tmp_path)
    drawn = sequence(model, walk(model, "write", "copy", "open_letter", "write", "burn"))
    assert [step.lane for step in drawn.steps] == [ANN, None, OFFICE, ANN, None]
    assert [step.is_environment for step in drawn.steps] == [False] * 4 + [True]
    # Messages are arrows, and no changes of a variable.
    assert drawn.steps[0].changes == ("written[ann]: 0 -> 1",)
    assert drawn.steps[0].title == "write(c=ann)"


def test_what_a_proposal_does_not_have_is_left_out(tmp_path: Path) -> None:
    model = post(tmp_path, DIAGRAM + LOST_VARIABLE)
    assert len(sequence(model, walk(model, "write", "open_letter")).messages) == 2


LOST_VARIABLE = '[diagram.messages.pigeon]\nfrom = "office"\nto = "{key}"\ntext = "coo"\n'


def test_without_a_declaration_every_step_is_in_the_lane_of_its_parameter() -> None:
    model = load_model(TURNSTILE, "turnstile", fault="stays_open")
    trace = walk(model, "coin", "push", ("coin", "west"))
    drawn = sequence(
        model, trace, violated="entries_are_paid", parameters=("east",), fault="stays_open"
    )
    assert drawn.lanes == ("east", "west")
    assert [step.lane for step in drawn.steps] == [0, 0, 1]
    assert [step.fault for step in drawn.steps] == [None, "changed by the fault", None]
    assert drawn.messages == ()
    assert drawn.ending == "entries_are_paid(g=east) is violated"
    assert drawn.title == "turnstile with the fault stays_open"


def test_without_a_declaration_a_step_of_nobody_is_in_no_lane(tmp_path: Path) -> None:
    model = post(tmp_path, '[model]\nname = "post"\n')
    drawn = sequence(model, walk(model, ("visit", "bo"), "close"))
    assert drawn.lanes == ("ann", "bo")
    assert [step.lane for step in drawn.steps] == [1, None]


@pytest.mark.parametrize("name", ["letters", "turnstile"])
def test_lanes_are_the_names_that_most_actions_have(name: str) -> None:
    model = load_model(TURNSTILE, name)
    lanes = {"letters": ("letters",), "turnstile": ("east", "west")}
    assert sequence(model, walk(model)).lanes == lanes[name]
