"""The models of a report: a row a model, and all that is kept of each, folded away."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lockstep.answers.history import Entry
from lockstep.pages.blocks import Block, Figure, Paragraph, Row, Section, Span, Table, Text
from lockstep.pages.plots import Bar, bars, course
from lockstep.report.faults import steps_text
from lockstep.report.source_links import SourceLinks
from lockstep.verbs.fault_task import FaultAnswer
from lockstep.verbs.report import Claim, ModelReport
from lockstep.words import plural

NOT_CHECKED = "not checked"

_LEAST_WIDTH = 2**15 - 1


def models_section(models: Sequence[ModelReport], links: SourceLinks, *, brief: bool) -> Section:
    """A table of all models, and below it a section a model unless it is `brief`."""
    headers = ("model", "check", "properties", "states", "depth", "faults", "proofs", "twin")
    rows = tuple(
        Row(
            (
                Span(model.name, f"#{_anchor(model)}"),
                verdict_span(model.usual_check),
                model.usual_check.judged,
                counted(model.usual_check.states),
                counted(model.usual_check.depth),
                "none" if model.faults is None else _judged(model.faults.entry),
                _all_of([entry for entry, _ in model.proofs]),
                _all_of(model.twins),
            )
        )
        for model in models
    )
    numbers = ("properties", "states", "depth")
    return Section(
        text="Models",
        anchor="models",
        blocks=(
            Table(headers, rows, numbers, "models"),
            *(_model(model, links) for model in models if not brief),
        ),
    )


def verdict_span(entry: Entry) -> Span:
    """The verdict of an entry in its style; what was not checked says so."""
    if not entry.verdict:
        return Span(NOT_CHECKED, style="inconclusive word")
    if entry.expected:
        return Span("violated as pinned", style="holds")
    return Span(entry.verdict, style=entry.verdict)


def counted(number: int) -> str:
    """A count, or a dash where nothing was counted."""
    return f"{number:,}" if number else "-"


def _anchor(model: ModelReport) -> str:
    return f"model-{model.name}"


def _judged(entry: Entry) -> tuple[Span, ...]:
    """How much of a result there is: `20/20`."""
    if not entry.verdict:
        return (Span(NOT_CHECKED, style="inconclusive"),)
    return (Span(entry.judged, style=entry.verdict),)


def _all_of(entries: Sequence[Entry]) -> Span:
    """Several results in one word: the worst of them, and how many are so."""
    if not entries:
        return Span("none", style="dim")
    bad = [entry for entry in entries if entry.is_broken] or [
        entry for entry in entries if entry.is_open
    ]
    if not bad:
        return Span(f"{len(entries)} hold" + "s" * (len(entries) == 1), style="holds")
    worst = verdict_span(bad[0])
    share = f"{len(bad)} of {len(entries)} " if len(bad) < len(entries) else ""
    return Span(f"{share}{worst.text}", style=worst.style)


def _model(model: ModelReport, links: SourceLinks) -> Section:
    first = model.doc.partition("\n\n")[0]
    blocks: list[Block] = [Paragraph(" ".join(first.split()))] if first else []
    blocks += [*_scopes(model.checks), *_growth(model), *_levels(model)]
    if model.claims:
        blocks.append(_folded("Properties", len(model.claims), _claims(model.claims, links)))
    if model.faults is not None and model.faults.faults.runs:
        runs = model.faults.faults.runs
        blocks.append(_folded("Faults", len(runs), _faults(model, runs, links)))
    if model.proofs:
        blocks.append(Section(text="Proofs", blocks=tuple(_proofs(model))))
    if model.twins:
        blocks.append(Section(text="TLA+ twin", blocks=(_twins(model.twins),)))
    blocks += _mutants(model)
    style = "violated" if any(entry.is_broken for entry in model.entries) else None
    return Section("", model.name, style, tuple(blocks), folded=True, anchor=_anchor(model))


def _folded(title: str, count: int, table: Table) -> Section:
    return Section(text=f"{title} ({count})", blocks=(table,), folded=True)


def _scopes(checks: Sequence[Entry]) -> Iterator[Block]:
    """The scopes of which something is kept or wanted, and the names of the others."""
    headers = ("scope", "verdict", "states", "transitions", "depth", "seconds", "decided", "why")
    rows = tuple(
        Row(
            (
                entry.scope,
                verdict_span(entry),
                counted(entry.states),
                counted(entry.transitions),
                counted(entry.depth),
                seconds(entry),
                Span(decided(entry), style="word"),
                why(entry),
            )
        )
        for entry in checks
        if entry.verdict or entry.wanted
    )
    numbers = ("states", "transitions", "depth", "seconds")
    if rows:
        yield Table(headers, rows, numbers, "scopes")
    others = [entry for entry in checks if not entry.verdict and not entry.wanted]
    if others:
        names = ", ".join(entry.scope for entry in others)
        yield Paragraph((f"{names} (", command(others[0]), ")"), "dim", "scopes not checked")


def why(entry: Entry) -> Text:
    """Why a verdict is what it is; of what was not checked, how that is done."""
    return entry.because if entry.verdict else command(entry)


def command(entry: Entry) -> Span:
    """The command that decides an entry."""
    return Span(entry.again, style="command")


def seconds(entry: Entry) -> str:
    """How long a result took when it was decided."""
    return "-" if not entry.verdict else f"{entry.seconds:.2f}"


def decided(entry: Entry) -> str:
    """When something was decided, in UTC."""
    return "-" if entry.since is None else f"{entry.since:%Y-%m-%d %H:%M}"


def _growth(model: ModelReport) -> Iterator[Figure]:
    """The states of each scope; of one that was not explored, those that are pinned."""
    rows = []
    for entry in model.checks:
        scope = model.spec.scopes.get(entry.scope)
        pinned = 0 if scope is None else scope.pins.states or 0
        number = entry.states or pinned
        if number:
            rows.append(Bar(entry.scope, number, faint=not entry.states))
    if len(rows) > 1:
        rows.sort(key=lambda row: row.number)
        caption = f"States of {model.name} by scope, in orders of magnitude"
        faint = "; pale: pinned, and not explored here" * any(row.faint for row in rows)
        yield Figure(bars(rows, caption), caption + faint)


def _levels(model: ModelReport) -> Iterator[Figure]:
    """How many states there are at each distance from the initial one, in the usual scope."""
    levels = model.usual_check.levels
    if len(levels) > 2:
        last = plural(len(levels) - 1, "step")
        caption = (
            f"States of {model.name} in scope {model.usual_check.scope} that so many steps lead to"
        )
        yield Figure(course(levels, ("the initial state", last), caption), caption)


def _claims(claims: Sequence[Claim], links: SourceLinks) -> Table:
    headers = ("property", "kind", "where", "states", "caught first by it")
    rows = (
        Row(
            (
                claim.name,
                claim.kind,
                links.to(claim.place),
                ", ".join(claim.requirements),
                ", ".join(claim.caught_first),
            )
        )
        for claim in claims
    )
    return Table(headers, tuple(rows), caption="properties")


def _faults(model: ModelReport, runs: Sequence[FaultAnswer], links: SourceLinks) -> Table:
    headers = ("fault", "caught by", "steps", "scope", "states", "where", "source")
    rows = (
        Row(
            (
                run.name,
                caught_by(run),
                steps_text(run),
                run.scope,
                counted(run.states),
                links.to(model.places.get(f"fault {model.name}.{run.name}")),
                run.details.source or "",
            ),
            "violated" if run.details.problem else None,
        )
        for run in runs
    )
    return Table(headers, tuple(rows), ("steps", "states"), "faults")


def caught_by(run: FaultAnswer) -> Text:
    """What catches a fault; why none does."""
    if run.details.problem is not None:
        return Span(run.details.problem, style="violated")
    if run.details.harmless is not None:
        return Span(f"harmless: {' '.join(run.details.harmless.split())}", style="dim")
    others = len(run.details.caught_by) - 1
    return f"{run.violated}{f' (+{others})' if others else ''}"


def _proofs(model: ModelReport) -> Iterator[Block]:
    headers = ("proof", "verdict", "proved", "k", "any number of", "why", "widths")
    rows = []
    for entry, proved in model.proofs:
        proof = model.spec.proofs[entry.scope]
        purpose = entry.because or proof.purpose
        rows.append(
            Row(
                (
                    entry.scope,
                    verdict_span(entry),
                    entry.judged or "-",
                    str(proof.k if proved is None else proved.induction.k),
                    proof.any_number or "-",
                    purpose if entry.verdict else command(entry),
                    Span(_widths(proof.constants), style="word"),
                )
            )
        )
    yield Table(headers, tuple(rows), ("k",), "proofs")
    for entry, proved in model.proofs:
        if proved is not None and proved.excuses:
            for name, reason in proved.excuses.items():
                text = f"not proved in {entry.scope}, but looked for: {' '.join(reason.split())}"
                yield Paragraph(text, "dim", name)


def _widths(constants: Mapping[str, object]) -> str:
    """A constant a line; a great power of two, less one, as Kafka's widths are, by its exponent."""
    return "\n".join(f"{name} = {_width(value)}" for name, value in constants.items())


