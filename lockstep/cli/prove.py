"""`lockstep prove`: asks Z3 what holds at the real widths, for behaviours of any length."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from lockstep.cli.options import seconds
from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from lockstep.specs.scopes import ModelSpec, ProofScope
    from lockstep.verbs.prove import Proved, Request, Unproved
    from lockstep.workspace import Workspace


def prove(
    models: Annotated[
        list[str] | None,
        Argument(metavar="MODEL", help="Names of models; all that have proofs unless some given."),
    ] = None,
    proof: Annotated[
        str | None, Option("--proof", metavar="NAME", help="A proof of specs/MODEL.toml.")
    ] = None,
    scope: Annotated[
        str | None, Option("--scope", metavar="NAME", help="A scope instead, with its constants.")
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
        Option("--any", metavar="CONSTANT", help="For any number of the names that it lists."),
    ] = None,
    k: Annotated[
        int | None, Option("--k", min=1, metavar="K", help="Induction over K steps.")
    ] = None,
    depth: Annotated[
        int | None,
        Option("--depth", min=0, metavar="N", help="Look for violations in up to N steps."),
    ] = None,
    infer: Annotated[
        bool, Option("--infer", help="Try comparisons of numbers as helps; those used are shown.")
    ] = False,
    max_seconds: Annotated[
        float,
        Option(
            "--max-seconds",
            parser=seconds,
            metavar="S",
            help="For each question of a proof; for looking for a behaviour, in all.",
        ),
    ] = 60.0,
    smt: Annotated[
        Path | None,
        Option("--smt", metavar="DIR", help="Write every question of the proofs as SMT-LIB 2."),
    ] = None,
    find: Annotated[
        str | None,
        Option(
            "--find", metavar="PREDICATE", help="A shortest behaviour that reaches it: 's.x>3'."
        ),
    ] = None,
    start: Annotated[
        str | None,
        Option(
            "--from",
            metavar="PREDICATE",
            help="Search from any state in which it and all invariants hold, reached or not.",
        ),
    ] = None,
    equal: Annotated[
        tuple[str, str] | None,
        Option("--equal", metavar="ACTION ACTION", help="Whether two actions do the same."),
    ] = None,
    examples: Annotated[
        bool, Option("--examples", help="Show the states from which a property is not kept.")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
) -> int:
    """Prove invariants by induction, at the widths that a proof of the specification names.

    If not all can be proved, behaviours of up to `--depth` steps are searched for violations.

    Exit codes: 0 proved, 1 violated, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.cli.check import choose, read_constants, refuse_unread
    from lockstep.verbs.prove import Request
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
    request = Request(
        folder=workspace.output / "counterexamples",
        constants=read_constants(constants or []),
        scope=scope,
        fault=fault,
        any_number=any_number,
        k=k,
        depth=depth,
        infer=infer,
        max_seconds=max_seconds,
        smt=smt,
    )
    is_search = find is not None or start is not None
    if (is_search or equal is not None) and len(models or []) != 1:
        raise LockstepError(
            "--find, --from and --equal ask about one model", cure="name the model before it"
        )
    from lockstep.prove.solver import ctrl_c_ends_a_question
    from lockstep.verbs.ask import ask_equal, ask_search

    with ctrl_c_ends_a_question():
        if equal is not None:
            return ask_equal(workspace, names[0], proof, request, equal, as_json=as_json)
        if is_search:
            return ask_search(
                workspace, names[0], proof, request, goal=find, start=start, as_json=as_json
            )
        return _prove_all(
            workspace, names, proof, request, examples, as_json, all_named=bool(models)
        )


def _refuse_contradictions(given: dict[str, bool]) -> None:
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
            if given[option] and given[other]:
                raise LockstepError(f"{option} does not go with {other}", cure="leave one out")


def _prove_all(
    workspace: Workspace,
    names: list[str],
    wanted: str | None,
    request: Request,
    examples: bool,
    as_json: bool,
    *,
    all_named: bool,
) -> int:
    from lockstep.report.output import Output
    from lockstep.report.progress import note_line
    from lockstep.report.prove_json import prove_json
    from lockstep.report.prove_text import ProofText
    from lockstep.results.exits import INTERRUPTED, worst
    from lockstep.verbs.prove import Unproved, prove_model

    output = Output()
    text = None if as_json else ProofText(output, workspace.root, examples=examples)
    jobs = _jobs(workspace, names, wanted, request, all_named=all_named)
    left = [
        job.title if isinstance(job, Unproved) else f"{job[0].name} {job[1].name}" for job in jobs
    ]
    results: list[Proved | Unproved] = []
    try:
        for job in jobs:
            if isinstance(job, Unproved):
                found: Proved | Unproved = job
            else:
                with note_line(left[0]) as tell:
                    found = prove_model(workspace, *job, request, tell)
            left.pop(0)
            results.append(found)
            if text is not None:
                text.add(found)
            if found.exit_code == INTERRUPTED:
                break
    except KeyboardInterrupt:
        pass  # while loading: nothing was found that would be lost
    exit_code = worst([*(found.exit_code for found in results), *[INTERRUPTED] * bool(left)])
    if text is not None:
        text.finish(results, left)
    else:
        output.json(prove_json(request, results, left, exit_code))
    return exit_code


def _jobs(
    workspace: Workspace,
    names: list[str],
    wanted: str | None,
    request: Request,
    *,
    all_named: bool,
) -> list[tuple[ModelSpec, ProofScope] | Unproved]:
    """What is to be proved; unless the models are named, those only that have proofs."""
    from lockstep.specs.scopes import load_model_spec
    from lockstep.system.crash import failure_of
    from lockstep.verbs.prove import Unproved, proofs_of, refuse_unknown_names

    jobs: list[tuple[ModelSpec, ProofScope] | Unproved] = []
    for name in names:
        try:
            spec = load_model_spec(workspace.root, name)
            if all_named or spec.proofs:
                proofs = proofs_of(spec, request, wanted)
                refuse_unknown_names(workspace, spec, proofs[0], request)
                jobs += [(spec, proof) for proof in proofs]
        except Exception as error:
            jobs.append(Unproved(name, wanted or request.scope or "", failure_of(error, workspace)))
    if not jobs:
        raise LockstepError(
            "no model here has a proof", cure="write [proofs.NAME] in specs/MODEL.toml, or name one"
        )
    return jobs
