"""Of all shortest behaviours to a violation, the one that is simplest to read.

It has the fewest disturbances, which are steps by actions that are the environment's. Of those it
has the fewest different names among the parameters of its steps, such as clients and partitions;
then the fewest other values there and variables that it changes; then, step by step, the action
that the model declares first and the parameters that come first in their domains.

The choice is exact, and does not depend on the engine that found the violation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from lockstep.language.domain import (
    Domain,
    MapDomain,
    NameDomain,
    OptionDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import DEADLOCK
from lockstep.language.notation import State
from lockstep.language.records import RecordDomain
from lockstep.plain.ending import Ending, Remaining, ending_of, plain_remaining, violated_at_the_end
from lockstep.plain.engine import Disagreement
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import SearchResult, Violation, report_violation
from lockstep.results.trace import Step, Trace

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
    remark = f"the behaviour is a shortest one, perhaps not the simplest: {why}"
    result.remark = "; ".join(filter(None, (result.remark, remark)))


def simplest(
    engine: PlainEngine, ending: Ending, remaining: Remaining, environment: Collection[str]
) -> Trace:
    """The simplest behaviour, `remaining` being exact; `TooMany` where a bound is met."""
    ways = _Ways(engine, ending, remaining, environment)
    best: list[tuple[int, list[_Edge]]] = []
    for names in ways.smallest(lambda edge: edge.names, _Within()):
        for values in ways.smallest(lambda edge: edge.values, _Within(names)):
            best.append((values.bit_count(), ways.first(_Within(names, values))))
    _, edges = min(best, key=lambda one: (one[0], [edge.order for edge in one[1]]))
    return Trace(engine.model.initial, tuple(edge.step for edge in edges))


@dataclass(frozen=True)
class _Edge:
    """A step on a way: which of its state's it is, and what it uses, as sets of bits."""

    order: int
    step: Step
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
    """The shortest behaviours with the fewest disturbances: level by level, each state's steps."""

    def __init__(
        self,
        engine: PlainEngine,
        ending: Ending,
        remaining: Remaining,
        environment: Collection[str],
    ) -> None:
        self._engine = engine
        self._ending = ending
        self._initial = engine.model.initial
        self._bits: dict[Hashable, int] = {}
        self._compared = 0
        self._levels: list[dict[State, list[_Edge]]] = []
        looked_at = 0
        level: dict[State, list[_Edge]] = {self._initial: []}
        for depth in range(ending.steps):
            following: dict[State, list[_Edge]] = {}
            for state, edges in level.items():
                looked_at += 1
                if looked_at > MOST_STATES:
                    raise TooMany(f"more than {MOST_STATES:,} states are on the way to such")
                left = remaining(depth, state)
                for order, step in enumerate(engine.successors(state)):
                    price = step.action in environment
                    if self._leads_on(depth, state, step, left, price, remaining):
                        edges.append(self._edge(order, state, step))
                        following.setdefault(step.state, [])
            self._levels.append(level)
            level = following
        self._ends = list(level)
        if not level:
            raise Disagreement(f"plain Python finds no behaviour of {ending.steps} steps")

    def _leads_on(
        self,
        depth: int,
        state: State,
        step: Step,
        left: int | None,
        price: int,
        remaining: Remaining,
    ) -> bool:
        """Whether a step is on a way with the fewest disturbances."""
        if self._ending.is_of_step and depth == self._ending.judged:
            return price == left and self._ending.is_at(self._engine, state, step.state)
        after = remaining(depth + 1, step.state)
        return after is not None and after + price == left

    def _edge(self, order: int, before: State, step: Step) -> _Edge:
        action = self._engine.model.action(step.action)
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
        return _Edge(order, step, names, values)

    def _bit(self, key: Hashable) -> int:
        return 1 << self._bits.setdefault(key, len(self._bits))

    def smallest(self, used: Callable[[_Edge], int], within: _Within) -> list[int]:
        """What the ways of allowed steps use that use the least: each smallest set of bits once."""
        reached: dict[State, list[int]] = {self._initial: [0]}
        for level in self._levels:
            following: dict[State, list[int]] = {}
            for state, sets in reached.items():
                for edge in level[state]:
                    if not within.allows(edge):
                        continue
                    least = following.setdefault(edge.step.state, [])
                    self._compared += len(sets)
                    if self._compared > MOST_SETS:
                        raise TooMany(f"more than {MOST_SETS:,} sets of what they use")
                    for bits in sets:
                        _add(least, bits | used(edge))
            reached = following
        ends = {bits for sets in reached.values() for bits in sets}
        fewest = min(bits.bit_count() for bits in ends)
        return sorted(bits for bits in ends if bits.bit_count() == fewest)

    def first(self, within: _Within) -> list[_Edge]:
        """The way of allowed steps that comes first, of which there is at least one."""
        alive = [set(self._ends)]
        for level in reversed(self._levels):
            alive.append(
                {
                    state
                    for state, edges in level.items()
                    if any(edge.step.state in alive[-1] and within.allows(edge) for edge in edges)
                }
            )
        alive.reverse()
        way: list[_Edge] = []
        state = self._initial
        for level, following in zip(self._levels, alive[1:], strict=True):
            edge = next(
                one for one in level[state] if one.step.state in following and within.allows(one)
            )
            way.append(edge)
            state = edge.step.state
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
    match domain:
        case OptionDomain():
            if value is not None:
                yield from atoms(domain.some, value)
        case RecordDomain():
            for part, inner in zip(domain.record.fields.values(), value, strict=True):
                yield from atoms(part, inner)
        case MapDomain():
            for key, inner in value.items():
                below = list(atoms(domain.value, inner))
                if below:
                    yield from atoms(domain.key, key)
                    yield from below
        case SetDomain() | SequenceDomain():
            for item in value:
                yield from atoms(domain.item, item)
        case NameDomain():
            yield domain, value
        case _ if value:
            yield domain, value
