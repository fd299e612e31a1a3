"""The actions of two versions in `review --json`: docs/reference/json.md documents the shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lockstep.language.model import Action, Model
from lockstep.language.notation import State
from lockstep.review.action_example import Example
from lockstep.system.strict_json import Json
from lockstep.trace.documents import parameters_json
from lockstep.trace.itf_values import encode
from lockstep.verbs.review_actions import ActionsReview, DecidedAction
from lockstep.words import place_text


def actions_json(review: ActionsReview) -> dict[str, Any]:
    """The actions of two versions."""
    return {
        "base": str(review.versions.base),
        "head": str(review.versions.head),
        "because": "" if review.error is None else str(review.error),
        "constants": list(review.widths),
        "omitted": list(review.omitted),
        "seconds": round(review.seconds, 3),
        "actions": [_action(decided) for decided in review.actions],
    }


def _action(decided: DecidedAction) -> dict[str, Any]:
    change = decided.change
    pair = (decided.pair.one, decided.pair.other)
    lines = [
        _line(model, None if place is None else (place.file, place.line), action)
        for model, place, action in zip(
            pair, change.places, (change.base, change.head), strict=True
        )
    ]
    return {
        "name": change.name,
        "strength": str(change.strength),
        "in_order": None if change.in_order is None else str(change.in_order),
        "at": decided.at,
        "is_same_text": change.is_same_text,
        "is_internal": change.is_internal,
        "is_idle": change.is_idle,
        "lines": {"base": lines[0], "head": lines[1]},
        "because": change.because,
        "examples": [_example(pair, change.name, example) for example in change.examples],
    }


def _line(model: Model, place: tuple[Path, int] | None, action: Action | None) -> str | None:
    """Where the text parts from the other's, or where the action begins."""
    if place is None and action is not None:
        definition = model.universe.definition(action.function)
        place = None if definition is None else (definition[1], definition[0].lineno)
    if place is None:
        return None
    return place_text(*place, model.universe.root)


def _example(pair: tuple[Model, Model], name: str, example: Example) -> dict[str, Any]:
    step, reason = example.step, example.reason
    conjunct = None if reason is None else reason.conjunct
    afters: list[State | None] = [None, None]
    if step is not None:
        afters[example.number] = step.state
        afters[1 - example.number] = None if reason is None else reason.after
    model = pair[example.number]
    sides = zip(pair, example.states, afters, strict=True)
    base, head = (
        {"before": _state(one, before), "after": None if after is None else _state(one, after)}
        for one, before, after in sides
    )
    return {
        "taken_by": None if step is None else ("base", "head")[example.number],
        "parameters": None
        if step is None
        else parameters_json(model.action(name).parameters, step.parameters),
        "is_in_order": example.is_in_order,
        "base": base,
        "head": head,
        "requires": None if conjunct is None else conjunct.text,
        "line": None
        if conjunct is None
        else _line(pair[1 - example.number], (conjunct.file, conjunct.line), None),
        "meaningless": example.failure,
    }


def _state(model: Model, state: State) -> dict[str, Json]:
    return {name: encode(domain, getattr(state, name)) for name, domain in model.variables.items()}
