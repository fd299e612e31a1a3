"""A report as a page: what is broken, what was not checked, and then all that there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from lockstep.answers.history import CHECK, PROVE, TWIN, Entry, HistoryRow
from lockstep.pages.blocks import Block, Figure, Page, Paragraph, Row, Section, Span, Table
from lockstep.pages.output import document
from lockstep.pages.plots import course
from lockstep.report.matrix import requirements_section
from lockstep.report.replay import behaviour_lines, figure_of
from lockstep.report.report_bugs import bugs_section
from lockstep.report.report_models import command, counted, decided, models_section, verdict_span
from lockstep.report.source_links import SourceLinks
from lockstep.specs.matrix import AnswerKind
from lockstep.system.extensions import LOGS, extension
from lockstep.verbs.report import Conformance, Report
from lockstep.words import plural, shown_path

_MOST_CHANGES = 200
"""Rows of the history that are shown, the latest."""


def report_page(report: Report, links: SourceLinks, *, brief: bool = False) -> Page:
    """The whole page; `links` makes addresses of places in the workspace.

    A `brief` one, as for a comment, leaves out what the other folds away.
    """
    return Page(
        title=report.workspace.name,
        verdict=str(report.verdict),
        summary=summary(report),
        blocks=(
            Paragraph(_provenance(report), "dim"),
            *broken_section(report),
            *open_section(report),
            models_section(report.models, links, brief=brief),
            *requirements_section(report, links, brief=brief),
            *bugs_section(report, links, brief=brief),
            *_conformance(report),
            *_history(report),
        ),
    )


def summary(report: Report) -> str:
    """What there is and what is wrong with it, in a sentence or two."""
    checks = [model.usual_check for model in report.models]
    claims = sum(len(model.claims) for model in report.models)
    faults = [model.faults for model in report.models if model.faults is not None]
    count = sum(len(one.faults.runs) + len(one.missing) for one in faults)
    as_said = sum(run.details.problem is None for one in faults for run in one.faults.runs)
    good = sum(not (check.is_broken or check.is_open) for check in checks)
    parts = [
        f"{good} of {plural(len(checks), 'model')} as claimed, with {plural(claims, 'property')}"
    ]
    if count:
        parts.append(f"{as_said} of {plural(count, 'fault')} as they say")
    for kind, noun in ((PROVE, "proof"), (TWIN, "comparison with a twin")):
        entries = [entry for entry in report.entries if entry.kind == kind]
        if entries:
            holding = sum(not (entry.is_broken or entry.is_open) for entry in entries)
            parts.append(f"{holding} of {_plural(len(entries), noun)}")
    if report.matrix is not None:
        answers = report.matrix.counts()
        parts.append(f"{sum(answers.values())} requirements, {answers[AnswerKind.OPEN]} open")
    text = "; ".join(parts).replace("propertys", "properties") + "."
    if report.broken:
        text += f" {len(report.broken)} broken."
    if report.open:
        text += f" {len(report.open)} not checked, or not to the end."
    return text


def _plural(number: int, noun: str) -> str:
    first, blank, rest = noun.partition(" ")
    return plural(number, first) + blank + rest


def _provenance(report: Report) -> str:
    dates = [entry.since for entry in report.entries if entry.since is not None]
    texts = ["Cached results for the texts as they stand; nothing was checked again."]
    if dates:
        texts.append(
            f"Decided from {min(dates):%Y-%m-%d %H:%M} to {max(dates):%Y-%m-%d %H:%M} UTC."
        )
    if report.revision is not None:
        texts.append(f"Revision {report.revision}.")
    return " ".join(texts)


def broken_section(report: Report) -> Iterator[Section]:
    """What is not as it must be, with its behaviour where there is one."""
    rows = tuple(
        Row(
            (
                _name(entry),
                verdict_span(entry),
                entry.because,
                Span(decided(entry), style="word"),
                command(entry),
            ),
            entry.verdict,
        )
        for entry in report.broken
    )
    rows += tuple(
        Row(("workspace", Span("error", style="error"), text, "-", "")) for text in report.unread
    )
    if not rows:
        return
    headers = ("what", "verdict", "why", "decided", "repeat with")
    blocks: list[Block] = [Table(headers, rows, caption="broken")]
    for replay in report.counterexamples:
        blocks.append(figure_of(replay))
        caption = f"{replay.origin.model}.{replay.origin.property}"
        blocks.append(behaviour_lines(replay, caption, folded=False))
    yield Section("", f"Broken ({len(rows)})", "violated", tuple(blocks), anchor="broken")


def open_section(report: Report) -> Iterator[Section]:
    """What was not checked, and the command for it: one of all models where that does."""
    if not report.open:
        return
    headers = ("what", "why", "fill it with")
    rows = tuple(_open_rows(report))
    text = f"Not checked ({len(report.open)})"
    table = Table(headers, rows, caption="not checked")
    yield Section("", text, "inconclusive", (table,), anchor="not-checked")


def _open_rows(report: Report) -> Iterator[Row]:
    kinds = dict.fromkeys(entry.kind for entry in report.open)
    for kind in kinds:
        entries = [entry for entry in report.open if entry.kind == kind]
        all_entries = [entry for entry in report.entries if entry.kind == kind and entry.wanted]
        reasons = set(map(_why_open, entries))
        if len(entries) == len(all_entries) > 1 and reasons == {_NOTHING_KEPT}:
            models = len({entry.model for entry in entries})
            why = f"no result of any of {plural(models, 'model')} is kept"
            whole = Span(f"lockstep {kind}", style="command")
            yield Row((kind, why, whole), "inconclusive")
            continue
        for entry in entries:
            yield Row((_name(entry), _why_open(entry), command(entry)), "inconclusive")


_NOTHING_KEPT = "no result is kept"


def _why_open(entry: Entry) -> str:
    if entry.verdict or entry.because:
        return entry.because
    if entry.outdated is not None:
        return f"out of date: what was decided on {entry.outdated:%Y-%m-%d %H:%M} is of other texts"
    return _NOTHING_KEPT


def _name(entry: Entry) -> str:
    return " ".join(filter(None, (entry.kind, entry.model, entry.scope)))


def _conformance(report: Report) -> Iterator[Section]:
    """What came of logs, where a report is given some."""
    if report.conformance:
        section: Callable[[Sequence[Conformance]], Section] = extension(LOGS, "section")
        yield section(report.conformance)


def _history(report: Report) -> Iterator[Section]:
    """What became another verdict or another count, the latest first."""
    history = report.history
    if not history.rows and not history.damaged:
        return
    blocks: list[Block] = []
    if history.damaged:
        lines = ", ".join(map(str, history.damaged))
        text = f"{history.file.name}: no results are in {_lines(len(history.damaged))} {lines}"
        blocks.append(Paragraph(text, "inconclusive", "damaged"))
    blocks += _courses(report)
    changes = list(_changes(history.rows))
    headers = ("date", "revision", "what", "verdict", "judged", "states", "depth")
    rows = tuple(_change(row) for row in reversed(changes[-_MOST_CHANGES:]))
    if rows:
        table = Table(headers, rows, ("states", "depth"), "history")
        blocks.append(Section("", f"Changes ({len(changes)})", None, (table,), folded=True))
    else:
        blocks.append(Paragraph("No result has changed since the first report.", "dim"))
    text = f"History ({plural(len(history.rows), 'result')})"
    yield Section("", text, None, tuple(blocks), anchor="history")


def _lines(count: int) -> str:
    return "line" if count == 1 else "lines"


def _changes(rows: Sequence[HistoryRow]) -> Iterator[HistoryRow]:
    latest: dict[tuple[str, str, str], tuple[object, ...]] = {}
    for row in rows:
        result = (row.verdict, row.judged, row.states, row.transitions, row.depth)
        if row.subject in latest and latest[row.subject] != result:
            yield row
        latest[row.subject] = result


def _change(row: HistoryRow) -> Row:
    revision = "" if row.revision is None else row.revision[:12] + " with changes" * row.changed
    return Row(
        (
            f"{row.since:%Y-%m-%d %H:%M}",
            revision,
            f"{row.kind} {row.model} {row.scope}".rstrip(),
            Span(row.verdict, style=row.verdict),
            row.judged,
            counted(row.states),
            counted(row.depth),
        )
    )


def _courses(report: Report) -> Iterator[Figure]:
    """The states of each model's usual scope from report to report, where they changed."""
    for model in report.models:
        scope = model.usual_check.scope
        rows = [row for row in report.history.of(CHECK, model.name, scope) if row.states]
        if len({row.states for row in rows}) > 1:
            caption = f"States of {model.name} {scope}, from report to report"
            labels = (f"{rows[0].since:%Y-%m-%d}", f"{rows[-1].since:%Y-%m-%d}")
            yield Figure(course([row.states for row in rows], labels, caption), caption)


def report_blocks(report: Report, file: Path) -> Iterator[Block]:
    """The sum of a report; `file` is the page that was written."""
    yield from broken_section(report)
    yield from open_section(report)
    for line in report.history.damaged:
        text = f"{shown_path(report.history.file)}:{line} is damaged: it is passed over"
        yield Paragraph(text)
    yield Paragraph(f"{report.verdict}  {summary(report)}", str(report.verdict))
    yield Paragraph(f"written to {shown_path(file)}")


def report_json(report: Report) -> dict[str, object]:
    """The document: a row a result."""
    revision = report.revision
    return document(
        report.entries,
        {
            "workspace": report.workspace.name,
            "revision": None if revision is None else revision.commit,
            "changed": revision is not None and revision.is_changed,
            "verdict": str(report.verdict),
            "broken": len(report.broken),
            "not_checked": len(report.open),
            "exit_code": report.exit_code,
        },
        conformance=[msgspec.to_builtins(one) for one in report.conformance],
        damaged=list(report.history.damaged),
        unread=list(report.unread),
    )
