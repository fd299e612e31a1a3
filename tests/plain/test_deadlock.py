"""A deadlock is a state that no step leaves, whichever engine looks: a step that changes nothing
hides none."""

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from lockstep.explore.engines import explore, simulate
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.plain.exploration import Bounds, Exploration, Walks
from lockstep.plain.run import PlainEngine
from lockstep.prove.bounded import Target, check_bounded
from lockstep.prove.relation import Relation
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.testing.state_machine import Violated, state_machine_for
from lockstep.trace.claims import failing_binding

STAIRS = """
from lockstep import OneOf, Range, State, action, require

Foot = OneOf(("left", "right"), interchangeable=True)

class Stairs(State):
    height: Range(0, 2) = 0

@action
def climb(s, new, foot: Foot):
    require(s.height < 2)
    new.height = s.height + 1

@action
def rest(s, new, foot: Foot):
    {rest}
"""

RESTS = {
    "changes nothing at the top": "require(s.height == 2)\n    new.height = 2",
    "is possible everywhere and changes nothing": "new.height = s.height",
    "is not possible": "require(s.height > 2)",
}
WAY_DOWN = "require(s.height == 2)\n    new.height = 0"


def stairs(folder: Path, rest: str) -> Model:
    (folder / "models").mkdir()
    (folder / "models" / "stairs.py").write_text(STAIRS.format(rest=rest), encoding="utf-8")
    return load_model(folder, "stairs")


@pytest.fixture(params=RESTS.values(), ids=list(RESTS))
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Model:
    return stairs(tmp_path, request.param)


def searches(model: Model, *, deadlock_allowed: bool) -> list[SearchResult]:
    results = [
        explore(model, Exploration(name, deadlock_allowed=deadlock_allowed))
        for name in ("auto", "python")
    ]
    for threads in (1, 3):
        for symmetry in (False, True):
            results.append(
                explore(
                    model,
                    Exploration(
                        "compiled",
                        deadlock_allowed=deadlock_allowed,
                        threads=threads,
                        symmetry=symmetry,
                    ),
                )
            )
    return results


def test_every_search_finds_the_state_that_nothing_leaves(model: Model) -> None:
    for result in searches(model, deadlock_allowed=False):
        assert result.verdict is Verdict.VIOLATED
        assert result.violation is not None
        assert result.violation.properties == (DEADLOCK,)
        assert [step.action for step in result.violation.trace.steps] == ["climb", "climb"]
        assert result.deadlocks == 1


def test_a_model_that_may_stop_may_stop(model: Model) -> None:
    for result in searches(model, deadlock_allowed=True):
        assert (result.verdict, result.deadlocks) == (Verdict.HOLDS, 1)


def test_a_way_on_from_every_state_is_no_deadlock(tmp_path: Path) -> None:
    model = stairs(tmp_path, WAY_DOWN)
    for result in searches(model, deadlock_allowed=False):
        assert (result.verdict, result.deadlocks) == (Verdict.HOLDS, 0)
    assert simulate(model, Walks(50), Exploration(deadlock_allowed=False)).violation is None
    assert (
        check_bounded(Relation(model), 5, Target(deadlock_allowed=False)).verdict is Verdict.HOLDS
    )
    run_state_machine_as_test(state_machine_for(model), settings=settings(max_examples=20))


def test_random_behaviours_come_by_it(model: Model) -> None:
    violation = simulate(model, Walks(50), Exploration(deadlock_allowed=False)).violation
    assert violation is not None
    assert violation.properties == (DEADLOCK,)
    assert (
        simulate(model, Walks(50), Exploration(bounds=Bounds(), deadlock_allowed=True)).violation
        is None
    )


def test_the_solver_finds_it(model: Model) -> None:
    result = check_bounded(Relation(model), 4, Target(deadlock_allowed=False))
    assert result.violation is not None
    assert result.violation.properties == (DEADLOCK,)
    assert len(result.violation.trace.steps) == 2
    assert check_bounded(Relation(model), 4, Target(deadlock_allowed=True)).verdict is Verdict.HOLDS


def test_hypothesis_finds_it(model: Model) -> None:
    machine = state_machine_for(model)
    with pytest.raises(Violated, match=DEADLOCK):
        run_state_machine_as_test(machine, settings=settings(max_examples=50, database=None))


def test_a_replay_finds_it_again(model: Model) -> None:
    violation = explore(model, Exploration("python", deadlock_allowed=False)).violation
    assert violation is not None
    engine = PlainEngine(model)
    assert failing_binding(engine, DEADLOCK, violation.trace) == ()
    before = type(violation.trace)(model.initial, violation.trace.steps[:1])
    assert failing_binding(engine, DEADLOCK, before) is None
