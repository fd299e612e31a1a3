"""A page as HTML: one file that needs no network and no script.

It is built as a tree, so that no text becomes markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.report.page import Block, Lines, Page, Paragraph, Section, Table, visible

_STYLE = "page.css"
_MOST_OPEN = 40
"""Lines of a behaviour up to which it is not folded away."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Browsers load and run nothing for the page, whatever is in it."""


def html(page: Page) -> str:
    """The page."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _add(head, "title", f"{page.title}: {page.verdict}")
    style = SubElement(head, "style")
    style.text = Path(__file__).with_name(_STYLE).read_text(encoding="utf-8")
    main = SubElement(SubElement(root, "body"), "main")
    _add(main, "h1", page.title)
    lead = _add(main, "p", "", "lead")
    _add(lead, "strong", page.verdict, page.verdict).tail = f". {visible(page.summary)}"
    _contents(main, page.blocks)
    _blocks(main, page.blocks, 2)
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def _add(parent: Element, tag: str, text: str, style: str | None = None) -> Element:
    """An element with a text, which may be of several lines."""
    element = SubElement(parent, tag, {} if style is None else {"class": style})
    first, *others = visible(text).split("\n")
    element.text = first
    for line in others:
        SubElement(element, "br").tail = line
    return element


def _contents(parent: Element, blocks: Iterable[Block]) -> None:
    """Links to the sections, where there are several."""
    sections = [block for block in blocks if isinstance(block, Section) and _is_titled(block)]
    if len(sections) < 2:
        return
    entries = SubElement(SubElement(parent, "nav", {"aria-label": "Sections"}), "ul")
    for number, section in enumerate(sections):
        link = _add(
            SubElement(entries, "li"), "a", f"{section.label} {section.text}".strip(), section.style
        )
        link.set("href", f"#section-{number}")


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
            case Section() if _is_titled(block):
                section = SubElement(parent, "section")
                if level == 2:
                    section.set("id", f"section-{number}")
                    number += 1
                _labelled(section, f"h{level}", block)
                _blocks(section, block.blocks, min(level + 1, 6))
            case Section():
                _blocks(SubElement(parent, "div"), block.blocks, level)


def _labelled(parent: Element, tag: str, block: Paragraph | Section) -> None:
    if not block.label:
        _add(parent, tag, block.text, block.style)
        return
    element = _add(parent, tag, "", block.style)
    _add(element, "span", block.label, "label").tail = " "
    _add(element, "span", block.text)


def _table(parent: Element, table: Table) -> None:
    element = SubElement(_scrolling(parent, "table"), "table")
    heading = SubElement(SubElement(element, "thead"), "tr")
    for header in table.heads:
        _add(heading, "th", header).set("scope", "col")
    body = SubElement(element, "tbody")
    for row, (word, *cells) in table.lines:
        line = SubElement(body, "tr")
        _add(line, "td", word, row.style)
        for cell in cells:
            _add(line, "td", cell)


def _lines(parent: Element, block: Lines) -> None:
    if block.caption:
        parent = SubElement(parent, "details", _shown(block))
        _add(parent, "summary", block.caption)
    shown = SubElement(_scrolling(parent, block.caption or "lines"), "pre")
    for line, text in zip(block.lines, block.texts, strict=True):
        if line.style is None:
            _append(shown, f"{text}\n")
        else:
            _add(shown, "span", text, line.style).tail = "\n"


def _shown(block: Lines) -> dict[str, str]:
    return {"open": "open"} if len(block.lines) <= _MOST_OPEN else {}


def _append(element: Element, text: str) -> None:
    """Put a text after all that an element has."""
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _scrolling(parent: Element, label: str) -> Element:
    """What can be wider than the page, and is moved by the keyboard as well."""
    return SubElement(
        parent,
        "div",
        {"class": "scroll", "role": "region", "aria-label": visible(label), "tabindex": "0"},
    )
