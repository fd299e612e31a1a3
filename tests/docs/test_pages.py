"""Every page of the documentation is followed from top to bottom in an empty folder.

After a change to what commands print, `LOCKSTEP_ACCEPT=1 pytest tests/docs` writes the output into
the pages again; read what changed. A `...` on a line by itself does not survive that.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.forked import Run
from tests.docs.page import Block, blocks_of
from tests.docs.walk import Walk

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.joinpath("docs").rglob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md"])
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


ACCEPTING = bool(os.environ.get("LOCKSTEP_ACCEPT"))
DEAR = sorted([*ROOT.joinpath("docs", "reviews").glob("*_*.md"), ROOT / "docs/reference/twins.md"])
"""The dearest pages: one a day is followed."""


def _marked(page: Path) -> object:
    if page not in (*DEAR, ROOT / "README.md"):
        return page
    return pytest.param(page, marks=pytest.mark.daily(len(DEAR) if page in DEAR else 1))


@pytest.mark.parametrize(
    "page", list(map(_marked, PAGES)), ids=lambda page: str(page.relative_to(ROOT))
)
def test_page(page: Path, tmp_path: Path, lockstep: Run) -> None:
    blocks = blocks_of(page)
    walk = Walk(tmp_path, lockstep, ACCEPTING)
    walk.follow(blocks)
    if ACCEPTING:
        rewrite(page, blocks, walk)


def rewrite(page: Path, blocks: list[Block], walk: Walk) -> None:
    """Put what commands printed in place of what the page says."""
    lines = page.read_text(encoding="utf-8").splitlines()
    for block in reversed(blocks):
        if block.line in walk.accepted:
            length = len(block.text.splitlines())
            lines[block.line : block.line + length] = walk.accepted[block.line]
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    lost = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert lost == []


def test_every_page_is_in_the_index() -> None:
    docs = ROOT / "docs"
    index = docs / "README.md"
    linked = {(docs / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    assert [page for page in docs.rglob("*.md") if page not in linked and page != index] == []
