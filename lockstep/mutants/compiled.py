"""Mutants by machine code, of which only the functions that changed are translated."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from lockstep.explore.compiled import search
from lockstep.explore.live_search import check_liveness
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.machine.code.machine import machine_code, quick_code
from lockstep.machine.code.parts import (
    Parts,
    linked_program,
    translate,
)
from lockstep.machine.search.interface import Packed
from lockstep.machine.search.loops import loops_for
from lockstep.machine.search.numbering_search import SpaceSearch
from lockstep.machine.search.space_search import PackedStates
from lockstep.mutants.difference import Difference
from lockstep.mutants.fate import Graph, Observed
from lockstep.plain.exploration import Exploration
from lockstep.plain.space import MOST_STATES, Limits, Space
from lockstep.results.search_result import SearchResult
from lockstep.system.user_cache import cache_folder


@dataclass(frozen=True)
class CompiledModel:
    """A model with its machine code and the result of its search, for its mutants to be held to."""

    model: Model
    parts: Parts
    states: PackedStates
    result: SearchResult

    @classmethod
    def of(cls, model: Model, request: Exploration) -> CompiledModel:
        """Translate and explore a model; `NotCompiled` where it has no machine code."""
        code = lower(model)
        functions = [function.name for function in code.functions]
        translation = translate(model, code, range(len(functions)))
        native = machine_code(translation.text, cache_folder() / "compiled")
        made = translation.parts(native, enumerate(functions))
        count = len(code.actions)
        parts = Parts(
            tuple(made[number] for number in range(count)),
            tuple(made[number] for number in range(count, len(functions))),
            (native,),
        )
        result, space = _explored(model, parts, request)
        if space is None:
            space = _graph(model, parts, Limits.of(request.bounds, MOST_STATES))
        assert isinstance(space.states, PackedStates)
        return cls(model, parts, space.states, result)

    def observe(self, mutant: Model, changes: Difference, request: Exploration) -> Observed:
        """Find out about a mutant; `NotCompiled` where it has no machine code."""
        parts = self._parts(mutant, changes)
        likeness = Graph.OTHER if changes.is_whole else self._graph(mutant, parts, changes.actions)
        if likeness is Graph.SAME and not changes.properties:
            return Observed(self.result, likeness)
        return Observed(_explored(mutant, parts, request)[0], likeness)

    def _parts(self, mutant: Model, changes: Difference) -> Parts:
        """The functions of a mutant: those of the model, but for what changed."""
        code, own = lower(mutant), self.parts
        functions, count = code.functions, len(code.actions)
        changed: Collection[int] = range(len(functions))
        if not changes.is_whole:
            changed = changes.actions | {count + number for number in changes.properties}
        translation = translate(mutant, code, changed)
        native = quick_code(translation.text)
        names = [(number, functions[number].name) for number in changed]
        parts = dict(enumerate((*own.actions, *own.properties)))
        parts |= translation.parts(native, names)
        return Parts(
            tuple(parts[number] for number in range(count)),
            tuple(parts[number] for number in range(count, len(functions))),
            (*own.codes, native),
        )

    def _graph(self, mutant: Model, parts: Parts, changed: Collection[int]) -> Graph:
        """Whether the changed actions take the same steps in every state of the model."""
        if not changed:
            return Graph.SAME
        programs = [
            linked_program(model, functions, changed.__contains__)
            for model, functions in ((self.model, self.parts), (mutant, parts))
        ]
        codes = [quick_code(program.text) for program in programs]
        words, most = programs[0].layout.words, max(1, programs[0].most_successors)
        loops, count = loops_for("graph", words), len(self.states)
        first = 0
        for changes, graph in enumerate((Graph.SAME, Graph.STUTTERS)):
            pair = Packed(
                "pair",
                states=self.states.words,
                expand_at=codes[0].address("expand"),
                other_at=codes[1].address("expand"),
                one=np.zeros(most * words, np.uint64),
                other=np.zeros(most * words, np.uint64),
                labels=np.zeros(most, np.int64),
                other_labels=np.zeros(most, np.int64),
                changes=changes,
            )
            first = loops.first_difference(pair, first, count)
            if first == count:
                return graph
        return Graph.OTHER


def _explored(
    model: Model, parts: Parts, request: Exploration
) -> tuple[SearchResult, Space | None]:
    """The search of a model with its functions, and its graph where that was made."""
    program = linked_program(model, parts)
    code = quick_code(program.text)
    result, known = search(model, program, code, replace(request, threads=1))
    check_liveness(model, result, request, known)
    return result, None if known is None else known.space


def _graph(model: Model, parts: Parts, limits: Limits) -> Space:
    program = linked_program(model, parts)
    return SpaceSearch(program, quick_code(program.text), limits).space()
