"""How `replay` and `replay --on` are shown, and as JSON (docs/reference/json.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.diagram.svg import svg_element, to_svg
from lockstep.pages.blocks import Block, Figure, Lines, Paragraph, Section
from lockstep.pages.output import document
from lockstep.report.replay_page import replay_page
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import find_property, render_fairness
from lockstep.trace.documents import conjunct_json, error_json, parameters_json, steps_json
from lockstep.trace.itf import Origin
from lockstep.trace.render import Line, render_refusal, render_trace
from lockstep.verbs.replay import Parting, Refusal, Replay, ReplayedOn
from lockstep.words import plural


def replay_blocks(
    result: Replay, test: Path | None = None, pictures: Iterable[Path] = ()
) -> Iterator[Block]:
    """All of it; `test` is the file that was to be written, `pictures` those that were."""
    origin = result.origin
    yield Paragraph(shown_origin(origin))
    if origin.start is not None:
        yield Paragraph(f"from a state in which {origin.start}; it need not be reachable")
    yield _behaviour(render_trace(result.model, behaviour_of(result), origin.fault))
    if result.parameters is not None and result.trace.loop is not None:
        yield _fairness(render_fairness(result.model, origin.property or "", result.trace))
    if result.error is not None:
        yield Section(blocks=(Paragraph(str(result.error)),), apart=True)
    if test is not None:
        is_written = result.test is not None
        text = f"test written to {test}" if is_written else "no test: nothing is violated"
        yield Paragraph(text, "dim")
    for file in pictures:
        yield Paragraph(f"written to {file}", "dim")
    yield verdict_line(result)


def verdict_line(result: Replay | ReplayedOn) -> Paragraph:
    """What came of it, and why."""
    return Paragraph(f"{result.verdict}  {result.because}", str(result.verdict))


def _behaviour(lines: Iterable[Line]) -> Lines:
    return Lines(tuple(lines), "The behaviour", margin=0)


def _fairness(texts: Iterable[str]) -> Lines:
    return Lines(tuple(map(Line, texts)), "Fairness", margin=0)


def shown_origin(origin: Origin) -> str:
    """The model, and what of it the behaviour is of."""
    parts = {"scope": origin.scope, "fault": origin.fault, "proposal": origin.proposal}
    details = ", ".join(f"{what} {name}" for what, name in parts.items() if name)
    return f"{origin.model} ({details})" if details else origin.model


def behaviour_of(result: Replay) -> Violation | Trace:
    """The behaviour, with what it violates where it does."""
    name = result.origin.property
    if result.parameters is None or name is None:
        return result.trace
    return Violation((name,), result.parameters, result.trace)


def replay_json(file: Path, result: Replay) -> dict[str, object]:
    """The document; it has the text of the test, too, if one was written."""
    origin = result.origin
    prop = find_property(result.model, origin.property or "")
    failing = result.parameters
    row: dict[str, object] = {
        "file": str(file),
        "model": origin.model,
        "scope": origin.scope,
        "fault": origin.fault,
        "engine": "python",
        "property": origin.property,
        "goal": origin.goal,
        "start": origin.start,
        "verdict": str(result.verdict),
        "because": result.because,
        "parameters": (
            None if failing is None else parameters_json(prop.parameters, failing) if prop else {}
        ),
        "steps": steps_json(result.model, result.trace),
        "loop": result.trace.loop,
        "error": None if result.error is None else error_json(result.model, result.error),
    }
    if result.test is not None:
        row["pytest"] = result.test
    return document(
        [row],
        {"verdict": str(result.verdict), "exit_code": int(result.exit_code)},
    )


_MOST_CHANGES = 8


def replay_on_blocks(result: ReplayedOn) -> Iterator[Block]:
    """All of it."""
    yield Paragraph(shown_title(result))
    if result.missing:
        yield Paragraph(f"not in {result.version}: {', '.join(result.missing)}", "dim")
    if result.added:
        yield Paragraph(f"only in {result.version}: {', '.join(result.added)}", "dim")
    if result.uncompared:
        names = ", ".join(result.uncompared)
        yield Paragraph(f"not compared, for they have other domains: {names}", "dim")
    yield _behaviour(lines_on(result))
    for number, instance in result.others.items():
        text = f"step {number} was recorded as another; here {instance} leads to the same state"
        yield Paragraph(text)
    if result.parting is not None:
        yield _parted(result.parting)
    elif result.trace.steps and not result.uncompared:
        steps = plural(len(result.trace.steps), "step")
        yield Paragraph(f"up to here the states are those recorded: {steps}")
    if result.violation is not None and result.trace.loop is not None:
        name = result.violation.properties[0]
        yield _fairness(render_fairness(result.model, name, result.trace))
    if result.error is not None:
        yield Paragraph(str(result.error))
    yield verdict_line(result)
    is_open = result.verdict is Verdict.HOLDS and result.origin.goal is None
    if is_open and result.check is not None:
        yield Paragraph(f"whether another behaviour violates it says  {result.check}")


def _parted(parting: Parting) -> Section:
    where = f"after step {parting.step}" if parting.step else "at the beginning"
    text = f"{where} the state is another than recorded (recorded -> here):"
    shown = parting.changes[:_MOST_CHANGES]
    blocks = [Paragraph(change, "changed") for change in shown]
    if len(parting.changes) > len(shown):
        blocks.append(Paragraph(f"and {len(parting.changes) - len(shown)} more"))
    return Section(text=text, blocks=tuple(blocks))


def shown_title(result: ReplayedOn) -> str:
    """What was recorded, and what it was taken on."""
    return f"{shown_origin(result.origin)}, on {result.version}"


def lines_on(result: ReplayedOn) -> Iterator[Line]:
    """The steps that the version takes, and why it takes no more."""
    fault = result.version.fault
    lines = render_trace(result.model, result.violation or result.trace, fault)
    if result.refusal is None or result.violation is not None:
        return lines
    refusal = result.refusal
    why = render_refusal(result.model, result.trace, refusal.action, refusal.parameters)
    return chain(lines, why)


def replay_on_json(file: Path, result: ReplayedOn) -> dict[str, object]:
    """The document."""
    origin, violation, parting = result.origin, result.violation, result.parting
    name = None if violation is None else violation.properties[0]
    prop = find_property(result.model, name or "")
    row: dict[str, object] = {
        "file": str(file),
        "model": origin.model,
        "scope": origin.scope,
        "fault": origin.fault,
        "on": str(result.version),
        "engine": "python",
        "property": origin.property,
        "goal": origin.goal,
        "start": origin.start,
        "verdict": str(result.verdict),
        "because": result.because,
        "violated": name,
        "parameters": (
            None
            if violation is None
            else parameters_json(prop.parameters, violation.parameters)
            if prop
            else {}
        ),
        "steps": steps_json(result.model, result.trace),
        "loop": result.trace.loop,
        "refused": None if result.refusal is None else _refusal(result, result.refusal),
        "parting": None if parting is None else {"step": parting.step, "changes": parting.changes},
        "others": {str(number): instance for number, instance in result.others.items()},
        "missing": list(result.missing),
        "added": list(result.added),
        "uncompared": list(result.uncompared),
        "error": None if result.error is None else error_json(result.model, result.error),
    }
    return document([row], {"verdict": str(result.verdict), "exit_code": int(result.exit_code)})


def _refusal(result: ReplayedOn, refusal: Refusal) -> dict[str, object]:
    action = result.model.action(refusal.action)
    return {
        "step": refusal.step,
        "action": refusal.action,
        "parameters": parameters_json(action.parameters, refusal.parameters),
        "requires": conjunct_json(result.model, action, result.trace.last, refusal.parameters),
    }


@dataclass(frozen=True)
class Picture:
    """A file with its text."""

    file: Path
    text: str


_MAKERS: Mapping[str, Callable[[Replay, Diagram], str]] = {
    "html": replay_page,
    "svg": lambda _, diagram: f"{to_svg(diagram)}\n",
    "mermaid": lambda _, diagram: to_mermaid(diagram),
}


def pictures_of(result: Replay, files: Mapping[str, Path | None]) -> list[Picture]:
    """The files that are asked for by the kind of each: `html`, `svg`, `mermaid`."""
    asked = {kind: file for kind, file in files.items() if file is not None}
    if not asked:
        return []
    diagram = diagram_of(result)
    return [Picture(file, _MAKERS[kind](result, diagram)) for kind, file in asked.items()]


def diagram_of(result: Replay) -> Diagram:
    """The diagram of what was taken again, and of what it violates if it does."""
    return sequence(
        result.model,
        result.trace,
        violated=None if result.parameters is None else result.origin.property,
        parameters=result.parameters,
        fault=result.origin.fault,
    )


def figure_of(replay: Replay) -> Figure:
    """The diagram of a behaviour that was taken again."""
    diagram, origin = diagram_of(replay), replay.origin
    fault = f" with {origin.fault}" if origin.fault else ""
    steps = plural(len(replay.trace.steps), "step")
    caption = f"{origin.model}{fault}: {origin.property} is violated in {steps}"
    return Figure(svg_element(diagram), caption, to_mermaid(diagram))


def behaviour_lines(replay: Replay, caption: str, *, folded: bool = True) -> Lines:
    """The steps of a behaviour that was taken again, folded away by default."""
    lines = render_trace(replay.model, behaviour_of(replay), replay.origin.fault)
    return Lines(tuple(lines), caption, folded=folded)
