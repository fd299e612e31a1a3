"""Leads behaviours to where nothing was tried yet: a Hypothesis backend.

Left to chance, nearly all behaviours stay close to the initial state, and the same few are made
again and again. A guide remembers which states were reached and how. Each behaviour is led to one
of them that has untried steps, and goes on from there. The guide suggests what Hypothesis draws and
nothing else: what was drawn alone determines a behaviour, so that it can be repeated and shrunk
without any guide.

`settings(backend="lockstep")` turns it on; backends are what Hypothesis calls alternative backends,
and experimental. Under any other a machine works all the same, only less far from home.
"""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from random import Random

from hypothesis.internal.conjecture.data import ConjectureData
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider

BACKEND = "lockstep"

BEYOND = 8
"""How many steps a behaviour goes on from the state that it was led to, at most."""

CANDIDATES = 16
"""From how many states one is chosen for a behaviour to be led to."""

THOROUGH = 0.25
"""The share of behaviours that try steps between known states, too: such a step may be wrong."""

MOST_PLACES = 100_000
"""A guide that remembers more states than this forgets them all and starts again."""

_NARROW = 2**16
"""Integers of smaller ranges are drawn evenly. Hypothesis prefers those that occur in any module
that happens to be imported, so that the same test could draw others when run along with more."""

Way = tuple[int, int | None, int | None]
"""A way on from a state: the numbers of its action and of the instance, and the state it leads to.
The last two are None for a wide action: nobody knows them before it is tried."""


class GuidedProvider(HypothesisProvider):
    """Draws what was suggested, if anything was, and otherwise at random.

    `suggested` are the next values to draw, `drawn` those drawn since the last step.
    """

    latest: GuidedProvider | None = None
    """The provider of the behaviour that is about to begin, until that takes it."""

    def __init__(self, conjecturedata: ConjectureData | None, /) -> None:
        super().__init__(conjecturedata)
        self.suggested: deque[bool | int] = deque()
        self.drawn: list[bool | int] = []
        GuidedProvider.latest = self

    @property
    def random(self) -> Random:
        """Where chance comes from: Hypothesis's own, so that a run can be repeated."""
        assert self._random is not None
        return self._random

    def draw_boolean(self, p: float = 0.5) -> bool:
        value: bool | int | None = self.suggested.popleft() if self.suggested else None
        if not isinstance(value, bool) or (value and p <= 0) or (not value and p >= 1):
            value = super().draw_boolean(p)
        self.drawn.append(value)
        return value

    def draw_integer(
        self,
        min_value: int | None = None,
        max_value: int | None = None,
        *,
        weights: dict[int, float] | None = None,
        shrink_towards: int = 0,
    ) -> int:
        value: bool | int | None = self.suggested.popleft() if self.suggested else None
        if (
            value is None
            or isinstance(value, bool)
            or (min_value is not None and value < min_value)
            or (max_value is not None and value > max_value)
        ):
            value = self._any_integer(min_value, max_value, weights, shrink_towards)
        self.drawn.append(value)
        return value

    def _any_integer(
        self,
        low: int | None,
        high: int | None,
        weights: dict[int, float] | None,
        shrink_towards: int,
    ) -> int:
        if low is not None and high is not None and high - low < _NARROW and weights is None:
            return self.random.randint(low, high)
        return super().draw_integer(low, high, weights=weights, shrink_towards=shrink_towards)


AVAILABLE_PROVIDERS[BACKEND] = GuidedProvider


@dataclass
class _Place:
    """A state that was reached: from which place, by what was drawn, and after how many steps.

    It is deeper than the place that it was reached from, so that every path leads home. `untried`
    are the ways on from it that no behaviour took; a wide action remains one of them.
    """

    came_from: _Place | None
    drawn: tuple[bool | int, ...]
    depth: int
    untried: list[Way]


