"""The shortest behaviours that break a `leads_to`: a stem, then a cycle that is taken for ever.

First the stem is the shortest: the fewest steps to a state that recurs, something being owed by
then. Of those that have such a stem the cycle is: none where nothing need happen any more.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.plain.fair_parts import Promises
from lockstep.plain.space import Limits, Mask, Space, rows_of

MOST_NODES = 100_000
"""States of a cycle that are looked at, times the promises that may have been kept until then."""
MOST_A_LEVEL = 10_000
"""States that are as many steps from the initial one, and from where cycles begin."""
_STRETCH = 1_000
"""States that are found between two looks at the limits, about."""

Node: TypeAlias = tuple[int, ...]
"""A state's number, and what counts of the behaviour until then."""
Level: TypeAlias = dict[Node, list[tuple[int, Node]]]
"""Of each node the steps on, by their numbers in the space, and the node that each leads to."""


@dataclass(frozen=True)
class Lassos:
    """Behaviours of the same length: each way through the levels is one, from their only start.

    After `stem` steps the cycle begins. `is_cut` says that there are more of that length, and
    `is_shortest` is False where the cycle may be longer than need be.
    """

    stem: int
    levels: list[Level]
    is_cut: bool = False
    is_shortest: bool = True

    @property
    def length(self) -> tuple[int, int]:
        """By which they are compared: the steps of the stem, then those of the cycle."""
        return self.stem, len(self.levels) - self.stem

    @property
    def start(self) -> Node:
        """The node in which they begin; of no meaning where they have no steps."""
        return next(iter(self.levels[0])) if self.levels else ()

    def first(self) -> list[int]:
        """The steps of one of them."""
        way: list[int] = []
        at = self.start
        for level in self.levels:
            edge, at = level[at][0]
            way.append(edge)
        return way


