"""Pages are opened in a real browser."""

import pytest
from playwright.sync_api import Page

from tests.conftest import chromium


@pytest.mark.verify
def test_a_browser_is_installed() -> None:
    assert chromium() is not None, "install Chromium (on Debian: apt-get install chromium)"


def test_a_page_is_drawn_and_its_script_runs(page: Page) -> None:
    page.set_content("<p>no</p><script>document.querySelector('p').textContent = 'yes'</script>")
    assert page.inner_text("p") == "yes"
