"""Pages of any content."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from hypothesis import strategies as st

from lockstep.pages.blocks import (
    Figure,
    Lines,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
)
from lockstep.trace.render import Line

MARKUP = st.sampled_from(
    [
        *("`", "```", "~~~", "|", "\\", "\\|", "*", "**", "_", "__", "[x](y)", "![x](y)", "<b>"),
        *("</pre>", "</summary>", "<!--", "]]>", "&amp;", "\n", "\n\n", "---", "===", "# ", "> "),
        *(
            "- ",
            "1. ",
            "1) ",
            "+ ",
            "    ",
            "\t",
            ":-:",
            "[x]: y",
            "<script>",
            "'",
            '"',
            "https://",
        ),
        *("@somebody", "#1", "$x$", ":tada:", "www.example.org", "\r", "\x00", "\u2028", "\u202e"),
        *("\x85", "\ud800", " ", "word", "0"),
    ]
)
TEXTS = st.lists(MARKUP | st.characters(), max_size=8).map("".join)


def page(text: Callable[[], str]) -> Page:
    """A page of every kind of block, with texts from anywhere."""
    return Page(
        text(),
        "violated",
        text(),
        (
            Section("", f"a{text()}", "violated", (Paragraph(f"b{text()}"),)),
            Section(
                f"c{text()}",
                f"d{text()}",
                None,
                (
                    Table(("one", "two"), (Row(("e", text()), "dim", f"f{text()}"),)),
                    Lines((Line(text(), "bold"), Line(f"g{text()}"), Line(text()))),
                    Section(blocks=(Lines((Line(text()),) * 30, f"h{text()}"),)),
                    Section(f"i{text()}", f"j{text()}"),
                    Section(
                        f"m{text()}",
                        blocks=(
                            Paragraph((f"n{text()}", Span(f"o{text()}", "#a", "dim"))),
                            Figure(Element("svg"), f"p{text()}", f"q{text()}"),
                        ),
                        folded=True,
                        anchor="a",
                    ),
                ),
            ),
            Paragraph(f"k{text()}", "dim", f"l{text()}"),
        ),
    )
