"""What the page of a counterexample knows of each step, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from lockstep.diagram.diagram import Diagram, DrawnStep, Message
from lockstep.language.model import DEADLOCK, Model, Property
from lockstep.report.requirement_texts import RequirementTexts
from lockstep.trace.changes import compare
from lockstep.trace.claims import find_property, render_fairness
from lockstep.trace.conjuncts import excerpt, false_at_the_end
from lockstep.trace.layout import show
from lockstep.trace.render import render_instance
from lockstep.verbs.replay import Replay
from lockstep.words import place_text, visible

Data = dict[str, Any]


def page_data(result: Replay, diagram: Diagram) -> Data:
    """The document that is inside the page; all of its texts are printable."""
    model, states = result.model, result.trace.states
    first = states[0]
    is_initial = first == model.initial
    steps: list[Data] = [
        {
            "title": "the initial state" if is_initial else "a state to begin with",
            "rows": _rows(compare(first, first)),
        }
    ]
    for drawn, before, after in zip(diagram.steps, states, states[1:], strict=False):
        steps.append(_step(result, drawn, diagram) | {"rows": _rows(compare(before, after))})
    data: Data = _printable(
        {"steps": steps, "loop": result.trace.loop, "ending": _ending(result, model)}
    )
    return data


def _rows(compared: list[Any]) -> list[list[str]]:
    """Variable, place, value before, and the one after where it is another."""
    return [
        [part.variable, part.place, part.before, *([part.after] if part.is_changed else [])]
        for part in compared
    ]


def _step(result: Replay, drawn: DrawnStep, diagram: Diagram) -> Data:
    model, fault = result.model, result.origin.fault
    action = model.action(drawn.action)
    data: Data = {
        "title": drawn.action,
        "parameters": ", ".join(drawn.parameters),
        "doc": action.doc,
        "messages": _messages(diagram, drawn.number),
        "source": _source(model, action.function),
    }
    if drawn.is_environment:
        data["environment"] = True
    if drawn.fault is not None:
        data["fault"] = f"{drawn.fault} {fault}"
        data["fault_source"] = _fault_source(model, str(fault), action.function)
    return data


def _messages(diagram: Diagram, number: int) -> list[str]:
    """What arrives or is lost in a step, and what is sent in it."""

    def told(message: Message, what: str) -> str:
        return f"{diagram.lanes[message.sender]} to {diagram.lanes[message.receiver]}: {what}"

    ended = [told(message, message.label) for message in diagram.ended_in(number)]
    sent = (one for one in diagram.messages if one.sent == number != one.ended)
    return [*ended, *(told(one, f"{one.text} (sent)") for one in sent if not one.is_copy)]


def _source(model: Model, function: Callable[..., Any]) -> Data | None:
    found = excerpt(model.universe, function)
    return None if found is None else vars(found) | {"lines": list(found.lines)}


def _fault_source(model: Model, fault: str, shown: Callable[..., Any]) -> Data | None:
    """The text of a fault that is not the action itself, which is shown anyway."""
    module = model.universe.modules.get(f"models.faults.{model.name}")
    function = vars(module).get(fault) if module is not None else None
    return None if function is None or function is shown else _source(model, function)


def _ending(result: Replay, model: Model) -> Data | None:
    """What is violated at the end, and the part of it that is false."""
    name, trace = result.origin.property, result.trace
    if result.parameters is None or name is None:
        return None
    if name == DEADLOCK:
        text = "No step leads from the last state to another, and the model may not stop."
        return {"title": "deadlock is violated", "doc": text}
    prop = find_property(model, name)
    if prop is None:
        return None
    title = render_instance(name, prop.parameters, result.parameters)
    data: Data = {
        "title": f"{title} is false" if trace.loop is None else f"{title} never happens",
        "doc": prop.doc,
        "requirements": _requirements(model, prop),
        "source": _source(model, prop.function),
    }
    if trace.loop is not None:
        data["fairness"] = list(render_fairness(model, name, trace))
    return data | dict(_conjunct(model, prop, result))


def _requirements(model: Model, prop: Property) -> list[str]:
    """What the property states, each with the words of `specs/`."""
    texts = RequirementTexts(model.universe.root)
    return [f"{identity}  {texts[identity]}" for identity in prop.requirements]


def _conjunct(model: Model, prop: Property, result: Replay) -> Iterator[tuple[str, Any]]:
    conjunct = false_at_the_end(model.universe, prop, result.trace, result.parameters or ())
    if conjunct is None:
        return
    yield "conjunct", conjunct.text
    yield "place", place_text(conjunct.file, conjunct.line, model.universe.root)
    yield "values", [[text, show(value)] for text, value in conjunct.known]


def _printable(value: Any) -> Any:
    """The same with what cannot be printed written as Python writes it."""
    match value:
        case str():
            return visible(value)
        case dict():
            return {key: _printable(part) for key, part in value.items()}
        case list():
            return [_printable(part) for part in value]
    return value