def _width(value: object) -> str:
    if type(value) is not int:
        return json.dumps(value)
    is_width = value >= _LEAST_WIDTH and (value + 1).bit_count() == 1
    return f"2^{value.bit_length()} - 1" if is_width else f"{value:,}"


def _twins(entries: Iterable[Entry]) -> Table:
    headers = ("scope", "verdict", "compared", "states", "transitions", "seconds", "why")
    rows = (
        Row(
            (
                entry.scope,
                verdict_span(entry),
                entry.judged or "-",
                counted(entry.states),
                counted(entry.transitions),
                seconds(entry),
                why(entry),
            )
        )
        for entry in entries
    )
    return Table(headers, tuple(rows), ("states", "transitions", "seconds"), "twin")


def _mutants(model: ModelReport) -> Iterator[Block]:
    entry, mutants = model.mutants
    if mutants is None:
        return
    text: Text = (verdict_span(entry), f", {entry.judged} killed or explained. {entry.because}")
    rows = tuple(
        Row((one.name, str(one.fate), mutants.reasons.get(one.name, ""))) for one in mutants.open
    )
    blocks: tuple[Block, ...] = (Paragraph(text),)
    if rows:
        blocks += (Table(("mutant", "fate", "why it survives"), rows, caption="mutants"),)
    yield Section(text="Mutants", blocks=blocks, folded=True)
