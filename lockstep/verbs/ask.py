"""Questions to the solver about one model: `prove --find`, `--from` and `--equal`."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.errors import ExitCode, LockstepError, not_written
from lockstep.language.model import Model, load_model, with_goal
from lockstep.prove.bounded import BoundedResult, check_bounded, where
from lockstep.prove.equal import contrast
from lockstep.prove.relation import Relation
from lockstep.report.output import Output, shown_path
from lockstep.report.prove_json import one_result, trace_json
from lockstep.results.exits import INTERRUPTED
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.render import render_binding, render_instance, render_step, render_trace
from lockstep.verbs.prove import (
    Kept,
    Request,
    constants_for,
    keep_trace,
    proofs_of,
    scope_of,
)
from lockstep.words import indented, plural
from lockstep.workspace import Workspace


def ask_search(
    workspace: Workspace,
    name: str,
    proof: str | None,
    request: Request,
    *,
    goal: str | None,
    start: str | None,
    as_json: bool,
) -> int:
    """A shortest behaviour to a state with the `goal`; without one, to where something is broken.

    It begins in the first state, or in any with `start` in which all invariants hold.
    """
    subject = _subject(workspace, name, proof, request)
    model, begin = subject.model, None
    if goal is not None:
        model = _with(workspace, model, _GOAL, goal)
    if start is not None:
        helped = _subject(workspace, name, proof, request, lemmas=True).model
        begin = where(Relation(_with(workspace, helped, _START, start)), _START)
    found = check_bounded(
        Relation(model),
        subject.depth,
        only=None if goal is None else _GOAL,
        start=begin,
        max_seconds=request.max_seconds,
    )
    answer = _Answer(subject, goal, start, found)
    kept = None
    if answer.trace is not None:
        kept = keep_trace(
            workspace,
            request,
            model,
            subject.scope,
            answer.trace,
            broken=None if goal is not None else found.violation,
            goal=goal,
            start=start,
        )
    if as_json:
        Output().json(one_result({**_searched(answer, request), "trace": _kept(answer, kept)}))
    else:
        _tell(Output(), answer, kept)
    return answer.exit_code


def _with(workspace: Workspace, model: Model, name: str, predicate: str) -> Model:
    """A model with one goal more."""
    try:
        workspace.make_output()
        return with_goal(model, name, predicate, workspace.output / f"{name}.py")
    except OSError as error:
        raise LockstepError(not_written(workspace.output, error)) from None


_GOAL, _START = "found", "started"
"""The names of what is asked for, as goals of the model."""


@dataclass(frozen=True)
class _Answer:
    """What came of a search."""

    subject: _Subject
    goal: str | None
    start: str | None
    found: BoundedResult

    @property
    def trace(self) -> Trace | None:
        return None if self.found.violation is None else self.found.violation.trace

    @property
    def broken(self) -> str | None:
        """The first property that is, where nothing else was looked for."""
        violation = self.found.violation
        return None if violation is None or self.goal is not None else violation.properties[0]

    @property
    def verdict(self) -> Verdict:
        if self.found.violation is None:
            return Verdict.INCONCLUSIVE if self.found.error is None else Verdict.ERROR
        return Verdict.VIOLATED if self.goal is None else Verdict.HOLDS

    @property
    def exit_code(self) -> int:
        if self.found.interrupted:
            return INTERRUPTED
        if self.found.error is not None:
            return int(ExitCode.USAGE)
        return int(ExitCode[self.verdict.name])

    @property
    def because(self) -> str:
        """Why nothing was found, and up to where; empty if something was."""
        found = self.found
        if found.violation is not None:
            return ""
        nothing = ""
        if found.covered is not None:
            steps = plural(found.covered, "step")
            ends = "breaks anything" if self.goal is None else "reaches it"
            nothing = f"no behaviour in up to {steps} {ends}"
        return "; ".join(part for part in (found.because, nothing) if part)


def _searched(answer: _Answer, request: Request) -> dict[str, object]:
    subject, found = answer.subject, answer.found
    violation = found.violation
    return {
        "model": subject.model.name,
        "proof": subject.proof,
        "fault": request.fault,
        "predicate": answer.goal,
        "start": answer.start,
        "verdict": str(answer.verdict),
        "seconds": round(found.seconds, 3),
        "because": answer.because,
        "exit_code": answer.exit_code,
        "covered": found.covered,
        "properties": [] if violation is None or answer.goal else list(violation.properties),
    }


def _kept(answer: _Answer, kept: Kept | None) -> dict[str, object] | None:
    return None if answer.trace is None else trace_json(answer.subject.model, answer.trace, kept)


def _tell(output: Output, answer: _Answer, kept: Kept | None) -> None:
    where = f"{answer.subject.model.name} {answer.subject.proof}"
    trace, verdict = answer.trace, str(answer.verdict)
    if answer.start is not None:
        where += f", from any state in which {answer.start} and all invariants hold"
    if trace is None:
        nothing = "nothing is broken" if answer.goal is None else "not found"
        output.line(f"{where}: {nothing}: {answer.because}", verdict)
        if answer.found.error is not None:
            output.line(indented(str(answer.found.error), 2), verdict)
        return
    ended = "found" if answer.broken is None else f"{answer.broken} violated"
    steps = plural(len(trace.steps), "step")
    output.line(f"{where}: {ended} after {steps}, {answer.found.seconds:.1f} s", verdict)
    output.line()
    for text in render_trace(answer.subject.model, trace):
        output.line(f"    {text}")
    output.line()
    if kept is not None and kept.file is not None:
        file = shown_path(kept.file)
        output.line(f"  saved to {file}: see it with  lockstep replay {file}")
    elif kept is not None:
        output.line(f"  not saved: {kept.why_not}")


def ask_equal(
    workspace: Workspace,
    name: str,
    proof: str | None,
    request: Request,
    actions: tuple[str, str],
    *,
    as_json: bool,
) -> int:
    """Whether two actions do the same in every state, reached or not."""
    subject = _subject(workspace, name, proof, request)
    model = subject.model
    found = contrast(Relation(model), *actions, request.max_seconds)
    code = int(ExitCode.HOLDS if found is None else ExitCode.VIOLATED)
    told = [] if found is None else [_told(model, done) for done in found.does]
    if as_json:
        Output().json(
            one_result(
                {
                    "model": name,
                    "proof": subject.proof,
                    "fault": request.fault,
                    "actions": list(actions),
                    "verdict": str(Verdict.HOLDS if found is None else Verdict.VIOLATED),
                    "exit_code": code,
                    "differ": dict(zip(actions, told, strict=False)),
                }
            )
        )
        return code
    output = Output()
    where, both = f"{name} {subject.proof}", " and ".join(actions)
    if found is None:
        output.line(f"{where}: {both} do the same in every state", "holds")
        return code
    binding = render_binding(model.action(actions[0]).parameters, found.parameters)
    output.line(f"{where}: {both} differ, with {binding or 'no parameters'}, in", "violated")
    for state_line in render_trace(model, Trace(found.before, ())):
        output.line(f"    {state_line}")
    for action, lines in zip(actions, told, strict=True):
        output.line(f"  {action}:", "bold")
        for text in lines:
            output.line(f"    {text}")
    return code


@dataclass(frozen=True)
class _Subject:
    """What is asked about: a model at the widths of a proof, or of the scope in its place."""

    model: Model
    proof: str
    scope: str | None
    depth: int


def _subject(
    workspace: Workspace, name: str, proof: str | None, request: Request, *, lemmas: bool = False
) -> _Subject:
    spec = load_model_spec(workspace.root, name)
    chosen, *others = proofs_of(spec, request, proof)
    if others:
        known = ", ".join(spec.proofs)
        raise LockstepError(f"{name} has several proofs", cure=f"name one by --proof: {known}")
    constants = constants_for(workspace, name, chosen, request)
    model = load_model(workspace.root, name, constants, fault=request.fault, lemmas=lemmas)
    depth = chosen.depth if request.depth is None else request.depth
    return _Subject(model, chosen.name, scope_of(spec, request, chosen), depth)


def _told(model: Model, done: Trace | str | None) -> list[str]:
    if done is None:
        return ["is not enabled"]
    if isinstance(done, str):
        return [f"has no meaning: {done}"]
    (step,) = done.steps
    parameters = model.action(step.action).parameters
    instance = render_instance(step.action, parameters, step.parameters)
    return list(render_step(1, instance, done.initial, step.state))
