"""What `check --faults` found wrong, and what it could not find out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from lockstep.report.affected import skipped_gaps
from lockstep.report.ci.exploration import interrupted, of_error
from lockstep.report.ci.places import place_of_fault, place_of_property
from lockstep.report.ci.problems import Gap, Level, Problem, Problems, Rule, Unknown
from lockstep.results.verdict import Verdict
from lockstep.verbs.fault_row import FaultRow
from lockstep.verbs.faults import FaultsRun
from lockstep.verbs.faults_of_model import FaultsOfModel


def faults_problems(root: Path, run: FaultsRun) -> Problems:
    """The problems of a run in the workspace at `root`."""
    return Problems.of(
        "check-faults",
        run.exit_code,
        [
            *chain.from_iterable(_of_model(root, model) for model in run.results),
            *chain.from_iterable(of_error("a file", error) for error in run.errors),
            *(interrupted(f"the faults of {name}") for name in run.pending),
            *skipped_gaps(run.affected),
        ],
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


def _fault(root: Path, fault: FaultRow) -> Problem | Gap:
    row, details = fault.row, fault.details
    place = place_of_fault(root, row.model, fault.name)
    subject = f"{row.model}.{fault.name}"
    text = f"the fault {subject} in scope {row.scope}: {details.problem}"
    if row.verdict == Verdict.INCONCLUSIVE:
        return Gap(Unknown.INCONCLUSIVE, Level.WARNING, subject, text, place)
    rule = Rule(
        f"lockstep/{row.model}/faults/{fault.name}",
        f"{subject} is not what it says",
        details.harmless or f"The fault {subject} is to be caught by {details.expected}.",
    )
    again = f"reproduce with: lockstep check {row.model} --fault {fault.name}"
    return Problem(rule, place, subject, f"{text}\n{again}", (f"scope {row.scope}",))


def _without_fault(root: Path, model: str, invariant: str) -> Problem:
    rule = Rule(
        f"lockstep/{model}/{invariant}/without-fault",
        f"{model}.{invariant}: no fault breaks it first",
        "An invariant that no mistake breaks may claim nothing: write a fault that it catches.",
    )
    subject = f"{model}.{invariant}"
    text = f"{subject}: no fault breaks it first"
    return Problem(rule, place_of_property(root, model, invariant), subject, text, ())
