"""`lockstep check`: explores every reachable state and checks everything that must hold there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from lockstep.cli.options import MOST_THREADS, seconds
from lockstep.errors import LockstepError, nearest
from lockstep.plain.exploration import DEFAULT_ENGINE, ENGINES

if TYPE_CHECKING:
    from lockstep.specs.tables import Plain
    from lockstep.verbs.check import Checked, Omitted, Request, Unchecked
    from lockstep.workspace import Workspace


def check(
    models: Annotated[
        list[str] | None,
        Argument(metavar="MODEL", help="Names of models; all of them unless some are given."),
    ] = None,
    scope: Annotated[
        str | None, Option("--scope", metavar="NAME", help="A scope of specs/MODEL.toml.")
    ] = None,
    engine: Annotated[
        str, Option("--engine", metavar="|".join(ENGINES), help="What executes the models.")
    ] = DEFAULT_ENGINE,
    constants: Annotated[
        list[str] | None,
        Option(
            "--set", metavar="NAME=VALUE", help="Change a constant; nothing pinned is compared."
        ),
    ] = None,
    max_states: Annotated[
        int | None, Option("--max-states", min=1, metavar="N", help="Stop at N states.")
    ] = None,
    max_seconds: Annotated[
        float | None,
        Option("--max-seconds", parser=seconds, metavar="S", help="Stop after S seconds."),
    ] = None,
    memory: Annotated[
        str | None,
        Option(
            "--memory",
            metavar="SIZE",
            help="Stop before more is in memory, such as 8GiB [nine tenths of what is free].",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        Option(
            "--threads",
            min=1,
            max=MOST_THREADS,
            metavar="N",
            help="Search by N threads [all cores].",
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        Option(
            "--checkpoint",
            metavar="DIR",
            help="Keep the search there, level by level; go on with what is there already.",
        ),
    ] = None,
    spill: Annotated[
        Path | None,
        Option(
            "--spill",
            metavar="DIR",
            help="Keep states there, too, beyond --memory; the folder is as empty afterwards.",
        ),
    ] = None,
    symmetry: Annotated[
        bool,
        Option("--symmetry", help="Take states for one that differ by interchangeable names only."),
    ] = False,
    liveness: Annotated[
        bool,
        Option("--liveness", help="Insist on what must come to pass, in larger scopes, too."),
    ] = False,
    walks: Annotated[
        int | None,
        Option("--simulate", min=1, metavar="N", help="Take N random behaviours instead of all."),
    ] = None,
    steps: Annotated[
        int,
        Option(
            "--steps", min=1, max=10**7, metavar="N", help="Of up to N steps each, with --simulate."
        ),
    ] = 200,
    seed: Annotated[
        int,
        Option("--seed", min=0, max=2**63 - 1, metavar="N", help="Draws others, with --simulate."),
    ] = 0,
    fault: Annotated[
        str | None,
        Option("--fault", metavar="NAME", help="Put one of the model's faults in place."),
    ] = None,
    faults: Annotated[
        bool, Option("--faults", help="Run every fault; each must do what it says it does.")
    ] = False,
    matrix: Annotated[
        bool, Option("--matrix", help="Print each requirement and what answers it.")
    ] = False,
    save: Annotated[
        Path | None,
        Option("--save", metavar="DIR", help="Where to save traces [.lockstep/counterexamples]."),
    ] = None,
    pytest: Annotated[
        bool, Option("--pytest", help="Print each counterexample as a test to paste, too.")
    ] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Say how often each action fired.")
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
) -> int:
    """Explore every reachable state and check what must hold.

    Exit codes: 0 everything holds, 1 something is violated, 2 the input cannot be used,
    3 not conclusive, 130 interrupted.
    """
    from lockstep.plain.exploration import Walks
    from lockstep.verbs.check import Omitted, Request, usual_scope
    from lockstep.workspace import find_workspace

    workspace = find_workspace()
    names = choose(models or [], workspace)
    _refuse_contradictions(
        names,
        {
            "--faults": faults,
            "--matrix": matrix,
            "--fault": fault is not None,
            "--scope": scope is not None,
            "--set": bool(constants),
            "--pytest": pytest,
            "--checkpoint": checkpoint is not None,
            "--simulate": walks is not None,
            "--symmetry": symmetry,
            "--liveness": liveness,
        },
    )
    if engine not in ENGINES:
        raise LockstepError(
            f"there is no engine {engine!r}", cure=f"the engines are: {', '.join(ENGINES)}"
        )
    if matrix:
        from lockstep.report.matrix import print_matrix

        return print_matrix(workspace, names, every_file=not models, as_json=as_json)
    request = Request(
        scope=scope or usual_scope(workspace, names, fault),
        engine=engine,
        folder=save or workspace.output / "counterexamples",
        max_states=max_states,
        max_seconds=max_seconds,
        constants=read_constants(constants or []),
        fault=fault,
        memory=None if memory is None else parse_size(memory),
        spill=spill,
        threads=threads,
        checkpoint=checkpoint,
        symmetry=symmetry,
        liveness=liveness,
        walks=None if walks is None else Walks(walks, steps, seed),
    )
    if faults:
        from lockstep.report.faults import run_faults

        return run_faults(workspace, names, request, saves=save is not None, as_json=as_json)
    omitted = Omitted(list(names), [] if models else workspace.unused())
    return _check_all(workspace, omitted, request, verbose, pytest, as_json)


def choose(given: Sequence[str], workspace: Workspace) -> list[str]:
    """The models meant: those given, or all; `LockstepError` suggesting the nearest for a typo."""
    known = workspace.models()
    if not known:
        raise LockstepError(
            f"the workspace {workspace.name} ({workspace.root}) has no models",
            cure="write one in models/: a class derived from State, and actions",
        )
    for name in given:
        if name not in known:
            raise LockstepError(
                f"there is no model {name!r}",
                cure=nearest(name, known, f"the models are: {', '.join(known)}"),
            )
    return list(dict.fromkeys(given)) or known


def refuse_unread(workspace: Workspace) -> None:
    """`LockstepError` where claims, faults or scopes are in files that nothing reads."""
    from lockstep.report.output import shown_path

    files = [file for file in workspace.unused() if file.is_mistake]
    if files:
        lines = "; ".join(f"{shown_path(file.file)}: {file.why}" for file in files)
        raise LockstepError(
            f"not read: {lines}", cure="rename it, remove it, or name the models that are meant"
        )


def _check_all(
    workspace: Workspace,
    omitted: Omitted,
    request: Request,
    verbose: bool,
    pytest: bool,
    as_json: bool,
) -> int:
    from lockstep.report.check_json import check_json
    from lockstep.report.check_text import TextReport
    from lockstep.report.output import Output
    from lockstep.results.exits import INTERRUPTED, worst
    from lockstep.verbs.check import check_model

    output = Output()
    report = None
    if not as_json:
        names = omitted.models
        report = TextReport(output, workspace.root, names, request, verbose=verbose, pytest=pytest)
    results: list[Checked | Unchecked] = []
    try:
        for name in list(omitted.models):
            found = check_model(workspace, name, request)
            omitted.models.remove(name)
            results.append(found)
            if report is not None:
                report.add(found)
            if found.exit_code == INTERRUPTED:
                break
    except KeyboardInterrupt:
        pass  # while loading: nothing was found that would be lost
    exit_code = worst([*(found.exit_code for found in results), omitted.exit_code])
    if report is not None:
        report.finish(results, omitted)
    else:
        output.json(check_json(request, results, omitted, exit_code, pytest=pytest))
    return exit_code


_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?)\s*([KMGT]i?)?B?", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes of a size such as `8GiB`, `500M` or `1.5 GB`; KB and MB count by thousands."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise LockstepError(f"--memory {text!r} is no size", cure="write it as 8GiB or 500MB")
    number, unit = float(found[1]), (found[2] or "").upper()
    power = " KMGT".index(unit[0]) if unit else 0
    return int(number * (1024 if unit.endswith("I") else 1000) ** power)


def read_constants(given: Sequence[str]) -> dict[str, Plain]:
    """What `--set NAME=VALUE` sets; LockstepError for what is not so written."""
    from lockstep.specs.tables import parse_plain

    constants: dict[str, Plain] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise LockstepError(f"--set {text!r} sets nothing", cure="write --set NAME=VALUE")
        if name.strip() in constants:
            raise LockstepError(f"--set gives {name.strip()} two values", cure="leave one out")
        constants[name.strip()] = parse_plain(value.strip())
    return constants


def _refuse_contradictions(names: Sequence[str], given: dict[str, bool]) -> None:
    alone = {
        "--matrix": (
            "--faults",
            "--fault",
            "--scope",
            "--set",
            "--pytest",
            "--checkpoint",
            "--simulate",
            "--liveness",
        ),
        "--simulate": ("--checkpoint", "--symmetry", "--liveness"),
        "--faults": (
            "--fault",
            "--scope",
            "--set",
            "--pytest",
            "--checkpoint",
            "--simulate",
            "--symmetry",
        ),
    }
    for option, others in alone.items():
        for other in others:
            if given[option] and given[other]:
                raise LockstepError(f"{option} does not go with {other}", cure="leave one out")
    if given["--fault"] and len(names) != 1:
        raise LockstepError("--fault is a fault of one model", cure="name the model before it")
