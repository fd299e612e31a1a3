"""Markdown of a page: what a text must not do to it, and what is left out of a long one."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from lockstep.pages.blocks import Lines, Page, Paragraph, Row, Section, Table
from lockstep.pages.markdown import MOST_CHARACTERS, markdown
from lockstep.trace.render import Line
from lockstep.words import visible
from tests.report.pages import TEXTS, page

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def blocks(text: str) -> list[tuple[str, str]]:
    return [(token.type, token.tag) for token in PARSER.parse(text)]


def shown(tokens: list[Token]) -> str:
    """What a reader sees of some tokens."""
    parts = []
    for token in tokens:
        if token.children:
            parts.append(shown(token.children))
        elif token.type == "html_block":
            parts.append(unescape(re.sub("<[^>]*>", "", token.content)))
        elif token.type != "html_inline":
            parts.append(token.content)
    return "\n".join(parts)


def inline(text: str) -> set[str]:
    """The kinds of what is within a line."""
    return {child.type for token in PARSER.parse(text) for child in token.children or []}


@given(st.data())
def test_no_text_breaks_the_structure(data: st.DataObject) -> None:
    plain = markdown(page(lambda: "x"))
    hostile = markdown(page(lambda: f"x{data.draw(TEXTS)}"))
    assert blocks(hostile) == blocks(plain)
    allowed = {"text", "text_special", "html_inline", "softbreak"}
    allowed |= {"strong_open", "strong_close", "em_open", "em_close"}
    assert inline(hostile) <= allowed
    outside = re.sub("(?s)````*(?:text|mermaid)\n.*?\n```+\n", "", hostile)
    assert set(re.findall(r"<[^>]*>", outside)) <= {
        *("<br>", "<span>", "</span>", "<summary>", "</summary>", "<details>", "</details>")
    }


@given(TEXTS)
def test_a_text_is_shown_as_it_is(text: str) -> None:
    document = markdown(Page("t", "holds", "s", (Paragraph(f"x{text}x"),)))
    words = "".join(visible(f"x{text}x").split())
    assert words in "".join(shown(PARSER.parse(document)).split())


@given(TEXTS)
def test_lines_keep_every_blank(text: str) -> None:
    line = f"x{text}x"
    document = markdown(Page("t", "holds", "s", (Lines((Line(line),)),)))
    (fence,) = (token for token in PARSER.parse(document) if token.type == "fence")
    assert fence.content == f"{visible(line)}\n"


@given(TEXTS)
def test_nobody_is_mentioned(text: str) -> None:
    document = markdown(Page(text, "holds", text, (Paragraph(text, label=text),)))
    assert re.search(r"@\w|(?<!&)#\d|https?://|:tada:|\$x", document) is None


def test_the_verdict_comes_first() -> None:
    document = markdown(Page("lockstep review a b", "violated", "2 scopes: 1 violated", ()))
    assert document == "## lockstep review a b: violated. 2 scopes: 1 violated\n"


def test_a_table_has_notes_where_a_row_has_one() -> None:
    rows = (Row(("broken", "one_a|b")), Row(("expected", "two"), None, "because of it"))
    document = markdown(Page("t", "holds", "s", (Table(("change", "property"), rows),)))
    assert document.splitlines()[2:] == [
        "| change | property | because |",
        "| --- | --- | --- |",
        "| broken | one_a&#124;b |  |",
        "| expected | two | because of it |",
    ]


def test_a_long_behaviour_is_folded_and_a_short_one_is_not() -> None:
    short, long = (Lines((Line("step"),) * count, "shown") for count in (3, 30))
    assert "<details>" not in markdown(Page("t", "holds", "s", (short,)))
    assert "<details><summary>shown</summary>" in markdown(Page("t", "holds", "s", (long,)))


def test_the_longest_behaviours_of_a_page_that_is_too_long_are_left_out() -> None:
    sizes = (10, 5_000, 20, 3_000)
    behaviours = [Lines((Line("0123456789"),) * size, f"of {size}") for size in sizes]
    document = markdown(Page("t", "holds", "s", (Section("a", "b", None, tuple(behaviours)),)))
    assert len(document) <= MOST_CHARACTERS
    assert "*of 5000: left out here, for the page would be too long*" in document
    assert document.count("0123456789") == 10 + 20 + 3_000
