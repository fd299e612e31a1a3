"""Liveness on random graphs: by brute force, and by networkx as the oracle of strong components."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lockstep import Range, State
from lockstep.language.fairness import Fairness
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind
from lockstep.plain import shortest_lasso
from lockstep.plain.engine import Outcome, Pledge
from lockstep.plain.fair_parts import Promises, fair_parts
from lockstep.plain.lasso import promises_along, unfulfilled_binding
from lockstep.plain.liveness import Pledges, find_unfulfilled
from lockstep.plain.shortest_lasso import Lassos
from lockstep.plain.space import Instance, Limits, Space
from lockstep.results.trace import Step, Trace
from tests.plain.networkx_oracle import grouped, led_to, mask_of, parts_by_networkx

MOST_NODES = 5
Node = Range(0, MOST_NODES - 1)


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
        targets: dict[tuple[Fairness, tuple[int, ...]], set[int]] = {}
        for action, parameter, target in self.steps[node]:
            for fair in self.fairness:
                if fair.action == action and target != node:
                    promise = fair, (parameter,) * len(fair.positions)
                    targets.setdefault(promise, set()).add(target)
        return targets

    def reach(self, start: int, inside: frozenset[int]) -> frozenset[int]:
        """The nodes that one leads to without leaving `inside`."""
        reached, waiting = {start}, [start]
        while waiting:
            for _, _, target in self.steps[waiting.pop()]:
                if target in inside and target not in reached:
                    reached.add(target)
                    waiting.append(target)
        return frozenset(reached)

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

    def shortest_length(self) -> tuple[int, int]:
        """The fewest steps to a node that recurs in a behaviour that is unfulfilled, and back."""
        nodes = frozenset(range(len(self.steps)))
        recurring = frozenset[int]().union(
            *(
                frozenset(some)
                for size in range(1, len(nodes) + 1)
                for some in combinations(sorted(nodes - self.goal), size)
                if self._can_go_round_in(frozenset(some))
            )
        )
        stem, level = 0, self._owed({(0, False)})
        while not (entries := {node for node, is_owed in level if is_owed} & recurring):
            following = {
                (target, is_owed) for node, is_owed in level for _, _, target in self.steps[node]
            }
            stem, level = stem + 1, self._owed(following)
        cycle = 0
        walks = {(node, node, frozenset[tuple[int, int]]()) for node in entries}
        while not any(
            start == node and self.is_fair({node, *(at for pair in pairs for at in pair)}, pairs)
            for start, node, pairs in walks
        ):
            cycle += 1
            walks = {
                (start, target, pairs | {(node, target)})
                for start, node, pairs in walks
                for _, _, target in self.steps[node]
                if target != node and target not in self.goal
            }
        return stem, cycle

    def _owed(self, level: set[tuple[int, bool]]) -> set[tuple[int, bool]]:
        """The same nodes, with whether something is owed once they are reached."""
        return {
            (node, node not in self.goal and (is_owed or node in self.premise))
            for node, is_owed in level
        }

    def is_fair(self, some: set[int], pairs: frozenset[tuple[int, int]]) -> bool:
        """Whether promises are kept for ever by such steps between such nodes."""
        promised = {node: self.promised(node) for node in some}
        return all(
            any(after in promised[node].get(promise, set()) for node, after in pairs)
            or (not promise[0].strong and any(promise not in here for here in promised.values()))
            for promise in {promise for here in promised.values() for promise in here}
        )

    def owes_something(self, states: Sequence[State]) -> bool:
        """Whether something is owed at the end of a behaviour."""
        is_owed = False
        for state in states:
            ((_, is_owed),) = self._owed({(state[0], is_owed)})
        return is_owed

    def behaviours(self, length: int, loop: int) -> Iterator[Trace]:
        """Every behaviour of so many steps that change something."""
        initial = At.of((0,))
        ways: list[tuple[Step, ...]] = [()]
        for _ in range(length):
            ways = [
                (*way, step)
                for way in ways
                for step in self.successors(way[-1].state if way else initial)
                if step.state != (way[-1].state if way else initial)
            ]
        return (Trace(initial, way, loop) for way in ways)

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

    def space(self) -> Space:
        """The part that the first node leads to, breadth first."""
        order, numbers = [0], {0: 0}
        first, targets, labels = [0], list[int](), list[int]()
        instances: list[Instance] = []
        for node in order:
            for action, parameter, target in self.steps[node]:
                if target == node:
                    continue
                if target not in numbers:
                    numbers[target] = len(numbers)
                    order.append(target)
                if (action, (parameter,)) not in instances:
                    instances.append((action, (parameter,)))
                targets.append(numbers[target])
                labels.append(instances.index((action, (parameter,))))
            first.append(len(targets))
        return Space(
            [At.of((node,)) for node in order],
            np.array(first, np.int64),
            np.array(targets, np.int32),
            np.array(labels, np.int32),
            instances,
        )

    def property(self) -> Property:
        return Property("p", Kind.LEADS_TO, lambda s: None, (), (), "", self.fairness)


def nodes_of(size: int) -> st.SearchStrategy[frozenset[int]]:
    return st.frozensets(st.integers(0, size - 1))


@st.composite
def random_graphs(draw: st.DrawFn) -> RandomGraph:
    size = draw(st.integers(1, MOST_NODES))
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
    space, prop = random.space(), random.property()
    premise = np.array([[state[0] in random.premise for state in space.states]])
    goal = np.array([[state[0] in random.goal for state in space.states]])
    unfulfilled = find_unfulfilled(space, prop, Pledges([()], premise, goal), Limits(MOST_NODES))
    assert (unfulfilled is not None) == random.is_unfulfilled()
    if unfulfilled is None:
        return
    lassos = unfulfilled.lassos
    assert lassos.length == random.shortest_length()
    assert lassos.is_shortest
    assert not lassos.is_cut
    found = {tuple(way) for way in ways_of(lassos)}
    assert tuple(lassos.first()) in found
    for way in found:
        trace = space.trace(way, lassos.stem)
        assert_it_happens(random, trace)
        assert unfulfilled_binding(random, prop, trace) == ()
    if sum(lassos.length) <= 3:
        assert {space.trace(way, lassos.stem) for way in found} == {
            trace
            for trace in random.behaviours(sum(lassos.length), lassos.stem)
            if trace.states[lassos.stem] == trace.last
            and random.owes_something(trace.states[: lassos.stem + 1])
            and unfulfilled_binding(random, prop, trace) == ()
        }


@given(random_graphs())
def test_a_fair_behaviour_is_found_where_there_are_too_many_to_compare(random: RandomGraph) -> None:
    """Its stem is a shortest one, and its cycle may be longer than need be: it then says so."""
    space, prop = random.space(), random.property()
    premise = np.array([[state[0] in random.premise for state in space.states]])
    goal = np.array([[state[0] in random.goal for state in space.states]])
    pledges = Pledges([()], premise, goal)
    right = find_unfulfilled(space, prop, pledges, Limits(MOST_NODES))
    with (
        patch.object(shortest_lasso, "MOST_NODES", 0),
        patch.object(shortest_lasso, "MOST_A_LEVEL", 1),
    ):
        found = find_unfulfilled(space, prop, pledges, Limits(MOST_NODES))
    assert (found is None) == (right is None)
    if found is None or right is None:
        return
    trace = space.trace(found.lassos.first(), found.lassos.stem)
    assert_it_happens(random, trace)
    assert unfulfilled_binding(random, prop, trace) == ()
    assert found.lassos.stem == right.lassos.stem
    assert found.lassos.length >= right.lassos.length
    assert not found.lassos.is_shortest or found.lassos.length == right.lassos.length


def ways_of(lassos: Lassos) -> Iterator[list[int]]:
    """The steps of each of the behaviours."""

    def onwards(depth: int, node: tuple[int, ...]) -> Iterator[list[int]]:
        if depth == len(lassos.levels):
            yield []
            return
        for edge, after in lassos.levels[depth][node]:
            for rest in onwards(depth + 1, after):
                yield [edge, *rest]

    yield from onwards(0, *lassos.levels[0]) if lassos.levels else [[]]


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
    fair = random.is_fair(set(nodes[loop:]), frozenset(pairwise(nodes[loop:])))
    assert all(not kept.broken for kept in promises_along(random, prop, trace)) == fair
    assert unfulfilled_binding(random, prop, trace) == (() if owed and fair else None)


@given(random_graphs(), st.data())
def test_networkx_finds_the_same_parts(random: RandomGraph, data: st.DataObject) -> None:
    space = random.space()
    owing, past = (data.draw(nodes_of(len(space.states))) for _ in range(2))
    promises = Promises(space, random.fairness)
    masks = mask_of(owing, space), mask_of(past, space)
    parts = fair_parts(space, promises, *masks, Limits(MOST_NODES))
    expected = parts_by_networkx(space, promises, led_to(space, owing, past))
    assert grouped(parts.tolist()) == set(expected)