class Guide:
    """What all behaviours of one machine have seen so far. States are known by their hashes."""

    def __init__(self) -> None:
        self._places: dict[int, _Place] = {}
        self._at_the_edge: list[_Place] = []
        self._unfinished: list[_Place] = []
        self._suggested: Counter[int] = Counter()

    def begin(self) -> Walk | None:
        """Lead the behaviour that begins now; None where another backend draws."""
        provider, GuidedProvider.latest = GuidedProvider.latest, None
        if provider is None:
            return None
        if len(self._places) > MOST_PLACES:
            for forgotten in (self._places, self._at_the_edge, self._unfinished):
                forgotten.clear()
        walk = Walk(self, provider, thorough=provider.random.random() < THOROUGH)
        place = None
        if not walk.thorough:
            place = self._choose(self._at_the_edge, self.ways_beyond, provider.random)
        if place is None:
            place = self._choose(self._unfinished, attrgetter("untried"), provider.random)
        steps = []
        while place is not None:
            steps.append(place.drawn)
            place = place.came_from
        provider.suggested.extend(itertools.chain.from_iterable(reversed(steps)))
        return walk

    def reach(self, state: int, walk: Walk, ways: Sequence[Way]) -> _Place:
        """The place that a state is, reached by the last step of `walk`."""
        drawn = tuple(walk.provider.drawn)
        depth = 0 if walk.place is None else walk.place.depth + 1
        place = self._places.get(state)
        if place is None:
            place = self._places[state] = _Place(walk.place, drawn, depth, list(ways))
            self._at_the_edge.append(place)
            self._unfinished.append(place)
        elif depth < place.depth:
            place.came_from, place.drawn, place.depth = walk.place, drawn, depth
        return place

    def ways_beyond(self, place: _Place) -> list[Way]:
        """The ways on from a place to where nobody was."""
        return [way for way in place.untried if way[2] is None or way[2] not in self._places]

    def pick(self, ways: Sequence[Way], random: Random) -> Way:
        """One of some ways; the less its action was suggested so far, the likelier."""
        actions = list(dict.fromkeys(way[0] for way in ways))
        weights = [1 / (1 + self._suggested[action]) for action in actions]
        (action,) = random.choices(actions, weights)
        self._suggested[action] += 1
        return random.choice([way for way in ways if way[0] == action])

    def _choose(
        self, places: list[_Place], ways: Callable[[_Place], list[Way]], random: Random
    ) -> _Place | None:
        """A place with ways on: among a few, the one where the rarest action is possible.

        A place found without any is dropped from `places`: it will not have any again.
        """
        candidates: list[tuple[int, _Place]] = []
        while places and len(candidates) < CANDIDATES:
            index = random.randrange(len(places))
            place = places[index]
            actions = {way[0] for way in ways(place)}
            if actions:
                candidates.append((min(self._suggested[action] for action in actions), place))
            else:
                places[index] = places[-1]
                places.pop()
        return min(candidates, key=itemgetter(0))[1] if candidates else None


class Walk:
    """One behaviour as its guide sees it. `place` is where it is, None before it has begun.

    A `thorough` one takes any untried step; others look for states that nobody has reached, and
    take known ones to known states only where nothing else is left.
    """

    def __init__(self, guide: Guide, provider: GuidedProvider, *, thorough: bool) -> None:
        self.thorough = thorough
        self.provider = provider
        self.place: _Place | None = None
        self._guide = guide
        self._beyond = 0

    def arrive(self, state: int, ways: Sequence[Way]) -> None:
        """The last step led to `state`, from which there are these ways on."""
        self.place = self._guide.reach(state, self, ways)
        self.provider.drawn.clear()
        if not self.provider.suggested:
            self._beyond += 1
            if self._beyond > BEYOND or not self._ways(self.place):
                # After each step, Hypothesis draws whether that was the last one.
                self.provider.suggested.append(True)

    def suggest(self) -> None:
        """Suggest the next step: it is about to be drawn."""
        if self.provider.suggested or self.place is None:
            return
        ways = self._ways(self.place)
        if ways:
            way = self._guide.pick(ways, self.provider.random)
            action, instance, leads_to = way
            self.provider.suggested.append(action)
            if instance is not None:
                self.provider.suggested.append(instance)
            if leads_to is not None:
                self.place.untried.remove(way)

    def _ways(self, place: _Place) -> list[Way]:
        return place.untried if self.thorough else self._guide.ways_beyond(place) or place.untried
