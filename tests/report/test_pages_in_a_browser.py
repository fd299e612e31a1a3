"""Pages of a review and of a fleet in a browser: nothing runs, nothing is asked for.

Those of a counterexample, of a report and of `explore` have tests of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from lockstep.pages.html import html
from lockstep_kafka.report.fleet import fleet_page
from tests.kafka.report.test_fleet_page import figures
from tests.report import pages

HOSTILE = "<script>document.title = 'taken over'</script><img src=x onerror=alert(1)>"
PAGES: dict[str, Callable[[], str]] = {
    "review": lambda: html(pages.page(lambda: HOSTILE)),
    "fleet": lambda: fleet_page(figures(HOSTILE), HOSTILE),
}


@pytest.fixture(params=PAGES)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A page whose texts would like to be more than that."""
    written = tmp_path / "page.html"
    written.write_text(PAGES[request.param](), encoding="utf-8")
    return written


def test_texts_stay_texts_and_nothing_is_asked_for(page: Page, file: Path) -> None:
    requests: list[str] = []
    page.on("request", lambda one: requests.append(one.url))
    page.goto(file.as_uri())
    assert requests == [file.as_uri()]
    assert page.title() != "taken over"
    assert page.locator("script, img").count() == 0
    assert "<script>" in page.inner_text("body")


@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_no_wider_than_the_window(page: Page, file: Path, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_is_dark_where_that_is_asked_for(page: Page, file: Path) -> None:
    page.goto(file.as_uri())
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(
            page.evaluate(
                "[getComputedStyle(document.body).color,"
                " getComputedStyle(document.body).backgroundColor]"
            )
        )
    (text, ground), (dark_text, dark_ground) = colours
    assert ground == "rgb(255, 255, 255)" != dark_ground
    assert text != dark_text
