"""A departure: what the software did, and why no state of the model explains it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.drive.driver import Took
from lockstep.drive.values import Seen
from lockstep.language.model import Model
from lockstep.plain.space import Instance
from lockstep.results.trace import Trace
from lockstep.trace.conjuncts import Conjunct
from lockstep.trace.layout import show
from lockstep.trace.render import Line, render_instance, render_trace
from lockstep.words import plural

MOST_SHOWN = 3
"""Of so many states it is said why they do not explain a departure."""


@dataclass(frozen=True)
class Reason:
    """Why one outcome in one state does not explain what was observed.

    `conjunct` is false where it is not enabled, None where that is not sure. Where it
    is enabled, `unlike` is what it shows otherwise: the part that was observed, and its value.
    """

    step: Instance | None
    """None where the state itself was observed otherwise, as after a reset."""
    conjunct: Conjunct | None
    unlike: tuple[Seen, Any] | None


@dataclass(frozen=True)
class Departure:
    """What no behaviour of the model explains.

    `stimuli` are all that were given since the reset, the last one included; there is none where
    the software departs as it is reset. `trace` is a behaviour of the model that explains what was
    observed before the last one, and `candidates` is how many states did.
    """

    stimuli: tuple[Instance, ...]
    trace: Trace
    took: Took | None
    reasons: tuple[Reason, ...]
    candidates: int


class Departed(AssertionError):
    """The software did what the model does not allow."""

    def __init__(self, model: Model, departure: Departure, shown: str) -> None:
        super().__init__(departure)
        self.model = model
        self.departure = departure
        self.shown = shown
        """The last stimulus as text."""

    def __str__(self) -> str:
        return "\n".join(map(str, render_departure(self.model, self.departure, self.shown)))


def render_departure(model: Model, departure: Departure, last: str) -> Iterator[Line]:
    """What the model explains step by step, and why it explains the last stimulus no more."""
    trace = departure.trace
    yield from render_trace(model, trace)
    margin = " " * (len(str(len(trace.steps))) + 4)
    number = len(str(len(trace.steps))) * " " + "  "
    took = "" if departure.took is None else f", answered by {departure.took.action}"
    what = f"{last}{took}" if departure.stimuli else "the reset"
    yield Line(f"{number}{what}: no outcome explains what was observed", "violated")
    for reason in departure.reasons:
        yield from (Line(margin + text) for text in _explained(model, reason))
    if departure.candidates > MOST_SHOWN:
        others = plural(departure.candidates - MOST_SHOWN, "other state")
        yield Line(f"{margin}and the same for {others} that explained what was observed before")


def _explained(model: Model, reason: Reason) -> Iterator[str]:
    what = "the state"
    if reason.step is not None:
        name, arguments = reason.step
        what = render_instance(name, model.action(name).parameters, arguments)
    if reason.unlike is not None:
        seen, value = reason.unlike
        observed = show(seen.value)
        yield f"{what} gives {seen.place} = {show(value)}, but {observed} was observed"
        if not seen.is_possible:
            yield f"    which {seen.place} can never be: its domain is {seen.domain}"
        return
    if reason.conjunct is None:
        yield f"{what} is not enabled"
        return
    yield f"{what} is not enabled: {reason.conjunct.text} is false  {reason.conjunct.place}"
    yield from (f"    {equation}" for equation in reason.conjunct.equations)
