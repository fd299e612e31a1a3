"""How the answers of `prove --find`, `--from` and `--equal` are shown, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lockstep.language.model import Model
from lockstep.pages.blocks import Block, Lines, Paragraph, Section
from lockstep.pages.output import document
from lockstep.report.prove import trace_json
from lockstep.results.trace import Trace
from lockstep.trace.render import (
    render_binding,
    render_step,
    render_taken,
    render_trace,
)
from lockstep.verbs.ask import Compared, Searched
from lockstep.words import plural, shown_path
from lockstep.workspace import option_for


def search_blocks(searched: Searched) -> Iterator[Block]:
    """The behaviour and where it was saved, or that there is none."""
    where, request = str(searched.subject), searched.request
    trace, verdict = searched.trace, str(searched.verdict)
    if request.start is not None:
        where += f", from any state in which {request.start} and all invariants hold"
    if trace is None:
        nothing = "nothing is broken" if request.goal is None else "not found"
        error = searched.result.error
        why = () if error is None else (Paragraph(str(error), verdict),)
        yield Section(text=f"{where}: {nothing}: {searched.because}", style=verdict, blocks=why)
        return
    end = f"{searched.violated[0]} violated" if searched.violated else "found"
    steps = plural(len(trace.steps), "step")
    violation = searched.result.violation if request.goal is None else None
    lines = render_trace(searched.model, violation or trace, searched.subject.widths.fault)
    yield Section(
        text=f"{where}: {end} after {steps}, {searched.result.seconds:.1f} s",
        style=verdict,
        blocks=(Lines(tuple(lines), "The behaviour"), *_saved(searched)),
    )


def _saved(searched: Searched) -> Iterator[Paragraph]:
    if searched.written is not None and searched.written.file is not None:
        file = shown_path(searched.written.file)
        workspace = option_for(searched.model.universe.root)
        yield Paragraph(f"saved to {file}: see it with  lockstep replay {file}{workspace}")
    elif searched.written is not None:
        yield Paragraph(f"not saved: {searched.written.why_not}")


def comparison_blocks(compared: Compared) -> Iterator[Block]:
    """That two actions do the same, or a state in which they differ."""
    where, actions = str(compared.subject), " and ".join(compared.request.actions)
    contrast, model = compared.contrast, compared.model
    if contrast is None:
        yield Paragraph(f"{where}: {actions} do the same in every state", "holds")
        return
    parameters = model.action(compared.request.actions[0]).parameters
    binding = render_binding(parameters, contrast.parameters) or "no parameters"
    yield Section(
        text=f"{where}: {actions} differ, with {binding}, in",
        style="violated",
        blocks=(
            Lines(tuple(render_trace(model, Trace(contrast.before, ())))),
            *(
                Section(text=f"{action}:", style="bold", blocks=(_laid_out(lines),))
                for action, lines in effects(compared).items()
            ),
        ),
    )


def _laid_out(texts: Iterable[str]) -> Section:
    return Section(blocks=tuple(map(Paragraph, texts)))


def effects(compared: Compared) -> dict[str, list[str]]:
    """What each of two actions that differ does in the state that shows it, line by line."""
    if compared.contrast is None:
        return {}
    actions = compared.request.actions
    return {
        action: _effect(compared.model, outcome)
        for action, outcome in zip(actions, compared.contrast.does, strict=True)
    }


def _effect(model: Model, outcome: Trace | str | None) -> list[str]:
    if outcome is None:
        return ["is not enabled"]
    if isinstance(outcome, str):
        return [f"has no meaning: {outcome}"]
    (step,) = outcome.steps
    return list(render_step(1, render_taken(model, step), outcome.initial, step.state))


def search_json(searched: Searched) -> dict[str, object]:
    """The document of a search for a behaviour."""
    request, result, trace = searched.request, searched.result, searched.trace
    return _document(
        {
            "model": searched.subject.name,
            "proof": searched.subject.proof.name,
            "fault": request.widths.fault,
            "predicate": request.goal,
            "start": request.start,
            "verdict": str(searched.verdict),
            "seconds": round(result.seconds, 3),
            "because": searched.because,
            "exit_code": searched.exit_code,
            "covered": result.covered,
            "properties": list(searched.violated),
            "trace": None if trace is None else trace_json(searched.model, trace, searched.written),
        }
    )


def comparison_json(compared: Compared) -> dict[str, object]:
    """The document of a comparison of two actions."""
    request = compared.request
    return _document(
        {
            "model": compared.subject.name,
            "proof": compared.subject.proof.name,
            "fault": request.widths.fault,
            "actions": list(request.actions),
            "verdict": str(compared.verdict),
            "exit_code": compared.exit_code,
            "differ": effects(compared),
        }
    )


def _document(row: Mapping[str, object]) -> dict[str, object]:
    return document(
        [row],
        {"verdict": row["verdict"], "exit_code": row["exit_code"]},
    )
