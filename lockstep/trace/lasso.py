"""Why a behaviour that never ends is a fair one, in words."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.language.model import Model
from lockstep.plain.lasso import Kept, promises_along
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Trace
from lockstep.trace.layout import show


def render_promise(kept: Kept, model: Model) -> str:
    """The promise and how it is kept, in one line: `weak fetch(r=r1): taken in step 6`."""
    parameters = model.action(kept.fairness.action).parameters
    named = ", ".join(
        f"{parameters[position].name}={show(value)}"
        for position, value in zip(kept.fairness.positions, kept.values, strict=True)
    )
    promise = f"{'strong' if kept.fairness.strong else 'weak'} {kept.fairness.action}"
    promise += f"({named})" if named else ""
    if kept.taken is not None:
        return f"{promise}: taken in step {kept.taken}"
    if kept.never_enabled:
        return f"{promise}: not enabled any more"
    if kept.broken:
        return f"{promise}: passed over"
    return f"{promise}: not enabled after step {kept.disabled}"


def render_fairness(model: Model, name: str, trace: Trace) -> Iterator[str]:
    """In lines: why a behaviour along which a `leads_to` is unfulfilled is a fair one."""
    kept = promises_along(PlainEngine(model), model.property(name), trace)
    yield "fairness:" if kept else "fairness: none is promised"
    yield from (f"  {render_promise(promise, model)}" for promise in kept)
