"""The engines by the names they have on the command line, and one call that explores with any."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.language.notation import Kind

if TYPE_CHECKING:
    from lockstep.compiled.program import Program
    from lockstep.explore.engine import WatchedEngine
    from lockstep.explore.search import Progress, SearchResult
    from lockstep.language import ir
    from lockstep.language.model import Model

STEPWISE = ("python", "interpreter")
"""The engines that execute one state at a time in Python."""
DEFAULT_ENGINE = "auto"
"""Plain Python for what it explores in no time, machine code for the rest."""
ENGINES = (DEFAULT_ENGINE, "compiled", *STEPWISE)
"""Every name that `explore` takes."""

_TRIAL_SECONDS = 0.2
"""How long `auto` lets plain Python try: less than it takes to load the compiler."""


@dataclass(frozen=True)
class Bounds:
    """Where a search ends before it has seen everything; None is no bound.

    `max_states` distinct states known, `max_seconds` passed, every behaviour of `max_depth` steps
    covered, `memory` bytes resident, the whole process included (for the compiled engine nine
    tenths of what is free by default). With `spill`, a folder, states beyond `memory` go there
    instead.
    """

    max_states: int | None = None
    max_seconds: float | None = None
    max_depth: int | None = None
    memory: int | None = None
    spill: Path | None = None


def explore(
    model: Model,
    engine: str = DEFAULT_ENGINE,
    bounds: Bounds = Bounds(),
    *,
    deadlock_allowed: bool = True,
    threads: int | None = None,
    checkpoint: Path | None = None,
    symmetry: bool = False,
    expected: int = 0,
    liveness: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
) -> SearchResult:
    """Search every reachable state of a model with the engine of that name.

    What must come to pass (`leads_to`) is then checked, by machine code where that explored it,
    unless there are too many states for that: the result is then inconclusive. With `liveness` it
    is checked in more states; see `check_liveness`.

    For the compiled engine: `threads` (one a core unless told), `checkpoint` (a folder for this
    search alone, from which it goes on if it was interrupted), `symmetry` (states that differ only
    by which interchangeable name is which count as one) and `expected` (how many states there
    should be, which saves time if it is right and nothing else).

    The result's `engine` is the one that explored: of `auto`, plain Python also where a model has
    no machine form. `LockstepError` for an unknown engine, for a checkpoint that cannot be used, or
    where the compiled engine is needed and cannot translate the model; `ModelError` where the text
    is not well formed, or goes through more values than any engine can.
    """
    code = _explorable(model)
    safety = model.without(Kind.LEADS_TO)
    result = _explore(
        safety,
        _without_leads_to(code),
        engine,
        bounds,
        deadlock_allowed,
        threads,
        checkpoint,
        symmetry,
        expected,
        on_progress,
    )
    if safety is not model:
        from lockstep.explore.live_search import Request, check_liveness

        request = Request(liveness, bounds.max_seconds, bounds.memory, on_progress)
        check_liveness(model, result, request)
    return result


def _explorable(model: Model) -> ir.ModelCode:
    """The code of a model that can be explored; `ModelError` for any other."""
    from lockstep.language.endless import refuse_endless
    from lockstep.language.frontend import lower

    code = lower(model)
    refuse_endless(model, code)
    return code


def _without_leads_to(code: ir.ModelCode) -> ir.ModelCode:
    """The code of a model without that of what must come to pass."""
    kept = tuple(prop for prop in code.properties if prop.kind is not Kind.LEADS_TO)
    return replace(code, properties=kept)


def _explore(
    model: Model,
    code: ir.ModelCode,
    engine: str,
    bounds: Bounds,
    deadlock_allowed: bool,
    threads: int | None,
    checkpoint: Path | None,
    symmetry: bool,
    expected: int,
    on_progress: Callable[[Progress], None] | None,
) -> SearchResult:
    if engine in STEPWISE:
        if checkpoint is not None or bounds.spill is not None or symmetry:
            what = "knows no symmetry" if symmetry else "keeps all states in memory"
            raise LockstepError(f"the engine {engine} {what}", cure="leave --engine out")
        return _stepwise(make_engine(engine, model), bounds, deadlock_allowed, on_progress)
    if engine not in ENGINES:
        raise _unknown(engine)
    on_disk = checkpoint is not None or bounds.spill is not None
    stepwise_will_do = engine == DEFAULT_ENGINE and not on_disk and not symmetry
    if stepwise_will_do:
        trial = _trial(model, bounds, deadlock_allowed, on_progress)
        if trial is not None:
            return trial
    from lockstep.compiled.layout import NotCompiled
    from lockstep.compiled.program import build_program

    try:
        program = build_program(model, code, symmetry=symmetry)
        return _compiled(
            program, bounds, deadlock_allowed, threads, checkpoint, expected, on_progress
        )
    except NotCompiled as reason:
        if stepwise_will_do:
            plain = make_engine("python", model)
            result = _stepwise(plain, bounds, deadlock_allowed, on_progress)
            result.remark = f"plain Python explored it, for it has no machine code: {reason}"
            return result
        raise LockstepError(
            f"{model.name} has no machine code in this scope: {reason}",
            cure="--engine python explores it, more slowly",
        ) from None


@dataclass(frozen=True)
class Walks:
    """Random behaviours: how many, of up to how many steps each, and the seed they are drawn by."""

    count: int
    steps: int = 200
    seed: int = 0


def simulate(
    model: Model,
    walks: Walks,
    bounds: Bounds = Bounds(),
    *,
    deadlock_allowed: bool = True,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> SearchResult:
    """Take random behaviours of a model; what they find is violated, or else inconclusive.

    `LockstepError` where the model has no machine code.
    """
    from lockstep.compiled.layout import NotCompiled
    from lockstep.compiled.machine import machine_code
    from lockstep.compiled.program import build_program
    from lockstep.explore.parallel.simulation import Simulation
    from lockstep.user_cache import cache_folder

    code = _explorable(model)
    try:
        program = build_program(model.without(Kind.LEADS_TO), _without_leads_to(code))
    except NotCompiled as reason:
        raise LockstepError(
            f"{model.name} has no machine code in this scope: {reason}",
            cure="a smaller scope may have; the state machines of lockstep.testing need none",
        ) from None
    return Simulation(
        program,
        machine_code(program.text, cache_folder() / "compiled"),
        walks=walks.count,
        steps=walks.steps,
        seed=walks.seed,
        threads=threads,
        deadlock_allowed=deadlock_allowed,
        max_seconds=bounds.max_seconds,
        memory=bounds.memory,
        on_progress=on_progress,
    ).run()


def make_engine(name: str, model: Model) -> WatchedEngine:
    """The stepwise engine of that name for one model; `LockstepError` for a name that is none."""
    match name:
        case "python":
            from lockstep.explore.plain import PlainEngine

            return PlainEngine(model)
        case "interpreter":
            from lockstep.explore.interpreter import InterpreterEngine

            return InterpreterEngine(model)
    raise _unknown(name)


def _unknown(name: str) -> LockstepError:
    return LockstepError(
        f"there is no engine {name!r}", cure=f"the engines are: {', '.join(ENGINES)}"
    )


def _stepwise(
    engine: WatchedEngine,
    bounds: Bounds,
    deadlock_allowed: bool,
    on_progress: Callable[[Progress], None] | None,
) -> SearchResult:
    from lockstep.explore.search import Search

    return Search(
        engine,
        deadlock_allowed=deadlock_allowed,
        max_states=bounds.max_states,
        max_seconds=bounds.max_seconds,
        max_depth=bounds.max_depth,
        memory=bounds.memory,
        on_progress=on_progress,
    ).run()


def _trial(
    model: Model,
    bounds: Bounds,
    deadlock_allowed: bool,
    on_progress: Callable[[Progress], None] | None,
) -> SearchResult | None:
    """What plain Python finds in no time; None when it needs longer, or more memory."""
    from lockstep.explore.search import Search

    shortest = bounds.max_seconds is not None and bounds.max_seconds <= _TRIAL_SECONDS
    search = Search(
        make_engine("python", model),
        deadlock_allowed=deadlock_allowed,
        max_states=bounds.max_states,
        max_seconds=bounds.max_seconds if shortest else _TRIAL_SECONDS,
        max_depth=bounds.max_depth,
        memory=bounds.memory,
        on_progress=on_progress,
    )
    result = search.run()
    needs_longer = search.ran_out_of_time and not shortest
    # Machine code takes a hundredth of the memory for a state.
    return None if needs_longer or search.ran_out_of_memory else result


def _compiled(
    program: Program,
    bounds: Bounds,
    deadlock_allowed: bool,
    threads: int | None,
    checkpoint: Path | None,
    expected: int,
    on_progress: Callable[[Progress], None] | None,
) -> SearchResult:
    from lockstep.compiled.machine import machine_code
    from lockstep.explore.parallel.checkpoint import Checkpoint
    from lockstep.explore.parallel.search import ParallelSearch
    from lockstep.explore.parallel.spill import Spill
    from lockstep.user_cache import cache_folder

    with ExitStack() as stack:
        kept = spill = None
        if checkpoint is not None:
            kept = Checkpoint(checkpoint, program, deadlock_allowed=deadlock_allowed)
            stack.enter_context(kept)
        if bounds.spill is not None:
            spill = stack.enter_context(Spill(bounds.spill))
        return ParallelSearch(
            program,
            machine_code(program.text, cache_folder() / "compiled"),
            threads=threads,
            deadlock_allowed=deadlock_allowed,
            max_states=bounds.max_states,
            max_seconds=bounds.max_seconds,
            max_depth=bounds.max_depth,
            memory=bounds.memory,
            checkpoint=kept,
            spill=spill,
            expected=expected,
            on_progress=on_progress,
        ).run()
