"""`lockstep prove`: asks Z3 what holds at the real widths, for behaviours of any length."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from lockstep.cli.proving import Request
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
        float, Option("--max-seconds", min=0, metavar="S", help="For each question to the solver.")
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

    What cannot be proved is looked for in behaviours of up to `--depth` steps.

    Exit codes: 0 proved, 1 violated, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.cli.check import choose, read_constants
    from lockstep.cli.proving import Request
    from lockstep.specs.scopes import load_model_spec
    from lockstep.workspace import find_workspace

    workspace = find_workspace()
    names = choose(models or [], workspace)
    if not models:
        names = [name for name in names if load_model_spec(workspace.root, name).proofs]
    if proof is not None and scope is not None:
        raise LockstepError("--proof does not go with --scope", cure="leave one out")
    request = Request(
        folder=workspace.output / "counterexamples",
        constants=read_constants(constants or []),
        scope=scope,
        fault=fault,
        k=k,
        depth=depth,
        infer=infer,
        max_seconds=max_seconds,
        smt=smt,
    )
    if find is not None or equal is not None:
        if len(names) != 1:
            raise LockstepError(
                "--find and --equal ask about one model", cure="name the model before it"
            )
        from lockstep.cli.asking import ask_equal, ask_find

        if find is not None:
            return ask_find(workspace, names[0], proof, request, find, as_json=as_json)
        assert equal is not None
        return ask_equal(workspace, names[0], proof, request, equal, as_json=as_json)
    return _prove_all(workspace, names, proof, request, examples, as_json)


def _prove_all(
    workspace: Workspace,
    names: list[str],
    wanted: str | None,
    request: Request,
    examples: bool,
    as_json: bool,
) -> int:
    from lockstep.cli.exits import worst
    from lockstep.cli.output import Output
    from lockstep.cli.progress import note_line
    from lockstep.cli.prove_json import prove_json
    from lockstep.cli.prove_text import ProofText
    from lockstep.cli.proving import Proved, Unproved, proofs_of, prove_model
    from lockstep.specs.scopes import load_model_spec

    output = Output()
    text = None if as_json else ProofText(output, workspace.root, request, examples=examples)
    results: list[Proved | Unproved] = []
    for name in names:
        spec = load_model_spec(workspace.root, name)
        for proof in proofs_of(spec, request, wanted):
            with note_line(f"{name} {proof.name}") as tell:
                found = prove_model(workspace, spec, proof, request, tell)
            results.append(found)
            if text is not None:
                text.add(found)
    exit_code = worst(found.exit_code for found in results)
    if text is not None:
        text.finish(results)
    else:
        output.json(prove_json(request, results, exit_code))
    return exit_code
