"""A run explores the states of a version in a scope once, whatever it asks of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lockstep.machine.search.search import ParallelSearch
from lockstep.plain.search import Search
from lockstep.requests.review import ReviewRequest
from lockstep.requests.review_plan import plan_review
from lockstep.requests.run import Watch
from lockstep.results.verdict import Verdict
from lockstep.verbs.check import Checked, CheckRequest, check
from lockstep.verbs.review.scope import review_scope
from lockstep.workspace import find_workspace

WORKSPACE = find_workspace(Path(__file__).parents[2])
ENGINES = ("compiled", "python")


@pytest.fixture
def explorations(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What explores all states of a model, each time that it does; nothing is kept from before."""
    begun: list[str] = []

    def counted(name: str, run: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def counting(self: Any) -> Any:
            begun.append(name)
            return run(self)

        return counting

    for kind in (Search, ParallelSearch):
        monkeypatch.setattr(kind, "run", counted(kind.__name__, kind.run))
    monkeypatch.setattr("lockstep.answers.store.Question.find", lambda _: None)
    return begun


@pytest.mark.parametrize("engine", ENGINES)
def test_check_explores_once(explorations: list[str], engine: str) -> None:
    """With what must come to pass, which is a question to the same states."""
    (result,) = check(
        CheckRequest(("fetch_response",), WORKSPACE, scope="small", engine=engine)
    ).results
    assert isinstance(result, Checked)
    assert (result.result.verdict, result.result.unchecked) == (Verdict.HOLDS, ())
    assert result.result.fired
    assert len(explorations) == 1


@pytest.mark.parametrize(
    ("engine", "model"), [("compiled", "leader_discovery"), ("python", "fetch_response")]
)
def test_review_explores_each_version_once(
    explorations: list[str], engine: str, model: str
) -> None:
    """Properties, behaviours and costs are questions to the same states."""
    request = ReviewRequest((model, model), WORKSPACE, scope="small", engine=engine)
    with plan_review(request) as plan:
        (task,) = plan.tasks
        reviewed = review_scope(plan, task, Watch())
    assert reviewed.behaviours.sizes is not None
    assert bool(reviewed.costs) == (model == "leader_discovery")
    assert all(cost.base.cost.counts for cost in reviewed.costs)
    assert len(explorations) == 2
