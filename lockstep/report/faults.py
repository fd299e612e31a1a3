"""`lockstep check --faults`: every mistake that was made on purpose, and what catches it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError
from lockstep.report.json import VERSION, error_json, steps_json
from lockstep.report.output import Output, shown_path
from lockstep.results.exits import INTERRUPTED, worst
from lockstep.system.crash import failure_of
from lockstep.verbs.check import Request
from lockstep.verbs.faults import FaultRun, FaultsOfModel, run_faults_of
from lockstep.words import plural

if TYPE_CHECKING:
    from lockstep.workspace import Workspace

HEADERS = (
    "model",
    "fault",
    "caught by",
    "expected",
    "scope",
    "steps",
    "states",
    "seconds",
    "source",
)
RIGHT = ("steps", "states", "seconds")


def run_faults(
    workspace: Workspace, names: Sequence[str], request: Request, *, saves: bool, as_json: bool
) -> int:
    """Run every fault of some models and print one table of them, and one of the invariants.

    With `saves` the shortest trace of each is written to the request's folder. The exit code is 1
    when a fault is not caught by what it names, is not as harmless as it says, or an invariant has
    no fault that it catches.
    """
    output = Output()
    found: list[FaultsOfModel] = []
    errors: list[LockstepError] = []
    if list(names) == workspace.models():
        errors += [
            LockstepError(f"{shown_path(file.file)} is not read: {file.why}")
            for file in workspace.unused()
            if file.is_mistake
        ]
    interrupted = False
    try:
        for name in names:
            try:
                for sofar in run_faults_of(workspace.root, name, request):
                    if not found or found[-1] is not sofar:
                        found.append(sofar)
                    if saves and sofar.runs:
                        _save(sofar.runs[-1], request)
            except Exception as error:
                errors.append(failure_of(error, workspace))
            if found and found[-1].interrupted:
                break
    except KeyboardInterrupt:
        interrupted = True
    interrupted = interrupted or any(model.interrupted for model in found)
    problems = [problem for model in found for problem in model.problems]
    codes: list[int] = [int(error.exit_code) for error in errors]
    codes += [int(ExitCode.VIOLATED)] * bool(problems) + [INTERRUPTED] * interrupted
    exit_code = worst(codes)
    if as_json:
        output.json(_json(found, problems, errors, exit_code))
    else:
        _print(output, found, problems, errors, interrupted)
    return exit_code


def _save(run: FaultRun, request: Request) -> None:
    from lockstep.trace.itf import Origin, constants_of, save, to_json

    if run.trace is None:
        return
    origin = Origin(
        model=run.model.name,
        property=run.first,
        scope=run.scope.name,
        fault=run.name,
        engine=run.result.engine,
        constants=constants_of(run.model),
    )
    file = request.folder / f"{run.model.name}-{run.first}-{run.name}.itf.json"
    save(file, to_json(run.model, run.trace, origin))


def _print(
    output: Output,
    found: Sequence[FaultsOfModel],
    problems: Sequence[str],
    errors: Sequence[LockstepError],
    interrupted: bool,
) -> None:
    runs = [run for model in found for run in model.runs]
    if runs:
        output.table(HEADERS, [_row(run) for run in runs], RIGHT)
        output.line()
    invariants = [
        (model.name, name, ", ".join(faults) or "-")
        for model in found
        for name, faults in model.invariants.items()
    ]
    if invariants:
        output.table(("model", "invariant", "faults that it catches first"), invariants)
        output.line()
    for run in runs:
        if run.by_constants:
            output.line(f"{run.model.name}.{run.name}: its constants alone break the model", "dim")
    harmless = [run for run in runs if run.mark.harmless and run.problem is None]
    for run in harmless:
        output.line(f"{run.model.name}.{run.name}: {_harmless(run)}", "dim")
    for error in errors:
        output.line(f"error: {error}", "violated")
    for problem in problems:
        output.line(f"wrong: {problem}", "violated")
    broken = sum(bool(faults) for model in found for faults in model.invariants.values())
    caught = sum(run.mark.breaks is not None and run.problem is None for run in runs)
    unharmful = f", {len(harmless)} harmless" if any(run.mark.harmless for run in runs) else ""
    output.line(
        f"{plural(len(runs), 'fault')}, {caught} caught as named{unharmful}; "
        f"{plural(len(invariants), 'invariant')}, {broken} broken first by a fault."
    )
    if interrupted:
        output.line("interrupted: what is above is not all", "inconclusive")


def _row(run: FaultRun) -> tuple[str, ...]:
    together = len(run.caught_by) - 1
    return (
        run.model.name,
        run.name,
        (run.first + (f" (+{together})" if together > 0 else "")) or "-",
        run.mark.breaks or "harmless",
        run.scope.name,
        _steps(run),
        f"{run.result.states:,}",
        f"{run.result.seconds:.2f}",
        run.mark.source or "",
    )


def _steps(run: FaultRun) -> str:
    """How long the trace is: `3`, or `3 + 2` with two steps that are then taken for ever."""
    if run.trace is None:
        return "-"
    count, loop = len(run.trace.steps), run.trace.loop
    return str(count) if loop is None else f"{loop} + {count - loop}"


def _harmless(run: FaultRun) -> str:
    explored = f"{plural(run.result.states, 'state')} of scope {run.scope.name}"
    but = f" (not checked: {', '.join(run.result.unchecked)})" if run.result.unchecked else ""
    return f"harmless in all {explored}{but}: {' '.join((run.mark.harmless or '').split())}"


def _json(
    found: Sequence[FaultsOfModel],
    problems: Sequence[str],
    errors: Sequence[LockstepError],
    exit_code: int,
) -> dict[str, object]:
    runs = [run for model in found for run in model.runs]
    return {
        "version": VERSION,
        "results": [_run_json(run) for run in runs],
        "invariants": [
            {"model": model.name, "invariant": name, "faults": faults}
            for model in found
            for name, faults in model.invariants.items()
        ],
        "summary": {
            "faults": len(runs),
            "caught_as_named": sum(bool(run.mark.breaks) and not run.problem for run in runs),
            "harmless": sum(bool(run.mark.harmless) and not run.problem for run in runs),
            "invariants": sum(len(model.invariants) for model in found),
            "problems": list(problems),
            "errors": [str(error) for error in errors],
            "exit_code": exit_code,
        },
    }


def _run_json(run: FaultRun) -> dict[str, object]:
    result = run.result
    return {
        "model": run.model.name,
        "scope": run.scope.name,
        "fault": run.name,
        "engine": result.engine,
        "verdict": str(result.verdict),
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "seconds": round(result.seconds, 3),
        "because": result.because,
        "caught_by": list(run.caught_by),
        "expected": run.mark.breaks,
        "harmless": run.mark.harmless,
        "source": run.mark.source,
        "by_constants": run.by_constants,
        "problem": run.problem,
        "error": None if result.error is None else error_json(run.model, result.error),
        "unchecked": list(result.unchecked),
        "steps": None if run.trace is None else steps_json(run.model, run.trace),
        "loop": None if run.trace is None else run.trace.loop,
    }
