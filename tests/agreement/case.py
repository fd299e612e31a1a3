"""A model, how far it is explored, what plain Python finds there, and its machine code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from functools import cached_property
from math import prod
from typing import Any
from unittest.mock import patch

from lockstep.explore.engines import explore
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.machine.code.machine import MachineCode, machine_code
from lockstep.machine.code.program import Program, build_program
from lockstep.machine.search import sample, visited
from lockstep.machine.search import search as parallel
from lockstep.machine.search.numbering_search import NumberingSearch
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.space_search import Numbering
from lockstep.machine.search.workers import Allowance
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.plain.space import Limits
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.system.user_cache import cache_folder

MOST_DEPTH = 6
"""Models are explored this far: a bound in steps is the same for every engine."""
MOST_STATES = 3000
"""Models with more states than that so near to the first are explored less far."""
MOST_STEPS = 20_000
"""How many action instances plain Python tries in one search, about: a second's worth."""


@dataclass(frozen=True)
class Case:
    """A model without `leads_to`, and its runs by each engine."""

    model: Model

    @classmethod
    def of(cls, model: Model) -> Case:
        """The case of a model."""
        return cls(model.without(Kind.LEADS_TO))

    @cached_property
    def program(self) -> Program:
        """The model's program; `ModelError` or `NotCompiled` where it has none."""
        return build_program(self.model)

    @cached_property
    def code(self) -> MachineCode:
        """Its machine code, which other processes may have made already."""
        return machine_code(self.program.text, cache_folder() / "compiled")

    @cached_property
    def most_states(self) -> int:
        """How many states plain Python explores in a short time."""
        return max(60, min(MOST_STATES, MOST_STEPS // instances_of(self.model)))

    @property
    def depth(self) -> int:
        """How far the model is explored: while there are not too many states."""
        return self._explored[0]

    @cached_property
    def oracles(self) -> dict[bool, SearchResult]:
        """What plain Python finds where deadlock is allowed, and where it is not."""
        depth, result = self._explored
        return {True: result, False: self.plain(max_depth=depth, deadlock_allowed=False)}

    def plain(self, **options: Any) -> SearchResult:
        """What plain Python finds."""
        return Search(PlainEngine(self.model), exploration(**options)).run()

    def compiled(self, **options: Any) -> SearchResult:
        """What machine code finds."""
        request = exploration(max_depth=self.depth, **options)
        with self._sampled():
            return ParallelSearch(self.program, self.code, request).run()

    def numbered(self, most: int, **options: Any) -> SearchResult:
        """What machine code finds that numbers up to so many states, and then goes on without."""
        request = exploration(max_depth=self.depth, **options)
        numbering = Numbering(self.program, Limits(most))
        with self._sampled():
            return NumberingSearch(self.program, self.code, request, numbering).run()

    def explored(self, **options: Any) -> SearchResult:
        """What `explore` finds with machine code, which is made once for all calls."""
        request = exploration(**{"engine": "compiled", "max_depth": self.depth, **options})
        with (
            patch("lockstep.machine.code.program.build_program", lambda *_, **__: self.program),
            patch("lockstep.explore.compiled.machine_code", lambda *_, **__: self.code),
            self._sampled(),
        ):
            return explore(self.model, request)

    def _sampled(self) -> AbstractContextManager[None]:
        """How long plain Python looks at a sample of a search: long at that of the first one."""
        if self._searched:
            return samples_brief()
        self._searched.append(True)
        return nullcontext()

    @cached_property
    def _searched(self) -> list[bool]:
        return []

    @cached_property
    def _explored(self) -> tuple[int, SearchResult]:
        result = self.plain(max_depth=MOST_DEPTH, max_states=self.most_states)
        is_bounded = result.verdict is Verdict.INCONCLUSIVE
        return (result.depth if is_bounded else MOST_DEPTH), result


def instances_of(model: Model) -> int:
    """How many action instances a state may have."""
    return sum(
        prod(parameter.domain.size() for parameter in action.parameters) for action in model.actions
    )


def exploration(**options: Any) -> Exploration:
    """An exploration whose options and bounds are named side by side."""
    names = {bound.name for bound in fields(Bounds)} & options.keys()
    bounds = Bounds(**{name: options.pop(name) for name in names})
    return Exploration(bounds=bounds, **options)


@contextmanager
def samples_brief() -> Iterator[None]:
    """Plain Python looks at the sample of a search for a tenth of the time.

    More than half of what a judge takes were samples, of the same states in every search.
    """
    with patch.object(sample, "_SECONDS", 0.02):
        yield


@contextmanager
def memory_full() -> Iterator[None]:
    """No search may take more memory than it has at first."""
    with patch.object(Allowance, "allows", lambda *_: False):
        yield


@contextmanager
def tables_small() -> Iterator[None]:
    """The tables of visited states grow from their first states on; else from thousands on."""
    with patch.object(visited, "_FIRST_PLACES", 2):
        yield


@contextmanager
def levels_divided() -> Iterator[None]:
    """Threads share levels of any size, a few states at a time; else they share large ones only."""
    with patch.object(parallel, "_SMALL", 1), patch.object(parallel, "_CHUNK", 16):
        yield
