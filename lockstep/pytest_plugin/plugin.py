"""The entry point: pytest imports this file in every run, so it imports next to nothing itself.

The rest is imported where somebody has switched it on, by `--lockstep` or by the ini option
`lockstep`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.pytest_plugin.settings import KINDS, MARKER, SWITCH, declare

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; no other test run sees more of lockstep than these."""
    declare(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Take part in this run if that is asked for."""
    config.addinivalue_line("markers", f"{MARKER}: something that a workspace of lockstep claims")
    if not (config.getoption(SWITCH) or config.getini(KINDS)):
        return
    from lockstep.pytest_plugin.items import take_part

    take_part(config)
