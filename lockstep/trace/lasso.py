"""Why a behaviour that never ends is a fair one, in words."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.language.model import Model
from lockstep.plain.lasso import Kept, promises_along
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Trace
from lockstep.trace.layout import show


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
