"""`lockstep conform`: request logs of a running system against the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

if TYPE_CHECKING:
    from lockstep.conform.findings import LogFindings, Observe
    from lockstep.report.output import Output
    from lockstep.workspace import Workspace


def conform(
    logs: Annotated[list[Path], Argument(metavar="LOG...", help="Request logs, plain or gzip.")],
    model: Annotated[
        str | None, Option("--model", help="The model to follow; by default the only one.")
    ] = None,
    json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Name every line that was not used.")
    ] = False,
) -> int:
    """Follow each session of request logs through the model.

    Exit code 0: every session conforms; 1: one departs; 3: none departs, but one could not be
    judged, or there was nothing to judge; 2: a log cannot be read.
    """
    from lockstep.errors import LockstepError
    from lockstep.language.model import load_model
    from lockstep.report.output import Output
    from lockstep.workspace import find_workspace

    workspace = find_workspace()
    name, observe = _observer(workspace, model)
    found: list[LogFindings] = []
    for log in logs:
        try:
            found.append(
                observe(log, lambda constants: load_model(workspace.root, name, constants))
            )
        except OSError as error:
            raise LockstepError(f"{log} cannot be read: {error.strerror or error}") from None
        except SystemExit as error:
            raise LockstepError(
                f"models/observed/{name}.py ends the process on {log} (SystemExit: {error})",
                cure="let it raise a LockstepError that says what is wrong with the log",
            ) from None
    output = Output()
    if json:
        output.json(_document(found))
    else:
        _print(output, found, verbose)
    return _exit_code(found)


def _observer(workspace: Workspace, model: str | None) -> tuple[str, Observe]:
    """The model that logs are followed through, and its `models/observed/MODEL.py`."""
    import importlib
    import sys

    from lockstep.errors import LockstepError

    observed = [
        name
        for name in workspace.models()
        if workspace.root.joinpath("models", "observed", f"{name}.py").is_file()
    ]
    if model is None and len(observed) == 1:
        model = observed[0]
    if model is None or model not in observed:
        raise LockstepError(
            f"{model or 'no model'} can be followed through a log",
            cure=f"name one of: {', '.join(observed) or 'none has models/observed/MODEL.py'}",
        )
    if str(workspace.root) not in sys.path:
        sys.path.insert(0, str(workspace.root))
    try:
        module = importlib.import_module(f"models.observed.{model}")
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise LockstepError(
            f"models/observed/{model}.py cannot be loaded: {type(error).__name__}: {error}"
        ) from error
    observe: Observe = module.observe
    return model, observe


def _exit_code(found: list[LogFindings]) -> int:
    from lockstep.conform.findings import DEPARTS, UNKNOWN
    from lockstep.errors import ExitCode

    verdicts = [session.verdict for log in found for session in log.sessions]
    if DEPARTS in verdicts:
        return ExitCode.VIOLATED
    return ExitCode.INCONCLUSIVE if UNKNOWN in verdicts or not verdicts else ExitCode.HOLDS


def _totals(found: list[LogFindings]) -> dict[str, int]:
    from lockstep.conform.findings import CONFORMS, DEPARTS, UNKNOWN

    sessions = [session for log in found for session in log.sessions]
    totals = {
        verdict: sum(1 for session in sessions if session.verdict == verdict)
        for verdict in (CONFORMS, DEPARTS, UNKNOWN)
    }
    totals["lines"] = sum(session.lines for session in sessions)
    totals["unused"] = sum(len(log.unused) for log in found)
    totals["reordered"] = sum(len(log.reordered) for log in found)
    return totals


def _document(found: list[LogFindings]) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "version": 1,
        "results": [asdict(session) for log in found for session in log.sessions],
        "unused": [asdict(line) for log in found for line in log.unused],
        "reordered": [asdict(line) for log in found for line in log.reordered],
        "summary": _totals(found),
    }


def _print(output: Output, found: list[LogFindings], verbose: bool) -> None:
    from collections import Counter

    from lockstep.words import plural

    rows = [
        [session.file, str(session.session or "none"), repr(session.client)[1:-1],
         f"{session.lines:,}", session.verdict, "" if session.line is None else str(session.line)]
        for log in found
        for session in log.sessions
    ]  # fmt: skip
    if rows:
        output.table(
            ("log", "session", "client", "lines", "verdict", "line"), rows, ("lines", "line")
        )
    for log in found:
        for session in log.sessions:
            if session.line is not None:
                output.line(
                    f"{session.file}:{session.line}: session {session.session or 'none'} "
                    f"{session.verdict}, because {session.because}"
                )
        unused = log.unused + log.reordered
        for reason, count in Counter(line.reason for line in unused).items():
            shown = [line for line in unused if line.reason == reason]
            numbers = ", ".join(str(line.line) for line in shown[:8])
            more = ", ..." if count > 8 else ""
            output.line(f"{log.file}: {plural(count, 'line')} {reason}: {numbers}{more}")
            for line in shown if verbose else ():
                output.line(f"  {log.file}:{line.line}: {line.detail}")
    totals = _totals(found)
    output.line(
        f"{totals['conforms']} conform, {totals['departs']} depart, {totals['unknown']} unknown; "
        f"{plural(totals['lines'], 'line')} followed"
    )
