"""`lockstep replay`: takes a saved behaviour again, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

if TYPE_CHECKING:
    from lockstep.trace.replay import Replay


def replay(
    file: Annotated[Path, Argument(metavar="FILE", help="A trace that `check` saved.")],
    pytest: Annotated[bool, Option("--pytest", help="Print it as a test to paste, too.")] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
) -> int:
    """Take a saved counterexample again, step by step.

    Plain Python takes each step, and what it changes is shown.

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used.
    """
    from lockstep.report.output import Output
    from lockstep.trace.replay import replay as take_again
    from lockstep.workspace import find_workspace

    result = take_again(find_workspace().root, file)
    output = Output()
    if as_json:
        output.json(_json(file, result, pytest))
    else:
        for line in _text(result, pytest):
            output.line(line)
        output.line(f"{result.verdict}  {result.because}", str(result.verdict))
    return int(result.exit_code)


def _text(result: Replay, pytest: bool) -> list[str]:
    from lockstep.trace.claims import find_property
    from lockstep.trace.lasso import render_fairness
    from lockstep.trace.pytest_export import to_pytest
    from lockstep.trace.render import render_binding, render_trace

    origin = result.origin
    told = [f"scope {origin.scope}"] * bool(origin.scope) + [f"fault {origin.fault}"] * bool(
        origin.fault
    )
    lines = [f"{origin.model}" + (f" ({', '.join(told)})" if told else "")]
    if origin.start is not None:
        lines += [f"from a state in which {origin.start}; it need not be reachable"]
    lines += [""]
    lines += render_trace(result.model, result.trace)
    lines.append("")
    if result.parameters is not None and result.trace.loop is not None:
        lines += render_fairness(result.model, origin.property or "", result.trace)
        lines.append("")
    if result.error is not None:
        lines += [str(result.error), ""]
    prop = find_property(result.model, origin.property or "")
    if prop is not None and prop.parameters and result.parameters is not None:
        lines += [f"{prop.name} fails for {render_binding(prop.parameters, result.parameters)}"]
    if pytest and result.parameters is not None:
        lines += [to_pytest(result.model, result.trace, origin)]
    return lines


def _json(file: Path, result: Replay, pytest: bool) -> dict[str, object]:
    from lockstep.report.json import VERSION, error_json, parameters_json, steps_json
    from lockstep.trace.claims import find_property
    from lockstep.trace.pytest_export import to_pytest

    origin = result.origin
    prop = find_property(result.model, origin.property or "")
    failing = result.parameters
    row: dict[str, object] = {
        "file": str(file),
        "model": origin.model,
        "scope": origin.scope,
        "fault": origin.fault,
        "engine": "python",
        "property": origin.property,
        "goal": origin.goal,
        "start": origin.start,
        "verdict": str(result.verdict),
        "because": result.because,
        "parameters": (
            None if failing is None else parameters_json(prop.parameters, failing) if prop else {}
        ),
        "steps": steps_json(result.model, result.trace),
        "loop": result.trace.loop,
        "error": None if result.error is None else error_json(result.model, result.error),
    }
    if pytest and failing is not None:
        row["pytest"] = to_pytest(result.model, result.trace, origin)
    return {
        "version": VERSION,
        "results": [row],
        "summary": {"verdict": str(result.verdict), "exit_code": int(result.exit_code)},
    }
