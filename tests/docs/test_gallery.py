"""The gallery says what is so: each mistake is caught as it says, and missed where it says.

A day has its third of them; `LOCKSTEP_ACCEPT=1 pytest tests/docs/test_gallery.py -n 0` writes what
is measured of all into the page.
"""

import os
from pathlib import Path

import pytest

from tests.docs.gallery import PAGE, Bug, bugs, contents, measured, shown_contents, with_facts

TEXT = PAGE.read_text(encoding="utf-8")
ACCEPTING = bool(os.environ.get("LOCKSTEP_ACCEPT"))


@pytest.mark.daily(3)
@pytest.mark.parametrize("bug", bugs(TEXT), ids=str)
def test_the_facts_of_a_bug_are_as_measured(bug: Bug, tmp_path: Path) -> None:
    facts = measured(bug, tmp_path)
    if ACCEPTING:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_facts(text, {str(bug): facts}), encoding="utf-8")
    else:
        assert bug.facts == facts


def test_the_table_is_of_these_bugs() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert shown_contents(text) == contents(text)
    assert len(bugs(text)) == text.count("<!-- fault ") >= 10
