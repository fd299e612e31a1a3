"""What `replay` and `replay --on` print, for a reader and as JSON (docs/reference/json.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from lockstep.report.json import document
from lockstep.report.output import Output, print_trace
from lockstep.results.search_result import Violation
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import find_property, render_fairness
from lockstep.trace.documents import conjunct_json, error_json, parameters_json, steps_json
from lockstep.trace.itf import Origin
from lockstep.trace.render import Line, render_refusal, render_trace, render_violation
from lockstep.verbs.replay import Replay
from lockstep.verbs.replay_on_result import Refusal, ReplayedOn
from lockstep.words import plural


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


def replay_json(file: Path, result: Replay) -> dict[str, object]:
    """The document; it has the text of the test, too, if one was written."""
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
    if result.test is not None:
        row["pytest"] = result.test
    return document(
        [row],
        {"verdict": str(result.verdict), "exit_code": int(result.exit_code)},
    )


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


def replay_on_json(file: Path, result: ReplayedOn) -> dict[str, object]:
    """The document."""
    origin, violation, parting = result.origin, result.violation, result.parting
    name = None if violation is None else violation.properties[0]
    prop = find_property(result.model, name or "")
    row: dict[str, object] = {
        "file": str(file),
        "model": origin.model,
        "scope": origin.scope,
        "fault": origin.fault,
        "on": str(result.version),
        "engine": "python",
        "property": origin.property,
        "goal": origin.goal,
        "start": origin.start,
        "verdict": str(result.verdict),
        "because": result.because,
        "violated": name,
        "parameters": (
            None
            if violation is None
            else parameters_json(prop.parameters, violation.parameters)
            if prop
            else {}
        ),
        "steps": steps_json(result.model, result.trace),
        "loop": result.trace.loop,
        "refused": None if result.refusal is None else _refusal(result, result.refusal),
        "parting": None if parting is None else {"step": parting.step, "changes": parting.changes},
        "others": {str(number): instance for number, instance in result.others.items()},
        "missing": list(result.missing),
        "added": list(result.added),
        "uncompared": list(result.uncompared),
        "error": None if result.error is None else error_json(result.model, result.error),
    }
    return document([row], {"verdict": str(result.verdict), "exit_code": int(result.exit_code)})


def _refusal(result: ReplayedOn, refusal: Refusal) -> dict[str, object]:
    action = result.model.action(refusal.action)
    return {
        "step": refusal.step,
        "action": refusal.action,
        "parameters": parameters_json(action.parameters, refusal.parameters),
        "requires": conjunct_json(result.model, action, result.trace.last, refusal.parameters),
    }
