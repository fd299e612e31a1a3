"""What is kept of `faults` and `mutants`, for the texts as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lockstep.mutants.fate import Fate
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec
from lockstep.verbs.campaign import EarlierRows
from lockstep.verbs.faults import FaultsRequest, plan_faults
from lockstep.verbs.faults_of_model import FaultsOfModel
from lockstep.verbs.mutants import MutantsRequest, plan_mutants
from lockstep.verbs.mutants_of_model import MutantsOfModel
from lockstep.verbs.report_entry import FAULTS, MUTANTS, Entry
from lockstep.words import plural
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class FaultsReport:
    """The faults of a model of which a row is kept, and the names of those of which none is."""

    entry: Entry
    faults: FaultsOfModel
    missing: tuple[str, ...] = ()


def faults_report(workspace: Workspace, spec: ModelSpec, rows: EarlierRows) -> FaultsReport | None:
    """What is kept of the faults of a model; None where it has none."""
    result, planned = plan_faults(workspace, FaultsRequest(), spec.name)
    again = f"lockstep faults {spec.name}"
    entry = Entry.of(FAULTS, spec.name, "", again)
    entry.answer.judged = f"0/{len(planned)}"
    if result.errors:
        return FaultsReport(entry.saying(Verdict.ERROR, str(result.errors[0])), result)
    if not planned and not result.invariants:
        return None
    tasks = [task for task, _ in planned]
    known = rows.of(tasks)
    missing = tuple(str(task.fault) for at, task in enumerate(tasks) if at not in known)
    for row in known.values():
        result.take(row)
    result.interrupted = bool(missing)
    if not known and tasks:
        outdated = rows.latest("fault", spec.name)
        return FaultsReport(replace(entry, outdated=outdated), result, missing)
    kept = [run for run in result.runs if run.details.problem is None]
    entry.answer.judged = f"{len(kept)}/{len(tasks)}"
    entry.answer.since = min((run.since for run in result.runs), default="")
    if result.problems:
        entry = entry.saying(Verdict.VIOLATED, "; ".join(result.problems))
    elif missing:
        because = f"{plural(len(missing), 'fault')} not run: {_some(missing)}"
        entry = entry.saying(Verdict.INCONCLUSIVE, because)
    else:
        entry = entry.saying(Verdict.HOLDS)
    return FaultsReport(entry, result, missing)


def mutants_report(
    workspace: Workspace, spec: ModelSpec, rows: EarlierRows
) -> tuple[Entry, MutantsOfModel | None]:
    """What is kept of the mutants of a model; a workspace is whole without."""
    again = f"lockstep mutants {spec.name}"
    entry = Entry.of(MUTANTS, spec.name, DEFAULT_SCOPE, again, wanted=False)
    if not rows.are_there("mutant", spec.name):
        return entry, None
    result, planned = plan_mutants(workspace, MutantsRequest(), spec.name)
    if result.errors:
        return entry, None  # the model's own check says what is wrong
    known = rows.of([task for task, _ in planned])
    if not known:
        return replace(entry, outdated=rows.latest("mutant", spec.name)), None
    for row in known.values():
        result.take(row)
    result.interrupted = len(known) < len(planned)
    counted = [mutant for mutant in result.mutants if mutant.fate is not Fate.VOID]
    settled = len(counted) - len(result.unexplained)
    entry.answer.judged = f"{settled}/{len(counted)}"
    entry.answer.since = min((mutant.since for mutant in result.mutants), default="")
    left = len(planned) - len(known)
    if any(mutant.fate is Fate.SURVIVES for mutant in result.unexplained) or result.stale:
        because = f"{plural(len(result.unexplained), 'unexplained survivor')}"
        if result.stale:
            because += f"; explained although killed: {', '.join(result.stale)}"
        return entry.saying(Verdict.VIOLATED, because), result
    if left or result.unexplained:
        because = f"{plural(left + len(result.unexplained), 'mutant')} not judged"
        return entry.saying(Verdict.INCONCLUSIVE, because), result
    return entry.saying(Verdict.HOLDS), result


_MOST_NAMES = 3


def _some(names: Sequence[str]) -> str:
    """Some of many names."""
    others = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {others} more" if others > 0 else "")
