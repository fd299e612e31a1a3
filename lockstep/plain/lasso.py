"""Behaviours that never end: which promises of fairness they keep, and what they leave undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.language.fairness import Fairness, Promise, promises_kept
from lockstep.language.model import Property
from lockstep.plain.engine import Engine, Pledge
from lockstep.results.trace import Trace


@dataclass(frozen=True)
class Kept:
    """How a behaviour keeps a promise, or why it does not (`broken`).

    `values` are those of the parameters for which it is promised. `taken` is the number of a step
    among those for ever that keeps it, and `disabled` the number of one after which it cannot be
    kept; None where there is none.
    """

    fairness: Fairness
    values: tuple[Any, ...]
    taken: int | None
    disabled: int | None
    never_enabled: bool

    @property
    def broken(self) -> bool:
        """Whether the action is passed over for ever."""
        if self.taken is not None or self.never_enabled:
            return False
        return self.fairness.strong or self.disabled is None


def closes(trace: Trace) -> bool:
    """Whether a behaviour never ends: it leads back to a state that it says it leads back to."""
    loop = trace.loop
    return loop is not None and loop <= len(trace.steps) and trace.states[loop] == trace.last


def promises_along(engine: Engine, prop: Property, trace: Trace) -> list[Kept]:
    """How a behaviour that never ends keeps each promise which a `leads_to` relies on.

    A promise to each value of a parameter is listed for the values with which the action is enabled
    at some time for ever, or once where there are none.
    """
    assert trace.loop is not None
    states = trace.states[trace.loop :]
    enabled: list[set[Promise]] = []
    taken: dict[Promise, int] = {}
    for number, state in enumerate(states):
        enabled.append(set())
        after = states[number + 1] if number + 1 < len(states) else None
        for step in engine.successors(state):
            if step.state == state:
                continue
            for promise in promises_kept(prop.fairness, step.action, step.parameters):
                enabled[-1].add(promise)
                if step.state == after:
                    taken.setdefault(promise, trace.loop + number + 1)
    promises = []
    for fair in prop.fairness:
        ever = dict.fromkeys(promise for here in enabled for promise in here if promise[0] == fair)
        for promise in sorted(ever, key=repr):
            without = (number for number, here in enumerate(enabled) if promise not in here)
            first = next(without, None)
            disabled = None if first is None else trace.loop + first
            promises.append(Kept(fair, promise[1], taken.get(promise), disabled, False))
        if not ever:
            whole = Fairness(fair.action, fair.strong)
            promises.append(Kept(whole, (), None, None, True))
    return promises


def unfulfilled_binding(engine: Engine, prop: Property, trace: Trace) -> tuple[Any, ...] | None:
    """The first binding for which a behaviour breaks a `leads_to`; None when it breaks none."""
    return next(unfulfilled_bindings(engine, prop, trace), None)


def unfulfilled_bindings(engine: Engine, prop: Property, trace: Trace) -> Iterator[tuple[Any, ...]]:
    """Every binding for which a behaviour breaks a `leads_to`.

    It breaks none either where it ends, or passes over for ever what fairness promises.
    """
    if not closes(trace) or any(kept.broken for kept in promises_along(engine, prop, trace)):
        return
    assert trace.loop is not None
    says = [list(engine.pledges(prop, state)) for state in trace.states]
    for pledges in zip(*says, strict=True):
        if _is_unfulfilled(pledges, trace.loop):
            yield pledges[0].parameters


def _is_unfulfilled(pledges: tuple[Pledge, ...], loop: int) -> bool:
    """Whether a premise is true after which the goal is never reached."""
    if any(pledge.goal for pledge in pledges[loop:]):
        return False
    return any(pledge.premise for pledge in _after_the_last_goal(pledges))


def _after_the_last_goal(pledges: tuple[Pledge, ...]) -> Iterator[Pledge]:
    for pledge in reversed(pledges):
        if pledge.goal:
            return
        yield pledge
