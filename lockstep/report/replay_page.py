"""A counterexample as one self-contained page: the diagram, and every step with its two states.

What the page shows of the model is data in it, which its script makes text of and never markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from lockstep.diagram.diagram import Diagram, DrawnStep, Message
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.svg import svg_element
from lockstep.language.model import DEADLOCK, Model, Property
from lockstep.pages.html import add, begun, ended, scrolling
from lockstep.results.search_result import Violation
from lockstep.trace.changes import compare
from lockstep.trace.claims import RequirementTexts, render_fairness
from lockstep.trace.conjuncts import excerpt, false_at_the_end
from lockstep.trace.layout import show
from lockstep.trace.render import render_instance
from lockstep.verbs.replay_result import Replay
from lockstep.words import plural, visible

Data = dict[str, Any]

_HERE = Path(__file__)


def replay_page(result: Replay, diagram: Diagram) -> str:
    """The page of a behaviour as HTML."""
    script = _HERE.with_suffix(".js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"; script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    root, main = begun(_title(result), _HERE.with_suffix(".css"), policy=policy)
    name = result.origin.property
    add(main, "h1", f"{result.origin.model}.{name}" if result.violation else _title(result))
    _lead(main, result, diagram)
    _controls(main, diagram)
    columns = SubElement(main, "div", {"class": "columns"})
    _diagram(columns, diagram)
    _details(columns, len(diagram.steps))
    _mermaid(main, diagram)
    data = SubElement(main, "script", {"type": "application/json", "id": "data"})
    data.text = json.dumps(_page_data(result, diagram), ensure_ascii=True).replace("<", "\\u003c")
    SubElement(main, "script").text = script
    return ended(root)


def _title(result: Replay) -> str:
    origin = result.origin
    if result.violation is not None:
        return f"{origin.model}: {origin.property} is violated"
    return f"{origin.model}: a behaviour"


def _lead(main: Element, result: Replay, diagram: Diagram) -> None:
    origin = result.origin
    details = [plural(len(diagram.steps), "step")]
    details += [f"scope {origin.scope}"] * bool(origin.scope)
    details += [f"fault {origin.fault}"] * bool(origin.fault)
    details += [f"proposal {origin.proposal}"] * bool(origin.proposal)
    lead = add(main, "p", "", "lead")
    add(lead, "strong", str(result.verdict), str(result.verdict))
    lead[-1].tail = visible(f". {_claim(result) or f'{result.because}.'} {', '.join(details)}.")


def _claim(result: Replay) -> str:
    """The sentence that is violated; empty where nothing is, or the property says nothing."""
    name = result.origin.property
    prop = None if result.violation is None else result.model.find_property(name or "")
    return "" if prop is None else " ".join(prop.doc.partition("\n\n")[0].split())


def _controls(main: Element, diagram: Diagram) -> None:
    controls = SubElement(main, "form", {"class": "controls", "aria-label": "Steps"})
    for name, label, sign in (
        ("first", "First state", "\N{VERTICAL LINE}\N{LEFTWARDS ARROW}"),
        ("back", "Step back", "\N{LEFTWARDS ARROW}"),
        ("on", "Step on", "\N{RIGHTWARDS ARROW}"),
        ("last", "Last state", "\N{RIGHTWARDS ARROW}\N{VERTICAL LINE}"),
    ):
        button = add(controls, "button", sign)
        button.attrib |= {"type": "button", "id": name, "aria-label": label, "title": label}
    slider = add(controls, "label", "Step ")
    most = str(len(diagram.steps))
    SubElement(slider, "input", type="range", id="step", min="0", max=most, step="1", value=most)
    add(controls, "span", f"{most} of {most}").set("id", "number")
    search = add(controls, "label", "Variables ")
    SubElement(
        search,
        "input",
        {
            "type": "search",
            "id": "show",
            "placeholder": "all",
            "aria-describedby": "show-help",
            "autocomplete": "off",
            "spellcheck": "false",
        },
    )
    choice = SubElement(controls, "label")
    SubElement(choice, "input", type="checkbox", id="changed").tail = " only what changes"
    how = "Parts of names of variables, with commas. Arrow keys, Home and End go from step to step."
    add(controls, "p", how, "dim").set("id", "show-help")


def _diagram(columns: Element, diagram: Diagram) -> None:
    region = scrolling(columns, "Sequence diagram", "scroll drawing")
    drawing = svg_element(diagram)
    # It shrinks a little to fit beside the states, and no further than it can be read.
    least = int(drawing.get("width", "0")) * 9 // 10
    drawing.set("style", f"min-width: {least}px")
    region.append(drawing)


def _details(columns: Element, last: int) -> None:
    section = SubElement(columns, "section", {"class": "step", "aria-labelledby": "heading"})
    add(section, "h2", f"Step {last}").set("id", "heading")
    SubElement(section, "div", id="details")
    add(section, "p", "", "announcement").attrib |= {
        "id": "announcement",
        "role": "status",
        "aria-live": "polite",
    }
    notice = "This page needs JavaScript to show states. The diagram and the text below do not."
    add(SubElement(section, "noscript"), "p", notice)


def _mermaid(main: Element, diagram: Diagram) -> None:
    details = SubElement(main, "details")
    add(details, "summary", "The diagram as Mermaid")
    SubElement(scrolling(details, "Mermaid"), "pre").text = to_mermaid(diagram)


def _page_data(result: Replay, diagram: Diagram) -> Data:
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

    def said_of(message: Message, what: str) -> str:
        return f"{diagram.lanes[message.sender]} to {diagram.lanes[message.receiver]}: {what}"

    ended = [said_of(message, message.label) for message in diagram.ended_in(number)]
    sent = (one for one in diagram.messages if one.sent == number != one.ended)
    return [*ended, *(said_of(one, f"{one.text} (sent)") for one in sent if not one.is_copy)]


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
    violation, trace = result.violation, result.trace
    if violation is None:
        return None
    name = violation.properties[0]
    says, requirements = RequirementTexts(model.universe.root).of(model, name)
    if name == DEADLOCK:
        return {"title": "deadlock is violated", "doc": says}
    prop = model.find_property(name)
    if prop is None:
        return None
    title = render_instance(name, prop.parameters, violation.parameters)
    data: Data = {
        "title": f"{title} is false" if trace.loop is None else f"{title} never happens",
        "doc": says,
        "requirements": [f"{identity}  {asks}" for identity, asks in requirements],
        "source": _source(model, prop.function),
    }
    if trace.loop is not None:
        data["fairness"] = list(render_fairness(model, name, trace))
    return data | dict(_conjunct(model, prop, violation))


def _conjunct(model: Model, prop: Property, violation: Violation) -> Iterator[tuple[str, Any]]:
    conjunct = false_at_the_end(model.universe, prop, violation.trace, violation.parameters)
    if conjunct is None:
        return
    yield "conjunct", conjunct.text
    yield "place", conjunct.place
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
