"""Liveness after a search that found nothing wrong: each `leads_to`, over the whole state space."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lockstep.explore.known_space import KnownSpace, most_states, plain_space
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Exploration
from lockstep.plain.lasso import unfulfilled_bindings
from lockstep.plain.liveness import find_unfulfilled
from lockstep.plain.run import PlainEngine, walked
from lockstep.plain.shortest_lasso import MOST_A_LEVEL, MOST_NODES, Lassos
from lockstep.plain.simplest import TooMany, simplest_lasso
from lockstep.plain.space import Limits, Space, Unfinished, build_space
from lockstep.results.search_result import (
    EvaluationError,
    SearchResult,
    Violation,
    add_remark,
    report_error,
    report_unfulfilled,
)
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.words import plural


def check_liveness(
    model: Model,
    result: SearchResult,
    request: Exploration = Exploration(),
    known: KnownSpace | None = None,
) -> None:
    """Add to the result of a search whether each `leads_to` of the model holds.

    Where that is not known the result is inconclusive.

    If the search found everything and nothing wrong, and its space is not `known`, it is made by
    plain Python or by machine code, as the search was; by plain Python where a `leads_to` has no
    machine code.
    """
    properties = model.of_kind(Kind.LEADS_TO)
    if not properties:
        return
    result.unchecked = tuple(prop.name for prop in properties)
    if result.verdict is not Verdict.HOLDS:
        return
    started = time.perf_counter()
    try:
        maker = None
        if known is None and result.engine != "python":
            maker = compiled_spaces(model, request)
        has_code = maker is not None if known is None else known.has_code
        limit = most_states(request, has_code=has_code)
        if result.states > limit:
            raise Unfinished(f"{plural(result.states, 'state')}, more than {limit:,}")
        limits = Limits.of(request.bounds, limit, started - result.seconds)
        if known is None:
            known = _plain(model, request, limits) if maker is None else maker(limits)
        _decide(model, known, result, limits, request.environment)
    except Unfinished as unfinished:
        is_beyond = not (request.liveness or unfinished.as_bounded)
        _leave(result, str(unfinished), cure="; --liveness insists" if is_beyond else "")
    except KeyboardInterrupt:
        result.interrupted = True
        _leave(result, "interrupted")
    except MemoryError:
        result.out_of_memory = True
        _leave(result, "the memory is full")
    result.seconds += time.perf_counter() - started


def space_of(model: Model, limits: Limits, request: Exploration = Exploration()) -> Space:
    """The state space of a model; `Unfinished` where a limit is met.

    Of the request, the engine, the known spaces and who looks on at the progress are heeded.
    """
    spaces = request.spaces
    space = None if spaces is None else spaces.find(model)
    if space is None:
        bare = replace(model, properties=())
        maker = None if request.engine == "python" else compiled_spaces(bare, request)
        if spaces is not None:
            spaces.explorations.append(model.name)
        space = (_plain(bare, request, limits) if maker is None else maker(limits)).space
        if spaces is not None:
            spaces.keep(model, space)
    return space


def _plain(model: Model, request: Exploration, limits: Limits) -> KnownSpace:
    return plain_space(model, build_space(model, limits, on_progress=request.on_progress))


def packed_claims(model: Model, space: Space) -> KnownSpace | None:
    """A space that machine code made, with that of some `leads_to`; None where there is none."""
    from lockstep.explore.compiled import packed_space
    from lockstep.machine.code.layout import NotCompiled
    from lockstep.machine.code.machine import machine_code
    from lockstep.machine.code.program import build_program
    from lockstep.system.user_cache import cache_folder

    if isinstance(space.states, list):
        return None
    try:
        program = build_program(model)
    except NotCompiled:
        return None
    return packed_space(program, machine_code(program.text, cache_folder() / "compiled"), space)


def compiled_spaces(model: Model, request: Exploration) -> Callable[[Limits], KnownSpace] | None:
    """What makes the state space with machine code; None when the model has none."""
    from lockstep.explore.compiled import code_of, packed_space
    from lockstep.machine.code.layout import NotCompiled
    from lockstep.machine.code.program import build_program
    from lockstep.machine.search.numbering_search import SpaceSearch

    try:
        program = build_program(model)
    except NotCompiled:
        return None

    def build(limits: Limits) -> KnownSpace:
        run = SpaceSearch(
            program, code_of(program, request), limits, on_progress=request.on_progress
        )
        space = run.space()
        return packed_space(program, run.code, space)

    return build


def _decide(
    model: Model,
    known: KnownSpace,
    result: SearchResult,
    limits: Limits,
    environment: frozenset[str] | None,
) -> None:
    violations: list[Violation] = []
    space = known.space
    for prop in model.of_kind(Kind.LEADS_TO):
        pledges = known.pledges_of(prop, limits)
        if pledges.unanswered is not None:
            error = _error_at(model, space, prop, pledges.unanswered)
            report_error(result, error, space.trace(space.way_to(pledges.unanswered)))
            return
        if pledges.premise.any():
            result.applied.add(prop.name)
        unfulfilled = find_unfulfilled(space, prop, pledges, limits, known.parts_of)
        if unfulfilled is not None:
            trace, remarks = _behaviour(model, space, unfulfilled.lassos, environment)
            for remark in remarks:
                add_remark(result, f"{prop.name}: {remark}")
            _replay(model, prop, unfulfilled.parameters, trace)
            violations.append(Violation((prop.name,), unfulfilled.parameters, trace))
    result.unchecked = ()
    if violations:
        report_unfulfilled(result, tuple(violations))


def _error_at(model: Model, space: Space, prop: Property, state: int) -> EvaluationError:
    """Why a property has no value in a state."""
    try:
        for _ in PlainEngine(model).pledges(prop, space.states[state]):
            pass
    except EvaluationError as error:
        return error
    raise Disagreement(f"plain Python has a value for {prop.name} in {space.states[state]}")


def _behaviour(
    model: Model,
    space: Space,
    lassos: Lassos,
    environment: frozenset[str] | None,
) -> tuple[Trace, list[str]]:
    """The simplest of some behaviours, or any of them; and why it may not be the simplest."""
    remarks = []
    if not lassos.is_shortest:
        remarks.append(
            f"its cycle may not be a shortest one: more than {MOST_NODES:,} ways to repeat"
        )
    if lassos.is_cut:
        remarks.append(f"it may not be the simplest: more than {MOST_A_LEVEL:,} states are as near")
    if environment is not None:
        try:
            return simplest_lasso(PlainEngine(model), space, lassos, environment), remarks
        except (TooMany, KeyboardInterrupt) as bound:
            remarks.append(f"it may not be the simplest: {str(bound) or 'interrupted'}")
    return space.trace(lassos.first(), lassos.stem), remarks


def _replay(model: Model, prop: Property, parameters: tuple[Any, ...], behaviour: Trace) -> None:
    """Take a behaviour again in plain Python, and judge it; `Disagreement` where that differs."""
    engine = PlainEngine(model)
    trace = walked(engine, behaviour)
    if parameters not in unfulfilled_bindings(engine, prop, trace):
        raise Disagreement(f"{prop.name} is not broken in plain Python along {trace.states}")


def _leave(result: SearchResult, why: str, *, cure: str = "") -> None:
    """Say what is not known: a property that was not checked does not hold."""
    result.verdict = Verdict.INCONCLUSIVE
    result.because = f"liveness not checked ({why}): {', '.join(result.unchecked)}{cure}"
