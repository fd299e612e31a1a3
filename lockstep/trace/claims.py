"""What a property says, and whether it fails at the end of a behaviour or along an endless one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError, unknown
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import Kind
from lockstep.plain.engine import Engine, is_stuck
from lockstep.plain.lasso import Kept, promises_along, unfulfilled_binding
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Trace
from lockstep.specs.kip import load_kips
from lockstep.trace.layout import show

_MOST_BINDINGS = 1_000_000
"""The most bindings of a property's parameters that are enumerated where one was recorded."""


def failing_binding(
    engine: Engine, name: str, trace: Trace, recorded: tuple[Any, ...] | None = None
) -> tuple[Any, ...] | None:
    """The first binding for which the property is false at the end of `trace`; None if it holds.

    One that was `recorded` is tried first, and is the only one where there are too many to go
    through: a parameter may be any offset of 63 bits.

    A `leads_to` is broken by the whole of a behaviour that never ends. `name` may be `deadlock`.
    `LockstepError` for a property that the model does not have, and for one that no such behaviour
    can violate: for a goal, and for a `leads_to` where the behaviour ends. `EvaluationError` when
    it has no value there.
    """
    if name == DEADLOCK:
        return () if is_stuck(trace.last, engine.successors(trace.last)) else None
    prop = engine.model.find_property(name)
    if prop is None:
        names = [declared.name for declared in engine.model.properties]
        problem = f"{engine.model.name} has no property {name!r}"
        raise unknown(problem, name, names, "its properties are")
    if prop.kind is Kind.SOMETIMES:
        raise LockstepError(f"{name} is a goal: no single behaviour violates it")
    if prop.kind is Kind.LEADS_TO:
        if trace.loop is None:
            raise LockstepError(
                f"{name} says what must come to pass: no behaviour that ends violates it",
                cure="say from where on it goes on for ever",
            )
        return unfulfilled_binding(engine, prop, trace)
    is_step = prop.kind is Kind.STEP_INVARIANT
    if is_step and not trace.steps:
        return None
    before, after = trace.states[-2:] if is_step else (trace.last, None)
    if recorded:
        failing = engine.evaluate(prop.for_one(recorded), before, after).failing
        if failing is not None or prod(parameter.domain.size() for parameter in prop.parameters) > (
            _MOST_BINDINGS
        ):
            return None if failing is None else recorded
    return engine.evaluate(prop, before, after).failing


def evaluate_all(engine: Engine, trace: Trace) -> None:
    """Evaluate all there is at the end of `trace`; `EvaluationError` if anything has no value."""
    for _ in engine.successors(trace.last):
        pass
    for prop in engine.model.properties:
        if prop.kind in (Kind.INVARIANT, Kind.STEP_INVARIANT):
            failing_binding(engine, prop.name, trace)
        else:
            engine.evaluate(prop, trace.last, None)


def render_promise(outcome: Kept, model: Model) -> str:
    """The promise and how it is kept, in one line: `weak fetch(r=r1): taken in step 6`."""
    parameters = model.action(outcome.fairness.action).parameters
    named = ", ".join(
        f"{parameters[position].name}={show(value)}"
        for position, value in zip(outcome.fairness.positions, outcome.values, strict=True)
    )
    promise = f"{'strong' if outcome.fairness.strong else 'weak'} {outcome.fairness.action}"
    promise += f"({named})" if named else ""
    if outcome.taken is not None:
        return f"{promise}: taken in step {outcome.taken}"
    if outcome.never_enabled:
        return f"{promise}: not enabled any more"
    if outcome.broken:
        return f"{promise}: passed over"
    return f"{promise}: not enabled after step {outcome.disabled}"


def render_fairness(model: Model, name: str, trace: Trace) -> Iterator[str]:
    """In lines: why a behaviour along which a `leads_to` is unfulfilled is a fair one."""
    promises = promises_along(PlainEngine(model), model.property(name), trace)
    yield "fairness:" if promises else "fairness: none is promised"
    yield from (f"  {render_promise(promise, model)}" for promise in promises)


class RequirementTexts:
    """The texts of `specs/kip_N.toml`, which are read when the first is asked for."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __getitem__(self, identity: str) -> str:
        """What a requirement asks, or why that cannot be shown."""
        if isinstance(self._texts, str):
            return self._texts
        return self._texts.get(identity, "is in no file of specs/")

    def of(self, model: Model, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What a property says in its author's words, and each requirement that it states."""
        prop = model.find_property(name)
        if name == DEADLOCK:
            return "No step leads from the last state to another, and the model may not stop.", ()
        if prop is None:
            return "", ()
        return prop.doc, tuple((identity, self[identity]) for identity in prop.requirements)

    @cached_property
    def _texts(self) -> dict[str, str] | str:
        try:
            kips = load_kips(self._root)
        except LockstepError as error:
            return f"cannot be shown: {error.message}"
        return {row.id: row.text for kip in kips for row in kip.requirements}
