"""How the answers of `prove --find`, `--from` and `--equal` are shown."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.pages.blocks import Block, Lines, Paragraph, Section
from lockstep.results.trace import Trace
from lockstep.trace.render import render_binding, render_trace
from lockstep.verbs.ask import Asked, Compared, Searched
from lockstep.words import plural, shown_path
from lockstep.workspace import option_for


def asked_blocks(asked: Asked) -> Iterator[Block]:
    """What came of a question."""
    return _comparison(asked) if isinstance(asked, Compared) else _search(asked)


def _search(searched: Searched) -> Iterator[Block]:
    """The behaviour and where it was saved, or that there is none."""
    where, asked = str(searched.subject), searched.asked
    trace, verdict = searched.trace, str(searched.verdict)
    if asked.start is not None:
        where += f", from any state in which {asked.start} and all invariants hold"
    if trace is None:
        nothing = "nothing is broken" if asked.find is None else "not found"
        error = searched.result.error
        why = () if error is None else (Paragraph(str(error), verdict),)
        yield Section(text=f"{where}: {nothing}: {searched.because}", style=verdict, blocks=why)
        return
    end = f"{searched.violated[0]} violated" if searched.violated else "found"
    steps = plural(len(trace.steps), "step")
    violation = searched.result.violation if asked.find is None else None
    lines = render_trace(searched.model, violation or trace, searched.subject.widths.fault)
    yield Section(
        text=f"{where}: {end} after {steps}, {searched.result.seconds:.1f} s",
        style=verdict,
        blocks=(Lines(tuple(lines), "The behaviour"), *_saved(searched)),
    )


def _saved(searched: Searched) -> Iterator[Paragraph]:
    if searched.written.file is not None:
        file = shown_path(searched.written.file)
        workspace = option_for(searched.model.universe.root)
        yield Paragraph(f"saved to {file}: see it with  lockstep replay {file}{workspace}")
    else:
        yield Paragraph(f"not saved: {searched.written.why_not}")


def _comparison(compared: Compared) -> Iterator[Block]:
    """That two actions do the same, or a state in which they differ."""
    where, actions = str(compared.subject), " and ".join(compared.actions)
    contrast, model = compared.contrast, compared.model
    if contrast is None:
        yield Paragraph(f"{where}: {actions} do the same in every state", "holds")
        return
    parameters = model.action(compared.actions[0]).parameters
    binding = render_binding(parameters, contrast.parameters) or "no parameters"
    yield Section(
        text=f"{where}: {actions} differ, with {binding}, in",
        style="violated",
        blocks=(
            Lines(tuple(render_trace(model, Trace(contrast.before, ())))),
            *(
                Section(text=f"{action}:", style="bold", blocks=tuple(map(Paragraph, lines)))
                for action, lines in compared.effects.items()
            ),
        ),
    )
