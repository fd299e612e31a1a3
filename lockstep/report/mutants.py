"""How mutation testing is shown: a row a model, and below it the survivors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lockstep.mutants.fate import Fate, Killer
from lockstep.pages.blocks import Block, Paragraph, Row, Table
from lockstep.pages.output import document as json_document
from lockstep.report.counterexample import rows_since_text
from lockstep.report.view import View
from lockstep.verbs.mutants import MutantAnswer, MutantsOfModel, MutantsRun
from lockstep.words import plural, wrapped

COUNTED = tuple(fate for fate in Fate if fate is not Fate.VOID)
"""The fates that are counted, in the order of the columns."""

_FATES = tuple(map(str, COUNTED))
_MODELS = Table(
    ("model", "mutants", *_FATES),
    numbers=("mutants", *_FATES),
    widths=(24, 7, *map(len, _FATES)),
)


class MutantsView(View[MutantsOfModel, MutantsRun]):
    """The mutants of models, each model as soon as all of its mutants were judged."""

    title = "lockstep mutants"

    def opening(self) -> Iterator[Block]:
        yield _MODELS

    def result(self, result: MutantsOfModel) -> Iterator[Block]:
        style = "violated" if result.unexplained or result.stale or result.errors else None
        yield _MODELS.of(Row(_cells(result.name, [result]), style, remarks=tuple(_remarks(result))))

    def closing(self, run: MutantsRun) -> Iterator[Block]:
        if len(run.results) > 1:
            yield _MODELS.of(Row(_cells("all", run.results)))
        if run.kept:
            yield Paragraph(rows_since_text(run.kept), "dim")
        yield Paragraph(self.summary(run))
        if run.interrupted:
            yield Paragraph("interrupted: what is above is not all", "inconclusive")

    def summary(self, run: MutantsRun) -> str:
        models = run.results
        every = [mutant for model in models for mutant in model.mutants]
        counted = [mutant for mutant in every if mutant.fate is not Fate.VOID]
        unexplained = sum(len(model.unexplained) for model in models)
        stale = sum(len(model.stale) for model in models)
        lines = [f"{plural(len(counted), 'mutant')}, {unexplained} not explained"]
        lines += [f"{stale} explained that do not survive"] * bool(stale)
        by = killed_by(models)
        words = [
            f"{by[str(killer)]} by {_BY.get(killer, killer)}"
            for killer in Killer
            if by[str(killer)]
        ]
        lines += [f"{sum(by.values())} killed: {', '.join(words)}"] * bool(words)
        void = len(every) - len(counted)
        lines += [f"{void} not counted, for they do not load or change nothing"] * bool(void)
        return "; ".join(lines) + "."

    def document(self, run: MutantsRun) -> Mapping[str, object]:
        models = run.results
        return json_document(
            [mutant for model in models for mutant in model.mutants],
            {
                **{str(fate): sum(model.count(fate) for model in models) for fate in Fate},
                "killed_by": killed_by(models),
                "unexplained": sum(len(model.unexplained) for model in models),
                "errors": [str(error) for model in models for error in model.errors],
                "kept": len(run.kept),
                "exit_code": run.exit_code,
            },
            models=[_model_json(model) for model in models],
        )


_BY = {Killer.CLAIM: "a claim", Killer.DEADLOCK: "a deadlock"}


def killed_by(models: Sequence[MutantsOfModel]) -> dict[str, int]:
    """How many mutants each kind of killer kills."""
    return {str(killer): sum(model.killed_by(killer) for model in models) for killer in Killer}


def _cells(name: str, models: Sequence[MutantsOfModel]) -> tuple[str, ...]:
    counts = [sum(model.count(fate) for model in models) for fate in COUNTED]
    return (name, *(f"{count:,}" for count in (sum(counts), *counts)))


def _remarks(model: MutantsOfModel) -> Iterator[Paragraph]:
    """The survivors of a model, and what is wrong with the reasons given for some."""
    for mutant in model.open:
        yield from _mutant(mutant, model.scope, model.reasons.get(mutant.name))
    for name in model.stale:
        yield Paragraph(f"stale in specs/{model.name}.toml: it does not survive", "violated")
        yield Paragraph(f"  {name}", "dim")
    for error in model.errors:
        yield Paragraph(f"error: {error}", "violated")


def _mutant(mutant: MutantAnswer, asked: str, reason: str | None) -> Iterator[Paragraph]:
    details = mutant.details
    where = "" if mutant.scope == asked else f" in scope {mutant.scope}"
    style = "dim" if reason else "violated" if mutant.fate is Fate.SURVIVES else "inconclusive"
    yield Paragraph(f"{mutant.fate} {details.file}:{details.line}{where}", style)
    yield Paragraph(f"  {mutant.name}", "dim")  # on one line, to be copied
    texts = mutant.because, details.shows, reason and f"explained: {reason}"
    for text in filter(None, texts):
        yield Paragraph(wrapped(text), "dim")


def _model_json(model: MutantsOfModel) -> dict[str, object]:
    return {
        "model": model.name,
        "scope": model.scope,
        **{str(fate): model.count(fate) for fate in Fate},
        "killed_by": killed_by([model]),
        "unexplained": [mutant.name for mutant in model.unexplained],
        "stale": model.stale,
    }
