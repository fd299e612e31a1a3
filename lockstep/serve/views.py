"""What the page `explore` is sent, as JSON: texts and numbers alone, and no markup."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from lockstep.language.model import Model, Property
from lockstep.language.notation import State
from lockstep.language.records import Record
from lockstep.trace.changes import changes
from lockstep.trace.conjuncts import Conjunct
from lockstep.trace.layout import INDENT, Room, Text, folded, lay_out, show, text_of
from lockstep.verbs.explore import Explored
from lockstep.walk.drawing import Drawing
from lockstep.walk.refusals import PropertyHere, Refusal, Refusals
from lockstep.walk.walk import ActionHere, Walk

View = dict[str, Any]


def here_view(walk: Walk) -> View:
    """Where a walk stands: its steps, the state, what can be done and what is claimed there."""
    model = walk.model
    return {
        "walk": list(walk.names),
        "position": walk.position,
        "state": _state(walk.before, walk.here),
        "actions": [
            _action(model, action, walk.refusals(action.action.name)) for action in walk.actions()
        ],
        "properties": [_property(model, prop) for prop in walk.properties()],
    }


def drawing_view(drawing: Drawing) -> View:
    """A graph: each state with its depth, its place and what sets it apart, and the edges."""
    return {
        "states": [
            {"depth": depth, "place": place, "broken": number in drawing.broken}
            for number, (depth, place) in enumerate(
                zip(drawing.depths, drawing.places, strict=True)
            )
        ],
        "edges": [
            {"source": edge.source, "target": edge.target, "instances": list(edge.instances)}
            for edge in drawing.edges
        ],
    }


def coverage_view(explored: Explored) -> View:
    """What a search came by, and what the scope says of what it did not come by."""
    coverage, scope = explored.coverage(), explored.scope
    result = coverage.result
    trace = result.error_trace if result.violation is None else result.violation.trace
    return {
        "trace": None if trace is None else list(explored.walk.names_of(trace)),
        "verdict": str(result.verdict),
        "because": result.because,
        "is_whole": result.is_finished,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "seconds": result.seconds,
        "engine": result.engine,
        "actions": [
            {"name": name, "fired": fired, "reason": scope.idle.get(name, "")}
            for name, fired in coverage.fired.items()
        ],
        "premises": [
            {"name": name, "met": met, "reason": scope.vacuous.get(name, "")}
            for name, met in coverage.premises.items()
        ],
        "goals": [{"name": name, "met": met} for name, met in coverage.goals.items()],
    }


def _state(before: State | None, here: State) -> list[View]:
    """Each variable: folded and whole, and what the last step changed of it."""
    differences = [] if before is None else changes(before, here)
    return [
        {
            "name": name,
            "folded": _laid_out(folded(getattr(here, name))),
            "whole": _laid_out(text_of(getattr(here, name))),
            "changes": [str(change) for change in differences if change.variable == name],
        }
        for name in here.fields
    ]


def _laid_out(text: Text) -> str:
    return "\n".join(lay_out([text], Room(0, INDENT)))


def _action(model: Model, here: ActionHere, refusals: Refusals) -> View:
    action = here.action
    return {
        "name": action.name,
        "doc": action.doc,
        "place": model.universe.place_text(action.function) or "",
        "instances": list(here.steps),
        "labels": _labels(here),
        "error": "" if here.error is None else here.error.seen_from(model.universe.root),
        "refusals": [_refusal(refusal) for refusal in refusals.refusals],
        "is_cut": refusals.is_cut,
    }


def _labels(here: ActionHere) -> list[str]:
    """What sets each instance apart: fields and parameters that all of them share are left out.

    The whole binding of an action with one instance, and where what is left would be ambiguous.
    """
    names = [parameter.name for parameter in here.action.parameters]
    parts = [
        dict(chain.from_iterable(map(_parts, names, step.parameters)))
        for step in here.steps.values()
    ]
    differing = [
        key
        for key in dict.fromkeys(chain.from_iterable(parts))
        if len({part.get(key) for part in parts}) > 1
    ]
    labels = [", ".join(f"{key}={part[key]}" for key in differing if key in part) for part in parts]
    if all(labels) and len(set(labels)) == len(labels):
        return labels
    return [_without_action(name, here.action.name) for name in here.steps]


def _parts(place: str, value: object) -> Iterator[tuple[str, str]]:
    """A value by its fields, down to those that have none."""
    if isinstance(value, Record):
        for name, part in zip(value.fields, value, strict=True):
            yield from _parts(f"{place}.{name}", part)
    else:
        yield place, show(value)


def _without_action(name: str, action: str) -> str:
    """`c=c1, p=p2` of `serve(c=c1, p=p2)`; all of what has no parameters."""
    binding, _, number = name.removeprefix(f"{action}(").rpartition(")")
    return f"{binding}{number}" or name


def _refusal(refusal: Refusal) -> View:
    return {
        "text": refusal.text,
        "place": refusal.place,
        "instances": refusal.instances,
        "binding": refusal.binding,
        "values": _values(refusal.conjunct),
    }


def _property(model: Model, here: PropertyHere) -> View:
    declared = model.find_property(here.name)
    return {
        "name": here.name,
        "kind": "" if here.kind is None else here.kind.name.lower().replace("_", " "),
        "standing": str(here.standing),
        "is_broken": here.is_broken,
        "why": here.why,
        "binding": here.binding,
        "conjunct": None if here.conjunct is None else _conjunct(here.conjunct),
        **_declaration(model, declared),
    }


def _declaration(model: Model, prop: Property | None) -> View:
    if prop is None:
        return {"doc": "", "place": "", "requirements": []}
    return {
        "doc": prop.doc,
        "place": model.universe.place_text(prop.function) or "",
        "requirements": list(prop.requirements),
    }


def _conjunct(conjunct: Conjunct) -> View:
    return {"text": conjunct.text, "place": conjunct.place, "values": _values(conjunct)}


def _values(conjunct: Conjunct | None) -> list[View]:
    if conjunct is None:
        return []
    return [{"name": name, "value": show(value)} for name, value in conjunct.known]
