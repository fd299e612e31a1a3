"""What is kept of a result that does not hold, for a report to show it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from lockstep.results.verdict import Verdict


@dataclass(frozen=True)
class FailedResult:
    """A result that does not hold.

    `violates` are the properties that are violated, `length` the number of steps of the
    counterexample and `trace` its file. The counts are those of the search, 0 where there was none.
    """

    verdict: Verdict
    because: str
    violates: tuple[str, ...] = ()
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0
    length: int | None = None
    trace: str | None = None


def read_failed(document: Mapping[str, Any]) -> FailedResult | None:
    """The result that a document describes; None where it describes none."""
    try:
        return msgspec.convert(dict(document), FailedResult)
    except msgspec.ValidationError:
        return None
