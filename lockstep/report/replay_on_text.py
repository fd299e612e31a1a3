"""What `replay --on` prints for a reader: where another version goes another way, and why."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from lockstep.report.output import Output
from lockstep.report.replay_text import shown_origin
from lockstep.report.trace_text import print_trace
from lockstep.results.verdict import Verdict
from lockstep.trace.lasso import render_fairness
from lockstep.trace.render import Line, render_refusal, render_trace, render_violation
from lockstep.verbs.replay_on import ReplayedOn
from lockstep.words import plural

_MOST_CHANGES = 8


def print_replay_on(output: Output, result: ReplayedOn) -> None:
    """Print all of it."""
    line, origin = output.line, result.origin
    line(shown_title(result))
    if result.missing:
        line(f"not in {result.version}: {', '.join(result.missing)}", "dim")
    if result.added:
        line(f"only in {result.version}: {', '.join(result.added)}", "dim")
    if result.uncompared:
        line(f"not compared, for they have other domains: {', '.join(result.uncompared)}", "dim")
    line()
    print_trace(output, lines_on(result))
    line()
    for number, instance in result.others.items():
        line(f"step {number} was recorded as another; here {instance} leads to the same state")
    if result.parting is not None:
        where = f"after step {result.parting.step}" if result.parting.step else "at the beginning"
        line(f"{where} the state is another than recorded (recorded -> here):")
        shown = result.parting.changes[:_MOST_CHANGES]
        for change in shown:
            line(f"  {change}", "changed")
        if len(result.parting.changes) > len(shown):
            line(f"  and {len(result.parting.changes) - len(shown)} more")
    elif result.trace.steps and not result.uncompared:
        steps = plural(len(result.trace.steps), "step")
        line(f"up to here the states are those recorded: {steps}")
    if result.violation is not None and result.trace.loop is not None:
        for text in render_fairness(result.model, result.violation.properties[0], result.trace):
            line(text)
    if result.error is not None:
        line(str(result.error))
    line(f"{result.verdict}  {result.because}", str(result.verdict))
    if result.verdict is Verdict.HOLDS and origin.goal is None and result.check is not None:
        line(f"whether another behaviour violates it says  {result.check}")


def shown_title(result: ReplayedOn) -> str:
    """What was recorded, and what it was taken on."""
    return f"{shown_origin(result.origin)}, on {result.version}"


def lines_on(result: ReplayedOn) -> Iterator[Line]:
    """The steps that the version takes, and why it takes no more."""
    fault = result.version.fault
    if result.violation is not None:
        return render_violation(result.model, result.violation, fault)
    lines = render_trace(result.model, result.trace, fault)
    if result.refusal is None:
        return lines
    refusal = result.refusal
    why = render_refusal(result.model, result.trace, refusal.action, refusal.parameters)
    return chain(lines, why)
