"""The command `lockstep` as the pages of the documentation run it."""

from collections.abc import Iterator

import pytest

from tests.docs.forked import Run, forked_commands


@pytest.fixture(scope="session")
def lockstep() -> Iterator[Run]:
    """Runs `lockstep` in a process of its own."""
    with forked_commands() as run:
        yield run
