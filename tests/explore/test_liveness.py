"""What leads to what, under which fairness: small models by hand, random graphs by brute force."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep import Range, State
from lockstep.explore.engine import Outcome, Pledge, Step, Verdict
from lockstep.explore.engines import explore
from lockstep.explore.graph import StateGraph, build_graph
from lockstep.explore.interpreter import InterpreterEngine
from lockstep.explore.liveness import Pledged, find_unfulfilled
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import SearchResult, Trace
from lockstep.language.fairness import Fairness
from lockstep.language.model import Model, Property, load_model
from lockstep.language.notation import Kind
from lockstep.trace.lasso import promises_along, unfulfilled_binding

LAMP = """
from lockstep import Constant, OneOf, Map, State, action, require

CLIENTS: Constant = ("c1", "c2")
Client = OneOf(CLIENTS)


class Lamp(State):
    is_on: bool = False
    served: Map[Client, bool] = {c: False for c in Client}
    is_broken: bool = False


@action
def switch(s, new):
    require(not s.is_broken)
    new.is_on = not s.is_on


@action
def serve(s, new, c: Client):
    \"\"\"The lamp is on: a client reads by it, or has read enough.\"\"\"
    require(s.is_on)
    new.served[c] = not s.served[c]


@action
def look(s, new):
    \"\"\"Changes nothing.\"\"\"
    new.is_on = s.is_on


@action
def give_up(s, new):
    require(s.is_on)
    new.is_on = False
    new.is_broken = True
"""

HEAD = """
from lockstep import each, leads_to
from models.lamp import Client, give_up, look, serve, switch

"""

Check = Callable[[str], SearchResult]


@pytest.fixture
def model(tmp_path: Path) -> Callable[[str], Model]:
    """The lamp, with what must come to pass of it."""

    def load(claims: str) -> Model:
        for folder, text in (("models", LAMP), ("invariants", HEAD + claims)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "lamp.py").write_text(text, encoding="utf-8")
        return load_model(tmp_path, "lamp")

    return load


@pytest.fixture
def check(model: Callable[[str], Model]) -> Check:
    """Checks one claim, `leads_to(...)` and what is returned, of the lamp and a client `c`."""

    def explored(claim: str) -> SearchResult:
        fairness, says = claim.split(":")
        text = f"@leads_to({fairness})\ndef comes(s, c: Client):\n    return {says}\n"
        return explore(model(text), liveness=True)

    return explored


def test_nothing_comes_to_pass_unless_something_is_promised(check: Check) -> None:
    found = check(": not s.is_on, s.is_on")
    assert found.verdict is Verdict.VIOLATED
    assert found.violation is not None
    assert found.violation.trace == Trace(found.violation.trace.initial, (), 0)
    assert found.because == "comes is violated by a behaviour that goes on for ever"


def test_weak_fairness_of_what_stays_enabled(check: Check) -> None:
    assert check("weak=switch: not s.is_on and not s.is_broken, s.is_on").verdict == "holds"


def test_weak_fairness_is_too_weak_for_what_is_enabled_now_and_then(check: Check) -> None:
    """The lamp goes on and off for ever, and nobody reads by it."""
    found = check("weak=(switch, serve): True, s.served[c] or s.is_broken")
    assert found.violation is not None
    trace = found.violation.trace
    assert [step.action for step in trace.steps] == ["switch", "switch"]
    assert trace.loop == 0
    assert found.violation.parameters == ("c1",)


def test_strong_fairness_of_what_is_enabled_now_and_then(check: Check) -> None:
    claim = "True, s.served[c] or s.is_broken"
    assert check(f"weak=switch, strong=each(serve, 'c'): {claim}").verdict == "holds"


def test_fairness_of_the_whole_may_pass_over_one_value_for_ever(check: Check) -> None:
    """One client reads for ever; the other never does."""
    found = check("weak=switch, strong=serve: True, s.served[c] or s.is_broken")
    assert found.violation is not None
    trace = found.violation.trace
    (passed_over,) = found.violation.parameters
    served = {step.parameters for step in trace.steps if step.action == "serve"}
    assert served
    assert (passed_over,) not in served


def test_fairness_is_no_promise_while_an_action_is_disabled(check: Check) -> None:
    """A broken lamp stays off, whatever is promised."""
    found = check("weak=switch, strong=each(serve): s.is_broken, s.served[c]")
    assert found.violation is not None
    trace = found.violation.trace
    assert [step.action for step in trace.steps] == ["switch", "give_up"]
    assert trace.loop == 2


def test_a_step_that_changes_nothing_is_no_step(check: Check) -> None:
    found = check("weak=look: True, s.is_on")
    assert found.violation is not None
    assert found.violation.trace.steps == ()


def test_the_goal_may_be_reached_with_the_premise(check: Check) -> None:
    assert check(": s.is_on, s.is_on").verdict == "holds"


def test_a_premise_that_is_never_true_is_not_applied(check: Check) -> None:
    found = check("weak=switch: s.is_on and not s.is_on, s.is_on")
    assert (found.verdict, found.applied) == ("holds", set())
    assert "comes" in check("weak=switch: not s.is_on, True").applied


def test_a_goal_without_a_value_is_an_error_at_its_state(check: Check) -> None:
    found = check("weak=switch: s.is_on, 1 // (0 if s.is_on else 1) == 1")
    assert found.error is not None
    assert found.error_trace is not None
    assert [step.action for step in found.error_trace.steps] == ["switch"]


CLAIMS = """
@leads_to(weak=switch)
def gets_light(s):
    return not s.is_on and not s.is_broken, s.is_on


