"""Examples that are not so are found; each test is one way for a page to be wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from tests.docs.forked import Run
from tests.docs.page import PageError, blocks_of
from tests.docs.test_pages import rewrite
from tests.docs.walk import Walk, is_as_expected

HELLO = "```python file=hello.py\nprint('hello')\nprint('it took 0.25 s')\n```\n"


def page_of(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def nothing(arguments: Sequence[str], folder: Path, environment: Mapping[str, str]) -> NoReturn:
    """`lockstep`, which no example here runs."""
    raise AssertionError(arguments)


def follow(folder: Path, text: str, accepting: bool = False) -> Walk:
    walk = Walk(folder, nothing, accepting)
    walk.follow(blocks_of(page_of(folder, text)))
    return walk


@pytest.mark.parametrize(
    "block",
    [
        "```\nplain\n```",
        "    lockstep check",
        "```python\nx = 1\n```",
        "```console file=x\n$ lockstep\n```",
        "```python file=a append=b\n```",
        "```diff append=a\n```",
        "```python not-run\nx = 1\n```",
        "```python file=a file=b\n```",
        "```text file=a not-run=because\n```",
    ],
)
def test_a_block_of_an_unknown_kind_is_a_mistake(block: str, tmp_path: Path) -> None:
    with pytest.raises(PageError, match=r"page\.md:3: "):
        blocks_of(page_of(tmp_path, f"Before.\n\n{block}\n"))


def test_what_is_not_run_says_why(tmp_path: Path) -> None:
    text = '```sh not-run="it never ends"\nyes\n```\n\n```text\na -> b\n```\n'
    text += '```console pending="a verb"\n$ lockstep drive\n```\n'
    assert [block.is_run for block in blocks_of(page_of(tmp_path, text))] == [False] * 3


def test_files_are_written_added_to_and_changed(tmp_path: Path) -> None:
    text = HELLO + "```python append=hello.py\nprint('more')\n```\n"
    text += "```diff file=hello.py\n-print('hello')\n+print('good day')\n print('it took 0.25 s')\n"
    text += "```\n```console\n$ python hello.py\ngood day\nit took ... s\nmore\n```\n"
    follow(tmp_path, text)


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("```console\n$ python hello.py\nhello\n```", r":6: .* does not print this"),
        ("```console exit=1\n$ python hello.py\n...\n```", r":6: .* exits 0, not 1"),
        ("```console\n$ python nothing.py\n...\n```", r":6: .* exits 2, not 0"),
        ("```console\nhello\n```", "begins with a command"),
        ("```console workspace=mine\n$ python hello.py\n```", "no workspace mine"),
        ("```console\n$ rm hello.py\n```", r":6: rm is not run"),
        ("```diff file=hello.py\n-print('bye')\n+\n```", "0 times, not once"),
        ("```diff file=hello.py\nprint('hello')\n```", "begins with a space"),
        ("```diff file=bye.py\n-x\n```", r"writes bye\.py"),
        ("```python append=bye.py\n```", r"writes bye\.py"),
        ("```python file=../bye.py\n```", "outside of the page's folder"),
    ],
)
def test_what_is_not_so_is_found(block: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(PageError, match=problem):
        follow(tmp_path, HELLO + block)


def test_commands_may_run_in_the_kafka_workspace(tmp_path: Path) -> None:
    (tmp_path / "list.py").write_text("import os; print(sorted(os.listdir()))", encoding="utf-8")
    listing = "['invariants', 'lockstep.toml', 'models', 'specs', 'tla']"
    follow(tmp_path, f"```console workspace=kafka\n$ python ../list.py\n{listing}\n```\n")


@pytest.mark.parametrize(
    ("expected", "fits"),
    [
        ("one\ntwo\nthree", True),
        ("one\n...\nthree", True),
        ("one\n...", True),
        ("...", True),
        ("o...\nt...o\nthree", True),
        ("one\ntwo", False),
        ("one\n...\ntwo", False),
        ("o.e\ntwo\nthree", False),
        ("one...three", False),
        ("", False),
    ],
)
def test_three_dots_stand_for_anything(expected: str, fits: bool) -> None:
    assert is_as_expected("one  \ntwo\nthree\n\n", expected.splitlines()) == fits


def test_a_number_that_is_left_out_may_be_wide() -> None:
    assert is_as_expected("holds 1  9.50\n", ["holds 1  ..."])
    assert is_as_expected("holds 1 19.50\n", ["holds 1  ..."])
    assert not is_as_expected("holds 11 9.50\n", ["holds 1  ..."])


def test_what_is_accepted_is_then_so(tmp_path: Path) -> None:
    text = (
        HELLO + "```console\n$ python hello.py\nhowdy\n$ python hello.py\nh...o\nbye\n```\nEnd.\n"
    )
    page = page_of(tmp_path, text)
    blocks = blocks_of(page)
    walk = Walk(tmp_path, nothing, accepting=True)
    walk.follow(blocks)
    rewrite(page, blocks, walk)
    again = tmp_path / "again"
    again.mkdir()
    Walk(again, nothing).follow(blocks_of(page))
    command = "$ python hello.py\n"
    printed = f"{command}hello\nit took ... s\n{command}h...o\nit took ... s\n"
    assert page.read_text(encoding="utf-8") == f"{HELLO}```console\n{printed}```\nEnd.\n"


def test_a_command_is_as_in_a_process_of_its_own(tmp_path: Path, lockstep: Run) -> None:
    environment = {**os.environ, "COLUMNS": "80"}
    for arguments in (["--version"], ["check"], ["nothing"], ["explain", "reserved-name"]):
        own = subprocess.run(
            [sys.executable, "-m", "lockstep", *arguments],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert lockstep(arguments, tmp_path, environment) == (own.returncode, own.stdout)
