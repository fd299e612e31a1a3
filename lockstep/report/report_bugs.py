"""The real bugs of a report: faults that say where the mistake was really made."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.errors import LockstepError
from lockstep.pages.blocks import Block, Paragraph, Row, Section, Span, Table
from lockstep.report.faults import steps_text
from lockstep.report.replay import behaviour_lines, figure_of
from lockstep.report.report_models import NOT_CHECKED, counted
from lockstep.report.source_links import SourceLinks
from lockstep.verbs.fault_task import FaultAnswer
from lockstep.verbs.faults import behaviour_of
from lockstep.verbs.report import ModelReport, Report
from lockstep.words import plural


def bugs_section(report: Report, links: SourceLinks, *, brief: bool) -> Iterator[Section]:
    """A row a bug, and below it a section each; nothing where no fault names a source."""
    bugs = [(model, fault) for model in report.models for fault in model.sources]
    if not bugs:
        return
    headers = ("bug", "source", "model", "caught by", "steps", "scope", "states")
    rows = tuple(_row(model, fault) for model, fault in bugs)
    sections = tuple(
        _bug(report, model, fault, links)
        for model, fault in bugs
        if not brief and _run(model, fault) is not None
    )
    text = (
        f"{plural(len(bugs), 'mistake')} that were really made, put into the models again. "
        "Steps are those of the shortest behaviour that shows one."
    )
    yield Section(
        "",
        f"Real bugs ({len(bugs)})",
        None,
        (Paragraph(text), Table(headers, rows, ("steps", "states"), "real bugs"), *sections),
        anchor="bugs",
    )


def _run(model: ModelReport, fault: str) -> FaultAnswer | None:
    if model.faults is None:
        return None
    return next((run for run in model.faults.faults.runs if run.name == fault), None)


def _anchor(model: ModelReport, fault: str) -> str:
    return f"bug-{model.name}-{fault}"


def _row(model: ModelReport, fault: str) -> Row:
    run, source = _run(model, fault), model.sources[fault]
    if run is None:
        missing = Span(NOT_CHECKED, style="inconclusive")
        return Row((fault, source, model.name, missing, "-", "-", "-"))
    name = Span(fault.replace("_", " "), f"#{_anchor(model, fault)}")
    caught = run.violated or ("nothing: harmless" if run.is_harmless else "nothing")
    states = counted(run.states)
    return Row((name, source, model.name, caught, steps_text(run), run.scope, states))


def _bug(report: Report, model: ModelReport, fault: str, links: SourceLinks) -> Section:
    run = _run(model, fault)
    assert run is not None
    place = links.to(model.places.get(f"fault {model.name}.{fault}"))
    blocks: list[Block] = [
        Paragraph(" ".join(model.fault_docs.get(fault, "").split()), label="what happens"),
        Paragraph(model.sources[fault], label="source"),
        Paragraph((place,), label="where"),
    ]
    claim = next((claim for claim in model.claims if claim.name == run.violated), None)
    if claim is not None:
        doc = " ".join(claim.doc.split())
        blocks.append(Paragraph(f"{claim.name}: {doc}" if doc else claim.name, label="caught by"))
    elif run.details.harmless is not None:
        reason = " ".join(run.details.harmless.split())
        blocks.append(Paragraph(reason, label="harmless"))
    if run.length is not None:
        found = f"{steps_text(run)} steps, after {plural(run.states, 'state')}"
        blocks.append(Paragraph(f"{found}, in scope {run.scope}", label="shown in"))
    blocks += _pictures(report, run)
    again = f"lockstep check {model.name} --fault {fault}"
    blocks.append(Paragraph((Span(again, style="command"),), label="see it with"))
    return Section(
        "", fault.replace("_", " "), None, tuple(blocks), folded=True, anchor=_anchor(model, fault)
    )


def _pictures(report: Report, run: FaultAnswer) -> Iterator[Block]:
    """The diagram of the shortest behaviour, and its steps; nothing of what has none."""
    try:
        replay = behaviour_of(report.workspace.root, run)
    except LockstepError as error:
        yield Paragraph(str(error), "inconclusive")
        return
    if replay is not None:
        yield figure_of(replay)
        yield behaviour_lines(replay, "step by step")
