"""Inclusion of behaviours in plain Python: the pairs of machine code, in the same order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from lockstep.review.inclusion import Parting
from lockstep.review.observed import ObservedSpace


def plain_parting(one: ObservedSpace, other: ObservedSpace) -> Parting | None:
    """Where `one` parts from `other`; None where `other` shows all that `one` does."""
    if one.views[0] != other.views[0]:
        return Parting((), (0,))
    return _Pairs(one, other).search()


class _Subsets:
    """Sets of states that show the same, each closed under hidden steps, by number."""

    def __init__(self, observed: ObservedSpace) -> None:
        self._first = observed.space.first
        self._targets = observed.space.targets
        self._views = observed.views
        self._numbers: dict[frozenset[int], int] = {}
        self._successors: dict[int, dict[int, int]] = {}
        self.members: list[frozenset[int]] = []

    def number(self, states: Iterable[int]) -> int:
        """The number of a set with all that hidden steps lead to from there."""
        closed = self._closed(states)
        number = self._numbers.setdefault(closed, len(self.members))
        if number == len(self.members):
            self.members.append(closed)
        return number

    def successors(self, number: int) -> dict[int, int]:
        """By view, the set of states that are one visible step away."""
        known = self._successors.get(number)
        if known is None:
            by_view: defaultdict[int, set[int]] = defaultdict(set)
            for state in self.members[number]:
                for target in self._steps(state):
                    by_view[int(self._views[target])].add(target)
            view = int(self._views[next(iter(self.members[number]))])
            by_view.pop(view, None)
            known = {view: self.number(states) for view, states in by_view.items()}
            self._successors[number] = known
        return known

    def _closed(self, states: Iterable[int]) -> frozenset[int]:
        closed = set(states)
        pending = list(closed)
        while pending:
            state = pending.pop()
            for target in self._steps(state):
                if target not in closed and self._views[target] == self._views[state]:
                    closed.add(target)
                    pending.append(target)
        return frozenset(closed)

    def _steps(self, state: int) -> list[int]:
        steps: list[int] = self._targets[self._first[state] : self._first[state + 1]].tolist()
        return steps


class _Pairs:
    """Breadth-first search of pairs: a state of one graph, a subset of the other's."""

    def __init__(self, one: ObservedSpace, other: ObservedSpace) -> None:
        self._one = one
        self._subsets = _Subsets(other)
        self._seen: defaultdict[int, list[int]] = defaultdict(list)
        self._pairs: list[tuple[int, int]] = []
        self._came: list[tuple[int, int]] = []
        """For each pair the one before it and the step between them."""

    def search(self) -> Parting | None:
        """The first pair with a step that its subset does not follow."""
        views, space = self._one.views, self._one.space
        self._add(0, self._subsets.number([0]), (-1, -1))
        done = 0
        while done < len(self._pairs):
            state, subset = self._pairs[done]
            successors = self._subsets.successors(subset)
            begin, end = space.first[state], space.first[state + 1]
            for edge, target in enumerate(space.targets[begin:end].tolist(), int(begin)):
                view = int(views[target])
                following = subset if view == views[state] else successors.get(view)
                if following is None:
                    others = sorted(self._subsets.members[subset])
                    return Parting((*self._edges_to(done), edge), tuple(others))
                self._add(target, following, (done, edge))
            done += 1
        return None

    def _add(self, state: int, subset: int, came: tuple[int, int]) -> None:
        """Take in a pair, unless one that parts wherever it does is there already."""
        seen = self._seen[state]
        members = self._subsets.members
        if subset in seen or any(members[other] <= members[subset] for other in seen):
            return
        seen.append(subset)
        self._pairs.append((state, subset))
        self._came.append(came)

    def _edges_to(self, pair: int) -> tuple[int, ...]:
        edges = []
        before, edge = self._came[pair]
        while before >= 0:
            edges.append(edge)
            before, edge = self._came[before]
        return tuple(reversed(edges))
