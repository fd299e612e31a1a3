"""Searches by machine code that number the states, and keep the steps between them."""

from __future__ import annotations

from functools import partial

from lockstep.explore.known_space import Found, KnownSpace, most_numbered, plain_space
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.machine import SOON_STATES, MachineCode, machine_code
from lockstep.machine.code.program import Program
from lockstep.machine.search.numbering_search import NumberingSearch, compiled_parts, packed_pledges
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.space_search import Numbering, PackedStates
from lockstep.plain.exploration import Exploration
from lockstep.plain.space import Limits, Space, Unfinished
from lockstep.system.user_cache import cache_folder


def program_of(model: Model) -> Program:
    """The program of a model, without its `leads_to` where one of those has no machine form.

    `NotCompiled` where anything else has none.
    """
    from lockstep.machine.code.program import build_program

    safety = model.without(Kind.LEADS_TO)
    try:
        return build_program(model)
    except NotCompiled:
        if safety is model:
            raise
    return build_program(safety)


def code_of(program: Program, request: Exploration) -> MachineCode:
    """The machine code of a program, to be explored: soon, where the search may be over soon.

    Better code, if it is needed later, takes memory to be made, of which a bound must know before.
    """
    is_long = (
        request.expected > SOON_STATES or request.is_on_disk or request.bounds.memory is not None
    )
    return machine_code(program.text, cache_folder() / "compiled", soon=not is_long)


def search(model: Model, program: Program, code: MachineCode, request: Exploration) -> Found:
    """What a search of a model finds with its program, or with that of its safety alone."""
    is_whole = program.model is model
    most = most_numbered(model, request, has_code=is_whole)
    limits = Limits.of(request.bounds, most)
    if not most:
        return ParallelSearch(program, code, request).run(), None
    # A search that goes on without steps needs as much again.
    bounded = Limits(most, None if limits.memory is None else limits.memory // 2)
    run = NumberingSearch(program, code, request, Numbering(program, bounded, request.expected))
    result = run.run()
    if run.numbering is None or not result.is_finished:
        return result, None
    try:
        space = run.numbering.space(limits)
    except Unfinished:
        return result, None
    return result, packed_space(program, run.code, space) if is_whole else plain_space(model, space)


def packed_space(program: Program, code: MachineCode, space: Space) -> KnownSpace:
    """A state space by machine code, which says of each state what a `leads_to` says of it."""
    assert isinstance(space.states, PackedStates)
    pledges = partial(packed_pledges, program, code, space.states.words)
    return KnownSpace(space, pledges, parts_of=compiled_parts)
