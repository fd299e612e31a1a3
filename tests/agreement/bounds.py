"""What a search with `max_states` has to say, from what the whole search says."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.words import plural
from tests.agreement.summary import summary

FINDS = ("violation", "error")
"""What a search that ends early has not found."""


def bounded(whole: SearchResult, most: int) -> dict[str, Any]:
    """What every engine says of the counts with at most so many states.

    A level that goes beyond is left out, so that it is no matter in which order its states come.
    """
    if whole.states <= most:
        return summary(whole)
    known = [total for total in accumulate(whole.levels) if total <= most]
    depth = len(known) - 1
    return {
        "verdict": Verdict.INCONCLUSIVE,
        "states": known[-1],
        "depth": depth,
        "levels": whole.levels[: depth + 1],
        "because": f"stopped as bounded, with {plural(known[-1], 'state')} known; "
        f"every behaviour of up to {plural(depth, 'step')} is covered",
        "first broken": None,
        "error": None,
    }


def bounds(whole: SearchResult, chance: random.Random) -> list[int]:
    """Bounds just below a level's end, at it, and within one."""
    ends = [*accumulate(whole.levels), whole.states]
    end = chance.choice(ends)
    return [most for most in (end - 1, end, chance.randint(1, whole.states)) if most > 0]


def assert_bounded(
    whole: SearchResult, most: int, *searches: Callable[[int], SearchResult]
) -> SearchResult:
    """Each search says what it has to, and all say the same; what the first says."""
    expected = bounded(whole, most)
    results = [search(most) for search in searches]
    first = summary(results[0])
    assert {name: first[name] for name in expected if name in first} == expected
    for result in results[1:]:
        assert summary(result) == first
    return results[0]
