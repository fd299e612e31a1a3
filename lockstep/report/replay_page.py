"""A counterexample as one self-contained page: the diagram, and every step with its two states.

What the page shows of the model is data in it, which its script makes text of and never markup.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.svg import svg_element
from lockstep.report.replay_page_data import page_data
from lockstep.verbs.replay import Replay
from lockstep.words import plural, visible

_HERE = Path(__file__)
_STYLES = ("page.css", "replay_page.css")
_SCRIPT = "replay_page.js"


def replay_page(result: Replay, diagram: Diagram) -> str:
    """The page of a behaviour as HTML."""
    script = _HERE.with_name(_SCRIPT).read_text(encoding="utf-8")
    root = Element("html", lang="en")
    _head(root, _title(result), script)
    main = SubElement(SubElement(root, "body"), "main")
    _text(main, "h1", _title(result))
    _lead(main, result, diagram)
    _controls(main, diagram)
    columns = SubElement(main, "div", {"class": "columns"})
    _diagram(columns, diagram)
    _details(columns)
    _mermaid(main, diagram)
    data = SubElement(main, "script", {"type": "application/json", "id": "data"})
    data.text = json.dumps(page_data(result, diagram), ensure_ascii=True).replace("<", "\\u003c")
    SubElement(main, "script").text = script
    return f"<!doctype html>\n{tostring(root, encoding='unicode', method='html')}\n"


def _title(result: Replay) -> str:
    origin = result.origin
    if result.parameters is not None:
        return f"{origin.model}: {origin.property} is violated"
    return f"{origin.model}: a behaviour"


def _head(root: Element, title: str, script: str) -> None:
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": policy})
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _text(head, "title", title)
    style = SubElement(head, "style")
    style.text = "".join(_HERE.with_name(name).read_text(encoding="utf-8") for name in _STYLES)


def _lead(main: Element, result: Replay, diagram: Diagram) -> None:
    origin = result.origin
    details = [plural(len(diagram.steps), "step")]
    details += [f"scope {origin.scope}"] * bool(origin.scope)
    details += [f"fault {origin.fault}"] * bool(origin.fault)
    details += [f"proposal {origin.proposal}"] * bool(origin.proposal)
    lead = _text(main, "p", "", "lead")
    _text(lead, "strong", str(result.verdict), str(result.verdict))
    lead[-1].tail = visible(f". {result.because}. {', '.join(details)}.")


def _controls(main: Element, diagram: Diagram) -> None:
    controls = SubElement(main, "form", {"class": "controls", "aria-label": "Steps"})
    for name, label, sign in (
        ("first", "First state", "\N{VERTICAL LINE}\N{LEFTWARDS ARROW}"),
        ("back", "Step back", "\N{LEFTWARDS ARROW}"),
        ("on", "Step on", "\N{RIGHTWARDS ARROW}"),
        ("last", "Last state", "\N{RIGHTWARDS ARROW}\N{VERTICAL LINE}"),
    ):
        button = _text(controls, "button", sign)
        button.attrib |= {"type": "button", "id": name, "aria-label": label, "title": label}
    slider = _text(controls, "label", "Step ")
    most = str(len(diagram.steps))
    SubElement(slider, "input", type="range", id="step", min="0", max=most, step="1", value="0")
    _text(controls, "span", f"0 of {most}").set("id", "number")
    search = _text(controls, "label", "Variables ")
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
    _text(controls, "p", how, "dim").set("id", "show-help")


def _diagram(columns: Element, diagram: Diagram) -> None:
    region = SubElement(
        columns,
        "div",
        {
            "class": "scroll drawing",
            "role": "region",
            "aria-label": "Sequence diagram",
            "tabindex": "0",
        },
    )
    drawing = svg_element(diagram)
    # It shrinks a little to fit beside the states, and no further than it can be read.
    least = int(drawing.get("width", "0")) * 9 // 10
    drawing.set("style", f"min-width: {least}px")
    region.append(drawing)


def _details(columns: Element) -> None:
    section = SubElement(columns, "section", {"class": "step", "aria-labelledby": "heading"})
    _text(section, "h2", "Step 0").set("id", "heading")
    SubElement(section, "div", id="details")
    _text(section, "p", "", "announcement").attrib |= {
        "id": "announcement",
        "role": "status",
        "aria-live": "polite",
    }
    notice = "This page needs JavaScript to show states. The diagram and the text below do not."
    _text(SubElement(section, "noscript"), "p", notice)


def _mermaid(main: Element, diagram: Diagram) -> None:
    details = SubElement(main, "details")
    _text(details, "summary", "The diagram as Mermaid")
    region = SubElement(
        details,
        "div",
        {"class": "scroll", "role": "region", "aria-label": "Mermaid", "tabindex": "0"},
    )
    SubElement(region, "pre").text = to_mermaid(diagram)


def _text(parent: Element, tag: str, text: str, style: str | None = None) -> Element:
    element = SubElement(parent, tag, {} if style is None else {"class": style})
    element.text = visible(text)
    return element
