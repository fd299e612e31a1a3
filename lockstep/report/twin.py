"""How comparisons with twins are shown: a row each, how the two differ, and the sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from lockstep.language.source import Place
from lockstep.pages.blocks import Block, Lines, Paragraph, Row, Section, Table
from lockstep.pages.output import document as json_document
from lockstep.pages.output import verdicts
from lockstep.report.ci.exploration import (
    actions_along,
    behaviour,
    interrupted,
    of_error,
    steps_text,
)
from lockstep.report.ci.problems import (
    Gap,
    Level,
    Problem,
    Problems,
    Rule,
    Unknown,
    place_of_model,
)
from lockstep.report.counterexample import since_text
from lockstep.report.view import View, counted, pending
from lockstep.results.verdict import Verdict
from lockstep.trace.render import Line, render_trace
from lockstep.twin.compare import TwinResult
from lockstep.twin.findings import TlcRun
from lockstep.twin.names import render_tlc_trace
from lockstep.verbs.twin import TwinRun
from lockstep.verbs.twin_result import Compared, Comparison, Task, Uncompared, comparison_answer
from lockstep.words import plural

_COLUMNS = ("model", "scope", "compare", "verdict", "states", "depth", "seconds")
_NUMBERS = ("states", "depth", "seconds")


class TwinView(View[Comparison, TwinRun]):
    """Comparisons of models with their twins; those of `tasks` are to come."""

    title = "lockstep twin"

    def __init__(self, root: Path, tasks: Sequence[Task]) -> None:
        self._root = root
        models = max((len(task.model) for task in tasks), default=0)
        scopes = max((len(task.scope.name) for task in tasks), default=0)
        self._table = Table(_COLUMNS, (), _NUMBERS, widths=(models, scopes, 7, 12, 10, 5, 7))

    def opening(self) -> Iterator[Block]:
        yield self._table

    def result(self, result: Comparison) -> Iterator[Block]:
        yield self._table.of(_row(result))
        if isinstance(result, Compared):
            yield from _parting(result.result)

    def closing(self, run: TwinRun) -> Iterator[Block]:
        if run.without_twin:
            yield Paragraph(f"no twin: {', '.join(run.without_twin)}", "dim")
        yield from pending("not compared", run.pending)
        for model, unseen in run.unseen.items():
            values = "; ".join(f"{name} {', '.join(others)}" for name, others in unseen.items())
            text = f"{model} was not refined with these values of other scopes: {values}"
            yield Paragraph(text, "dim")
        if len(run.results) > 1:
            yield Paragraph(self.summary(run), "bold")

    def summary(self, run: TwinRun) -> str:
        verdicts_of = [comparison.verdict for comparison in run.results]
        return counted("comparison", verdicts_of, none="none made")

    def document(self, run: TwinRun) -> Mapping[str, object]:
        rows = list(map(comparison_answer, run.results))
        return json_document(
            rows,
            {
                "comparisons": len(rows),
                **verdicts(rows),
                "states": sum(row.states for row in rows),
                "transitions": sum(row.transitions for row in rows),
                "seconds": round(sum(row.seconds for row in rows), 3),
                "without_twin": list(run.without_twin),
                "unseen": run.unseen,
                "not_compared": [
                    {"model": task.model, "scope": task.scope.name} for task in run.pending
                ],
                "exit_code": run.exit_code,
            },
        )

    def problems(self, run: TwinRun) -> Problems:
        results = (_of_result(self._root, comparison) for comparison in run.results)
        pending_ones = (interrupted(f"the twin of {task}") for task in run.pending)
        return Problems.of("twin", run.exit_code, [*chain.from_iterable(results), *pending_ones])


def _row(comparison: Comparison) -> Row:
    task, verdict = comparison.task, str(comparison.verdict)
    words = (task.model, task.scope.name, task.scope.compare, verdict)
    if isinstance(comparison, Uncompared):
        error = Paragraph(f"not compared: {comparison.error}")
        return Row(words, verdict, remarks=(error, _again(comparison)))
    result, explored = comparison.result, comparison.result.explored
    numbers = (f"{explored.states:,}", f"{explored.depth:,}", f"{result.seconds:.2f}")
    return Row((*words, *numbers), verdict, result.because, tuple(_remarks(comparison)))


def _remarks(comparison: Compared) -> Iterator[Paragraph]:
    result = comparison.result
    if comparison.since is not None:
        yield Paragraph(since_text(comparison.since).removeprefix(", "), "dim")
    yield from map(Paragraph, result.left_out)
    if result.refinement is not None:
        refinement = result.refinement
        states, seconds = f"{refinement.run.distinct:,}", f"{refinement.run.seconds:.2f}"
        text = f"refines {refinement.abstract}: {refinement.verdict}, {states} states, {seconds} s"
        yield Paragraph(text)
    if comparison.exit_code:
        yield _again(comparison)


def _again(comparison: Comparison) -> Paragraph:
    return Paragraph(comparison.task.again, label="reproduce with")


def _parting(result: TwinResult) -> Iterator[Block]:
    """Where the two part, and the behaviours by which TLC refutes a claim or the refinement."""
    difference = result.difference
    if difference is not None:
        count = plural(len(difference.trace.steps), "step")
        yield Lines(tuple(map(Line, difference.details)))
        caption = f"the two part first after {count}, which both can take:"
        behaviour_of_both = tuple(render_trace(result.model, difference.trace))
        yield Section(text=caption, blocks=(Lines(behaviour_of_both, "behaviour"),))
    for run in (result.refuting, None if result.refinement is None else result.refinement.run):
        if run is not None and run.trace:
            lines = (*render_tlc_trace(result.model, run.trace), *after_the_last(run))
            behaviour_of_tlc = Lines(tuple(map(Line, lines)), "behaviour")
            yield Section(text="TLC's behaviour:", blocks=(behaviour_of_tlc,))


def after_the_last(run: TlcRun) -> Iterator[str]:
    """How a behaviour that breaks a liveness property goes on."""
    if run.loops_to is None:
        return
    stays = run.loops_to == len(run.trace) - 1
    yield "and nothing happens any more" if stays else f"and on as after step {run.loops_to}"


def _of_result(root: Path, comparison: Comparison) -> Iterator[Problem | Gap]:
    task = comparison.task
    if isinstance(comparison, Uncompared):
        yield from of_error(f"the twin of {task}", comparison.error)
        return
    result = comparison.result
    where = f"in scope {task.scope.name}"
    if result.verdict is Verdict.VIOLATED:
        yield _problem(root, comparison)
    elif result.verdict is not Verdict.HOLDS:
        text = f"the twin of {task.model} is {result.verdict} {where}: {result.because}"
        place = place_of_model(root, task.model)
        yield Gap(Unknown.INCONCLUSIVE, Level.WARNING, task.model, text, place)
    for name in result.unchecked:
        text = f"TLC was not asked for {task.model}.{name} {where}"
        yield Gap(Unknown.NOT_CHECKED, Level.NOTE, task.model, text)
    if result.unrefined is not None:
        text = f"TLC was not asked whether {task.model} refines {result.unrefined} {where}"
        yield Gap(Unknown.NOT_CHECKED, Level.NOTE, task.model, text)


def _problem(root: Path, compared: Compared) -> Problem:
    task, result = compared.task, compared.result
    name, difference = task.model, result.difference
    subject = f"{name} and its twin {task.spec.twin}"
    lines = [f"{subject} in scope {task.scope.name}: {result.because}"]
    if difference is not None:
        lines += [*difference.details, steps_text(result.model, difference.trace)]
    lines.append(f"reproduce with: {task.again}")
    rule = Rule(
        f"lockstep/{name}/twin",
        f"{subject} are not the same, or TLC refutes what the twin claims",
        "The model and its twin in TLA+ are two opinions of one protocol: one of them is wrong.",
    )
    return Problem(
        rule,
        _place(root, task.spec.twin or "", name),
        subject,
        "\n".join(filter(None, lines)),
        (f"scope {task.scope.name}",),
        () if difference is None else tuple(actions_along(result.model, difference.trace)),
        () if difference is None else tuple(behaviour(result.model, difference.trace, None)),
    )


def _place(root: Path, twin: str, model: str) -> Place:
    file = root / "tla" / f"{twin}.tla"
    return Place.beginning(file) if file.is_file() else place_of_model(root, model)
