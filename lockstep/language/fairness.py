"""The fairness that a `leads_to` relies on, read from what its decorator was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from lockstep.language.declarations import text_of
from lockstep.language.loader import Universe
from lockstep.language.notation import MARK, Each, Fair, Kind, Mark
from lockstep.language.source import Place


@dataclass(frozen=True)
class Fairness:
    """The promise that an action is not passed over for ever, weak or strong.

    It is made once for each binding of the parameters at `positions`, with any values of the
    others; of no positions, to the action as a whole.
    """

    action: str
    strong: bool
    positions: tuple[int, ...] = ()


Promise: TypeAlias = tuple[Fairness, tuple[Any, ...]]
"""Fairness for one binding of the parameters that it is promised for."""


def promises_kept(
    fairness: Iterable[Fairness], action: str, parameters: tuple[Any, ...]
) -> Iterator[Promise]:
    """The promises that are kept by taking an action with these parameters."""
    for fair in fairness:
        if fair.action == action:
            yield fair, tuple(parameters[position] for position in fair.positions)


class _Unfair(Exception):
    """Something that no fairness can be promised to; what is wrong, and the cure."""


@dataclass(frozen=True)
class FairAction:
    """An action that fairness can be promised to.

    `module` is where it is written, and `is_replaced` says that a fault or a proposal stands in its
    place.
    """

    parameters: tuple[str, ...]
    module: str
    is_replaced: bool


def read_fairness(
    universe: Universe,
    function: Callable[..., Any],
    mark: Mark,
    actions: Mapping[str, FairAction],
) -> tuple[Fairness, ...]:
    """What the decorator of a `leads_to` promises; what is wrong is reported.

    `actions` are those of the model by name.
    """
    promises: list[Fairness] = []
    given = [*((fair, False) for fair in mark.weak), *((fair, True) for fair in mark.strong)]
    for fair, strong in given:
        try:
            promise = _promise(fair, strong, actions)
            if any(
                (promise.action, promise.positions) == (p.action, p.positions) for p in promises
            ):
                raise _Unfair(
                    f"{promise.action} is promised fairness twice",
                    "strong fairness implies weak: name it once",
                )
            promises.append(promise)
        except _Unfair as unfair:
            what, cure = unfair.args
            node, path = text_of(universe, function)
            universe.refuse(
                Place.of(node.decorator_list[0], path),
                "fairness",
                what,
                "fairness is promised to actions: to each as a whole, or by `each` for every "
                "value of a parameter",
                cure,
            )
    return tuple(promises)


def _is(action: object, own: FairAction) -> bool:
    """Whether a marked function is an action of the model, or the one that a fault replaces."""
    marked = getattr(action, MARK, None)
    if not isinstance(marked, Mark) or marked.kind is not Kind.ACTION:
        return False
    return own.is_replaced or getattr(action, "__module__", None) == own.module


def _promise(fair: Fair, strong: bool, actions: Mapping[str, FairAction]) -> Fairness:
    action = fair.action if isinstance(fair, Each) else fair
    name = getattr(action, "__name__", repr(action))
    own = actions.get(name)
    if own is None or not _is(action, own):
        names = ", ".join(actions)
        raise _Unfair(f"{name} is no action of this model", f"name one as a function: {names}")
    if not isinstance(fair, Each):
        return Fairness(name, strong)
    parameters = own.parameters
    for parameter in fair.parameters:
        if parameter not in parameters:
            names = ", ".join(parameters) or "none"
            raise _Unfair(f"{name} has no parameter {parameter!r}", f"its parameters are: {names}")
    wanted = fair.parameters or parameters
    return Fairness(name, strong, tuple(map(parameters.index, dict.fromkeys(wanted))))
