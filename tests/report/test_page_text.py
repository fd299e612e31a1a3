"""A page as text: what stands where."""

from __future__ import annotations

import pytest

from lockstep.pages.blocks import Lines, Page, Paragraph, Row, Section, Table
from lockstep.pages.html import html
from lockstep.pages.markdown import markdown
from lockstep.pages.output import Output, PageText
from lockstep.trace.render import Line


def shown(capsys: pytest.CaptureFixture[str], *blocks: Section | Paragraph) -> list[str]:
    PageText(Output()).show(blocks)
    return capsys.readouterr().out.splitlines()


def test_sections_stand_within_sections(capsys: pytest.CaptureFixture[str]) -> None:
    rows = (Row(("broken", "one", "after 1 step")), Row(("still violated", "two", "")))
    section = Section(
        "",
        "a -> b",
        "violated",
        (Section("properties", "1 broken", None, (Table(("", "", ""), rows), Paragraph("so"))),),
    )
    assert shown(capsys, section, Paragraph("reason", label="fault")) == [
        "a -> b",
        "  properties  1 broken",
        "    broken    one after 1 step",
        "    still violated two",
        "    so",
        "fault  reason",
    ]


def test_a_note_is_below_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    row = Row(("expected", "one"), None, " ".join(["word"] * 20))
    section = Section("properties", "1 expected", None, (Table(("", ""), (row,)),))
    lines = shown(capsys, section)
    assert lines[1] == "  expected  one"
    assert lines[2] == f"            because  {' '.join(['word'] * 12)}"
    assert lines[3] == f"            {' '.join(['word'] * 8)}"
    assert max(map(len, lines)) <= 80


def test_behaviours_have_one_empty_line_on_each_side(capsys: pytest.CaptureFixture[str]) -> None:
    behaviour, reason = Lines((Line("0  step "),), "shown"), Lines((Line("because"),))
    group = Section(blocks=(Paragraph("only HEAD shows"), behaviour, Paragraph("not"), reason))
    section = Section("behaviours", "differ", None, (group, group))
    assert shown(capsys, section, Section("explored", "1 s")) == [
        "behaviours  differ",
        *("  only HEAD shows", "", "    0  step", "", "  not", "    because", ""),
        *("  only HEAD shows", "", "    0  step", "", "  not", "    because", ""),
        "explored  1 s",
    ]
    first = shown(capsys, Section("a", "b", None, (behaviour, behaviour, Section("c"))))
    assert first == ["a  b", "", "    0  step", "", "    0  step", "", "  c"]


def test_lines_that_are_placed_already_stay_in_place(capsys: pytest.CaptureFixture[str]) -> None:
    lines = (Line("  cost  one"), Line("    two"), Line("three"))
    placed = Lines(lines, margin=2)
    assert shown(capsys, Section("a", "b", None, (placed,)))[1:] == [
        "  cost  one",
        "    two",
        "three",
    ]
    assert list(placed.texts) == ["cost  one", "  two", "three"]
    page = Page("t", "holds", "s", (placed,))
    assert "```text\ncost  one\n  two\nthree\n```" in markdown(page)
    assert "<pre>cost  one\n  two\nthree\n</pre>" in html(page)
