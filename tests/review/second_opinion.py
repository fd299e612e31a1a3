"""Inclusion of behaviours once more, by another algorithm, on graphs that are small enough.

That `other` shows all that `one` does is the same as that both together show what `other` shows
alone. So two sets of states are followed, those of both graphs and those of one, and sets that were
found side by side are merged: each merge leaves one class less (Hopcroft and Karp, *A linear
algorithm for testing equivalence of finite automata*, 1971). Nothing of `inclusion` is used.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from scipy.cluster.hierarchy import DisjointSet

from lockstep.plain.engine import Disagreement
from lockstep.plain.space import Limits
from lockstep.review.observed import ObservedSpace

MOST_STATES = 20_000
"""The states of both graphs together up to which an answer is confirmed."""
_MOST_MEMBERS = 500_000
"""The members of all sets up to which they are followed."""

_Node: TypeAlias = "tuple[int, int]"
"""A graph by number, and a state of it."""
_Set: TypeAlias = "frozenset[_Node]"


def confirm_inclusion(one: ObservedSpace, other: ObservedSpace, limits: Limits) -> bool:
    """Whether a second algorithm came to the same: that `other` shows all that `one` does.

    False where the graphs are too large for it, or time is over. `Disagreement` where it came to
    something else.
    """
    if len(one.views) + len(other.views) > MOST_STATES:
        return False
    spaces = _Determinised((one, other))
    both = spaces.closed([(0, 0), (1, 0)])
    alone = spaces.closed([(1, 0)])
    if one.views[0] != other.views[0]:
        raise Disagreement("the initial states of two graphs that are said to agree do not")
    classes = DisjointSet()
    pending = [(both, alone)]
    members = 0
    while pending:
        if limits.seconds == 0:
            return False
        both, alone = pending.pop()
        classes.add(both)
        classes.add(alone)
        if not classes.merge(both, alone):
            continue
        members += len(both) + len(alone)
        if members > _MOST_MEMBERS:
            return False
        after, own = spaces.successors(both), spaces.successors(alone)
        if after.keys() != own.keys():
            raise Disagreement("a graph that is said to show all that another does, does not")
        pending += [(after[view], own[view]) for view in after]
    return True


class _Determinised:
    """Sets of states of some graphs, each with all that hidden steps lead to."""

    def __init__(self, spaces: tuple[ObservedSpace, ...]) -> None:
        self._hidden: defaultdict[_Node, list[_Node]] = defaultdict(list)
        self._visible: defaultdict[_Node, list[tuple[int, _Node]]] = defaultdict(list)
        for number, observed in enumerate(spaces):
            views = observed.views.tolist()
            targets = observed.space.targets.tolist()
            for state, view in enumerate(views):
                node = number, state
                for edge in observed.space.steps(state):
                    target = number, targets[edge]
                    if views[targets[edge]] == view:
                        self._hidden[node].append(target)
                    else:
                        self._visible[node].append((views[targets[edge]], target))

    def closed(self, nodes: Iterable[_Node]) -> _Set:
        """The set of some states and of all that hidden steps lead to from there."""
        reached = dict.fromkeys(nodes)
        pending = list(reached)
        for node in pending:
            new = [target for target in self._hidden.get(node, ()) if target not in reached]
            reached.update(dict.fromkeys(new))
            pending += new
        return frozenset(reached)

    def successors(self, nodes: _Set) -> dict[int, _Set]:
        """By view, the set of states that are one visible step away."""
        by_view: defaultdict[int, list[_Node]] = defaultdict(list)
        for node in nodes:
            for view, target in self._visible.get(node, ()):
                by_view[view].append(target)
        return {view: self.closed(targets) for view, targets in by_view.items()}
