"""A page as Markdown, as GitHub shows it in a pull request.

What could be markup in a text stands there as a character reference: no text mentions anybody or
refers to an issue. Lines that are laid out already are in a fence that none of them ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lockstep.pages.blocks import (
    Block,
    Figure,
    Lines,
    Page,
    Paragraph,
    Section,
    Table,
    Text,
    spans,
)
from lockstep.words import visible

MOST_CHARACTERS = 60_000
"""Characters of a page; GitHub takes comments of 65,536."""

_MOST_OPEN = 14
"""Lines of a behaviour up to which it is not folded away."""

_SPECIAL = re.compile(
    r"(?P<meant>[@#$]|:(?=[\w+-]+:|//)|(?<=www)\.)"
    r"|[\\`*\[\]<&|~]|(?<![^\W_])_|_(?![^\W_])|^[-+=:>]|^\d+[.)]",
    re.MULTILINE | re.IGNORECASE,
)
"""What could be markup, anywhere or where a line begins.

`meant` is what GitHub makes a mention, an issue, a formula, an emoji or a link of, though markup it
is not: apart from its neighbours it does not.
"""


def markdown(page: Page) -> str:
    """The page; where it is too long, the longest behaviours are left out and that is said."""
    left_out: set[int] = set()
    text = _page(page, left_out)
    lengths = {
        id(one): sum(len(line.text) for line in one.lines) for one in _captioned(page.blocks)
    }
    for number in sorted(lengths, key=lengths.__getitem__, reverse=True):
        if len(text) <= MOST_CHARACTERS:
            break
        left_out.add(number)
        text = _page(page, left_out)
    return text


def _page(page: Page, left_out: set[int]) -> str:
    title = f"## {_inline(f'{page.title}: {page.verdict}. {page.summary}')}"
    return "\n\n".join([title, *_blocks(page.blocks, left_out)]) + "\n"


def _captioned(blocks: Iterable[Block]) -> Iterator[Lines]:
    for block in blocks:
        if isinstance(block, Section):
            yield from _captioned(block.blocks)
        elif isinstance(block, Lines) and block.caption:
            yield block


def _blocks(blocks: Iterable[Block], left_out: set[int], depth: int = 0) -> Iterator[str]:
    for block in blocks:
        match block:
            case Paragraph():
                yield _labelled(block.label, block.text)
            case Table():
                yield _table(block)
            case Lines():
                yield _lines(block, id(block) in left_out)
            case Figure():
                yield _figure(block)
            case Section():
                yield from _section(block, left_out, depth)


def _section(section: Section, left_out: set[int], depth: int) -> Iterator[str]:
    title = f"{section.label} {section.text}".strip()
    if section.folded and title:
        inner = "\n\n".join(_blocks(section.blocks, left_out, depth + 1))
        yield f"<details><summary>{_inline(title)}</summary>\n\n{inner}\n\n</details>"
        return
    if depth == 0 and section.text:
        yield f"### {_inline(title)}"
    elif title:
        yield _labelled(section.label, section.text)
    yield from _blocks(section.blocks, left_out, depth + 1)


def _figure(figure: Figure) -> str:
    if not figure.mermaid:
        return f"*{_inline(figure.caption)}*"
    longest = max(map(len, re.findall("`+", figure.mermaid)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}mermaid\n{figure.mermaid.rstrip()}\n{fence}\n\n*{_inline(figure.caption)}*"


def _labelled(label: str, text: Text) -> str:
    shown = _linked(text).replace("\n", "<br>\n")
    return f"**{_inline(label)}** {shown}".rstrip() if label else shown


def _table(table: Table) -> str:
    rows = [
        table.heads,
        tuple("---:" if head in table.numbers else "---" for head in table.heads),
        *([_linked(cell).replace("\n", "<br>") for cell in cells] for _, cells in table.lines),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _lines(block: Lines, is_left_out: bool) -> str:
    caption = _inline(block.caption)
    if is_left_out:
        return f"*{caption}: left out here, for the page would be too long*"
    text = "\n".join(block.texts)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    fenced = f"{fence}text\n{text}\n{fence}"
    if not caption:
        return fenced
    if len(block.lines) <= _MOST_OPEN:
        return f"*{caption}*\n\n{fenced}"
    return f"<details><summary>{caption}</summary>\n\n{fenced}\n\n</details>"


def _linked(text: Text) -> str:
    """A text whose parts lead elsewhere; there are no links within a comment."""
    first, *others = spans(text)
    if not others and not first.target:
        return _escaped(first.text)
    return "".join(
        f"[{_part(span.text)}]({span.target})" if "://" in span.target else _part(span.text)
        for span in (first, *others)
    )


def _part(text: str) -> str:
    """A part of a line, with the blank or the end of a line at its ends."""
    before, after = (end if end in (" ", "\n") else "" for end in (text[:1], text[-1:]))
    return f"{before}{_escaped(text)}{after if text.strip() else ''}"


def _inline(text: str) -> str:
    """A text on one line: of a heading, a cell or a summary."""
    return _escaped(text).replace("\n", "<br>")


def _escaped(text: str) -> str:
    """A text that Markdown and HTML show as it is, line by line."""
    lines = (line.strip() for line in visible(text).split("\n"))
    return _SPECIAL.sub(_alone, "\n".join(filter(None, lines)))


def _alone(special: re.Match[str]) -> str:
    if special["meant"]:
        return f"<span>{special[0]}</span>"
    return "".join(f"&#{ord(character)};" for character in special[0])
