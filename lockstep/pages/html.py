"""A page as HTML: one file that needs no network and no script.

It is built as a tree, so that no text becomes markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.pages.blocks import (
    Block,
    Figure,
    Lines,
    Page,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    spans,
)
from lockstep.words import visible

STYLE = Path(__file__).with_name("page.css")
_MOST_OPEN = 40
"""Lines of a behaviour up to which it is not folded away."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Browsers load and run nothing for the page, whatever is in it."""


def html(page: Page) -> str:
    """The page."""
    root, main = begun(f"{page.title}: {page.verdict}")
    add(main, "h1", page.title)
    lead = add(main, "p", "", "lead")
    add(lead, "strong", page.verdict, page.verdict).tail = f". {visible(page.summary)}"
    _contents(main, page.blocks)
    _blocks(main, page.blocks, 2)
    for number, figure in enumerate(main.iter("figure")):
        _make_unique(figure, f"figure-{number}-")
    return ended(root)


def begun(title: str, *styles: Path, policy: str = "") -> tuple[Element, Element]:
    """A page and its main part, both empty; `policy` allows more than what is in the page."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    content = f"{_POLICY}{policy}"
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": content})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    add(head, "title", title)
    texts = (file.read_text(encoding="utf-8") for file in (STYLE, *styles))
    SubElement(head, "style").text = "".join(texts)
    return root, SubElement(SubElement(root, "body"), "main")


def ended(root: Element) -> str:
    """The text of a page."""
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def fragment(blocks: Iterable[Block], style: str) -> str:
    """Blocks as a piece of another page, such as a notebook, with a `style` of their own."""
    root = Element("div", {"class": "lockstep"})
    SubElement(root, "style").text = style
    _blocks(root, blocks, 4)
    return tostring(root, encoding="unicode", method="html")


def add(parent: Element, tag: str, text: Text, style: str | None = None) -> Element:
    """An element with a text, which may be of several lines."""
    element = SubElement(parent, tag, {} if style is None else {"class": style})
    for span in spans(text):
        if span.target or span.style is not None:
            _span(element, span)
        else:
            _write(element, span.text)
    return element


def _span(parent: Element, span: Span) -> None:
    """A part of a text that has a style or leads somewhere; what is no address leads nowhere."""
    given = {} if span.style is None else {"class": span.style}
    is_link = span.target.startswith(("#", "https://", "http://"))
    _write(SubElement(parent, "a" if is_link else "span", given), span.text)
    if is_link:
        parent[-1].set("href", span.target)


def _write(element: Element, text: str) -> None:
    """Put a text after all that an element has, line by line."""
    first, *others = visible(text).split("\n")
    _append(element, first)
    for line in others:
        SubElement(element, "br").tail = line


def _contents(parent: Element, blocks: Iterable[Block]) -> None:
    """Links to the sections, where there are several."""
    sections = [block for block in blocks if isinstance(block, Section) and _is_titled(block)]
    if len(sections) < 2:
        return
    entries = SubElement(SubElement(parent, "nav", {"aria-label": "Sections"}), "ul")
    for number, section in enumerate(sections):
        link = add(
            SubElement(entries, "li"), "a", f"{section.label} {section.text}".strip(), section.style
        )
        link.set("href", f"#{section.anchor or f'section-{number}'}")


def _is_titled(section: Section) -> bool:
    return bool(section.label or section.text)


def _blocks(parent: Element, blocks: Iterable[Block], level: int) -> None:
    number = 0
    for block in blocks:
        match block:
            case Paragraph():
                _labelled(parent, "p", block)
            case Table():
                _table(parent, block)
            case Lines():
                _lines(parent, block)
            case Figure():
                _figure(parent, block)
            case Section() if _is_titled(block):
                anchor = block.anchor or (f"section-{number}" if level == 2 else "")
                number += level == 2
                _section(parent, block, anchor, level)
            case Section():
                _blocks(SubElement(parent, "div"), block.blocks, level)


def _section(parent: Element, block: Section, anchor: str, level: int) -> None:
    section = SubElement(parent, "details" if block.folded else "section")
    inner = section
    if block.folded:
        # To go to an anchor in what is folded unfolds it.
        _labelled(SubElement(section, "summary"), f"h{level}", block)
        inner = SubElement(section, "div")
    if anchor:
        inner.set("id", anchor)
    if not block.folded:
        _labelled(section, f"h{level}", block)
    _blocks(inner, block.blocks, min(level + 1, 6))


def _figure(parent: Element, figure: Figure) -> None:
    element = SubElement(parent, "figure")
    scrolling(element, figure.caption).append(figure.svg)
    add(element, "figcaption", figure.caption)


def _make_unique(figure: Element, prefix: str) -> None:
    """Give the parts of a drawing names that no other drawing of the page has."""
    for part in figure.iter():
        if "id" in part.attrib:
            part.set("id", prefix + part.attrib["id"])
        if "aria-labelledby" in part.attrib:
            names = part.attrib["aria-labelledby"].split()
            part.set("aria-labelledby", " ".join(prefix + name for name in names))


def _labelled(parent: Element, tag: str, block: Paragraph | Section) -> None:
    if not block.label:
        add(parent, tag, block.text, block.style)
        return
    element = add(parent, tag, "", block.style)
    add(element, "span", block.label, "label").tail = " "
    add(element, "span", block.text)


def _table(parent: Element, table: Table) -> None:
    element = SubElement(scrolling(parent, table.caption or "table"), "table")
    kinds = ["number" if header in table.numbers else None for header in table.heads]
    heading = SubElement(SubElement(element, "thead"), "tr")
    for header, kind in zip(table.heads, kinds, strict=True):
        add(heading, "th", header, kind).set("scope", "col")
    body = SubElement(element, "tbody")
    for row, (word, *cells) in table.lines:
        line = SubElement(body, "tr")
        add(line, "td", word, row.style)
        for cell, kind in zip(cells, kinds[1:], strict=True):
            add(line, "td", cell, kind)


def _lines(parent: Element, block: Lines) -> None:
    if block.caption:
        parent = SubElement(parent, "details", _shown(block))
        add(parent, "summary", block.caption)
    shown = SubElement(scrolling(parent, block.caption or "lines"), "pre")
    for line, text in zip(block.lines, block.texts, strict=True):
        if line.style is None:
            _append(shown, f"{text}\n")
        else:
            add(shown, "span", text, line.style).tail = "\n"


def _shown(block: Lines) -> dict[str, str]:
    is_folded = len(block.lines) > _MOST_OPEN if block.folded is None else block.folded
    return {} if is_folded else {"open": "open"}


def _append(element: Element, text: str) -> None:
    """Put a text after all that an element has."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def scrolling(parent: Element, label: str, style: str = "scroll") -> Element:
    """What can be wider than the page, and is moved by the keyboard as well."""
    given = {"class": style, "role": "region", "aria-label": visible(label), "tabindex": "0"}
    return SubElement(parent, "div", given)
