"""What must come to pass of a model, against all sets of states to go round in for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from lockstep.explore.engines import explore
from lockstep.language.fairness import Fairness
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import Pledge
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.lasso import unfulfilled_binding
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError, SearchResult
from lockstep.results.verdict import Verdict
from tests.agreement.summary import assert_is_behaviour
from tests.plain.test_random_graphs import RandomGraph

MOST_STATES = 150
"""Models with more states than that are passed over."""
MOST_AHEAD = 9
"""So many states may lie ahead: brute force looks at every set of them."""

Steps = list[list[tuple[str, tuple[Any, ...], int]]]
"""The steps from each state: action, parameters, and the number of the state reached."""


def assert_comes_to_pass(model: Model) -> Counter[str]:
    """Every engine finds those `leads_to` unfulfilled that are; what was looked at."""
    live = replace(model, properties=model.of_kind(Kind.LEADS_TO))
    graph = _graph(live)
    if graph is None:
        return Counter({"leads_to with too many states": 1})
    states, steps = graph
    counts = Counter[str]()
    for engine in ("python", "compiled"):
        result = explore(live, Exploration(engine, Bounds(), liveness=True))
        unfulfilled = {violation.properties[0]: violation for violation in result.unfulfilled}
        for prop in live.properties:
            pledges = _pledges(live, prop, states)
            if pledges is None:
                assert result.verdict is Verdict.ERROR
                assert result.error is not None
                assert result.error.function == prop.name
                return counts + Counter({"leads_to without a value": 1})
            expected = _is_unfulfilled(prop, steps, pledges)
            violation = unfulfilled.get(prop.name)
            if violation is not None:
                assert_is_behaviour(live, violation.trace)
                assert unfulfilled_binding(PlainEngine(live), prop, violation.trace) is not None
            if expected is None:
                counts["leads_to beyond brute force"] += 1
                continue
            assert (violation is not None) == expected, prop.name
            fair = "with" if prop.fairness else "without"
            counts[f"leads_to {'violated' if expected else 'held'}, {fair} fairness"] += 1
        assert_says_so(result)
    return counts


def assert_says_so(result: SearchResult) -> None:
    """The verdict is that of the properties, all of which were looked at."""
    assert result.unchecked == ()
    expected = Verdict.VIOLATED if result.unfulfilled else Verdict.HOLDS
    assert result.verdict is expected


def _graph(model: Model) -> tuple[list[State], Steps] | None:
    """The states of a model and its steps; None where there are too many, or steps fail."""
    engine = PlainEngine(model)
    numbers, states, steps = {model.initial: 0}, [model.initial], Steps()
    for state in states:
        if len(states) > MOST_STATES:
            return None
        try:
            successors = list(engine.successors(state))
        except EvaluationError:
            return None
        steps.append([])
        for step in successors:
            if step.state not in numbers:
                numbers[step.state] = len(states)
                states.append(step.state)
            steps[-1].append((step.action, step.parameters, numbers[step.state]))
    return states, steps


def _pledges(
    model: Model, prop: Property, states: list[State]
) -> dict[tuple[Any, ...], list[Pledge]] | None:
    """What a property says of each state, by binding; None where it has no value in some."""
    engine = PlainEngine(model)
    pledges_of: dict[tuple[Any, ...], list[Pledge]] = {}
    try:
        for state in states:
            for pledge in engine.pledges(prop, state):
                pledges_of.setdefault(pledge.parameters, []).append(pledge)
    except EvaluationError:
        return None
    return pledges_of


def _is_unfulfilled(
    prop: Property, steps: Steps, pledges: dict[tuple[Any, ...], list[Pledge]]
) -> bool | None:
    """Whether some binding of a property is unfulfilled; None where there is too much to try."""
    fairness = tuple(
        Fairness(str(number), fair.strong, (0,) if fair.positions else ())
        for number, fair in enumerate(prop.fairness)
    )
    arrows = tuple(tuple(_arrows(prop.fairness, leaving)) for leaving in steps)
    answers: list[bool | None] = []
    for says in pledges.values():
        premise = frozenset(number for number, pledge in enumerate(says) if pledge.premise)
        goal = frozenset(number for number, pledge in enumerate(says) if pledge.goal)
        graph = RandomGraph(arrows, premise, goal, fairness)
        few = len(_ahead(graph)) <= MOST_AHEAD
        answers.append(graph.is_unfulfilled() if few else None)
    return True if True in answers else None if None in answers else False


def _arrows(
    fairness: tuple[Fairness, ...], steps: Iterable[tuple[str, tuple[Any, ...], int]]
) -> Iterable[tuple[str, Any, int]]:
    """Each step once for every promise that it keeps, under the number of that promise."""
    for action, parameters, target in steps:
        yield "", None, target
        for number, fair in enumerate(fairness):
            if fair.action == action:
                yield str(number), tuple(parameters[at] for at in fair.positions), target


def _ahead(graph: RandomGraph) -> frozenset[int]:
    """The states that may follow a premise, and no goal after it."""
    nodes = frozenset(range(len(graph.steps)))
    past = nodes - graph.goal
    owing = graph.reach(0, nodes) & graph.premise & past
    return frozenset[int]().union(*(graph.reach(node, past) for node in owing))
