"""Orbits of states by brute force: in plain values, without what the product knows of symmetry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

from lockstep.language.notation import State
from lockstep.language.values import TotalMap
from lockstep.machine.code.machine import machine_code
from lockstep.machine.code.program import build_program
from lockstep.machine.search.search import ParallelSearch
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.trace import Step
from tests.agreement.case import Case, levels_divided
from tests.agreement.summary import COUNTS, assert_takes_place, summary

Orbit = frozenset[Hashable]
Name = str | int


@dataclass
class _Orbits:
    """The orbits of the states of a search, and the steps of one state of each."""

    renamings: list[dict[Name, Name]]
    states: set[Orbit] = field(default_factory=set)
    steps: dict[Orbit, Counter[str]] = field(default_factory=dict)
    stuck: set[Orbit] = field(default_factory=set)
    """Those of states that no step leaves."""

    def visit(self, state: State, steps: list[Step]) -> None:
        orbit = self.of(state)
        fired = Counter(step.action for step in steps)
        assert self.steps.setdefault(orbit, fired) == fired
        self.states.update(self.of(step.state) for step in steps)
        if all(step.state == state for step in steps):
            self.stuck.add(orbit)

    def of(self, state: State) -> Orbit:
        return frozenset(_renamed(tuple(state), renaming) for renaming in self.renamings)


def assert_counts_orbits(case: Case) -> int:
    """With symmetry a search finds the orbits, and says the same; how many groups of names it has.

    Only names that are strings are renamed here.
    """
    oracle = case.oracles[True]
    program = build_program(case.model, symmetry=True)
    assert program.symmetry is not None
    groups = program.symmetry.groups
    code = machine_code(program.text, None) if groups else case.code
    with levels_divided():
        result = ParallelSearch(
            program, code, Exploration(bounds=Bounds(max_depth=case.depth), threads=2)
        ).run()
    if not groups:
        assert summary(result) == summary(oracle)
        return 0
    orbits = _Orbits(list(_renamings(groups)))
    orbits.states.add(orbits.of(case.model.initial))
    engine = PlainEngine(case.model)
    Search(engine, Exploration(bounds=Bounds(max_depth=case.depth)), on_state=orbits.visit).run()
    assert result.states == len(orbits.states)
    fired = sum(orbits.steps.values(), Counter[str]())
    assert result.fired == {action.name: fired[action.name] for action in case.model.actions}
    assert result.transitions == sum(fired.values())
    assert result.deadlocks == len(orbits.stuck)
    assert summary(result, without=COUNTS) == summary(oracle, without=COUNTS)
    assert_takes_place(case.model, result)
    return len(groups)


def _renamings(groups: tuple[tuple[Name, ...], ...]) -> Iterator[dict[Name, Name]]:
    for orders in product(*(permutations(group) for group in groups)):
        pairs = (
            zip(group, order, strict=True) for group, order in zip(groups, orders, strict=True)
        )
        yield {name: image for permutation in pairs for name, image in permutation}


def _renamed(value: Any, renaming: Mapping[Name, Name]) -> Hashable:
    """A value with its names changed, in a form that says the same of equal values."""
    match value:
        case str():
            return renaming.get(value, value)
        case frozenset():
            return frozenset(_renamed(item, renaming) for item in value)
        case TotalMap():
            return frozenset(
                (_renamed(key, renaming), _renamed(part, renaming)) for key, part in value.items()
            )
        case tuple():
            return tuple(_renamed(part, renaming) for part in value)
    assert isinstance(value, Hashable)
    return value
