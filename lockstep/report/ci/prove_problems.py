"""What `prove` refuted, and what it could not prove."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from lockstep.language.faults import described_faults
from lockstep.report.ci.exploration import Explored, interrupted, of_error
from lockstep.report.ci.places import place_of_function
from lockstep.report.ci.problems import Gap, Problem, Problems, Unknown
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import RequirementTexts
from lockstep.verbs.prove import ProveRun, Result
from lockstep.verbs.prove_result import Proved, Unproved


def prove_problems(root: Path, run: ProveRun) -> Problems:
    """The problems of a run in the workspace at `root`."""
    texts = RequirementTexts(root)
    results = (_of_result(result, texts) for result in run.results)
    pending = (interrupted(str(task)) for task in run.pending)
    return Problems.of("prove", run.exit_code, [*chain.from_iterable(results), *pending])


def _of_result(result: Result, texts: RequirementTexts) -> Iterator[Problem | Gap]:
    if isinstance(result, Unproved):
        return of_error(str(result), result.error)
    subject = result.subject
    kind = "scope" if subject.scope is not None else "proof"
    fault, constants = subject.widths.fault, subject.widths.constants
    identity = (
        f"{kind} {subject.scope or subject.proof.name}",
        *filter(None, [fault]),
        *(f"{name}={value}" for name, value in sorted(constants.items())),
    )
    changed = "" if fault is None else f" with {described_faults(fault)}"
    where = f"in the {identity[0]}{changed}"
    explored = Explored(result.model, where, identity, result.again, texts, fault)
    return chain(_problems(explored, result), _gaps(explored, result))


def _problems(explored: Explored, proved: Proved) -> Iterator[Problem]:
    bounded = proved.bounded
    if bounded is not None and bounded.error is not None:
        yield explored.without_meaning(bounded.error, bounded.meaningless)
    if proved.violation is not None:
        yield from explored.violated(proved.violation)


def _gaps(explored: Explored, proved: Proved) -> Iterator[Gap]:
    model, name = proved.model, proved.model.name
    if proved.interrupted:
        yield interrupted(str(proved.subject))
    elif proved.verdict is Verdict.INCONCLUSIVE:
        yield explored.inconclusive(proved.because)
    broken = () if proved.violation is None else proved.violation.properties
    for proof in proved.open_proofs:
        if proof.name not in broken:
            text = f"{name}: not proved: {proof.name}"
            yield explored.gap(Unknown.NOT_PROVED, text, explored.place(proof.name))
    actions = {action.name: action for action in model.actions}
    for silent, what in proved.silent.items():
        if silent in proved.excused_silences:
            continue
        if silent in actions:
            place = place_of_function(model.universe, actions[silent].function)
            yield explored.gap(Unknown.IDLE, f"{name}.{silent}: {what}", place)
        else:
            place = explored.place(silent)
            yield explored.gap(Unknown.VACUOUS, f"{name}.{silent}: {what}", place)
