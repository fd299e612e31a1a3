"""The state space of a model, once a search has made it, and up to which size one does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind
from lockstep.plain.exploration import Exploration
from lockstep.plain.fair_parts import FairParts, fair_parts
from lockstep.plain.liveness import Pledges, plain_pledges
from lockstep.plain.space import MOST_STATES, Limits, Space
from lockstep.results.search_result import SearchResult


@dataclass(frozen=True)
class MostStates:
    """Up to how many states liveness is checked: by default, and with `--liveness`."""

    by_default: int
    insisted: int


PLAIN = MostStates(by_default=20_000, insisted=1_000_000)
"""Of plain Python, which takes half a minute for 20,000 states."""

COMPILED = MostStates(by_default=5_000_000, insisted=MOST_STATES)
"""Of machine code, which takes half a minute for 5,000,000 states; memory bounds the rest."""


@dataclass(frozen=True)
class KnownSpace:
    """The state space of a model, and what each `leads_to` of it says of each state.

    `has_code` says that machine code evaluates those. `parts_of` finds where promises are kept.
    """

    space: Space
    pledges_of: Callable[[Property, Limits], Pledges]
    has_code: bool = True
    parts_of: FairParts = fair_parts


Found: TypeAlias = tuple[SearchResult, KnownSpace | None]
"""The result of a search, with the state space where that was made and all of it is known."""


def most_numbered(model: Model, request: Exploration, *, has_code: bool) -> int:
    """Up to how many states a search keeps the steps between them; 0 where nobody asks for them."""
    most = 0
    if model.of_kind(Kind.LEADS_TO):
        most = most_states(request, has_code=has_code)
    if request.spaces is not None:
        most = max(most, min(request.bounds.max_states or MOST_STATES, MOST_STATES))
    return most


def most_states(request: Exploration, *, has_code: bool) -> int:
    """Up to how many states liveness is checked."""
    most = COMPILED if has_code else PLAIN
    return most.insisted if request.liveness else most.by_default


def plain_space(model: Model, space: Space) -> KnownSpace:
    """A state space, with plain Python to evaluate each `leads_to`."""
    return KnownSpace(space, lambda prop, _: plain_pledges(model, space, prop), has_code=False)
