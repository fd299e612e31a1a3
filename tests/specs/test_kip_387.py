"""How many polls may pass a partition over, under each rule in the review of KIP-387."""

from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.requests.check import CheckRequest
from lockstep.results.verdict import Verdict
from lockstep.verbs.check import check
from lockstep.workspace import find_workspace

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("proposal", "longest_wait", "verdict"),
    [
        (None, 1, Verdict.VIOLATED),
        (None, 2, Verdict.HOLDS),
        ("round_robin", 2, Verdict.VIOLATED),
        ("round_robin", 6, Verdict.VIOLATED),
        ("one_line", 0, Verdict.VIOLATED),
        ("one_line", 1, Verdict.HOLDS),
    ],
)
def test_longest_wait(proposal: str | None, longest_wait: int, verdict: Verdict) -> None:
    request = CheckRequest(
        models=("fair_consumption",),
        workspace=find_workspace(ROOT),
        only=("wait_is_bounded",),
        constants={"LONGEST_WAIT": longest_wait},
        proposal=proposal,
        threads=1,
    )
    (result,) = check(request).results
    assert result.verdict is verdict
