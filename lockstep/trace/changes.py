"""What changed between two states, down to the part that did, and by a fault in which steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import Model, Property, load_model
from lockstep.language.notation import Kind, State
from lockstep.language.records import Record
from lockstep.language.values import TotalMap
from lockstep.plain.run import NextState, PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step, Trace
from lockstep.trace.itf_values import Misfit, carried, decode, encode
from lockstep.trace.layout import Group, Text, flat, folded, natural, prefixed, show, text_of

_LONGEST_OLD = 24
"""Columns of an old value that is shown whole beside the new one in a behaviour.

Of a sequence that grew or shrank it is both values that are shown so."""


@dataclass(frozen=True)
class Change:
    """One part of a state that changed: `cached[p1].epoch: 1 -> 2`.

    A set shows what came (`+`) and what went (`-`) instead of its two values, and so does
    a long sequence that only grew at its end or shrank at its front: `old` is then None.
    """

    place: str
    old: Text | None
    new: Text

    def __str__(self) -> str:
        return "".join(map(flat, self._texts(self.old)))

    @property
    def variable(self) -> str:
        """The variable that it is of: that of `cached[p1].epoch` is `cached`."""
        return self.place.partition("[")[0].partition(".")[0]

    @property
    def shortened(self) -> tuple[Text, ...]:
        """The change to a reader who has seen the old value: that is but named where it is long."""
        old = self.old
        if isinstance(old, Group) and len(flat(old)) > _LONGEST_OLD:
            old = f"{old.head}...{old.tail}"
        return self._texts(old)

    def _texts(self, old: Text | None) -> tuple[Text, ...]:
        if old is None:
            return (prefixed(f"{self.place}: ", self.new),)
        return (prefixed(f"{self.place}: ", old), prefixed(" -> ", self.new))


def changes(before: State, after: State) -> list[Change]:
    """Every part that differs, in the order of declaration; empty when nothing does."""
    return [
        change
        for name in before.fields
        for change in changes_of(name, getattr(before, name), getattr(after, name))
    ]


def changes_of(name: str, before: Any, after: Any) -> list[Change]:
    """Every part of one variable that differs."""
    parts = _parts(name, before, after)
    return [_change(place, old, new) for place, old, new in parts if old != new]


def _parts(place: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    """Two values part by part, down to those that differ; what is equal is taken whole."""
    match before, after:
        case _ if before == after:
            yield place, before, after
        case TotalMap(), TotalMap():
            for key in before:
                yield from _parts(f"{place}[{show(key)}]", before[key], after[key])
        case Record(), Record():
            for name, old, new in zip(before.fields, before, after, strict=True):
                yield from _parts(f"{place}.{name}", old, new)
        case _:
            yield place, before, after


def _change(place: str, before: Any, after: Any) -> Change:
    match before, after:
        case frozenset(), frozenset():
            return _came_and_went(place, map(text_of, after - before), map(text_of, before - after))
        case tuple(), tuple() if max(len(show(before)), len(show(after))) <= _LONGEST_OLD:
            return Change(place, text_of(before), text_of(after))
        case tuple(), tuple() if after[: len(before)] == before:
            return Change(place, None, _items("+", after[len(before) :], " at the end"))
        case tuple(), tuple() if before[-len(after) :] == after and after:
            return Change(place, None, _items("-", before[: -len(after)], " at the front"))
    return Change(place, text_of(before), text_of(after))


def _items(sign: str, items: tuple[Any, ...], where: str) -> Group:
    return Group(sign, tuple(map(text_of, items)), where)


def _came_and_went(place: str, came: Iterator[Text], went: Iterator[Text]) -> Change:
    items = [prefixed("+", item) for item in sorted(came, key=natural)]
    items += [prefixed("-", item) for item in sorted(went, key=natural)]
    return Change(place, None, Group("", tuple(items), "", separator=""))


class _Recorder:
    """A state that notes which of its variables are read."""

    def __init__(self, state: State, variables: set[str]) -> None:
        self._state = state
        self._variables = variables

    def __getattr__(self, name: str) -> Any:
        if name in self._state.fields:
            self._variables.add(name)
        return getattr(self._state, name)


def touched(
    model: Model, trace: Trace, violated: Property | None, parameters: Sequence[object]
) -> set[str]:
    """The variables that a step changes or reads, or that the violated property reads at the end.

    All of them where there is no step: nothing is known of what matters.
    """
    if not trace.steps:
        return set(model.variables)
    variables: set[str] = set()
    states = trace.states
    for before, step in zip(states, trace.steps, strict=False):
        for name, old, new in zip(before.fields, before, step.state, strict=True):
            if old != new:
                variables.add(name)
        action = model.action(step.action).function
        _call(action, _Recorder(before, variables), NextState(before), *step.parameters)
    if violated is not None:
        ending = states[-2:] if violated.kind is Kind.STEP_INVARIANT else states[-1:]
        recorders = (_Recorder(state, variables) for state in ending)
        _call(violated.function, *recorders, *parameters)
    return variables


def _call(function: Callable[..., object], *arguments: object) -> None:
    with suppress(Exception):  # what it read until it ended is all that is wanted
        function(*arguments)


@dataclass(frozen=True)
class Compared:
    """A part of two states: `metadata[c1].epoch`, with its values in both.

    Where they are equal the part is as large as can be, and a value that many keys of a map have
    is shown once.
    """

    variable: str
    place: str
    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        """Whether it has another value after than before."""
        return self.before != self.after


def compare(before: State, after: State) -> list[Compared]:
    """All of two states, in the order of declaration; of one state, where it is given twice."""
    return [
        Compared(name, place, *map(show if old != new else _as_folded, (old, new)))
        for name in before.fields
        for place, old, new in _parts(name, getattr(before, name), getattr(after, name))
    ]


def _as_folded(value: object) -> str:
    return flat(folded(value))


@dataclass(frozen=True)
class FaultyStep:
    """A step that the model without the fault does not take, or takes to another state."""

    is_enabled: bool
    """Whether the model without the fault takes it at all."""
    faults: str
    """The faults without which it is not taken so, as `A+B`."""

    @property
    def how(self) -> str:
        """What the faults do with it, before `by`."""
        return "changed" if self.is_enabled else "possible only"


def faulty_steps(model: Model, fault: str | None, trace: Trace) -> dict[int, FaultyStep]:
    """The steps of `trace` that a fault changed, by number from 1; none without a fault.

    None either where the model without the fault has no such scope, as with constants that only
    the fault declares.
    """
    if fault is None:
        return {}
    names = fault.split("+")
    enabled = _changed(model, None, trace)
    needed: dict[int, list[str]] = {number: [] for number in enabled}
    for name in names if len(names) > 1 else ():
        others = "+".join(other for other in names if other != name)
        for number in _changed(model, others, trace).keys() & enabled.keys():
            needed[number].append(name)
    return {
        number: FaultyStep(is_enabled, "+".join(needed[number]) or fault)
        for number, is_enabled in enabled.items()
    }


def _changed(model: Model, faults: str | None, trace: Trace) -> dict[int, bool]:
    """The steps that the model with these faults alone does not take, or takes elsewhere.

    Each says whether it takes the step at all.
    """
    universe = model.universe
    try:
        sound = load_model(universe.root, model.name, universe.constants, fault=faults)
    except LockstepError:
        return {}
    engine = PlainEngine(sound)
    changed = {}
    for number, step in enumerate(trace.steps, start=1):
        after = _taken(engine, model, step, trace.states[number - 1])
        if after is None or _encoded(after) != _encoded(step.state):
            changed[number] = after is not None
    return changed


def _taken(engine: PlainEngine, model: Model, step: Step, before: State) -> State | None:
    """Where the step leads in a model that was loaded apart; None where it is not enabled."""
    sound = engine.model
    action = sound.find_action(step.action)
    if action is None:
        return None
    try:
        state = sound.state.of(
            decode(domain, value, name)
            for (name, domain), value in zip(sound.variables.items(), _encoded(before), strict=True)
        )
        own = model.action(step.action).parameters
        return engine.run(action, state, carried(own, action.parameters, step.parameters))
    except (EvaluationError, Misfit):
        return None


def _encoded(state: State) -> list[Any]:
    return [encode(domain, getattr(state, name)) for name, domain in state.fields.items()]
