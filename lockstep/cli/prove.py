"""`lockstep prove`: asks Z3 what holds at the real widths, for behaviours of any length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from lockstep.errors import LockstepError
from lockstep.report.ci.outputs import CiOutputs
from lockstep.verbs.option import given_flags, json_option, option, refuse_pairs
from lockstep.verbs.prove_request import ProveRequest
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ProveOptions:
    """Other questions about one model, and what `prove` prints."""

    find: str | None = option(
        "--find", metavar="PREDICATE", help="Look for a shortest behaviour to it, as in 's.x > 3'."
    )
    start: str | None = option(
        "--from",
        metavar="PREDICATE",
        help="Search from any state in which it and all invariants hold, reached or not.",
    )
    equal: tuple[str, str] | None = option(
        "--equal", metavar="ACTION ACTION", help="Ask whether two actions do the same."
    )
    examples: bool = option(
        "--examples", default=False, help="Show the states from which a property is not kept."
    )
    json: bool = json_option()

    @property
    def is_question(self) -> bool:
        """Whether something else is asked than what can be proved."""
        return not (self.find is None and self.start is None and self.equal is None)


def prove(request: ProveRequest, view: ProveOptions, outputs: CiOutputs) -> int:
    """Prove invariants by induction, at the widths that a proof of the specification names.

    If not all can be proved, behaviours of up to `--depth` steps are searched for violations.

    Exit codes: 0 proved, 1 violated, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.verbs.models import choose, refuse_unread
    from lockstep.workspace import find_workspace

    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    if not request.models:
        refuse_unread(workspace)
    _refuse_contradictions(request, view, outputs)
    if request.fault is not None and len(names) != 1:
        raise LockstepError("--fault is about one model", cure="name the model before it")
    if not view.is_question:
        # Examples are shown of what was decided in this run alone.
        request = replace(request, anew=request.anew or view.examples)
        return _prove(request, workspace, view, outputs)
    if len(names) != 1:
        raise LockstepError(
            "--find, --from and --equal ask about one model", cure="name the model before it"
        )
    return _ask(names[0], request, view)


def _refuse_contradictions(request: ProveRequest, view: ProveOptions, outputs: CiOutputs) -> None:
    alone = ("--any", "--infer", "--k", "--smt", "--examples", "--sarif", "--summary", "--github")
    refuse_pairs(
        {
            "--proof": ("--scope",),
            "--find": ("--equal", *alone),
            "--from": ("--equal", *alone),
            "--equal": alone,
            "--any": ("--k", "--infer"),
            "--json": ("--github",),
        },
        given_flags(request, view, outputs),
    )


def _prove(
    request: ProveRequest, workspace: Workspace, view: ProveOptions, outputs: CiOutputs
) -> int:
    from lockstep.report.prove import ProveView
    from lockstep.report.view import present
    from lockstep.verbs.prove import prove as run_proofs

    shown = ProveView(workspace.root, request, examples=view.examples)
    work = partial(run_proofs, request)
    return present(shown, work, json=view.json, outputs=outputs, workspace=workspace)


def _ask(model: str, request: ProveRequest, view: ProveOptions) -> int:
    from lockstep.report.output import Output
    from lockstep.report.prove_ask import (
        comparison_json,
        print_comparison,
        print_search,
        search_json,
    )
    from lockstep.verbs.ask import EqualRequest, SearchRequest, compare_actions, search

    output, widths = Output(), request.widths
    if view.equal is not None:
        compared = compare_actions(
            EqualRequest(model, view.equal, widths, request.max_seconds, request.workspace)
        )
        if view.json:
            output.json(comparison_json(compared))
        else:
            print_comparison(output, compared)
        return compared.exit_code
    searched = search(
        SearchRequest(
            model,
            goal=view.find,
            start=view.start,
            widths=widths,
            depth=request.depth,
            max_seconds=request.max_seconds,
            workspace=request.workspace,
        )
    )
    if view.json:
        output.json(search_json(searched))
    else:
        print_search(output, searched)
    return searched.exit_code
