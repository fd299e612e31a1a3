"""How deeply a model's text may be nested: it is walked by recursion, which Python limits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FRAMES = 20_000
"""Python frames for a walk over a model: some thousand operands of one operator."""

_FRAMES_TO_READ = 5_000
"""Frames for the front end. What it accepts, other walks accept: none takes four times as many."""


def allow_nesting() -> None:
    """Let this process walk over what the front end accepts, whatever Python's usual limit is."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))


@contextmanager
def reading() -> Iterator[None]:
    """Hold the front end to fewer frames than are left to the walks that come after it."""
    before = sys.getrecursionlimit()
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + _FRAMES_TO_READ)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
