"""The reference names everything that there is, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

import lockstep
from tests.docs.generated import PAGES, REFERENCE
from tests.language.test_diagnostics import codes

LANGUAGE = REFERENCE.joinpath("language.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_generated_pages_are_up_to_date(page: str) -> None:
    generate: Callable[[], str] = PAGES[page]
    written = REFERENCE.joinpath(page).read_text(encoding="utf-8")
    assert written == generate(), "write them again: python -m tests.docs.generated"


def test_every_exported_name_has_a_section() -> None:
    headings = re.findall(r"^#+ (.*)$", LANGUAGE, flags=re.MULTILINE)
    named = {name for heading in headings for name in re.findall(r"`(\w+)`", heading)}
    assert set(lockstep.__all__) - named == set()


def test_every_error_is_named_where_it_belongs() -> None:
    named = re.findall(r"\[`([a-z-]+)`\]\(diagnostics\.md#([a-z-]+)\)", LANGUAGE)
    assert all(shown == target for shown, target in named)
    assert {code for code, _ in named} == codes()
