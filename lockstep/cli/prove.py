"""`lockstep prove`: asks Z3 what holds at the real widths, for behaviours of any length."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from lockstep.cli.options import seconds
from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from lockstep.verbs.ask import EqualRequest, SearchRequest
    from lockstep.verbs.prove_request import Request
    from lockstep.workspace import Workspace


def prove(
    models: Annotated[
        list[str] | None,
        Argument(metavar="MODEL", help="Names of models [all that have proofs]."),
    ] = None,
    proof: Annotated[
        str | None,
        Option("--proof", metavar="NAME", help="Make this proof of specs/MODEL.toml alone."),
    ] = None,
    scope: Annotated[
        str | None,
        Option("--scope", metavar="NAME", help="Prove with the constants of this scope."),
    ] = None,
    constants: Annotated[
        list[str] | None, Option("--set", metavar="NAME=VALUE", help="Change a constant.")
    ] = None,
    fault: Annotated[
        str | None,
        Option("--fault", metavar="NAME", help="Put one of the model's faults in place."),
    ] = None,
    any_number: Annotated[
        str | None,
        Option("--any", metavar="CONSTANT", help="Prove for any number of names of this constant."),
    ] = None,
    k: Annotated[
        int | None, Option("--k", min=1, metavar="K", help="Prove by induction over K steps.")
    ] = None,
    depth: Annotated[
        int | None,
        Option("--depth", min=0, metavar="N", help="Look for violations in up to N steps."),
    ] = None,
    infer: Annotated[
        bool, Option("--infer", help="Try comparisons of two numbers as lemmas.")
    ] = False,
    max_seconds: Annotated[
        float,
        Option(
            "--max-seconds",
            parser=seconds,
            metavar="S",
            help="Spend at most S on each question of a proof, and on a search in all.",
        ),
    ] = 60.0,
    smt: Annotated[
        Path | None,
        Option("--smt", metavar="DIR", help="Write every question of the proofs as SMT-LIB 2."),
    ] = None,
    find: Annotated[
        str | None,
        Option("--find", metavar="PREDICATE", help="Find a shortest behaviour that reaches this."),
    ] = None,
    start: Annotated[
        str | None,
        Option(
            "--from",
            metavar="PREDICATE",
            help="Search from any state in which this and all invariants hold.",
        ),
    ] = None,
    equal: Annotated[
        tuple[str, str] | None,
        Option("--equal", metavar="ACTION ACTION", help="Ask whether two actions do the same."),
    ] = None,
    examples: Annotated[
        bool, Option("--examples", help="Show the states from which a property is not kept.")
    ] = False,
    no_cache: Annotated[
        bool, Option("--no-cache", help="Decide anew what an earlier run has decided.")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
) -> int:
    """Prove invariants by induction, at the widths that a proof of the specification names.

    If not all can be proved, behaviours of up to `--depth` steps are searched for violations.

    Exit codes: 0 proved, 1 violated, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.verbs.models import choose, read_constants, refuse_unread
    from lockstep.verbs.prove_request import Request, Widths
    from lockstep.workspace import find_workspace

    workspace = find_workspace()
    names = choose(models or [], workspace)
    if not models:
        refuse_unread(workspace)
    _refuse_contradictions(
        {
            "--proof": proof is not None,
            "--scope": scope is not None,
            "--find": find is not None,
            "--from": start is not None,
            "--equal": equal is not None,
            "--any": any_number is not None,
            "--infer": infer,
            "--k": k is not None,
            "--smt": smt is not None,
            "--examples": examples,
        }
    )
    if fault is not None and len(models or []) != 1:
        raise LockstepError("--fault is about one model", cure="name the model before it")
    widths = Widths(proof, scope, read_constants(constants or []), fault)
    is_question = equal is not None or find is not None or start is not None
    if not is_question:
        # Examples are shown of what was decided in this run alone.
        anew = no_cache or examples
        request = Request(
            tuple(names) if models else (),
            widths,
            any_number=any_number,
            k=k,
            depth=depth,
            infer=infer,
            max_seconds=max_seconds,
            smt=smt,
            anew=anew,
        )
        return _prove(workspace, request, examples=examples, as_json=as_json)
    if len(models or []) != 1:
        raise LockstepError(
            "--find, --from and --equal ask about one model", cure="name the model before it"
        )
    from lockstep.verbs.ask import EqualRequest, SearchRequest

    if equal is not None:
        question = EqualRequest(names[0], equal, widths, max_seconds)
        return _compare(workspace, question, as_json=as_json)
    wanted = SearchRequest(names[0], find, start, widths, depth, max_seconds)
    return _search(workspace, wanted, as_json=as_json)


def _refuse_contradictions(options: Mapping[str, bool]) -> None:
    alone = ("--any", "--infer", "--k", "--smt", "--examples")
    apart = {
        "--proof": ("--scope",),
        "--find": ("--equal", *alone),
        "--from": ("--equal", *alone),
        "--equal": alone,
        "--any": ("--k", "--infer"),
    }
    for option, others in apart.items():
        for other in others:
            if options[option] and options[other]:
                raise LockstepError(f"{option} does not go with {other}", cure="leave one out")


def _prove(workspace: Workspace, request: Request, *, examples: bool, as_json: bool) -> int:
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.report.prove_json import prove_json
    from lockstep.report.prove_text import ProofText
    from lockstep.verbs.prove import prove as run_proofs

    output, watch = Output(), TerminalWatch()
    if as_json:
        run = run_proofs(workspace, request, watch=watch)
        output.json(prove_json(request, run))
    else:
        text = ProofText(output, examples=examples)
        run = run_proofs(workspace, request, text.add, watch)
        text.finish(run)
    return run.exit_code


def _search(workspace: Workspace, request: SearchRequest, *, as_json: bool) -> int:
    from lockstep.report.output import Output
    from lockstep.report.prove_ask_json import search_json
    from lockstep.report.prove_ask_text import print_search
    from lockstep.verbs.ask import search

    output, searched = Output(), search(workspace, request)
    if as_json:
        output.json(search_json(searched))
    else:
        print_search(output, searched)
    return searched.exit_code


def _compare(workspace: Workspace, request: EqualRequest, *, as_json: bool) -> int:
    from lockstep.report.output import Output
    from lockstep.report.prove_ask_json import comparison_json
    from lockstep.report.prove_ask_text import print_comparison
    from lockstep.verbs.ask import compare_actions

    output, compared = Output(), compare_actions(workspace, request)
    if as_json:
        output.json(comparison_json(compared))
    else:
        print_comparison(output, compared)
    return compared.exit_code
