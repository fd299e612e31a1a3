"""Every file and folder that a page about the code names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACEHOLDER = re.compile(r"NAME|kip_N|^\.lockstep/|^\.venv/")
PACKAGES = ("lockstep", "lockstep_kafka")
OURS = (*PACKAGES, "bench", "docs", "invariants", "models", "specs", "tests", "tla")


def named_files(page: Path) -> list[str]:
    """The paths below the folders of the project that stand in backticks in a page."""
    words = re.findall(r"`([\w./-]+)`", page.read_text(encoding="utf-8"))
    return [word for word in words if word.split("/")[0] in OURS and "/" in word]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_file_that_is_named_is_there(page: str) -> None:
    files = [file for file in named_files(ROOT / page) if not PLACEHOLDER.search(file)]
    assert len(files) > 15
    assert [file for file in files if not (ROOT / file).exists()] == []


def test_every_floor_is_on_the_page() -> None:
    floors = {
        path.parent.name for package in PACKAGES for path in ROOT.glob(f"{package}/*/__init__.py")
    }
    text = ROOT.joinpath("docs", "architecture.md").read_text(encoding="utf-8")
    assert [floor for floor in sorted(floors) if not re.search(rf"\b{floor}\b", text)] == []
