"""Of all shortest behaviours to a violation, the one that is simplest to read.

It has the fewest disturbances, which are steps by actions that are the environment's. Of those it
has the fewest different names among the parameters of its steps, such as clients and partitions;
then the fewest other values there and variables that it changes; then, step by step, the action
that the model declares first and the parameters that come first in their domains.

The choice is exact, and does not depend on the engine that found the violation. A behaviour that
never ends is chosen in the same way, all of its steps being looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lockstep.language.domain import Domain, MapDomain, NameDomain
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import State
from lockstep.language.types import parts_of_value
from lockstep.plain.ending import Ending, Remaining, ending_of, plain_remaining, violated_at_the_end
from lockstep.plain.engine import Disagreement
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import SearchResult, Violation, add_remark, report_violation
from lockstep.results.trace import Step, Trace

if TYPE_CHECKING:  # numpy is not needed before
    from lockstep.plain.shortest_lasso import Lassos, Level, Node
    from lockstep.plain.space import Space

MOST_STATES = 2_000
"""States whose steps plain Python looks at: some seconds' worth in large models."""
MOST_SETS = 200_000
"""Sets of names or values that are compared."""


class TooMany(Exception):
    """There are more shortest behaviours than are compared; the text says what was met."""


def simplify(result: SearchResult, engine: PlainEngine, environment: Collection[str]) -> None:
    """Put the simplest behaviour into the result of a search in plain Python."""
    if result.violation is not None:
        ending = ending_of(engine, result.violation)
        go_back = partial(plain_remaining, engine, ending, environment)
        put_simplest(result, engine, ending, go_back, environment)


def put_simplest(
    result: SearchResult,
    engine: PlainEngine,
    ending: Ending,
    go_back: Callable[[], Remaining],
    environment: Collection[str],
) -> None:
    """Put the simplest behaviour into a result that has a shortest one.

    It stays as it is where there are too many to compare, or at Ctrl-C: the remark says so then.
    """
    try:
        trace = simplest(engine, ending, go_back(), environment)
    except (TooMany, KeyboardInterrupt) as bound:
        tell_it_is_any(result, str(bound) or "interrupted")
        return
    if ending.prop is None:
        report_violation(result, Violation((DEADLOCK,), (), trace))
        return
    failing = violated_at_the_end(engine, trace)
    report_violation(result, Violation(tuple(failing), failing[ending.prop.name], trace))


def tell_it_is_any(result: SearchResult, why: str) -> None:
    """Say in a result that its behaviour is any of the shortest."""
    add_remark(result, f"the behaviour is a shortest one, perhaps not the simplest: {why}")


def simplest(
    engine: PlainEngine, ending: Ending, remaining: Remaining, environment: Collection[str]
) -> Trace:
    """The simplest behaviour, `remaining` being exact; `TooMany` where a bound is met."""
    ways = _Ways(engine.model.initial, engine.model)
    for depth in range(ending.steps):
        is_judged = ending.is_of_step and depth == ending.judged
        for state in ways.new_level():
            left = remaining(depth, state)
            for order, step in enumerate(engine.successors(state)):
                if is_judged:
                    after = 0 if ending.is_at(engine, state, step.state) else None
                else:
                    after = remaining(depth + 1, step.state)
                if after is not None and after + (step.action in environment) == left:
                    ways.add(state, step.state, order, state, step)
    if ways.is_lost:
        raise Disagreement(f"plain Python finds no behaviour of {ending.steps} steps")
    return Trace(engine.model.initial, ways.simplest())


def simplest_lasso(
    engine: PlainEngine, space: Space, lassos: Lassos, environment: Collection[str]
) -> Trace:
    """The simplest of some behaviours that never end; `TooMany` where a bound is met."""
    levels = _least_disturbed(space, lassos, environment)
    ways = _Ways(lassos.start, engine.model)
    for level in levels:
        for node in ways.new_level():
            before = space.states[space.source(level[node][0][0])]
            steps = list(engine.successors(before))
            for edge, after in level[node]:
                step = space.step(edge)
                ways.add(node, after, steps.index(step), before, step)
    return Trace(engine.model.initial, ways.simplest(), lassos.stem)


def _least_disturbed(space: Space, lassos: Lassos, environment: Collection[str]) -> list[Level]:
    """The levels with such steps only as are on a way of the fewest disturbances."""
    price = [action in environment for action, _ in space.instances]
    kept: list[Level] = []
    left: dict[Node, int] = {}
    for level in reversed(lassos.levels):
        costs = {
            node: [price[space.labels[edge]] + left.get(after, 0) for edge, after in steps]
            for node, steps in level.items()
        }
        left = {node: min(of_steps) for node, of_steps in costs.items()}
        kept.append(
            {
                node: [
                    step
                    for step, cost in zip(steps, costs[node], strict=True)
                    if cost == left[node]
                ]
                for node, steps in level.items()
            }
        )
    return kept[::-1]


@dataclass(frozen=True)
class _Edge:
    """A step on a way: which of its state's it is, where it leads, what it uses as sets of bits."""

    order: int
    step: Step
    after: Hashable
    names: int
    values: int


