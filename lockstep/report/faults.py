"""How faults are shown: each fault, what catches it, and what each invariant catches."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from lockstep.pages.blocks import Block, Paragraph, Row, Table
from lockstep.pages.output import document as json_document
from lockstep.report.ci.exploration import interrupted, of_error
from lockstep.report.ci.problems import (
    Gap,
    Level,
    Problem,
    Problems,
    Rule,
    Unknown,
    place_of_fault,
    place_of_property,
)
from lockstep.report.counterexample import (
    affected_blocks,
    affected_json,
    rows_since_text,
    skipped_gaps,
    skipped_text,
)
from lockstep.report.view import View
from lockstep.results.verdict import Verdict
from lockstep.verbs.fault_task import FaultAnswer
from lockstep.verbs.faults import FaultsOfModel, FaultsRun
from lockstep.words import plural, wrapped

_FAULTS = Table(
    ("fault", "scope", "steps", "states", "seconds"),
    numbers=("steps", "states", "seconds"),
    widths=(42, 9, 7, 11, 7),
)


class FaultsView(View[FaultsOfModel, FaultsRun]):
    """The faults of models, each model as soon as all of its faults were run."""

    title = "lockstep faults"

    def __init__(self, root: Path) -> None:
        self._root = root

    def result(self, result: FaultsOfModel) -> Iterator[Block]:
        yield Paragraph(result.name, "bold")
        if result.runs:
            yield _FAULTS.of(*map(_row, result.runs))
        if result.invariants:
            yield Paragraph("")
            yield Paragraph("invariant, and the faults that it catches first", "dim")
        for name, faults in result.invariants.items():
            yield Paragraph(name, None if faults else "inconclusive")
            yield Paragraph(wrapped(", ".join(faults) or "-"), "dim")
        for error in result.errors:
            yield Paragraph(f"error: {error}", "violated")
        yield Paragraph("")

    def closing(self, run: FaultsRun) -> Iterator[Block]:
        yield from affected_blocks(run.affected)
        for error in run.errors:
            yield Paragraph(f"error: {error}", "violated")
        for problem in (problem for model in run.results for problem in model.problems):
            yield Paragraph(f"wrong: {problem}", "violated")
        if run.kept:
            yield Paragraph(rows_since_text(run.kept), "dim")
        yield Paragraph(self.summary(run))
        if skipped := skipped_text(run.affected):
            yield Paragraph(skipped, "bold")
        if run.interrupted:
            yield Paragraph("interrupted: what is above is not all", "inconclusive")

    def summary(self, run: FaultsRun) -> str:
        return faults_sum(run.results)

    def document(self, run: FaultsRun) -> Mapping[str, object]:
        models = run.results
        runs = [fault for model in models for fault in model.runs]
        errors = [*run.errors, *(error for model in models for error in model.errors)]
        return json_document(
            runs,
            {
                "faults": len(runs),
                "caught_as_named": sum(fault.is_caught_as_named for fault in runs),
                "harmless": sum(fault.is_harmless for fault in runs),
                "invariants": sum(len(model.invariants) for model in models),
                "problems": [problem for model in models for problem in model.problems],
                "errors": [str(error) for error in errors],
                "kept": len(run.kept),
                "skipped": 0 if run.affected is None else len(run.affected.skipped),
                "exit_code": run.exit_code,
            },
            changed=affected_json(run.affected),
            invariants=[
                {"model": model.name, "invariant": name, "faults": faults}
                for model in models
                for name, faults in model.invariants.items()
            ],
        )

    def problems(self, run: FaultsRun) -> Problems:
        return Problems.of(
            "check-faults",
            run.exit_code,
            [
                *chain.from_iterable(_of_model(self._root, model) for model in run.results),
                *chain.from_iterable(of_error("a file", error) for error in run.errors),
                *(interrupted(f"the faults of {name}") for name in run.pending),
                *skipped_gaps(run.affected),
            ],
        )


def _row(fault: FaultAnswer) -> Row:
    cells = (
        fault.name,
        fault.scope,
        steps_text(fault),
        f"{fault.states:,}",
        f"{fault.seconds:.2f}",
    )
    remarks = tuple(Paragraph(text, "dim") for text in _answer(fault))
    return Row(cells, "violated" if fault.details.problem else None, remarks=remarks)


def steps_text(fault: FaultAnswer) -> str:
    """How long the trace is: `3`, or `3 + 2` with two steps that are then taken for ever."""
    count, loop = fault.length, fault.details.loop
    if count is None:
        return "-"
    return str(count) if loop is None else f"{loop} + {count - loop}"


def _answer(fault: FaultAnswer) -> list[str]:
    """What catches a fault, or why it is harmless, and where it comes from."""
    details, lines = fault.details, []
    if details.caught_by:
        together = len(details.caught_by) - 1
        others = f" (+{together})" if together else ""
        lines.append(f"caught by {fault.violated}{others}")
    elif details.harmless:
        lines += textwrap.wrap(_harmless(fault), 76)
    if details.by_constants:
        lines.append("its constants alone break the model")
    if details.source:
        lines.append(f"source {details.source}")
    return lines


def _harmless(fault: FaultAnswer) -> str:
    details = fault.details
    explored = f"{plural(fault.states, 'state')} of scope {fault.scope}"
    but = f" (not checked: {', '.join(details.unchecked)})" if details.unchecked else ""
    return f"harmless in all {explored}{but}: {' '.join((details.harmless or '').split())}"


def faults_sum(models: Sequence[FaultsOfModel]) -> str:
    """How many faults there are, and what becomes of them, in one line."""
    runs = [run for model in models for run in model.runs]
    harmless = sum(run.is_harmless for run in runs)
    invariants = [faults for model in models for faults in model.invariants.values()]
    caught = sum(run.is_caught_as_named for run in runs)
    is_one_harmless = any(run.details.harmless for run in runs)
    unharmful = f", {harmless} harmless" if is_one_harmless else ""
    unread = ", ".join(model.name for model in models if model.errors)
    loaded = f"; not all of {unread} were loaded" if unread else ""
    return (
        f"{plural(len(runs), 'fault')}, {caught} caught as named{unharmful}; "
        f"{plural(len(invariants), 'invariant')}, {sum(map(bool, invariants))} "
        f"broken first by a fault{loaded}."
    )


def _of_model(root: Path, model: FaultsOfModel) -> Iterator[Problem | Gap]:
    name = model.name
    for fault in model.runs:
        if fault.details.problem is not None:
            yield _fault(root, fault)
    for error in model.errors:
        yield from of_error(f"the faults of {name}", error)
    if model.interrupted:
        yield interrupted(f"what is left of the faults of {name}")
    elif not model.errors:
        for invariant, faults in model.invariants.items():
            if not faults:
                yield _without_fault(root, name, invariant)


def _fault(root: Path, fault: FaultAnswer) -> Problem | Gap:
    details = fault.details
    place = place_of_fault(root, fault.model, fault.name)
    subject = f"{fault.model}.{fault.name}"
    text = f"the fault {subject} in scope {fault.scope}: {details.problem}"
    if fault.verdict == Verdict.INCONCLUSIVE:
        return Gap(Unknown.INCONCLUSIVE, Level.WARNING, subject, text, place)
    rule = Rule(
        f"lockstep/{fault.model}/faults/{fault.name}",
        f"{subject} is not what it says",
        details.harmless or f"The fault {subject} is to be caught by {details.expected}.",
    )
    again = f"reproduce with: lockstep check {fault.model} --fault {fault.name}"
    return Problem(rule, place, subject, f"{text}\n{again}", (f"scope {fault.scope}",))


def _without_fault(root: Path, model: str, invariant: str) -> Problem:
    rule = Rule(
        f"lockstep/{model}/{invariant}/without-fault",
        f"{model}.{invariant}: no fault breaks it first",
        "An invariant that no mistake breaks may claim nothing: write a fault that it catches.",
    )
    subject = f"{model}.{invariant}"
    text = f"{subject}: no fault breaks it first"
    return Problem(rule, place_of_property(root, model, invariant), subject, text, ())
