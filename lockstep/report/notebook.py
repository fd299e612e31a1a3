"""Results as pieces of HTML, as notebooks show them.

A piece has its own style, which keeps to itself and takes the colours of the notebook around it. It
is built as a tree, so that no text becomes markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.svg import svg_element
from lockstep.pages.blocks import Block, Lines, Paragraph, plain
from lockstep.pages.html import fragment
from lockstep.report.check import models_table, parts_of, result_row
from lockstep.report.counterexample import counterexample
from lockstep.report.faults import FaultsView
from lockstep.report.prove import ProveView
from lockstep.report.replay import replay_blocks
from lockstep.report.twin import TwinView
from lockstep.report.view import pending
from lockstep.results.trace import Trace
from lockstep.trace.changes import changes
from lockstep.trace.claims import RequirementTexts
from lockstep.trace.layout import show
from lockstep.trace.render import Line
from lockstep.verbs.check_result import Checked, CheckResult, CheckRun, Unchecked
from lockstep.verbs.faults import FaultsOfModel, FaultsRun
from lockstep.verbs.prove import ProveRun
from lockstep.verbs.prove_result import Proved, Unproved
from lockstep.verbs.replay_result import Replay
from lockstep.verbs.twin import Compared, TwinRun, Uncompared

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
    if isinstance(result, Diagram):
        return _drawing(result)
    return fragment(_blocks(result), _STYLE)


def _blocks(result: object) -> Iterable[Block]:
    match result:
        case CheckRun():
            return [*_checked(result.results), *pending("not checked", result.pending)]
        case Checked() | Unchecked():
            return _checked([result])
        case FaultsRun():
            return FaultsView(Path()).blocks(result)
        case FaultsOfModel():
            return FaultsView(Path()).shown(result)
        case ProveRun():
            return ProveView(Path()).blocks(result)
        case Proved() | Unproved():
            return ProveView(Path()).shown(result)
        case TwinRun():
            return TwinView(Path(), [one.task for one in result.results]).blocks(result)
        case Compared() | Uncompared():
            return TwinView(Path(), [result.task]).shown(result)
        case Replay():
            return replay_blocks(result)
        case Trace():
            return [Lines(tuple(_steps(result)))]
        case _:
            raise TypeError(f"{type(result).__name__} is not shown")


def _drawing(diagram: Diagram) -> str:
    root = Element("div", {"class": "lockstep"})
    SubElement(root, "style").text = _STYLE
    region = {"class": "scroll", "role": "region", "aria-label": "diagram", "tabindex": "0"}
    SubElement(root, "div", region).append(svg_element(diagram))
    return tostring(root, encoding="unicode", method="html")


def _checked(results: Sequence[CheckResult]) -> Iterator[Block]:
    """A row a result, and below them what is violated."""
    for scope in dict.fromkeys(result.scope for result in results):
        yield Paragraph(f"scope {scope}", "dim")
        rows = [result_row(result) for result in results if result.scope == scope]
        yield models_table(plain(row.cells[0]) for row in rows).of(*rows)
    for part in (part for result in results for part in parts_of(result)):
        if isinstance(part, Checked):
            yield from counterexample(part, RequirementTexts(part.model.universe.root))


def _steps(trace: Trace) -> Iterator[Line]:
    """The steps of a behaviour of which the model is not known."""
    yield Line("0  the initial state", "bold")
    for name in trace.initial.fields:
        yield Line(f"     {name} = {show(getattr(trace.initial, name))}")
    for number, (before, step) in enumerate(zip(trace.states, trace.steps, strict=False), start=1):
        yield Line(f"{number}  {step.action}({', '.join(map(show, step.parameters))})", "bold")
        for change in changes(before, step.state):
            yield Line(f"     {change}", "changed")
    if trace.loop is not None:
        yield Line(f"and on as after step {trace.loop}", "bold")
