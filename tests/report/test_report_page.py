"""The page of a report in a browser: what a reader sees, reaches, and is not sent elsewhere by."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page

from lockstep.cli.main import run

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
HOSTILE = "<script>document.title = 'run'</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def report_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a workspace in which something is violated and something was not checked."""
    root = tmp_path_factory.mktemp("report") / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    faults = root / "models/faults/turnstile.py"
    faults.write_text(faults.read_text().replace("a gate in Graz", HOSTILE))
    file = root / "report.html"
    place = f"--workspace={root}"
    run(["faults", "turnstile", place])
    claims = root / "invariants/turnstile.py"
    text = claims.read_text()
    claims.write_text(text.replace("s.entries[g] <= s.coins[g]", "s.coins[g] < 1"))
    run(["check", "turnstile", place])
    assert run(["report", place, "--out", str(file)]) == 1
    return file


def open_page(page: Page, file: Path) -> list[str]:
    """Open the page; the addresses that it asks for."""
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri())
    return requests


def test_what_is_broken_comes_first_and_nothing_is_asked_for(page: Page, report_file: Path) -> None:
    requests = open_page(page, report_file)
    assert page.title() == "turnstile: violated"
    titles = page.locator("h2").all_inner_texts()
    assert [title.split(" (")[0] for title in titles][:3] == ["Broken", "Not checked", "Models"]
    assert "is violated in 1 step" in page.locator("figure").first.inner_text()
    assert requests == [report_file.as_uri()]


def test_how_the_states_grow_with_the_steps(page: Page, tmp_path: Path) -> None:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    place, file = f"--workspace={root}", tmp_path / "report.html"
    assert run(["check", "turnstile", place]) == 0
    run(["report", place, "--out", str(file)])
    open_page(page, file)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    caption = "States of turnstile in scope default that so many steps lead to"
    figure = page.locator("figure", has_text=caption)
    labels = figure.locator("text").all_text_contents()
    assert labels[-2:] == ["the initial state", "10 steps"]
    assert figure.locator("circle").count() == 11


def test_what_comes_from_a_model_is_text(page: Page, report_file: Path) -> None:
    open_page(page, report_file)
    assert page.locator("script, img").count() == 0
    assert HOSTILE in page.content().replace("&lt;", "<").replace("&gt;", ">")


def test_a_model_is_unfolded_by_its_link(page: Page, report_file: Path) -> None:
    open_page(page, report_file)
    folded = page.locator("details", has=page.locator("#model-turnstile")).first
    assert folded.get_attribute("open") is None
    page.get_by_role("link", name="turnstile", exact=True).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('#model-turnstile').closest('details').open")
    assert page.locator("#model-turnstile table").first.is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_no_wider_than_the_window(page: Page, report_file: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    open_page(page, report_file)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_headings_are_in_order_and_names_are_given_once(page: Page, report_file: Path) -> None:
    open_page(page, report_file)
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4,h5')].map(h => +h.tagName[1])"
    )
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))
    names = page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(set(names)) == len(names)
