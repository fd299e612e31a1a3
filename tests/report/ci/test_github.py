"""Workflow commands: one line each, whatever a model's text says."""

import re
from pathlib import Path
from urllib.parse import unquote

from hypothesis import given
from hypothesis import strategies as st

from lockstep.language.source import Place
from lockstep.report.ci.problems import Gap, Level, Problem, Problems, Rule, SourceRoot, Unknown
from lockstep.report.ci.sarif import workflow_commands
from lockstep.words import visible

ROOT = SourceRoot(Path("/a"), "specs of it/")
TEXTS = st.lists(
    st.sampled_from(["%", "%0A", "\r", "\n", ":", "::", ",", "::error::", "a", " ", "\x07", "é"])
).map("".join)


def problem(subject: str, message: str) -> Problem:
    place = Place(Path("/a/models/x, y:z.py"), 3, 4, 3, 9)
    return Problem(Rule("r", "a rule", "a rule"), place, subject, message, ())


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A command as GitHub reads it."""
    match = re.fullmatch(r"::(\w+) ([^\r\n]*?)::([^\r\n]*)", line)
    assert match is not None
    pairs = (part.split("=", 1) for part in match[2].split(","))
    return match[1], {name: unquote(value) for name, value in pairs}, unquote(match[3])


@given(TEXTS, TEXTS)
def test_every_text_arrives_as_it_is(subject: str, message: str) -> None:
    one = Problems("check/default", 1, (problem(subject, message),), ())
    (line,) = workflow_commands(one, ROOT)
    command, properties, text = read(line)
    assert command == "error"
    assert properties["file"] == "specs of it/models/x, y:z.py"
    assert (properties["line"], properties["endLine"]) == ("3", "3")
    assert properties["title"] == visible(subject)
    assert text == visible(message)


def test_what_is_wrong_comes_before_what_is_not_known() -> None:
    gaps = (
        Gap(Unknown.SKIPPED, Level.NOTE, "c", "skipped"),
        Gap(Unknown.EXPECTED, Level.NOTE, "d", "as pinned, which is no news"),
        Gap(Unknown.IDLE, Level.WARNING, "b", "never fired"),
        Gap(Unknown.INTERRUPTED, Level.ERROR, "a", "interrupted"),
    )
    lines = workflow_commands(Problems("check", 1, (problem("p", "wrong"),), gaps), ROOT)
    shown = [(command, text) for command, _, text in map(read, lines)]
    assert shown == [
        ("error", "wrong"),
        ("error", "interrupted"),
        ("warning", "never fired"),
        ("notice", "skipped"),
    ]
