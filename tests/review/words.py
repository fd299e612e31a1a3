"""Behaviours as words of views, each word followed by itself: the oracle of inclusion."""

from collections import deque

from lockstep.review.observed import ObservedSpace


def steps_of(one: ObservedSpace, state: int) -> list[int]:
    return [int(one.space.targets[edge]) for edge in one.space.steps(state)]


def states_after(one: ObservedSpace, word: tuple[int, ...]) -> frozenset[int]:
    """All states in which a graph may be when it has shown a word, views in a row being different.

    Every path is followed by itself: pairs of a state and how much of the word was shown by then.
    """
    pairs = {(0, 1)} if word[0] == int(one.views[0]) else set()
    pending = list(pairs)
    while pending:
        state, shown = pending.pop()
        for target in steps_of(one, state):
            view = int(one.views[target])
            if view == word[shown - 1]:
                pair = target, shown
            elif shown < len(word) and view == word[shown]:
                pair = target, shown + 1
            else:
                continue
            if pair not in pairs:
                pairs.add(pair)
                pending.append(pair)
    return frozenset(state for state, shown in pairs if shown == len(word))


def shortest_parting(one: ObservedSpace, other: ObservedSpace) -> int | None:
    """The steps of a shortest behaviour of `one` that `other` does not show."""
    first: tuple[int, ...] = (int(one.views[0]),)
    pending = deque([(0, first, 0)])
    seen: set[tuple[int, frozenset[int]]] = set()
    while pending:
        state, word, steps = pending.popleft()
        others = states_after(other, word)
        if not others:
            return steps
        if (state, others) in seen:
            continue
        seen.add((state, others))
        for target in steps_of(one, state):
            view = int(one.views[target])
            pending.append((target, word if view == word[-1] else (*word, view), steps + 1))
    return None
