"""Why a model does not take a step that another takes: which guard of which action is false."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lockstep.language.model import Action
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step
from lockstep.review.pair import Pair, shown_value
from lockstep.trace.conjuncts import Conjunct, false_requirement
from lockstep.trace.itf_values import Misfit, decode, encode


@dataclass(frozen=True)
class Reason:
    """Why a model does not take one step, in a state that shows the same.

    The model has no such `action` with such parameters; or it is `refused`, where `conjunct` is
    the false part of a guard as far as that can be told; or it leads to a state, `after`, that
    shows other values under some names, which are in `others`.
    """

    action: str
    refused: bool = False
    conjunct: Conjunct | None = None
    others: Mapping[str, object] = field(default_factory=dict)
    after: State | None = None


def reason_of(pair: Pair, step: Step, state: State) -> Reason:
    """Why `pair.other` does not take in `state` a step that `pair.one` takes."""
    own = pair.one.action(step.action)
    action = next((action for action in pair.other.actions if action.name == step.action), None)
    if action is None:
        return Reason(step.action)
    parameters = _parameters(own, action, step)
    if parameters is None:
        return Reason(step.action)
    after = PlainEngine(pair.other).run(action, state, parameters)
    if after is None:
        conjunct = false_requirement(pair.other.universe, action, state, parameters)
        return Reason(step.action, refused=True, conjunct=conjunct)
    others = {
        name: shown_value(pair.other, name, after)
        for name in pair.shared
        if pair.value(pair.one, name, step.state) != pair.value(pair.other, name, after)
    }
    return Reason(step.action, others=others, after=after)


def _parameters(own: Action, action: Action, step: Step) -> tuple[Any, ...] | None:
    """The parameters of a step in another load; None where the action there has others."""
    if len(own.parameters) != len(action.parameters):
        return None
    try:
        return tuple(
            decode(there.domain, encode(here.domain, value), here.name)
            for here, there, value in zip(
                own.parameters, action.parameters, step.parameters, strict=True
            )
        )
    except Misfit:
        return None
