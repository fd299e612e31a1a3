"""What `lockstep review` shows as Markdown and as HTML: the same as in text."""

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from tests.cli.repository import CLAIMS, MODEL, git

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

SMALL = ("review", "main..change", "--scope", "small")


@pytest.fixture
def season_tickets(repository: "Desk") -> "Desk":
    """A bad change: entries are not forgotten with their coins, and a claim is weakened with it."""
    repository.edit(
        MODEL, "    new.coins[g] = 0\n    new.entries[g] = 0\n", "    new.coins[g] = 0\n"
    )
    repository.edit(MODEL, "= s.entries[g] + 1", "= min(s.entries[g] + 1, MAX_COINS)")
    repository.edit(CLAIMS, "return s.entries[g] <= s.coins[g]", "return s.entries[g] <= 2")
    entry = '[[review.expected]]\nmodel = "turnstile"\nrequirement = "9-1"\n'
    entry += 'because = "9-5 | a season ticket"\n'
    (repository.root / "specs" / "review.toml").write_text(entry, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "commit", "-am", "season tickets")
    return repository


def words(text: str) -> set[str]:
    return {word for word in text.split() if not re.fullmatch(r"[\d.]+", word)}


def test_a_pull_request_as_markdown(season_tickets: "Desk") -> None:
    ran = season_tickets.run(*SMALL, "--markdown")
    assert ran.code == 1
    first, *lines = ran.out.splitlines()
    assert first == (
        "## lockstep review main..change: violated. 1 scope: 1 violated; "
        "faults not as before: 2; expected: 1"
    )
    assert "| change | property | how | because |" in lines
    (row,) = (line for line in lines if line.startswith("| expected"))
    assert row.startswith("| expected | entries_are_paid | broken in the words of BASE after 3 ")
    assert row.endswith(" | 9-5 &#124; a season ticket |")
    assert "<details><summary>entries_are_paid is broken, step by step</summary>" in lines
    kinds = [token.type for token in MarkdownIt().enable("table").parse(ran.out)]
    assert kinds.count("table_open") == 1
    assert kinds.count("fence") == 5  # two behaviours, twice why the other cannot follow, actions
    assert "  explored" not in ran.out  # nothing is laid out as text is


def test_markdown_html_and_text_say_the_same(season_tickets: "Desk") -> None:
    text = words(season_tickets.run(*SMALL).out)
    ran = season_tickets.run(*SMALL, "--markdown", "--html", "out/review.html")
    assert ran.code == 1
    tags = r"</?(details|summary|span|br)>"
    markdown = words(unescape(re.sub(rf"{tags}|[*|]", " ", ran.out)))
    page = (season_tickets.root / "out" / "review.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>\n<html lang=")
    html = words(unescape(re.sub(r"<[^>]*>", " ", page.partition("<main>")[2])))
    layout = {"->", "because", "|"}
    assert text - layout <= markdown
    assert text - layout <= html


def test_text_is_printed_where_a_page_is_written(season_tickets: "Desk") -> None:
    ran = season_tickets.run(*SMALL, "--html", "review.html", "--brief")
    assert ran.out.startswith("main:turnstile -> change:turnstile, scope small: violated")
    page = (season_tickets.root / "review.html").read_text(encoding="utf-8")
    assert "<details" not in page
    assert "<h2 " in page


def test_brief_markdown_has_no_behaviours(season_tickets: "Desk") -> None:
    out = season_tickets.run(*SMALL, "--markdown", "--brief").out
    assert "<details>" not in out
    assert "the initial state" not in out


def test_what_is_the_same_is_said_in_the_first_line(repository: "Desk") -> None:
    ran = repository.run("review", "main..change", "--markdown")
    assert ran.code == 0
    assert ran.out == (
        "## lockstep review main..change: holds. no model differs\n\n"
        "**the same in both** letters, turnstile\n"
    )


def test_a_page_that_cannot_be_written_is_said(desk: "Desk") -> None:
    (desk.root / "file").write_text("", encoding="utf-8")
    ran = desk.run(
        "review", "turnstile", "turnstile", "--scope", "small", "--html", "file/review.html"
    )
    assert ran.code == 2
    assert "file/review.html cannot be written" in ran.err


def test_json_and_markdown_do_not_go_together(desk: "Desk") -> None:
    ran = desk.run("review", "turnstile", "turnstile", "--json", "--markdown")
    assert (ran.code, "--json does not go with --markdown" in ran.err) == (2, True)
