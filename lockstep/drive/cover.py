"""Drives software along every transition of a scope's graph, with few resets.

From where the software is, it is led to the nearest state in which something is left to be done,
along steps that it was seen to take. It is reset where there is none.

Software may remember more than the model does: what it does in a state may depend on how it came
there. In pairs, each transition is taken after each action that leads to its state.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import product

from lockstep.drive.following import Following, entered_by
from lockstep.errors import LockstepError
from lockstep.language.notation import State
from lockstep.plain.space import Instance
from lockstep.results.trace import Trace
from lockstep.words import plural

MOST_STATES = 100_000
"""A scope with more states than this is not covered: random behaviours are for it."""
TRIES = 3
"""How often a stimulus is given in a state where the software decides between several steps."""
MOST_IDLE = 1_000
"""Stimuli, and four a state besides, after which a run ends in which nothing new is done."""


class Graph:
    """All states that the stimuli of a driver may lead to, and the transitions that answer them.

    `moves` says for each state which transitions may answer which stimulus, `targets` where each
    of them leads, and `chosen` is how many there are. In pairs, a state that several actions lead
    to is as many states.
    """

    def __init__(
        self,
        following: Following,
        *,
        in_pairs: bool = False,
        watch: Callable[[str], None] = lambda _: None,
    ) -> None:
        stimuli, initial = following.stimuli, following.model.initial
        self.in_pairs = in_pairs
        self.numbers: dict[tuple[State, str], int] = {(initial, ""): 0}
        self.moves: list[dict[Instance, list[int]]] = []
        self.targets: list[int] = []
        self.edges: dict[tuple[int, str, tuple[object, ...]], int] = {}
        self.chosen = 0
        self._came_from: list[tuple[int, Instance | None]] = [(0, None)]
        waiting = deque([initial])
        while waiting:
            state, source = waiting.popleft(), len(self.moves)
            if source % 100 == 0:
                watch(plural(len(self.numbers), "state"))
            moves: dict[Instance, list[int]] = {}
            for step in stimuli.engine.successors(state):
                if step.action in stimuli.never:
                    continue
                answered = list(stimuli.answered_by(step))
                if (target := self._key(step.state, step.action)) not in self.numbers:
                    self.numbers[target] = len(self.numbers)
                    self._came_from.append((source, answered[0] if answered else None))
                    waiting.append(step.state)
                edge = self.edges[source, step.action, step.parameters] = len(self.targets)
                self.targets.append(self.numbers[target])
                self.chosen += bool(answered)
                for stimulus in answered:
                    moves.setdefault(stimulus, []).append(edge)
            self.moves.append(moves)
            if len(self.numbers) > MOST_STATES:
                raise LockstepError(
                    f"the scope has more than {MOST_STATES:,} states, which are too many to cover",
                    cure="name a smaller one by --scope, or take random behaviours by --random N",
                )

    def _key(self, state: State, entered: str) -> tuple[State, str]:
        return state, entered if self.in_pairs else ""

    def number(self, state: State, entered: str) -> int:
        """The number of a state that was entered by an action."""
        return self.numbers[self._key(state, entered)]

    def way_to(self, trace: Trace) -> list[Instance]:
        """The stimuli of a shortest way to the end of a behaviour, if the software goes along."""
        entered = trace.steps[-1].action if trace.steps else ""
        number, stimuli = self.number(trace.last, entered), []
        while number:
            number, stimulus = self._came_from[number]
            if stimulus is not None:
                stimuli.append(stimulus)
        return stimuli[::-1]


@dataclass
class Covered:
    """What was done of a graph.

    `done` are the transitions that the software has taken for certain, `possible` those that it may
    have taken, `given` the states with the stimuli that it was given there, and `refused` those
    that it did not offer. `reached` are the states that it was in for certain.
    """

    done: set[int] = field(default_factory=set)
    possible: set[int] = field(default_factory=set)
    given: set[tuple[int, Instance]] = field(default_factory=set)
    refused: set[tuple[int, Instance]] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)


class Ended(Exception):
    """A run ends before all is done; the text says why."""


class Cover:
    """One run along all transitions; `run` does it, once."""

    def __init__(
        self, following: Following, graph: Graph, watch: Callable[[str], None] = lambda _: None
    ) -> None:
        self.covered = Covered()
        self._following, self._graph, self._watch = following, graph, watch
        self._left = [
            {stimulus: 1 if len(edges) == 1 else TRIES for stimulus, edges in moves.items()}
            for moves in graph.moves
        ]
        """By state, how often each stimulus is still to be given there."""
        self._ways = Ways(len(graph.moves))
        self._plan: deque[tuple[int, int]] = deque()
        """The states in turn that lead to one where something is left, each with the next one."""
        self._idle = 0

    def run(self) -> None:
        """Give stimuli until nothing is left; `Departed`, `Ended`, or what `watch` raises."""
        is_fresh = False
        while True:
            stimulus = None
            if here := self._here():
                self.covered.reached.update(here if len(here) == 1 else ())
                stimulus = self._next(here)
            if stimulus is not None:
                self._give(here, stimulus)
            elif is_fresh:
                return
            else:
                self._following.reset()
            is_fresh = stimulus is None

    def _here(self) -> list[int]:
        """The states in which the software may be."""
        return [
            self._graph.number(state, entered_by(way))
            for state, way in self._following.candidates.items()
        ]

    def _next(self, here: list[int]) -> Instance | None:
        """What to give next; None where nothing is left that can be reached from here."""
        first = here[0]
        if left := self._left[first]:
            self._plan.clear()
            offered = [self._graph.moves[number] for number in here[1:]]
            by_all = [one for one in left if all(one in moves for moves in offered)]
            return max(by_all or left, key=lambda one: self._leads_on(first, one))
        if not self._plan or self._plan[0][0] != first:
            self._plan = self._ways.nearest(first, lambda state: bool(self._left[state]))
        return self._ways.stimulus(*self._plan[0]) if self._plan else None

    def _leads_on(self, first: int, stimulus: Instance) -> int:
        """How far a stimulus keeps the software from having to be reset: 2 where it stays."""
        targets = {self._graph.targets[edge] for edge in self._graph.moves[first][stimulus]}
        return 2 if first in targets else int(any(self._left[target] for target in targets))

    def _give(self, here: list[int], stimulus: Instance) -> None:
        """Give a stimulus where the software may be, and note what came of it."""
        covered, graph = self.covered, self._graph
        self._watch(f"{len(covered.done):,} of {plural(graph.chosen, 'transition')}")
        steps = self._following.do(stimulus)
        covered.given.update((number, stimulus) for number in here)
        if steps is None:
            for number in here:
                if self._left[number].pop(stimulus, 0):
                    covered.refused.add((number, stimulus))
                    self._idle = 0
        sources = ((graph.number(state, entered), step) for state, entered, step in steps or ())
        taken = {
            graph.edges[source, step.action, step.parameters]: source for source, step in sources
        }
        if len(taken) == 1 and not covered.done.issuperset(taken):
            covered.done.update(taken)
            self._idle = 0
        covered.possible.update(taken)
        led = self._led(here, taken)
        for source, target in led:
            self._ways.add(source, target, stimulus)
        for number in here:
            if (left := self._left[number]).get(stimulus):
                self._idle = 0
                left[stimulus] -= 1
                if not left[stimulus] or covered.done.issuperset(graph.moves[number][stimulus]):
                    del left[stimulus]
        if self._plan:
            planned = self._plan.popleft()
            if planned not in led:
                self._ways.forget(*planned)
        self._idle += 1
        if self._idle > MOST_IDLE + 4 * len(graph.moves):
            raise Ended(f"nothing new was done by the last {self._idle:,} stimuli")

    def _led(self, here: list[int], taken: Mapping[int, int]) -> set[tuple[int, int]]:
        """From which states to which ones a stimulus led; `taken` are transitions, by source.

        Software that took further steps by itself is beyond what the stimulus asked for.
        """
        arrived = set(self._here())
        led = set[tuple[int, int]]()
        for edge, source in taken.items():
            target = self._graph.targets[edge]
            sources = [source] if source in here else here
            led.update(product(sources, [target] if target in arrived else arrived))
        return led


class Ways:
    """By state, the states to which software was led from there, and by which stimulus.

    Searches are adaptive A* (Koenig and Likhachev, 2005): what one learns of how far it is to a
    state in which something is left bounds the next ones, for what is left only becomes less.
    """

    def __init__(self, states: int) -> None:
        self._known: list[dict[int, Instance]] = [{} for _ in range(states)]
        self._far = [0.0] * states
        """By state, at least how many steps it is to one in which something is left."""

    def add(self, source: int, target: int, stimulus: Instance) -> None:
        """Note that a stimulus led from one state to another."""
        self._known[source].setdefault(target, stimulus)
        if self._far[source] > 1 + self._far[target]:
            self._far = [0.0] * len(self._far)  # a shorter way: what was learned bounds nothing

    def forget(self, source: int, target: int) -> None:
        """Note that a stimulus did not lead there again."""
        self._known[source].pop(target, None)

    def stimulus(self, source: int, target: int) -> Instance | None:
        """What led from one state to another; None where nothing did."""
        return self._known[source].get(target)

    def nearest(self, first: int, has_more: Callable[[int], bool]) -> deque[tuple[int, int]]:
        """A shortest way to a state in which something is left, as pairs of a state and the next.

        It is empty where there is none, and where `first` is one. A state in which nothing is left
        has to stay so.
        """
        far, lengths, came_from = self._far, {first: 0}, {first: first}
        closed: set[int] = set()
        waiting = [(far[first], 0, first)]
        found: int | None = None
        while waiting and found is None:
            _, _, state = heappop(waiting)
            if has_more(state):
                found = state
            elif state not in closed:
                closed.add(state)
                length = lengths[state] + 1
                for target in self._known[state]:
                    if length < lengths.get(target, math.inf) and far[target] < math.inf:
                        lengths[target], came_from[target] = length, state
                        heappush(waiting, (length + far[target], -length, target))
        whole = math.inf if found is None else lengths[found]
        for state in closed:
            far[state] = max(far[state], whole - lengths[state])
        way: deque[tuple[int, int]] = deque()
        while found is not None and found != first:
            way.appendleft((came_from[found], found))
            found = came_from[found]
        return way
