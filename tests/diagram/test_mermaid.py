"""A diagram as Mermaid, as far as that can be checked without Mermaid."""

import re
from pathlib import Path

import pytest

from lockstep.diagram.diagram import Diagram, DrawnStep, Fate, Message
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.language.model import load_model
from tests.diagram.post import post, walk

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "golden"
TURNSTILE = ROOT / "tests" / "workspaces" / "turnstile"

TEXT = r"(?:[^#;<&%\"`\\\n]|#\d+;|<br/>)+"
STATEMENT = re.compile(
    rf"  participant L\d+ as {TEXT}|  loop for ever|  end"
    rf"|(?:  )?  (?:L\d+(?:->>|-->>|-x|--\))L\d+|Note over L\d+(?:,L\d+)?): {TEXT}"
)
"""What is written of the grammar of Mermaid's sequence diagrams."""


def assert_is_grammatical(text: str) -> None:
    head, *lines = text.removesuffix("\n").split("\n")
    assert head == "sequenceDiagram"
    for line in lines:
        assert STATEMENT.fullmatch(line), line
    assert lines.count("  loop for ever") == lines.count("  end")
    known = {line.split()[1] for line in lines if line.startswith("  participant")}
    assert set(re.findall(r"\bL\d+(?=->|-x|--|:|,)", text)) <= known


def test_a_turnstile() -> None:
    model = load_model(TURNSTILE, "turnstile", fault="stays_open")
    drawn = sequence(
        model,
        walk(model, "coin", "push", "push"),
        violated="entries_are_paid",
        parameters=("east",),
        fault="stays_open",
    )
    assert to_mermaid(drawn) == (GOLDEN / "turnstile.mmd").read_text("utf-8")


def test_messages_and_a_loop(tmp_path: Path) -> None:
    model = post(tmp_path)
    steps = "write", "copy", "burn", "visit", ("write", "bo"), "open_spare", "close", "visit"
    drawn = sequence(model, walk(model, *steps, loop=6))
    text = to_mermaid(drawn)
    assert_is_grammatical(text)
    assert text == (GOLDEN / "post.mmd").read_text("utf-8")


def test_nothing_happens_any_more(tmp_path: Path) -> None:
    model = post(tmp_path)
    text = to_mermaid(sequence(model, walk(model, "write", loop=1)))
    assert text.endswith("  Note over L0,L1: then nothing happens any more\n")
    assert "loop" not in text


@pytest.mark.parametrize(
    "nasty", ["a;b", "#35;", "<b>", "end\n  loop", "%%{init}%%", "\u202e", "`"]
)
def test_no_text_is_markup(nasty: str) -> None:
    step = DrawnStep(1, nasty, (nasty,), None, (nasty,), fault=nasty)
    message = Message(nasty, 0, 1, 0, 1, Fate.LOST)
    text = to_mermaid(Diagram(nasty, (nasty, "b"), (step,), (message,), None, nasty))
    assert_is_grammatical(text)
    assert len(text.splitlines()) == 6
