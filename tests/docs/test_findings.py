"""Each row of a table of findings that ends in a command: the command shows what the row says.

The last cell but one says after how many steps; `for ever` where a behaviour goes on without what
should come to pass; `never` where no state is reached that should be; nothing where all holds.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from lockstep.cli.main import run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "findings.md"
COMMAND = re.compile(r"`lockstep (check [^`]+)`")
SECTIONS = (
    "## KIP-630: does a fetched snapshot always go further than the follower's log?",
    "## KIP-630: who votes with what",
    "## KIP-630: downloads",
    "## KIP-630: one replica and its disk",
)
"""Those of which every row ends in a command."""


def section_of(heading: str) -> str:
    """The text below a heading, up to the next one."""
    return PAGE.read_text(encoding="utf-8").split(f"{heading}\n", 1)[1].split("\n## ", 1)[0]


def rows_of(text: str) -> list[list[str]]:
    """The cells of each row of the tables of a text, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [
        row
        for row, below in zip(rows, [*rows[1:], []], strict=True)
        if set(row[0]) != {"-"} and not (below and set(below[0]) == {"-"})
    ]


def commands() -> list[object]:
    """The command and the steps of each row that ends in one."""
    parameters: list[object] = []
    for row in rows_of(PAGE.read_text(encoding="utf-8")):
        command = COMMAND.fullmatch(row[-1])
        if command is not None:
            parameters.append(pytest.param(command[1], row[-2], id=command[1]))
    return parameters


@pytest.mark.parametrize("heading", SECTIONS)
def test_every_row_ends_in_a_command(heading: str) -> None:
    rows = rows_of(section_of(heading))
    assert rows != []
    assert [row for row in rows if COMMAND.fullmatch(row[-1]) is None] == []


@pytest.mark.verify
@pytest.mark.parametrize(("command", "steps"), commands())
def test_the_command_shows_what_the_row_says(
    command: str,
    steps: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    run([*shlex.split(command), "--json", "--no-cache", "--save", str(tmp_path)])
    (result,) = json.loads(capsys.readouterr().out)["results"]
    if result["length"] is not None:
        shown = str(result["length"]) if result["details"]["loop"] is None else "for ever"
    else:
        shown = "never" if result["details"]["missed"] else ""
    assert (result["verdict"] == "violated") == bool(steps), result["because"]
    assert shown == steps