@leads_to()
def gets_served(s, c: Client):
    lit = s.is_on
    return lit, s.served[c]


@leads_to()
def gets_dark(s):
    return s.is_on, not s.is_on
"""


def test_each_unfulfilled_claim_has_its_behaviour(model: Callable[[str], Model]) -> None:
    found = explore(model(CLAIMS))
    assert [each.properties for each in found.unfulfilled] == [("gets_served",), ("gets_dark",)]
    assert found.violation == found.unfulfilled[0]
    assert found.unchecked == ()


def test_what_is_not_checked_is_named(model: Callable[[str], Model]) -> None:
    lamp = model(CLAIMS)
    found = explore(lamp, "compiled")
    assert (found.verdict, found.applied) == ("holds", set())
    assert found.unchecked == ("gets_light", "gets_served", "gets_dark")
    assert found.remark == (
        "liveness not checked (compiled searches states and steps only): gets_light, gets_served, "
        "gets_dark; --liveness insists"
    )
    assert explore(lamp, "compiled", liveness=True).verdict == "violated"


def test_too_many_states(model: Callable[[str], Model], monkeypatch: pytest.MonkeyPatch) -> None:
    lamp = model(CLAIMS)
    monkeypatch.setattr("lockstep.explore.live_search.USUAL_STATES", 4)
    assert "(12 states, more than 4)" in explore(lamp).remark
    assert explore(lamp).verdict == "holds"
    monkeypatch.setattr("lockstep.explore.live_search.MOST_STATES", 5)
    found = explore(lamp, liveness=True)
    assert (found.verdict, found.remark) == ("inconclusive", "")
    assert found.because.startswith("liveness not checked (12 states, more than 5): gets_light")


def test_the_front_end_reads_premise_and_goal_as_python_does(model: Callable[[str], Model]) -> None:
    lamp = model(CLAIMS)
    plain, interpreter = PlainEngine(lamp), InterpreterEngine(lamp)
    graph, _ = build_graph(lamp, max_states=100)
    assert graph is not None
    for state in graph.states:
        for prop in lamp.properties:
            assert list(plain.pledges(prop, state)) == list(interpreter.pledges(prop, state))
            assert plain.evaluate(prop, state, None) == interpreter.evaluate(prop, state, None)


def test_a_graph_has_every_step_that_changes_something(model: Callable[[str], Model]) -> None:
    lamp = model("")
    graph, searched = build_graph(lamp, max_states=12)
    assert graph is not None
    plain = PlainEngine(lamp)
    assert len(graph.states) == searched.states == 12
    for number, state in enumerate(graph.states):
        steps = [step for step in plain.successors(state) if step.state != state]
        assert [graph.step(edge) for edge in graph.steps(number)] == steps
        assert graph.trace(graph.way_to(number)).last == state
        assert len(graph.way_to(number)) == graph.depths()[number]
    assert build_graph(lamp, max_states=11)[0] is None


# Random graphs, held against all sets of states that a behaviour may visit for ever.

Node = Range(0, 4)


class At(State):
    """A node of a random graph."""

    node: Node = 0  # type: ignore[valid-type]


ACTIONS = ("a", "b")
PROMISES = [
    Fairness(action, strong, positions)
    for action in ACTIONS
    for strong in (False, True)
    for positions in ((), (0,))
]


@dataclass(frozen=True)
class RandomGraph:
    """Steps from each node: action, its parameter, and the node that it leads to."""

    steps: tuple[tuple[tuple[str, int, int], ...], ...]
    premise: frozenset[int]
    goal: frozenset[int]
    fairness: tuple[Fairness, ...]

    @property
    def name(self) -> str:
        return "random"

    @property
    def model(self) -> Model:
        raise NotImplementedError

    def successors(self, state: State) -> Iterator[Step]:
        for action, parameter, target in self.steps[state[0]]:
            yield Step(action, (parameter,), At.of((target,)))

    def pledges(self, prop: Property, state: State) -> Iterator[Pledge]:
        yield Pledge((), state[0] in self.premise, state[0] in self.goal)

    def evaluate(self, prop: Property, before: State, after: State | None) -> Outcome:
        raise NotImplementedError

    def promised(self, node: int) -> dict[tuple[Fairness, tuple[int, ...]], set[int]]:
        """What can be kept at a node, and by going where."""
        found: dict[tuple[Fairness, tuple[int, ...]], set[int]] = {}
        for action, parameter, target in self.steps[node]:
            for fair in self.fairness:
                if fair.action == action and target != node:
                    promise = fair, (parameter,) * len(fair.positions)
                    found.setdefault(promise, set()).add(target)
        return found

    def reach(self, start: int, inside: frozenset[int]) -> frozenset[int]:
        """The nodes that one leads to without leaving `inside`."""
        seen, waiting = {start}, [start]
        while waiting:
            for _, _, target in self.steps[waiting.pop()]:
                if target in inside and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return frozenset(seen)

    def is_unfulfilled(self) -> bool:
        """Whether there is a set of nodes, none a goal, to go round in for ever, promises kept."""
        nodes = frozenset(range(len(self.steps)))
        past = nodes - self.goal
        owing = self.reach(0, nodes) & self.premise & past
        ahead = frozenset[int]().union(*(self.reach(node, past) for node in owing))
        return any(
            self._can_go_round_in(frozenset(some))
            for size in range(1, len(ahead) + 1)
            for some in combinations(sorted(ahead), size)
        )

    def _can_go_round_in(self, some: frozenset[int]) -> bool:
        if any(self.reach(node, some) != some for node in some):
            return False
        promised = {node: self.promised(node) for node in some}
        for promise in {promise for here in promised.values() for promise in here}:
            if any(here.get(promise, set()) & some for here in promised.values()):
                continue
            enabled = sum(promise in here for here in promised.values())
            if promise[0].strong or enabled == len(some):
                return False
        return True

    def graph(self) -> StateGraph:
        """The part that the first node leads to, breadth first."""
        graph, numbers = StateGraph(), {0: 0}
        order = [0]
        for number, node in enumerate(order):
            graph.states.append(At.of((node,)))
            for action, parameter, target in self.steps[node]:
                if target == node:
                    continue
                if target not in numbers:
                    numbers[target] = len(numbers)
                    order.append(target)
                    graph.parents.append((number, len(graph.targets)))
                if (action, (parameter,)) not in graph.instances:
                    graph.instances.append((action, (parameter,)))
                graph.targets.append(numbers[target])
                graph.labels.append(graph.instances.index((action, (parameter,))))
            graph.first.append(len(graph.targets))
        return graph

    def property(self) -> Property:
        return Property("p", Kind.LEADS_TO, lambda s: None, (), (), "", self.fairness)


def nodes_of(size: int) -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(0, size - 1))


@st.composite
def random_graphs(draw: st.DrawFn) -> RandomGraph:
    size = draw(st.integers(1, 5))
    node = st.integers(0, size - 1)
    step = st.tuples(st.sampled_from(ACTIONS), st.integers(0, 1), node)
    steps = st.lists(st.lists(step, max_size=4, unique=True), min_size=size, max_size=size)
    fairness = draw(st.lists(st.sampled_from(PROMISES), unique=True, max_size=4))
    return RandomGraph(
        tuple(map(tuple, draw(steps))),
        draw(nodes_of(size)),
        draw(nodes_of(size)),
        tuple(fairness),
    )


@given(random_graphs())
def test_a_behaviour_is_found_where_brute_force_finds_one(random: RandomGraph) -> None:
    graph, prop = random.graph(), random.property()
    says = Pledged(
        bytearray(state[0] in random.premise for state in graph.states),
        bytearray(state[0] in random.goal for state in graph.states),
    )
    found = find_unfulfilled(graph, prop, {(): says})
    assert (found is not None) == random.is_unfulfilled()
    if found is not None:
        assert_it_happens(random, found.trace)
        assert unfulfilled_binding(random, prop, found.trace) == ()


def assert_it_happens(random: RandomGraph, trace: Trace) -> None:
    """The behaviour is one of the graph, and leads back to where it says."""
    assert trace.loop is not None
    assert trace.states[trace.loop] == trace.last
    for before, step in zip(trace.states, trace.steps, strict=False):
        assert step in list(random.successors(before))
        assert step.state != before


@given(random_graphs(), st.data())
def test_only_fair_behaviours_past_the_goal_count(random: RandomGraph, data: st.DataObject) -> None:
    """A random walk that leads back somewhere is judged as its definition has it."""
    states: list[State] = [At.of((0,))]
    steps: list[Step] = []
    for _ in range(data.draw(st.integers(0, 6))):
        options = list(random.successors(states[-1]))
        if not options:
            break
        steps.append(data.draw(st.sampled_from(options)))
        states.append(steps[-1].state)
    loops = [at for at in range(len(states)) if states[at] == states[-1]]
    loop = data.draw(st.sampled_from(loops))
    trace = Trace(states[0], tuple(steps), loop)
    prop = random.property()
    nodes = [state[0] for state in states]
    owed = any(
        node in random.premise and not random.goal.intersection(nodes[at:])
        for at, node in enumerate(nodes)
    ) and not random.goal.intersection(nodes[loop:])
    pairs = set(zip(nodes[loop:], nodes[loop + 1 :], strict=False))
    promised = {node: random.promised(node) for node in nodes[loop:]}
    fair = all(
        any(after in promised[node].get(promise, set()) for node, after in pairs)
        or (not promise[0].strong and any(promise not in here for here in promised.values()))
        for promise in {promise for here in promised.values() for promise in here}
    )
    assert all(not kept.broken for kept in promises_along(random, prop, trace)) == fair
    assert unfulfilled_binding(random, prop, trace) == (() if owed and fair else None)
