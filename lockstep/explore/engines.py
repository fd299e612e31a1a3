"""Explores a model with the engine that the request names, or with the one that suits it."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError, unknown
from lockstep.language.notation import Kind
from lockstep.plain.exploration import ENGINES, Exploration, Walks
from lockstep.plain.supervision import Bound

if TYPE_CHECKING:
    from lockstep.explore.known_space import Found
    from lockstep.language.model import Model
    from lockstep.machine.code.layout import NotCompiled
    from lockstep.results.search_result import SearchResult

_TRIAL_SECONDS = 0.2
"""How long `auto` lets plain Python try: less than it takes to load the compiler."""


def explore(model: Model, request: Exploration = Exploration()) -> SearchResult:
    """Search every reachable state of a model.

    What must come to pass (`leads_to`) is then checked in the space that the search made, unless
    there are too many states for that: the result is then inconclusive.

    The result's `engine` is the one that explored: of `auto`, plain Python also where a model has
    no machine form. `LockstepError` for an unknown engine, for a checkpoint that cannot be used, or
    where the compiled engine is needed and cannot translate the model; `ModelError` where the text
    is not well formed, or goes through more values than any engine can.
    """
    _refuse_unexplorable(model)
    if request.spaces is not None:
        request.spaces.explorations.append(model.name)
    result, known = _explore(model, request)
    if known is not None and request.spaces is not None:
        request.spaces.keep(model, known.space)
    if model.of_kind(Kind.LEADS_TO):
        from lockstep.explore.live_search import check_liveness

        check_liveness(model, result, request, known)
    return result


def simulate(model: Model, walks: Walks, request: Exploration = Exploration()) -> SearchResult:
    """Take random behaviours of a model; what they find is violated, or else inconclusive.

    `LockstepError` where the model has no machine code.
    """
    from lockstep.machine.code.layout import NotCompiled
    from lockstep.machine.code.machine import machine_code
    from lockstep.machine.code.program import build_program
    from lockstep.machine.search.simulation import Simulation
    from lockstep.system.user_cache import cache_folder

    _refuse_unexplorable(model)
    try:
        program = build_program(model.without(Kind.LEADS_TO))
    except NotCompiled as reason:
        cure = "a smaller scope may have; the state machines of lockstep.testing need none"
        raise _without_machine_code(model, reason, cure) from None
    native = machine_code(program.text, cache_folder() / "compiled")
    return Simulation(program, native, walks, request).run()


def _refuse_unexplorable(model: Model) -> None:
    """`ModelError` for a model that is not well formed, or goes through too many values."""
    from lockstep.language.frontend import lower
    from lockstep.language.totality import refuse_endless

    refuse_endless(model, lower(model))


def _explore(model: Model, request: Exploration) -> Found:
    match request.engine:
        case "python":
            if request.is_on_disk or request.symmetry:
                what = "knows no symmetry" if request.symmetry else "keeps all states in memory"
                raise LockstepError(f"the engine python {what}", cure="leave --engine out")
            return _plain(model, request)
        case "compiled":
            return _compiled(model, request)
        case "spark":
            return _on_spark(model.without(Kind.LEADS_TO), request), None
        case "auto":
            if request.is_on_disk or request.symmetry:
                return _compiled(model, request)
            return _trial(model, request) or _compiled_or_plain(model, request)
    name = request.engine
    raise unknown(f"there is no engine {name!r}", name, ENGINES, "the engines are")


def _plain(model: Model, request: Exploration) -> Found:
    found = _search(model, request)
    assert found is not None
    return found


def _trial(model: Model, request: Exploration) -> Found | None:
    """What plain Python finds in no time; None when it needs longer, or more memory."""
    bounds = request.bounds
    shortest = bounds.max_seconds is not None and bounds.max_seconds <= _TRIAL_SECONDS
    if shortest:
        return _search(model, request, or_else=(Bound.MEMORY,))
    trial = replace(request, bounds=replace(bounds, max_seconds=_TRIAL_SECONDS))
    # Machine code takes a hundredth of the memory for a state.
    return _search(model, trial, or_else=(Bound.SECONDS, Bound.MEMORY))


def _search(model: Model, request: Exploration, or_else: Collection[Bound] = ()) -> Found | None:
    """What plain Python finds; None where it meets one of some bounds."""
    from lockstep.plain.run import PlainEngine
    from lockstep.plain.search import Search
    from lockstep.plain.simplest import simplify

    engine, recorder = PlainEngine(model), None
    if model.of_kind(Kind.LEADS_TO) or request.spaces is not None:
        from lockstep.explore.known_space import most_numbered, plain_space
        from lockstep.plain.space import Recorder

        recorder = Recorder(model, most_numbered(model, request, has_code=False))
    search = Search(engine, request, on_state=None if recorder is None else recorder.visit)
    result = search.run()
    if search.met in or_else:
        return None
    if request.environment is not None:
        simplify(result, engine, request.environment)
    space = recorder.space() if recorder is not None and result.is_finished else None
    return result, None if space is None else plain_space(model, space)


def _compiled_or_plain(model: Model, request: Exploration) -> Found:
    from lockstep.machine.code.layout import NotCompiled

    try:
        return _run(model, request)
    except NotCompiled as reason:
        result, known = _plain(model, request)
        why = f"plain Python explored it, for it has no machine code: {reason}"
        result.remark = "; ".join(filter(None, (why, result.remark)))
        return result, known


def _compiled(model: Model, request: Exploration) -> Found:
    from lockstep.machine.code.layout import NotCompiled

    try:
        return _run(model, request)
    except NotCompiled as reason:
        raise _without_machine_code(model, reason) from None


def _on_spark(model: Model, request: Exploration) -> SearchResult:
    from lockstep.machine.code.layout import NotCompiled
    from lockstep.machine.code.program import build_program
    from lockstep.plain.simplest import tell_it_is_any
    from lockstep.spark.search.search import explore_on_spark

    try:
        result = explore_on_spark(build_program(model, symmetry=request.symmetry), request)
    except NotCompiled as reason:
        raise _without_machine_code(model, reason) from None
    if request.environment is not None and result.violation is not None:
        tell_it_is_any(result, "states are on a cluster")
    return result


def _without_machine_code(
    model: Model, reason: NotCompiled, cure: str = "--engine python explores it, more slowly"
) -> LockstepError:
    return LockstepError(f"{model.name} has no machine code in this scope: {reason}", cure=cure)


def _run(model: Model, request: Exploration) -> Found:
    """What machine code finds; `NotCompiled` where the model has none."""
    from lockstep.explore.compiled import code_of, program_of, search
    from lockstep.machine.code.program import build_program
    from lockstep.machine.search.checkpoint import Checkpoint
    from lockstep.machine.search.search import ParallelSearch
    from lockstep.machine.search.state_file import Spill

    keeps_steps = bool(model.of_kind(Kind.LEADS_TO)) or request.spaces is not None
    if keeps_steps and not (request.is_on_disk or request.symmetry):
        program = program_of(model)
        return search(model, program, code_of(program, request), request)
    program = build_program(model.without(Kind.LEADS_TO), symmetry=request.symmetry)
    with ExitStack() as stack:
        checkpoint = spill = None
        if request.checkpoint is not None:
            allowed = request.deadlock_allowed
            checkpoint = stack.enter_context(
                closing(Checkpoint(request.checkpoint, program, deadlock_allowed=allowed))
            )
        if request.bounds.spill is not None:
            spill = stack.enter_context(closing(Spill(request.bounds.spill)))
        code = code_of(program, request)
        run = ParallelSearch(program, code, request, checkpoint=checkpoint, spill=spill)
        return run.run(), None
