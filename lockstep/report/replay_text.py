"""What `replay` prints for a reader: where the behaviour is from, its steps, and the verdict."""

from __future__ import annotations

from lockstep.report.output import Output
from lockstep.trace.claims import find_property
from lockstep.trace.lasso import render_fairness
from lockstep.trace.pytest_export import to_pytest
from lockstep.trace.render import render_binding, render_trace
from lockstep.verbs.replay import Replay


def print_replay(output: Output, result: Replay, *, pytest: bool) -> None:
    """Print all of it; with `pytest` a test to paste, too."""
    line, origin = output.line, result.origin
    details = [f"scope {origin.scope}"] * bool(origin.scope)
    details += [f"fault {origin.fault}"] * bool(origin.fault)
    line(f"{origin.model}" + (f" ({', '.join(details)})" if details else ""))
    if origin.start is not None:
        line(f"from a state in which {origin.start}; it need not be reachable")
    line()
    for text in render_trace(result.model, result.trace):
        line(text)
    line()
    if result.parameters is not None and result.trace.loop is not None:
        for text in render_fairness(result.model, origin.property or "", result.trace):
            line(text)
        line()
    if result.error is not None:
        line(str(result.error))
        line()
    prop = find_property(result.model, origin.property or "")
    if prop is not None and prop.parameters and result.parameters is not None:
        line(f"{prop.name} fails for {render_binding(prop.parameters, result.parameters)}")
    if pytest and result.parameters is not None:
        line(to_pytest(result.model, result.trace, origin))
    line(f"{result.verdict}  {result.because}", str(result.verdict))
