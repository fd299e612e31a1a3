"""Where a model and its twin are not the same, and what TLC could not say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from lockstep.language.source import Place
from lockstep.report.ci.behaviour import actions_along, behaviour, steps_text
from lockstep.report.ci.exploration import interrupted, of_error
from lockstep.report.ci.places import beginning, place_of_model
from lockstep.report.ci.problems import Gap, Level, Problem, Problems, Rule, Unknown
from lockstep.results.verdict import Verdict
from lockstep.verbs.twin import Compared, Comparison, TwinRun, Uncompared


def twin_problems(root: Path, run: TwinRun) -> Problems:
    """The problems of a run in the workspace at `root`."""
    results = (_of_result(root, comparison) for comparison in run.results)
    pending = (interrupted(f"the twin of {task}") for task in run.pending)
    return Problems.of("twin", run.exit_code, [*chain.from_iterable(results), *pending])


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
    return beginning(file) if file.is_file() else place_of_model(root, model)
