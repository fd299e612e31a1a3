"""How `drift` is shown, and as JSON (docs/reference/json.md)."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from lockstep.answers.answer import Answer
from lockstep.pages.blocks import Block, Lines, Paragraph, Section
from lockstep.pages.output import document
from lockstep.trace.render import Line
from lockstep.words import plural
from lockstep_kafka.verbs.drift import Drift, Kind, MethodDrift, Standing

_WIDTH = 90
"""Columns of what was written down."""

_STYLES = {
    Standing.STANDS: None,
    Standing.MENDED: "changed",
    Standing.READ_AGAIN: "inconclusive",
}


def drift_blocks(drift: Drift, *, brief: bool) -> Iterator[Block]:
    """The methods that are not the same, with their rows; without the changes where `brief`."""
    for method in drift.methods:
        if method.kind is not Kind.SAME:
            yield Section(_heading(method), style="bold", blocks=tuple(_blocks(method, brief)))
    yield Paragraph(drift_summary(drift))


def drift_summary(drift: Drift) -> str:
    """How many methods and rows there are of each kind."""
    kinds = Counter(method.kind for method in drift.methods)
    answers = Counter(_of_rows(drift).values())
    counted = [f"{kinds[kind]} {kind}" for kind in Kind if kinds[kind]]
    rows = [f"{answers[answer]} {answer}" for answer in Standing if answers[answer]]
    return (
        f"{drift.before} to {drift.after}: {plural(len(drift.methods), 'method')}: "
        f"{', '.join(counted)}; {plural(answers.total(), 'row')}: {', '.join(rows)}"
    )


def drift_json(drift: Drift) -> dict[str, object]:
    """The document: an answer a method."""
    results = [
        Answer(
            kind="drift",
            verdict=method.kind,
            exit_code=int(method.is_open),
            details=method,
        )
        for method in drift.methods
    ]
    kinds = Counter(str(method.kind) for method in drift.methods)
    rows = Counter(str(answer) for answer in _of_rows(drift).values())
    summary = {
        "before": drift.before,
        "after": drift.after,
        "methods": {str(kind): kinds[kind] for kind in Kind},
        "rows": {str(answer): rows[answer] for answer in Standing},
        "exit_code": int(drift.exit_code),
    }
    return document(results, summary)


def _of_rows(drift: Drift) -> dict[str, Standing]:
    """The answer of each row: the last in the order of `Standing` of those of its methods."""
    order = list(Standing)
    rows: dict[str, Standing] = {}
    for method in drift.methods:
        for row in method.rows:
            rows[row.id] = max(row.standing, rows.get(row.id, Standing.STANDS), key=order.index)
    return rows


def _heading(method: MethodDrift) -> str:
    if method.kind is Kind.GONE:
        where = f", was in {method.before}" if method.before else " from both releases"
    elif method.kind is Kind.NEW:
        where = f" in {method.after}"
    elif method.before != method.after:
        where = f", {method.before} to {method.after}"
    else:
        where = ""
    return f"{method.name}: {method.kind}{where}"


def _blocks(method: MethodDrift, brief: bool) -> Iterator[Block]:
    for row in method.rows:
        yield Paragraph(f"{row.standing:<10}  {row.id:<8}  {row.title}", _STYLES[row.standing])
    if method.words:
        yield Paragraph(textwrap.fill(method.words, _WIDTH, break_on_hyphens=False), "dim")
    if method.change and not brief:
        yield Lines(tuple(map(Line, method.change)), caption="change")
