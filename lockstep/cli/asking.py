"""Questions to the solver about one model: `prove --find` and `prove --equal`."""

from __future__ import annotations

from lockstep.cli.output import Output, plural, shown_path
from lockstep.cli.proving import Request, keep_trace, proofs_of
from lockstep.errors import ExitCode
from lockstep.explore.engine import Verdict
from lockstep.explore.search import Trace
from lockstep.language.model import Model, load_model, with_goal
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
    from lockstep.prove.bounded import check_bounded
    from lockstep.prove.relation import Relation

    model, depth = _model(workspace, name, proof, request)
    workspace.make_output()
    model = with_goal(model, predicate, workspace.output / "found.py")
    found = check_bounded(Relation(model), depth, only="found", max_seconds=request.max_seconds)
    output = Output()
    saved = None
    if found.violation is not None:
        saved = keep_trace(workspace, request, model, "found", found.violation.trace)
    if as_json:
        output.json(
            {
                "format": 1,
                "command": "prove --find",
                "model": name,
                "predicate": predicate,
                "found": found.violation is not None,
                "depth": found.depth,
                "because": found.because,
                "saved": None if saved is None else str(saved),
            }
        )
    elif found.violation is None:
        told = found.because or "there is no such behaviour"
        output.line(f"not found in up to {plural(found.depth, 'step')}: {told}", "inconclusive")
    else:
        output.line(f"found after {plural(found.depth, 'step')}, {found.seconds:.1f} s", "holds")
        output.line()
        for text in render_trace(model, found.violation.trace):
            output.line(f"    {text}")
        if saved is not None:
            output.line(f"\n  saved to {shown_path(saved)}")
    return int(ExitCode.HOLDS if found.violation is not None else ExitCode.INCONCLUSIVE)


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
    from lockstep.prove.equal import contrast
    from lockstep.prove.relation import Relation

    model, _ = _model(workspace, name, proof, request)
    found = contrast(Relation(model), *actions, request.max_seconds)
    output = Output()
    verdict = Verdict.HOLDS if found is None else Verdict.VIOLATED
    told = [] if found is None else [_told(model, done) for done in found.does]
    if as_json:
        output.json(
            {
                "format": 1,
                "command": "prove --equal",
                "model": name,
                "actions": list(actions),
                "verdict": str(verdict),
                "differ": dict(zip(actions, told, strict=False)),
            }
        )
    elif found is None:
        output.line(f"{actions[0]} and {actions[1]} do the same in every state", "holds")
    else:
        binding = render_binding(model.action(actions[0]).parameters, found.parameters)
        output.line(f"{actions[0]} and {actions[1]} differ, with {binding or 'no parameters'}, in")
        for text in render_trace(model, Trace(found.before, ())):
            output.line(f"    {text}")
        for action, lines in zip(actions, told, strict=True):
            output.line(f"  {action}:", "bold")
            for text in lines:
                output.line(f"    {text}")
    return int(ExitCode.HOLDS if found is None else ExitCode.VIOLATED)


def _model(
    workspace: Workspace, name: str, proof: str | None, request: Request
) -> tuple[Model, int]:
    spec = load_model_spec(workspace.root, name)
    chosen = proofs_of(spec, request, proof)[0]
    constants = {**chosen.constants, **request.constants}
    model = load_model(workspace.root, name, constants, fault=request.fault)
    return model, chosen.depth if request.depth is None else request.depth


def _told(model: Model, done: Trace | str | None) -> list[str]:
    if done is None:
        return ["is not enabled"]
    if isinstance(done, str):
        return [f"has no meaning: {done}"]
    told = list(render_trace(model, done))
    first = next(place for place, text in enumerate(told) if text.startswith("1 "))
    return told[first:]
