"""The search on Spark itself, in one session of two threads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.spark.search.search import NearBounds, explore_on_spark
from lockstep.spark.session import KEPT_SESSION
from tests.spark.search.cases import ROOT, Case, compared

REQUEST = Exploration("spark", master="local[2]")
LATER = NearBounds(states=900, small=300, owners=2)
"""The first levels in this process, the rest by jobs of two owners."""


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    yield
    KEPT_SESSION.stop()


def on_spark(case: Case, request: Exploration = REQUEST) -> SearchResult:
    request = replace(request, deadlock_allowed=case.deadlock_allowed)
    return explore_on_spark(case.program, request, near=LATER)


@pytest.mark.daily(4)
@pytest.mark.parametrize("name", ["fetch_response", "session_cache"])
def test_a_model_that_holds(name: str) -> None:
    case = Case.of(name)
    assert compared(on_spark(case)) == compared(case.on_one_machine())


def test_a_fault_has_the_same_trace() -> None:
    case = Case.of("fetch_response", fault="partition_limit_ignored")
    result = on_spark(case)
    assert result.verdict is Verdict.VIOLATED
    assert compared(result) == compared(case.on_one_machine())


def test_it_goes_on_from_its_folder_and_says_what_is_lost(tmp_path: Path) -> None:
    case = Case.of("fetch_response")
    bounded = replace(REQUEST, checkpoint=tmp_path, bounds=Bounds(max_depth=12))
    assert on_spark(case, bounded).verdict is Verdict.INCONCLUSIVE
    run = min((tmp_path / "runs").iterdir())
    content = run.read_bytes()
    run.unlink()
    with pytest.raises(LockstepError, match=f"{run.name}: it is missing"):
        on_spark(case, replace(REQUEST, checkpoint=tmp_path))
    run.write_bytes(content)
    result = on_spark(case, replace(REQUEST, checkpoint=tmp_path))
    assert compared(result) == compared(case.on_one_machine())


def test_a_bound_on_time_ends_a_job() -> None:
    case = Case.of("fetch_response")
    on_spark(case, replace(REQUEST, bounds=Bounds(max_depth=3)))  # the session runs from here on
    result = on_spark(case, replace(REQUEST, bounds=Bounds(max_seconds=0.3)))
    assert re.match(r"stopped after \d+ s as bounded", result.because)


def test_what_must_come_to_pass_is_judged_as_by_one_machine() -> None:
    model = load_model(ROOT, "leader_discovery", Case.of("leader_discovery").model.constants)
    on_one = explore(model, Exploration("compiled"))
    assert on_one.unchecked == ()
    assert compared(explore(model, REQUEST)) == compared(on_one)


@pytest.mark.parametrize(
    ("request_of", "cure"),
    [
        ({"bounds": Bounds(memory=2**30)}, "spark.executor.memory"),
        ({"bounds": Bounds(spill=Path("x"))}, "all states are in files"),
        ({"threads": 2}, "local"),
        ({"master": "spark://127.0.0.1:1"}, "--checkpoint DIR"),
        ({"master": "sc://127.0.0.1:1"}, "such as spark://HOST:7077"),
    ],
)
def test_what_it_does_not_do_is_refused(request_of: dict[str, Any], cure: str) -> None:
    with pytest.raises(LockstepError) as raised:
        explore_on_spark(Case.of("fetch_response").program, replace(REQUEST, **request_of))
    assert cure in str(raised.value.cure)
