"""What liveness asks of a graph, by machine code: what is owed, and where promises are kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lockstep.language.model import Property
from lockstep.language.notation import Kind
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program, all_bindings
from lockstep.machine.search.loops import graph_loops_for, part_loops
from lockstep.machine.search.memory import Array, Packed
from lockstep.plain.fair_parts import Promises, fair_parts
from lockstep.plain.liveness import Pledges
from lockstep.plain.space import Limits, Mask, Space

_STRETCH = 1 << 18
"""States that a search starts from between two looks at the limits."""
_ANSWERS = 1 << 17
"""Answers to a `leads_to` between two looks at the limits."""
_BYTES_A_STATE = 32
"""What is taken for each state."""


def packed_pledges(
    program: Program, code: MachineCode, states: Array, prop: Property, limits: Limits
) -> Pledges:
    """What a `leads_to` of a program says of each packed state, as far as each has an answer.

    `Unfinished` where a limit is met.
    """
    promises = program.model.of_kind(Kind.LEADS_TO)
    bindings = list(all_bindings(prop.parameters))
    words = program.layout.words
    count = len(states) // words
    stretch = min(count, _ANSWERS // len(bindings) + 1)
    answers = [np.zeros(stretch * len(bindings), np.int64) for _ in range(2)]
    questions = Packed(
        "questions",
        states=states,
        pledges_at=code.address(f"pledges.{promises.index(prop)}"),
        bindings=len(bindings),
        premises=answers[0],
        goals=answers[1],
    )
    loops = graph_loops_for(words)
    limits.watch(states.nbytes + 2 * count * len(bindings))
    premise, goal = (np.zeros((len(bindings), count), np.bool_) for _ in range(2))
    for begin in range(0, count, stretch):
        limits.watch()
        end = min(count, begin + stretch)
        stopped = loops.judge_states(questions, begin, end)
        for part, whole in zip(answers, (premise, goal), strict=True):
            whole[:, begin:end] = part.reshape(stretch, -1)[: end - begin].T
        if stopped < end:
            return Pledges(bindings, premise, goal, stopped)
    return Pledges(bindings, premise, goal)


def compiled_parts(
    space: Space, promises: Promises, region: Mask, limits: Limits
) -> NDArray[np.int32]:
    """The largest strongly connected parts of a region in which every promise can be kept.

    For each state the number of the part that it is in, or -1. `Unfinished` where a limit is met.
    """
    if len(promises.is_strong) > 64:  # bits of a word
        return fair_parts(space, promises, region, limits)
    size = len(space.states)
    limits.watch(space.bytes + _BYTES_A_STATE * size)
    keeps = np.zeros(len(space.instances), np.uint64)
    for promise in range(len(promises.is_strong)):
        keeps |= promises.by_label(promise).astype(np.uint64) << np.uint64(promise)
    strong = [is_strong << promise for promise, is_strong in enumerate(promises.is_strong)]
    parts, order = np.full(size, -1, np.int32), region.astype(np.int32) - 1
    search = Packed(
        "parts",
        first=space.first,
        targets=space.targets,
        labels=space.labels,
        keeps=keeps,
        strong=np.array([sum(strong)], np.uint64),
        order=order,
        again=order,
        parts=parts,
        stack=np.zeros(size, np.int32),
        own=np.zeros(size, np.int32),
        cursor=np.zeros(size, np.int64),
        size=size,
        visited=0,
        found=0,
    )
    while (order == 0).any():
        again = np.full(size, -1, np.int32)
        search.set(order=order, again=again, visited=0)
        for begin in range(0, size, _STRETCH):
            limits.watch()
            part_loops().find_parts(search, begin, min(size, begin + _STRETCH))
        order = again
    return parts
