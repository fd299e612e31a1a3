"""A page as HTML: what a text must not do to it, and that the keyboard reaches all of it."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree.ElementTree import Element, SubElement

from hypothesis import given
from hypothesis import strategies as st

from lockstep.pages.blocks import Figure, Lines, Page, Paragraph, Section, Span
from lockstep.pages.html import html
from lockstep.trace.render import Line
from lockstep.words import visible
from tests.report.pages import TEXTS, page

VOID = ("meta", "br")


class Read(HTMLParser):
    """The tags of a page with the depth of each, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def structure(self) -> list[tuple[str, str | None]]:
        """The tags and classes, but for breaks of lines."""
        return [(tag, given.get("class")) for tag, given in self.tags if tag != "br"]


@given(st.data())
def test_no_text_breaks_the_structure(data: st.DataObject) -> None:
    plain = Read(html(page(lambda: "x")))
    hostile = Read(html(page(lambda: f"x{data.draw(TEXTS)}")))
    assert hostile.structure() == plain.structure()
    assert (hostile.open, plain.open) == ([], [])


@given(TEXTS)
def test_a_text_is_shown_as_it_is(text: str) -> None:
    document = html(Page("t", "holds", "s", (Paragraph(text), Lines((Line(text),)))))
    document.encode()
    words = "".join(visible(text).split())
    assert "".join(Read(document).text.split()).count(words) >= 2


def test_it_needs_nothing_from_elsewhere() -> None:
    read = Read(html(page(lambda: "https://example.org/x.js")))
    tags = {tag for tag, _ in read.tags}
    assert tags.isdisjoint({"script", "link", "img", "iframe", "object", "base", "form"})
    assert not any({"src", "style", "onclick"} & set(given) for _, given in read.tags)
    assert all(given.get("href", "#").startswith("#") for _, given in read.tags)  # type: ignore[union-attr]
    (policy,) = (given for _, given in read.tags if "http-equiv" in given)
    assert policy["content"] == "default-src 'none'; style-src 'unsafe-inline'"
    assert "url(" not in html(page(str))
    assert "prefers-color-scheme: dark" in html(page(str))


def test_the_keyboard_reaches_all_that_scrolls_or_folds() -> None:
    read = Read(html(page(lambda: "x")))
    scrolling = [given for tag, given in read.tags if given.get("class") == "scroll"]
    assert len(scrolling) == sum(tag in ("pre", "table", "svg") for tag, _ in read.tags)
    assert all(given["tabindex"] == "0" and given["aria-label"] for given in scrolling)
    tags = [tag for tag, _ in read.tags]
    assert tags.count("details") == tags.count("summary") == 2


def test_sections_are_linked_and_their_headings_nest() -> None:
    read = Read(html(page(lambda: "x")))
    links = [given["href"] for tag, given in read.tags if tag == "a" and given["href"] != "#a"]
    marks = [f"#{given['id']}" for tag, given in read.tags if tag == "section" and "id" in given]
    assert links == marks == ["#section-0", "#section-1"]
    assert [tag for tag, _ in read.tags if tag in ("h1", "h2", "h3", "h4")] == [
        *("h1", "h2", "h2", "h3", "h3")
    ]


def test_one_section_needs_no_contents() -> None:
    read = Read(html(Page("t", "holds", "s", (Section("", "one"),))))
    assert "nav" not in {tag for tag, _ in read.tags}


def test_a_long_behaviour_is_folded() -> None:
    short, long = (Lines((Line("step"),) * count, "shown") for count in (3, 300))
    folds = [
        given
        for tag, given in Read(html(Page("t", "holds", "s", (short, long)))).tags
        if tag == "details"
    ]
    assert folds == [{"open": "open"}, {}]


def test_what_is_no_address_leads_nowhere() -> None:
    spans = (Span("a", "javascript:alert(1)"), Span("b", "https://example.org/"), Span("c", "#d"))
    read = Read(html(Page("t", "holds", "s", (Paragraph(spans),))))
    assert [given["href"] for tag, given in read.tags if tag == "a"] == [
        "https://example.org/",
        "#d",
    ]


def test_no_two_parts_of_drawings_have_one_name() -> None:
    figures = []
    for _ in range(2):
        svg = Element("svg", {"aria-labelledby": "title"})
        SubElement(svg, "title", {"id": "title"}).text = "<b>"
        figures.append(Figure(svg, "two"))
    read = Read(html(Page("t", "holds", "s", tuple(figures))))
    names = [given["id"] for tag, given in read.tags if tag == "title" and "id" in given]
    labels = [given["aria-labelledby"] for tag, given in read.tags if tag == "svg"]
    assert names == labels
    assert len(set(names)) == 2
