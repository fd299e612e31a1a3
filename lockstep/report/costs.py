"""How scenarios are shown: the fewest and the most of each count, and by which actions."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from lockstep.costs.scenario import Attained
from lockstep.pages.blocks import Block, Lines, Paragraph, Row, Table
from lockstep.pages.output import document as json_document
from lockstep.pages.output import in_columns
from lockstep.report.view import View, pending
from lockstep.trace.render import Line
from lockstep.verbs.costs import (
    EXTREMES,
    CostChange,
    CostsRun,
    ModelCosts,
    SavedCost,
    Uncosted,
    costs_answer,
)
from lockstep.words import indented, plural, shown_path

_WIDTH = 100


class CostsView(View["ModelCosts | Uncosted", CostsRun]):
    """The scenarios of models, each model as soon as it is done."""

    title = "lockstep costs"

    def result(self, result: ModelCosts | Uncosted) -> Iterator[Block]:
        if isinstance(result, Uncosted):
            yield Paragraph(f"{result.model}, scope {result.scope}: {result.verdict}", "error")
            yield Paragraph(indented(str(result.error), 2))
            return
        yield Paragraph(f"{result.version}, scope {result.scope}", "bold")
        for saved in result.costs:
            yield Lines(tuple(scenario_lines({"": saved}, brief=False)), margin=0)
        yield Paragraph(f"  {result.seconds:.2f} s", "dim")

    def closing(self, run: CostsRun) -> Iterator[Block]:
        yield from pending("not counted", run.pending)

    def summary(self, run: CostsRun) -> str:
        return plural(len(run.results), "model")

    def document(self, run: CostsRun) -> Mapping[str, object]:
        rows = list(map(costs_answer, run.results))
        summary = {
            "models": len(rows),
            "not_counted": list(run.pending),
            "exit_code": run.exit_code,
        }
        return json_document(rows, summary)


def review_cost_lines(changes: Sequence[CostChange], *, brief: bool) -> Iterator[Line]:
    """What scenarios cost in BASE and in HEAD; with `brief` the numbers alone."""
    for change in changes:
        sides = {"BASE": change.base, "HEAD": change.head}
        yield from scenario_lines(sides, brief=brief, is_reworded=change.is_reworded)


def scenario_lines(
    sides: Mapping[str, SavedCost], *, brief: bool, is_reworded: bool = False
) -> Iterator[Line]:
    """One scenario: a table of its counts, what has no bound, and how each number comes about."""
    scenario = list(sides.values())[-1].cost.scenario
    begin = scenario.begin or "the initial state"
    yield Line(f"  cost        {scenario.name}: from {begin} to {scenario.goal}")
    if scenario.without:
        yield from _wrapped(f"without {', '.join(scenario.without)}", 4, "dim")
    if is_reworded:
        yield Line("    BASE and HEAD do not count it in the same way", "inconclusive")
    names = dict.fromkeys(count.name for saved in sides.values() for count in saved.cost.counts)
    rows = [(name, *(_change(sides, name, extreme) for extreme in EXTREMES)) for name in names]
    if rows:
        headers = ("", *EXTREMES)
        table = Table(headers, tuple(map(Row, rows))).fitted()
        yield Line(f"    {in_columns(table, headers)}", "bold")
        for row in rows:
            yield Line(f"    {in_columns(table, row)}")
    for side, saved in sides.items():
        where = f"{side}: " if side else ""
        if saved.cost.never:
            yield Line(f"    {where}not reached, for {saved.cost.never}", "changed")
        if saved.cost.unknown:
            yield Line(f"    {where}inconclusive: {saved.cost.unknown}", "inconclusive")
        endless = [
            f"{count.name} by {', '.join(count.most.repeated)}"
            for count in saved.cost.counts
            if count.most.number is None
        ]
        if endless:
            yield from _wrapped(f"{where}no bound of {'; '.join(endless)}", 4)
    if not brief:
        for side, saved in sides.items():
            yield from _behaviours(side, saved)


def _wrapped(text: str, margin: int, style: str | None = None) -> Iterator[Line]:
    for line in textwrap.wrap(text, _WIDTH - margin, break_on_hyphens=False):
        yield Line(" " * margin + line, style)


def _change(sides: Mapping[str, SavedCost], name: str, extreme: str) -> str:
    """A number of each side, once where it is the same."""
    numbers = dict.fromkeys(_number(saved, name, extreme) for saved in sides.values())
    return " -> ".join(numbers)


def _number(saved: SavedCost, name: str, extreme: str) -> str:
    cost = saved.cost
    if cost.never or cost.unknown:
        return "not reached" if cost.never else "inconclusive"
    attained: Attained | None = next(
        (getattr(count, extreme) for count in cost.counts if count.name == name), None
    )
    if attained is None:
        return "not counted"
    return "no bound" if attained.number is None else f"{attained.number:,}"


def _behaviours(side: str, saved: SavedCost) -> Iterator[Line]:
    """The actions by which numbers come about, each row of actions once."""
    titles: dict[str, list[tuple[str, str]]] = {}
    for count in saved.cost.counts:
        for extreme in EXTREMES:
            titles.setdefault(_actions(getattr(count, extreme)), []).append((count.name, extreme))
    for actions, rows in titles.items():
        title = " ".join(filter(None, (side, _title(rows))))
        yield from _wrapped(title, 4, "bold")
        yield from _wrapped(actions, 6)
        file = next((saved.files[row] for row in rows if row in saved.files), None)
        if file is not None:
            yield Line(f"      {shown_path(file)}", "dim")


def _title(rows: Sequence[tuple[str, str]]) -> str:
    """What one behaviour attains: `fewest requests, back_offs; most requests`."""
    names = {extreme: [name for name, other in rows if other == extreme] for extreme in EXTREMES}
    return "; ".join(f"{extreme} {', '.join(of)}" for extreme, of in names.items() if of)


def _actions(attained: Attained) -> str:
    """The actions of a scenario in order, with what may be repeated."""
    names = [step.action for step in attained.trace.steps]
    if attained.repeats is None:
        return ", ".join(names[attained.begins :]) or "nothing has to be done"
    first, last = attained.repeats
    repeated = f"again and again ({', '.join(names[first:last])})"
    return ", ".join([*names[attained.begins : first], repeated, *names[last:]])
