"""What `replay` prints for a reader: where the behaviour is from, its steps, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lockstep.report.output import Output
from lockstep.report.trace_text import print_trace
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.trace.itf import Origin
from lockstep.trace.lasso import render_fairness
from lockstep.trace.render import Line, render_trace, render_violation
from lockstep.verbs.replay import Replay


def print_replay(
    output: Output, result: Replay, test: Path | None, pictures: Iterable[Path] = ()
) -> None:
    """Print all of it; `test` is the file that was to be written, `pictures` those that were."""
    line, origin = output.line, result.origin
    line(shown_origin(origin))
    if origin.start is not None:
        line(f"from a state in which {origin.start}; it need not be reachable")
    line()
    print_trace(output, _lines(result))
    line()
    if result.parameters is not None and result.trace.loop is not None:
        for text in render_fairness(result.model, origin.property or "", result.trace):
            line(text)
        line()
    if result.error is not None:
        line(str(result.error))
        line()
    if test is not None:
        is_written = result.test is not None
        line(f"test written to {test}" if is_written else "no test: nothing is violated", "dim")
    for file in pictures:
        line(f"written to {file}", "dim")
    line(f"{result.verdict}  {result.because}", str(result.verdict))


def shown_origin(origin: Origin) -> str:
    """The model, and what of it the behaviour is of."""
    parts = {"scope": origin.scope, "fault": origin.fault, "proposal": origin.proposal}
    details = ", ".join(f"{what} {name}" for what, name in parts.items() if name)
    return f"{origin.model} ({details})" if details else origin.model


def shown_behaviour(result: Replay) -> Violation | Trace:
    """The behaviour, with what it violates where it does."""
    name = result.origin.property
    if result.parameters is None or name is None:
        return result.trace
    return Violation((name,), result.parameters, result.trace)


def _lines(result: Replay) -> Iterator[Line]:
    shown, fault = shown_behaviour(result), result.origin.fault
    if isinstance(shown, Trace):
        return render_trace(result.model, shown, fault)
    return render_violation(result.model, shown, fault)
