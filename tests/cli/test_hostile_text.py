"""What others wrote moves no cursor, begins no line and gives no command, in any output."""

import json
import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

SAYS = "Nobody\x1b[2J gets\x07 in\u202e with\x85out\r a coin.\n\n::error::taken\n\t::set-env::x\x9b"
ASKS = "Every\x1b]0;entry\x07 shall\u2028 be paid.\x7f"
FOLDER = "evil\n::error::name\x1b[31m\u202e"
HOSTILE = "\x1b\x07\u202e\x85\r\x9b\u2028\x7f"


@pytest.fixture
def hostile(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> "Desk":
    """Docstrings and requirements of which the text is not to be trusted, in such a folder."""
    desk.edit("invariants/turnstile.py", '"""Nobody gets in without a coin."""', json.dumps(SAYS))
    desk.edit("specs/kip_9.toml", '"Every entry shall be paid for."', json.dumps(ASKS))
    desk.edit(
        "models/turnstile.py", "    new.arm[g] = Arm.LOCKED\n    new.entries", "    new.entries"
    )
    desk.edit("models/turnstile.py", '"""Somebody goes in."""', json.dumps(SAYS))
    root = desk.root.parent / FOLDER
    shutil.move(desk.root, root)
    desk.root = root
    monkeypatch.chdir(root)
    return desk


COMMANDS = {
    "text": ("check", "turnstile"),
    "pytest": ("check", "turnstile", "--pytest"),
    "json": ("check", "turnstile", "--json"),
    "saved elsewhere": ("check", "turnstile", "--save", f"../{FOLDER}/saved\nhere\x1b[1m"),
    "faults": ("faults", "turnstile"),
    "matrix": ("matrix", "turnstile"),
    "review": ("review", "turnstile", "turnstile.kicked_open"),
    "review in Markdown": ("review", "turnstile", "turnstile.kicked_open", "--markdown"),
    "review in JSON": ("review", "turnstile", "turnstile.kicked_open", "--json"),
    "no such file": ("replay", f"{FOLDER}.json"),
    "proof": ("prove", "turnstile", "--k", "1"),
    "conform": ("conform", f"no\nsuch\x1b[1m{FOLDER}.log"),
    "report": ("report",),
    "no such workspace": ("check", "--workspace", f"no\nsuch\x1b[1m{FOLDER}"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_is_printed(hostile: "Desk", command: tuple[str, ...]) -> None:
    ran = hostile.run(*command)
    hold(ran.out)
    hold(ran.err)
    assert ran.out or ran.err


def test_json_is_the_text_all_the_same(hostile: "Desk") -> None:
    ran = hostile.run("review", "turnstile", "turnstile.kicked_open", "--json", "--scope", "small")
    texts = set(strings(json.loads(ran.out)))
    assert "turnstile.kicked_open" in texts
    run = hostile.run("check", "turnstile", "--sarif", "out.sarif")
    assert run.code == 1
    text = (hostile.root / "out.sarif").read_text("utf-8")
    hold(text)
    rules = json.loads(text)["runs"][0]["tool"]["driver"]["rules"]
    assert any("\x1b[2J" in rule["fullDescription"]["text"] for rule in rules)


def test_annotations_are_one_line_each(hostile: "Desk") -> None:
    ran = hostile.run("check", "turnstile", "--github")
    commands = [line for line in ran.out.splitlines() if line.lstrip().startswith("::")]
    assert [line.partition(" ")[0] for line in commands] == ["::error"]
    assert "file=" in commands[0]
    hold(ran.out, but=commands)


@pytest.mark.parametrize("option", ["check --summary", "review --html", "replay --html"])
def test_files_that_are_pages(hostile: "Desk", option: str) -> None:
    hostile.run("check", "turnstile")
    (trace,) = (hostile.root / ".lockstep" / "counterexamples").iterdir()
    verb, flag = option.split()
    given = {
        "check": ("turnstile",),
        "review": ("turnstile", "turnstile.kicked_open"),
        "replay": (str(trace),),
    }[verb]
    hostile.run(verb, *given, flag, "out")
    text = (hostile.root / "out").read_text("utf-8")
    assert "gets" in text
    assert not set(text) & set(HOSTILE)


def test_a_replayed_trace(hostile: "Desk") -> None:
    hostile.run("check", "turnstile")
    (trace,) = (hostile.root / ".lockstep" / "counterexamples").iterdir()
    other = trace.with_name(f"x{FOLDER}.itf.json".replace("/", ""))
    os.rename(trace, other)
    ran = hostile.run("replay", str(other))
    assert ran.code == 1
    hold(ran.out)


def hold(text: str, but: list[str] | None = None) -> None:
    """That nothing in a text moves a cursor, and that no line of it is a command."""
    kept = {"\n", "\t"}
    assert [letter for letter in text if not letter.isprintable() and letter not in kept] == []
    lines = [line for line in text.splitlines() if line not in (but or [])]
    begun = (r"::", r"\x3a:error::name")  # the docstring has such lines, and no file's name has
    assert [line for line in lines if line.lstrip().startswith(begun)] == []


def strings(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for value in document.values():
            yield from strings(value)
    elif isinstance(document, list):
        for value in document:
            yield from strings(value)
