"""The behaviour that is reported is the simplest of all shortest ones, by brute force."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, reject

from lockstep.explore.engines import explore
from lockstep.language.domain import NameDomain
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from lockstep.plain import simplest
from lockstep.plain.ending import violated_at_the_end
from lockstep.plain.engine import is_stuck
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError, SearchResult
from lockstep.results.trace import Step, Trace
from tests.agreement.case import Case
from tests.agreement.summary import summary
from tests.day import drawn_daily
from tests.random_models.random_models import RandomModel, random_models

MOST_BEHAVIOURS = 3_000

LIFT = """\
from enum import Enum

from lockstep import OneOf, Range, State, action, require

Who = OneOf(("ann", "bob", "cat"))
Floor = Range(0, 3)


class Door(Enum):
    SHUT = 0
    OPEN = 1


class Lift(State):
    floor: Floor = 0
    door: Door = Door.SHUT
    spare: Floor = 0


@action
def shake(s, new, w: Who):
    new.floor = min(s.floor + 1, 3)


@action
def press(s, new, w: Who, f: Floor):
    require(f == s.floor + 1 or f == s.floor + 2)
    new.floor = s.floor + 1
    new.spare = f


@action
def ride(s, new, w: Who):
    require(s.floor < 3)
    new.floor = s.floor + 1
"""

CLAIMS = """\
from lockstep import invariant


@invariant()
def stays_below(s):
    return s.floor < 3
"""


def engine_results(case: Case, environment: frozenset[str], **options: Any) -> list[SearchResult]:
    """What each engine reports where the simplest behaviour is wanted."""
    results = [case.explored(environment=environment, **options)]
    results.append(case.numbered(10**9, environment=environment, **options))
    request = {**options, "engine": "python", "environment": environment}
    results.append(case.explored(**request))
    return results


def behaviours(engine: PlainEngine, name: str, steps: int) -> Iterator[Trace]:
    """All behaviours of so many steps that violate a property at their end."""
    partial: list[tuple[Step, ...]] = [()]
    initial = engine.model.initial
    for _ in range(steps):
        longer = []
        for taken in partial:
            state = taken[-1].state if taken else initial
            try:
                longer += [(*taken, step) for step in engine.successors(state)]
            except EvaluationError:
                continue
            assume(len(longer) <= MOST_BEHAVIOURS)
        partial = longer
    for taken in partial:
        trace = Trace(initial, taken)
        if name == DEADLOCK:
            try:
                if is_stuck(trace.last, list(engine.successors(trace.last))):
                    yield trace
            except EvaluationError:
                continue
        elif name in violated_at_the_end(engine, trace):
            yield trace


def cost(engine: PlainEngine, trace: Trace, environment: Collection[str]) -> tuple[Any, ...]:
    """What a simplest behaviour has least of, in the order of weight."""
    names: set[object] = set()
    values: set[object] = set()
    places = []
    for before, step in zip(trace.states, trace.steps, strict=False):
        action = engine.model.action(step.action)
        places.append(list(engine.successors(before)).index(step))
        for parameter, value in zip(action.parameters, step.parameters, strict=True):
            for domain, atom in simplest.atoms(parameter.domain, value):
                if isinstance(domain, NameDomain):
                    names.add((domain.names, atom))
                else:
                    values.add((str(domain), atom))
        pairs = zip(before.fields, before, step.state, strict=True)
        values |= {name for name, old, new in pairs if old != new}
    disturbances = sum(step.action in environment for step in trace.steps)
    return disturbances, len(names), len(values), places


@drawn_daily(40)
@given(text=random_models())
def test_no_shortest_behaviour_is_simpler(
    text: RandomModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        case = Case.of(text.accepted(tmp_path_factory.mktemp("random")))
        environment = frozenset(action.name for action in case.model.actions[::2])
        for allowed, oracle in case.oracles.items():
            if oracle.violation is None:
                continue
            results = engine_results(case, environment, deadlock_allowed=allowed)
            assert_simplest(case.model, oracle, results, environment)
    except (ModelError, NotCompiled):
        reject()


def assert_simplest(
    model: Model, oracle: SearchResult, results: list[SearchResult], environment: frozenset[str]
) -> None:
    """All results are as the oracle's, but for the behaviour, which is the best by brute force."""
    assert oracle.violation is not None
    engine = PlainEngine(model)
    name, steps = oracle.violation.properties[0], len(oracle.violation.trace.steps)
    best = min(behaviours(engine, name, steps), key=lambda one: cost(engine, one, environment))
    for result in results:
        assert summary(result) == summary(oracle)
        assert result.violation is not None
        assert result.violation.properties[0] == name
        if "perhaps not the simplest" not in result.remark:
            assert result.violation.trace == best


@pytest.fixture
def lift(tmp_path: Path) -> Model:
    for folder, text in {"models": LIFT, "invariants": CLAIMS}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "lift.py").write_text(text, encoding="utf-8")
    return load_model(tmp_path, "lift")


def actions(result: SearchResult) -> list[tuple[Any, ...]]:
    assert result.violation is not None
    return [(step.action, *step.parameters) for step in result.violation.trace.steps]


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_disturbances_then_names_then_values_count(lift: Model, engine: str) -> None:
    # Without disturbances and with one name; `press` would change one more variable.
    result = explore(lift, Exploration(engine, environment=frozenset({"shake"})))
    assert actions(result) == [("ride", "ann")] * 3
    # Where nothing is a disturbance the order of declaration decides.
    result = explore(lift, Exploration(engine, environment=frozenset()))
    assert actions(result) == [("shake", "ann")] * 3
    result = explore(lift, Exploration(engine, environment=frozenset({"shake", "ride"})))
    assert [name for name, *_ in actions(result)] == ["press"] * 3
    # The third step is given 3; with one more value the others can be 1, 3 or 2, 2 or 2, 3.
    assert [step[2] for step in actions(result)] == [1, 3, 3]


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_bound_that_is_met_is_reported(
    lift: Model, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(simplest, "MOST_STATES", 2)
    result = explore(lift, Exploration(engine, environment=frozenset()))
    assert "perhaps not the simplest: more than 2 states" in result.remark
    assert len(actions(result)) == 3


def test_it_is_not_looked_for_unless_asked(lift: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplest, "MOST_STATES", 0)
    assert explore(lift, Exploration("python")).remark == ""
