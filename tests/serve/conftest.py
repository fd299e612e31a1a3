"""A page that is served for as long as a test takes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from lockstep.serve.explorer import Explorer
from lockstep.serve.server import ExploreServer
from lockstep.verbs.explore import ExploreRequest, explore
from lockstep.workspace import Workspace

ROOT = Path(__file__).parents[2]
TURNSTILE = Workspace(ROOT / "tests" / "workspaces" / "turnstile", "turnstile")
KAFKA = Workspace(ROOT, "kafka")

Serve: TypeAlias = Callable[[ExploreRequest], ExploreServer]
"""Serves a page on a request until the test is over."""


@contextmanager
def served(request: ExploreRequest) -> Iterator[ExploreServer]:
    with ExploreServer(Explorer(explore(request))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda request: stack.enter_context(served(request))


@pytest.fixture
def turnstile(serve: Serve) -> ExploreServer:
    """The turnstile in its scope `default`."""
    return serve(ExploreRequest(model="turnstile", workspace=TURNSTILE))