class LassoSearch:
    """Looks for the behaviours that break one binding of a `leads_to`."""

    def __init__(
        self, space: Space, promises: Promises, owing: Mask, past: Mask, limits: Limits
    ) -> None:
        """Look from the states that are `owing` something, among those `past` the goal."""
        self._space = space
        self._promises = promises
        self._owing = owing
        self._past = past
        self._limits = limits
        strong = [is_strong << number for number, is_strong in enumerate(promises.is_strong)]
        self._strong = sum(strong)
        self._weak = (1 << len(strong)) - 1 - self._strong
        self._enabled_at: dict[int, int] = {}

    def shortest(self, parts: NDArray[np.int32], most: int | None = None) -> Lassos | None:
        """All shortest behaviours, with the fair parts of what the states owing something lead to.

        None when there is none, or none of a stem of at most so many steps.
        """
        recurring = np.flatnonzero(parts >= 0)
        if not len(recurring):
            return None
        due = self._due[recurring]
        stem = int(due.min())
        if most is not None and stem > most:
            return None
        entries = recurring[due == stem].tolist()
        shortest = self._cycles(entries[:MOST_A_LEVEL], parts)
        nodes, levels = shortest or self._a_cycle(entries[0], parts == parts[entries[0]])
        stems, is_cut = self._stems(stem, nodes)
        is_cut |= len(entries) > MOST_A_LEVEL
        return Lassos(stem, [*stems, *levels], is_cut, is_shortest=shortest is not None)

    @cached_property
    def _due(self) -> NDArray[np.int32]:
        """How many steps lead to each state at least, something being owed; or -1."""
        due = np.full(len(self._space.states), -1, np.int32)
        pending = self._past.copy()
        owing = np.flatnonzero(self._owing)
        depths = self._space.depths()[owing]  # never less than that of an earlier state
        kept = np.empty(len(due), np.int32)
        steps, wave = int(depths[0]) if len(owing) else 0, owing[:0]
        while len(wave) or len(owing):
            self._limits.watch()
            count = int(np.searchsorted(depths, steps, side="right"))
            reached = np.concatenate([self._onwards(wave), owing[:count]])
            owing, depths = owing[count:], depths[count:]
            reached = reached[pending[reached]]
            # Of the positions at which a state is reached one is kept, so that it is there once.
            kept[reached] = np.arange(len(reached), dtype=np.int32)
            wave = reached[kept[reached] == np.arange(len(reached))]
            pending[wave] = False
            due[wave] = steps
            steps += 1
        return due

    def _onwards(self, wave: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where the steps of some states lead."""
        return self._space.targets[rows_of(self._space.first, wave)].astype(np.intp)

    def _stems(self, steps: int, entries: Iterable[Node]) -> tuple[list[Level], bool]:
        """All ways of so many steps to some states, something being owed, and whether some are cut.

        A node is a state and whether something is owed by then.
        """
        space, due, depths = self._space, self._due, self._space.depths()
        ahead = {(node[0], True): node for node in entries}
        levels: list[Level] = []
        is_cut = False
        for before in range(steps - 1, -1, -1):
            self._limits.watch()
            wanted = np.zeros(len(space.states), np.bool_)
            wanted[[state for state, _ in ahead]] = True
            level: Level = {}
            for edge in np.flatnonzero(wanted[space.targets]).tolist():
                source, target = space.source(edge), int(space.targets[edge])
                for was_owed in (True, False):
                    if (due if was_owed else depths)[source] != before:
                        continue
                    for is_owed in {was_owed, was_owed or bool(self._owing[target])}:
                        after = ahead.get((target, is_owed))
                        if after is not None:
                            level.setdefault((source, was_owed), []).append((edge, after))
            if len(level) > MOST_A_LEVEL:
                is_cut, level = True, dict(list(level.items())[:MOST_A_LEVEL])
            levels.append(level)
            ahead = {(node[0], bool(node[1])): node for node in level}
        if levels:
            begun = (step for ways in levels[-1].values() for step in ways)
            levels[-1] = {(0,): list(dict.fromkeys(begun))}
        return levels[::-1], is_cut

    def _cycles(
        self, entries: Collection[int], parts: NDArray[np.int32]
    ) -> tuple[list[Node], list[Level]] | None:
        """The shortest cycles from some states that keep all promises: where they begin, and how.

        A node is a state, where its cycle began, the promises kept by then (a weak one also where
        it was disabled), and the strong ones that are not and were enabled. None where there are
        too many nodes.
        """
        level: list[Node] = [(at, at, *self._status(at, 0, 0)) for at in entries]
        resting = [node for node in level if not self._enabled(node[0])]
        if resting:
            return resting, []
        levels: list[Level] = []
        known: set[Node] = set()
        while True:
            self._limits.watch()
            moves: Level = {}
            for node in level:
                state, entry, kept, missed = node
                moves[node] = [
                    (edge, after)
                    for edge, target, keeps in self._moves(state)
                    if parts[target] == parts[entry]
                    and (after := (target, entry, *self._status(target, kept | keeps, missed)))
                    not in known
                ]
            levels.append(moves)
            following = dict.fromkeys(after for steps in moves.values() for _, after in steps)
            known.update(following)
            ends = {
                node
                for node in following
                if node[0] == node[1] and not self._broken(node[2], node[3])
            }
            if ends:
                return _leading_to(ends, levels)
            if len(known) > MOST_NODES:
                return None
            level = list(following)
            assert level, "the part is strongly connected, and every promise can be kept in it"

    def _moves(self, state: int) -> list[tuple[int, int, int]]:
        """The steps of a state, where each leads, and the promises that it keeps.

        It is what changes that keeps a promise: all steps to one state keep the same.
        """
        targets = [(edge, int(self._space.targets[edge])) for edge in self._space.steps(state)]
        keeps = defaultdict[int, int](int)
        for edge, target in targets:
            keeps[target] |= _bits(self._promises.by_step(edge))
        return [(edge, target, keeps[target]) for edge, target in targets]

    def _status(self, state: int, kept: int, missed: int) -> tuple[int, int]:
        """The promises kept and the strong ones that are not, once a state is reached."""
        enabled = self._enabled(state)
        kept |= self._weak & ~enabled
        return kept, (missed | self._strong & enabled) & ~kept

    def _broken(self, kept: int, missed: int) -> int:
        """The promises that are not kept by a cycle that ends so."""
        return missed | self._weak & ~kept

    def _enabled(self, state: int) -> int:
        """The promises that can be kept in a state."""
        if state not in self._enabled_at:
            self._enabled_at[state] = _bits(self._promises.at(state))
        return self._enabled_at[state]

    def _a_cycle(self, entry: int, part: Mask) -> tuple[list[Node], list[Level]]:
        """A cycle that keeps one promise after the other, each by the nearest step."""
        cycle: list[int] = []
        while True:
            self._limits.watch()
            at = int(self._space.targets[cycle[-1]]) if cycle else entry
            way = [*cycle, *self._way(at, part, state=lambda state: state == entry)]
            broken = self._broken_along(entry, way)
            if not broken:
                space = self._space
                return [(entry,)], [
                    {(space.source(edge),): [(edge, (int(space.targets[edge]),))]} for edge in way
                ]
            cycle += self._way_to_keep((broken & -broken).bit_length() - 1, at, part)

    def _broken_along(self, entry: int, cycle: Iterable[int]) -> int:
        """The promises that a cycle breaks."""
        kept, missed = self._status(entry, 0, 0)
        for edge in cycle:
            kept |= _bits(self._promises.by_step(edge))
            kept, missed = self._status(int(self._space.targets[edge]), kept, missed)
        return self._broken(kept, missed)

    def _way_to_keep(self, promise: int, start: int, part: Mask) -> list[int]:
        """The way to a step that keeps a promise or, if it is weak, to where that is disabled."""
        weak = not self._promises.is_strong[promise]
        return self._way(
            start,
            part,
            state=lambda state: weak and promise not in self._promises.at(state),
            edge=lambda edge: promise in self._promises.by_step(edge),
        )

    def _way(
        self,
        start: int,
        part: Mask,
        *,
        state: Callable[[int], bool],
        edge: Callable[[int], bool] = lambda _: False,
    ) -> list[int]:
        """A shortest way inside a part that ends in such a state, or with such a step."""
        space = self._space
        if state(start):
            return []
        came: dict[int, tuple[int, int]] = {}
        waiting = deque([start])
        while waiting:
            at = waiting.popleft()
            if len(came) % _STRETCH == 0:
                self._limits.watch()
            for step in space.steps(at):
                target = int(space.targets[step])
                if not part[target]:
                    continue
                if edge(step) or state(target):
                    way = [step]
                    while at != start:
                        at, step = came[at]
                        way.append(step)
                    return way[::-1]
                if target not in came and target != start:
                    came[target] = (at, step)
                    waiting.append(target)
        raise AssertionError("the part is strongly connected, and every promise can be kept in it")


def _bits(promises: Iterable[int]) -> int:
    return sum(1 << promise for promise in promises)


def _leading_to(ends: Collection[Node], levels: list[Level]) -> tuple[list[Node], list[Level]]:
    """The first nodes that lead to one of the ends, and the levels with such nodes alone."""
    kept: list[Level] = []
    alive: Collection[Any] = ends
    for level in reversed(levels):
        leading = {
            node: [step for step in steps if step[1] in alive] for node, steps in level.items()
        }
        kept.append({node: steps for node, steps in leading.items() if steps})
        alive = kept[-1].keys()
    return list(kept[-1]), kept[::-1]