@dataclass(frozen=True)
class _Within:
    """The steps that use no other names and values than some; -1 stands for all there are."""

    names: int = -1
    values: int = -1

    def allows(self, edge: _Edge) -> bool:
        return not (edge.names & ~self.names or edge.values & ~self.values)


class _Ways:
    """Ways of the same length: level by level, the steps of each state, or of each other node."""

    def __init__(self, start: Hashable, model: Model) -> None:
        self._model = model
        self._start = start
        self._bits: dict[Hashable, int] = {}
        self._compared = 0
        self._looked_at = 0
        self._levels: list[dict[Hashable, list[_Edge]]] = []
        self._ends: dict[Any, None] = {start: None}

    def new_level(self) -> Iterator[Any]:
        """The nodes to which the ways have come; the steps that are added next are theirs."""
        level, self._ends = self._ends, {}
        self._levels.append({node: [] for node in level})
        for node in level:
            self._looked_at += 1
            if self._looked_at > MOST_STATES:
                raise TooMany(f"more than {MOST_STATES:,} states are on the way to such")
            yield node

    def add(self, node: Hashable, after: Hashable, order: int, before: State, step: Step) -> None:
        """Add a step of a node: by its place among those of its state."""
        action = self._model.action(step.action)
        names = values = 0
        for parameter, value in zip(action.parameters, step.parameters, strict=True):
            for domain, atom in atoms(parameter.domain, value):
                if isinstance(domain, NameDomain):
                    names |= self._bit((domain.names, atom))
                else:
                    values |= self._bit((str(domain), atom))
        for name, old, new in zip(before.fields, before, step.state, strict=True):
            if old != new:
                values |= self._bit(name)
        self._levels[-1][node].append(_Edge(order, step, after, names, values))
        self._ends.setdefault(after)

    @property
    def is_lost(self) -> bool:
        """Whether no way is as long."""
        return not self._ends

    def simplest(self) -> tuple[Step, ...]:
        """The steps of the simplest way; `TooMany` where a bound is met."""
        best: list[tuple[int, list[_Edge]]] = []
        for names in self._smallest(lambda edge: edge.names, _Within()):
            for values in self._smallest(lambda edge: edge.values, _Within(names)):
                best.append((values.bit_count(), self._first(_Within(names, values))))
        _, edges = min(best, key=lambda one: (one[0], [edge.order for edge in one[1]]))
        return tuple(edge.step for edge in edges)

    def _bit(self, key: Hashable) -> int:
        return 1 << self._bits.setdefault(key, len(self._bits))

    def _smallest(self, used: Callable[[_Edge], int], within: _Within) -> list[int]:
        """What the ways of allowed steps use that use the least: each smallest set of bits once."""
        reached: dict[Hashable, list[int]] = {self._start: [0]}
        for level in self._levels:
            following: dict[Hashable, list[int]] = {}
            for node, sets in reached.items():
                for edge in level[node]:
                    if not within.allows(edge):
                        continue
                    least = following.setdefault(edge.after, [])
                    self._compared += len(sets)
                    if self._compared > MOST_SETS:
                        raise TooMany(f"more than {MOST_SETS:,} sets of what they use")
                    for bits in sets:
                        _add(least, bits | used(edge))
            reached = following
        ends = {bits for sets in reached.values() for bits in sets}
        fewest = min(bits.bit_count() for bits in ends)
        return sorted(bits for bits in ends if bits.bit_count() == fewest)

    def _first(self, within: _Within) -> list[_Edge]:
        """The way of allowed steps that comes first, of which there is at least one."""
        alive: list[set[Hashable]] = [set(self._ends)]
        for level in reversed(self._levels):
            alive.append(
                {
                    node
                    for node, edges in level.items()
                    if any(edge.after in alive[-1] and within.allows(edge) for edge in edges)
                }
            )
        alive.reverse()
        way: list[_Edge] = []
        nodes = {self._start}  # of one state
        for level, following in zip(self._levels, alive[1:], strict=True):
            edges = [
                edge
                for node in nodes
                for edge in level[node]
                if edge.after in following and within.allows(edge)
            ]
            way.append(min(edges, key=lambda edge: edge.order))
            nodes = {edge.after for edge in edges if edge.order == way[-1].order}
        return way


def _add(least: list[int], bits: int) -> None:
    """Add a set to some of which none contains another, unless one of them is in it."""
    if any(not one & ~bits for one in least):
        return
    least[:] = [one for one in least if bits & ~one]
    least.append(bits)


def atoms(domain: Domain, value: Any) -> Iterator[tuple[Domain, Any]]:
    """The names and other atoms that a value is made of, but for 0, False, None and what is empty.

    A key of a map is among them where something belongs to it.
    """
    if isinstance(domain, MapDomain):
        for key, inner in value.items():
            below = list(atoms(domain.value, inner))
            if below:
                yield from atoms(domain.key, key)
                yield from below
    elif isinstance(domain, NameDomain) or (domain.is_scalar and value):
        yield domain, value
    else:
        for part in parts_of_value(domain, value):
            yield from atoms(*part)
