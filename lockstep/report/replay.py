"""How `replay` and `replay --on` are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.diagram.svg import svg_element, to_svg
from lockstep.pages.blocks import Block, Figure, Lines, Paragraph, Section
from lockstep.report.replay_page import replay_page
from lockstep.trace.claims import render_fairness
from lockstep.trace.render import Line, render_refusal, render_trace
from lockstep.verbs.replay_result import Replay
from lockstep.words import plural


def replay_blocks(
    result: Replay, test: Path | None = None, pictures: Iterable[Path] = ()
) -> Iterator[Block]:
    """All of it; `test` is the file that was to be written, `pictures` those that were."""
    yield Paragraph(shown_title(result))
    if result.origin.start is not None:
        yield Paragraph(f"from a state in which {result.origin.start}; it need not be reachable")
    if result.on is not None:
        yield from _variables(result)
    yield Lines(tuple(_lines(result)), "The behaviour", margin=0)
    if result.on is not None:
        yield from _parting(result)
    if result.violation is not None and result.trace.loop is not None:
        texts = render_fairness(result.model, result.violation.properties[0], result.trace)
        yield Lines(tuple(map(Line, texts)), "Fairness", margin=0)
    if result.error is not None:
        yield Section(blocks=(Paragraph(str(result.error)),), apart=True)
    if test is not None:
        is_written = result.test is not None
        text = f"test written to {test}" if is_written else "no test: nothing is violated"
        yield Paragraph(text, "dim")
    for file in pictures:
        yield Paragraph(f"written to {file}", "dim")
    yield verdict_line(result)
    if result.check is not None:
        yield Paragraph(f"whether another behaviour violates it says  {result.check}")


def verdict_line(result: Replay) -> Paragraph:
    """What came of it, and why."""
    return Paragraph(f"{result.verdict}  {result.because}", str(result.verdict))


def shown_title(result: Replay) -> str:
    """The model, what of it was recorded, and what that was taken on."""
    origin = result.origin
    parts = {"scope": origin.scope, "fault": origin.fault, "proposal": origin.proposal}
    details = ", ".join(f"{what} {name}" for what, name in parts.items() if name)
    on = "" if result.on is None else f", on {result.on}"
    return f"{origin.model} ({details}){on}" if details else f"{origin.model}{on}"


def _lines(result: Replay) -> Iterator[Line]:
    """The steps that were taken, and why no more."""
    yield from render_trace(result.model, result.shown, result.fault)
    if result.refusal is not None and result.violation is None:
        refusal = result.refusal
        yield from render_refusal(result.model, result.trace, refusal.action, refusal.parameters)


def _variables(result: Replay) -> Iterator[Paragraph]:
    """The variables that are not in both, or not compared."""
    for what, names in (
        (f"not in {result.on}", result.missing),
        (f"only in {result.on}", result.added),
        ("not compared, for they have other domains", result.uncompared),
    ):
        if names:
            yield Paragraph(f"{what}: {', '.join(names)}", "dim")


_MOST_CHANGES = 8


def _parting(result: Replay) -> Iterator[Block]:
    """Which steps are others than recorded, and where the states are."""
    for number, instance in result.others.items():
        text = f"step {number} was recorded as another; here {instance} leads to the same state"
        yield Paragraph(text)
    parting = result.parting
    if parting is not None:
        where = f"after step {parting.step}" if parting.step else "at the beginning"
        shown = parting.changes[:_MOST_CHANGES]
        blocks = [Paragraph(change, "changed") for change in shown]
        if len(parting.changes) > len(shown):
            blocks.append(Paragraph(f"and {len(parting.changes) - len(shown)} more"))
        text = f"{where} the state is another than recorded (recorded -> here):"
        yield Section(text=text, blocks=tuple(blocks))
    elif result.trace.steps and not result.uncompared:
        steps = plural(len(result.trace.steps), "step")
        yield Paragraph(f"up to here the states are those recorded: {steps}")


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
        violated=None if result.violation is None else result.origin.property,
        parameters=None if result.violation is None else result.violation.parameters,
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
    lines = render_trace(replay.model, replay.shown, replay.fault)
    return Lines(tuple(lines), caption, folded=folded)
