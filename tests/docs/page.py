"""The fenced blocks of a page, and what the words after a fence's language say of each.

    python file=models/lease.py     the text of a file (of any language), which is written
    python append=models/lease.py   more text at the end of a file that the page has written
    diff file=models/lease.py       a change to a file: its lines with ` ` and `-`, which stand
                                    there once, give way to those with ` ` and `+`
    console                         commands after `$ `, each with what it prints; the last one ends
                                    with the exit code of `exit=1` (0 unless said), others with 0;
                                    `workspace=kafka` runs them in a copy of this repository's own
    text, mermaid                   a picture, or a part of something that is run elsewhere
    any, with not-run="reason"      an example that cannot be run
    any, with pending="what"        an example of something that is still to come

Anything else is a mistake, an indented block included: no example is passed over in silence.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

PICTURES = ("text", "mermaid")
_OPTIONS = {"console": ("exit", "workspace"), "diff": ("file",)}
_OF_FILES = ("file", "append")
_NOT_RUN = ("not-run", "pending")


class PageError(AssertionError):
    """A page says something that is not so; the text begins with the page and the line."""


@dataclass(frozen=True)
class Block:
    """One fenced block. `line` is that of its fence, counted from 1."""

    page: Path
    line: int
    language: str
    options: Mapping[str, str]
    text: str

    @property
    def is_run(self) -> bool:
        """Whether anything is done with the block."""
        return self.language not in PICTURES and not set(_NOT_RUN) & set(self.options)

    def error(self, problem: str, line: int = 0) -> PageError:
        """A problem with this block, or with one line of it (1 is the first below the fence)."""
        return PageError(f"{self.page}:{self.line + line}: {problem}")


def blocks_of(page: Path) -> list[Block]:
    """The fenced blocks of a page in order; `PageError` for one of an unknown kind."""
    blocks = []
    for token in MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8")):
        if token.type not in ("fence", "code_block"):
            continue
        assert token.map is not None
        line = token.map[0] + 1
        if token.type == "code_block":
            raise PageError(f"{page}:{line}: an indented block does not say what it is: fence it")
        blocks.append(_block(page, line, token.info, token.content))
    return blocks


def _block(page: Path, line: int, info: str, text: str) -> Block:
    words = shlex.split(info)
    language = words[0] if words and "=" not in words[0] else ""
    pairs = [word.partition("=") for word in (words[1:] if language else words)]
    block = Block(page, line, language, {name: value for name, _, value in pairs}, text)
    given = set(block.options)
    if len(given) != len(pairs) or not all(block.options.values()):
        raise block.error(f"each option is given once, with a value: `{info}`")
    if given and given <= set(_NOT_RUN):
        return block
    if language in PICTURES and not given:
        return block
    if language == "console" and given <= set(_OPTIONS["console"]):
        return block
    if language and len(given) == 1 and given <= set(_OPTIONS.get(language, _OF_FILES)):
        return block
    raise block.error(f"what is to be done with a block `{info}`? See tests/docs/page.py")
