"""The diagrams that the documentation shows are what lockstep draws.

`LOCKSTEP_ACCEPT=1 pytest tests/docs/test_pictures.py` draws them again; look at what changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lockstep.report.replay import pictures_of
from lockstep.verbs.check import CheckRequest, check
from lockstep.verbs.check_result import Checked
from lockstep.verbs.replay import ReplayRequest, replay
from lockstep.workspace import find_workspace
from tests.docs.page import blocks_of

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
MOST_BYTES = 150_000

DIAGRAMS = {
    "throttled_response.svg": ("fetch_session", "throttled_response_without_session"),
}
"""By the file, the model and the fault whose counterexample it shows."""


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_is_drawn_so(name: str, tmp_path: Path) -> None:
    model, fault = DIAGRAMS[name]
    workspace = find_workspace(ROOT)
    run = check(
        CheckRequest(models=(model,), fault=fault, save=tmp_path, workspace=workspace, anew=True)
    )
    (result,) = run.results
    assert isinstance(result, Checked)
    assert result.saved is not None
    replayed = replay(ReplayRequest(result.saved, workspace=workspace))
    (picture,) = pictures_of(replayed, {"svg": PICTURES / name})
    if os.environ.get("LOCKSTEP_ACCEPT"):
        picture.file.write_text(picture.text, encoding="utf-8")
    assert picture.file.read_text(encoding="utf-8") == picture.text


def test_pictures_are_small() -> None:
    pictures = [file for file in PICTURES.iterdir() if file.is_file()]
    assert set(DIAGRAMS) <= {file.name for file in pictures}
    assert [file.name for file in pictures if file.stat().st_size > MOST_BYTES] == []


def test_every_picture_is_shown() -> None:
    pages = [*ROOT.joinpath("docs").rglob("*.md"), ROOT / "README.md"]
    texts = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [file.name for file in PICTURES.iterdir() if file.name not in texts] == []


def test_mermaid_in_a_page_is_what_a_command_printed() -> None:
    """But for pages whose diagrams a test or a command of their own writes."""
    own = ("gallery.md", "clients.md")
    pages = (page for page in ROOT.joinpath("docs").rglob("*.md") if page.name not in own)
    drawn = [block for page in pages for block in blocks_of(page)]
    assert any(block.language == "mermaid" for block in drawn)
    for block in drawn:
        if block.language == "mermaid":
            printed = (other.text for other in drawn if other.page == block.page)
            assert any(text.endswith(block.text) for text in printed if text != block.text)
