"""Questions to the solver about one model: `prove --find` and `prove --equal`."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.cli.exits import INTERRUPTED
from lockstep.cli.output import Output, plural, shown_path
from lockstep.cli.prove_json import one_result, trace_json
from lockstep.cli.proving import Request, keep_trace, proofs_of, scope_of
from lockstep.errors import ExitCode, LockstepError
from lockstep.explore.engine import Verdict
from lockstep.explore.search import Trace
from lockstep.language.model import Model, load_model, with_goal
from lockstep.prove.bounded import BoundedResult, check_bounded
from lockstep.prove.equal import contrast
from lockstep.prove.relation import Relation
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.render import render_binding, render_trace
from lockstep.workspace import Workspace


def ask_find(
    workspace: Workspace,
    name: str,
    proof: str | None,
    request: Request,
    predicate: str,
    *,
    as_json: bool,
) -> int:
    """A shortest behaviour to a state that satisfies a predicate over `s`."""
    subject = _subject(workspace, name, proof, request)
    try:
        workspace.make_output()
        model = with_goal(subject.model, predicate, workspace.output / "found.py")
    except OSError as error:
        raise LockstepError(f"{error.filename} cannot be written: {error.strerror}") from None
    found = check_bounded(
        Relation(model), subject.depth, only="found", max_seconds=request.max_seconds
    )
    trace = None if found.violation is None else found.violation.trace
    kept = None
    if trace is not None:
        kept = keep_trace(workspace, request, model, subject.scope, "found", trace)
    if as_json:
        Output().json(
            one_result(
                {
                    "model": name,
                    "proof": subject.proof,
                    "fault": request.fault,
                    "predicate": predicate,
                    "verdict": str(Verdict.HOLDS if trace else Verdict.INCONCLUSIVE),
                    "seconds": round(found.seconds, 3),
                    "because": _not_found(found),
                    "exit_code": _code_of(found),
                    "covered": found.covered,
                    "trace": None if trace is None else trace_json(model, trace, kept),
                }
            )
        )
        return _code_of(found)
    output = Output()
    where = f"{name} {subject.proof}"
    if trace is None:
        output.line(f"{where}: not found: {_not_found(found)}", "inconclusive")
        return _code_of(found)
    steps = plural(len(trace.steps), "step")
    output.line(f"{where}: found after {steps}, {found.seconds:.1f} s", "holds")
    output.line()
    for text in render_trace(model, trace):
        output.line(f"    {text}")
    output.line()
    if kept is not None and kept.file is not None:
        output.line(f"  saved to {shown_path(kept.file)}")
    elif kept is not None:
        output.line(f"  not saved: {kept.why_not}")
    return _code_of(found)


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
    for text in render_trace(model, Trace(found.before, ())):
        output.line(f"    {text}")
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


def _subject(workspace: Workspace, name: str, proof: str | None, request: Request) -> _Subject:
    spec = load_model_spec(workspace.root, name)
    chosen, *others = proofs_of(spec, request, proof)
    if others:
        known = ", ".join(spec.proofs)
        raise LockstepError(f"{name} has several proofs", cure=f"name one by --proof: {known}")
    constants = {**chosen.constants, **request.constants}
    model = load_model(workspace.root, name, constants, fault=request.fault)
    depth = chosen.depth if request.depth is None else request.depth
    return _Subject(model, chosen.name, scope_of(spec, request, chosen), depth)


def _code_of(found: BoundedResult) -> int:
    if found.interrupted:
        return INTERRUPTED
    if found.error is not None:
        return int(ExitCode.USAGE)
    return int(ExitCode.INCONCLUSIVE if found.violation is None else ExitCode.HOLDS)


def _not_found(found: BoundedResult) -> str:
    if found.violation is not None:
        return ""
    covered = "" if found.covered is None else f" in up to {plural(found.covered, 'step')}"
    nothing = f"no behaviour{covered} reaches it" if covered else ""
    return "; ".join(part for part in (found.because, nothing) if part)


def _told(model: Model, done: Trace | str | None) -> list[str]:
    if done is None:
        return ["is not enabled"]
    if isinstance(done, str):
        return [f"has no meaning: {done}"]
    told = list(render_trace(model, done))
    first = next(place for place, text in enumerate(told) if text.startswith("1 "))
    return told[first:]
