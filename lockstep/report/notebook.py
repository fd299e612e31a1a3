"""Results as pieces of HTML, as notebooks show them.

A piece has its own style, which keeps to itself and takes the colours of the notebook around it. It
is built as a tree, so that no text becomes markup.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.svg import svg_element
from lockstep.report.check import models_table, result_row
from lockstep.report.ci.check_problems import parts_of
from lockstep.report.counterexample import counterexample
from lockstep.report.faults import FaultsView
from lockstep.report.output import Kept, Output
from lockstep.report.page import Block, Paragraph
from lockstep.report.page_html import fragment
from lockstep.report.prove import ProveView
from lockstep.report.replay import print_replay, print_replay_on
from lockstep.report.requirement_texts import RequirementTexts
from lockstep.report.twin import TwinView
from lockstep.report.view import pending
from lockstep.results.trace import Trace
from lockstep.trace.changes import changes
from lockstep.trace.layout import show
from lockstep.verbs.check_result import Checked, CheckResult, CheckRun, Unchecked
from lockstep.verbs.faults import FaultsRun
from lockstep.verbs.faults_of_model import FaultsOfModel
from lockstep.verbs.prove import ProveRun
from lockstep.verbs.prove_result import Proved, Unproved
from lockstep.verbs.replay import Replay
from lockstep.verbs.replay_on_result import ReplayedOn
from lockstep.verbs.twin import Compared, TwinRun, Uncompared
from lockstep.words import visible

_STYLE = """
.lockstep table { border-collapse: collapse; margin: 0 0 0.5em; }
.lockstep th, .lockstep td { padding: 0.15em 0.8em 0.15em 0; text-align: left; }
.lockstep .number { text-align: right; font-variant-numeric: tabular-nums; }
.lockstep .because { white-space: pre-wrap; }
.lockstep .scroll { overflow-x: auto; }
.lockstep pre { margin: 0; overflow-x: auto; white-space: pre; }
.lockstep .bold, .lockstep .violated, .lockstep .error { font-weight: bold; }
.lockstep .changed { font-style: italic; }
.lockstep .dim { opacity: 0.75; }
"""
"""Weight and slant in place of colours: a notebook may be dark or light."""


def html_of(result: object) -> str:
    """A result as a piece of HTML; `TypeError` for what is none."""
    root = Element("div", {"class": "lockstep"})
    SubElement(root, "style").text = _STYLE
    match result:
        case CheckRun():
            pending_models = pending("not checked", result.pending)
            return fragment([*_checked(result.results), *pending_models], _STYLE)
        case Checked() | Unchecked():
            return fragment(_checked([result]), _STYLE)
        case FaultsRun():
            return fragment(FaultsView(Path()).blocks(result), _STYLE)
        case FaultsOfModel():
            return fragment(FaultsView(Path()).shown(result), _STYLE)
        case ProveRun():
            return fragment(ProveView(Path()).blocks(result), _STYLE)
        case Proved() | Unproved():
            return fragment(ProveView(Path()).shown(result), _STYLE)
        case TwinRun():
            tasks = [one.task for one in result.results]
            return fragment(TwinView(Path(), tasks).blocks(result), _STYLE)
        case Compared() | Uncompared():
            return fragment(TwinView(Path(), [result.task]).shown(result), _STYLE)
        case Replay():
            _printed(root, "behaviour", lambda output: print_replay(output, result, None))
        case ReplayedOn():
            _printed(root, "behaviour", lambda output: print_replay_on(output, result))
        case Diagram():
            region = {"class": "scroll", "role": "region", "aria-label": "diagram", "tabindex": "0"}
            SubElement(root, "div", region).append(svg_element(result))
        case Trace():
            _printed(root, "behaviour", lambda output: _steps(output, result))
        case _:
            raise TypeError(f"{type(result).__name__} is not shown")
    return tostring(root, encoding="unicode", method="html")


def _checked(results: Sequence[CheckResult]) -> Iterator[Block]:
    """A row a result, and below them what is violated."""
    for scope in dict.fromkeys(result.scope for result in results):
        yield Paragraph(f"scope {scope}", "dim")
        names = [_name(result) for result in results if result.scope == scope]
        rows = [result_row(result) for result in results if result.scope == scope]
        yield models_table(names).of(*rows)
    for part in (part for result in results for part in parts_of(result)):
        if isinstance(part, Checked):
            yield from counterexample(part, RequirementTexts(part.model.universe.root))


def _name(result: CheckResult) -> str:
    return result.name if isinstance(result, Unchecked) else result.model.name


def _steps(output: Output, trace: Trace) -> None:
    """The steps of a behaviour of which the model is not known."""
    output.line("0  the initial state", "bold")
    for name in trace.initial.fields:
        output.line(f"     {name} = {show(getattr(trace.initial, name))}")
    for number, (before, step) in enumerate(zip(trace.states, trace.steps, strict=False), start=1):
        output.line(f"{number}  {step.action}({', '.join(map(show, step.parameters))})", "bold")
        for change in changes(before, step.state):
            output.line(f"     {change}", "changed")
    if trace.loop is not None:
        output.line(f"and on as after step {trace.loop}", "bold")


def _printed(root: Element, label: str, print_it: Callable[[Output], None]) -> None:
    """What a command prints, in its own lines."""
    output = Kept()
    print_it(output)
    region = {"role": "region", "aria-label": label, "tabindex": "0"}
    element = SubElement(root, "pre", region)
    for text, style in output.lines:
        line = SubElement(element, "span", {} if style is None else {"class": style})
        line.text, line.tail = visible(text), "\n"
