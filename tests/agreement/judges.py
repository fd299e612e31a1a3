"""The judges of one random model: each is one way to run it.

A judge raises `AssertionError` at a difference from plain Python, and `NotCompiled` where a model
has no machine code. What it came by is counted: a judge that never meets what it judges is none.
"""

from __future__ import annotations

import random
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from unittest.mock import patch

from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.machine import machine_code
from lockstep.machine.code.program import build_program
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.state_file import Spill
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.search import Search
from lockstep.results.search_result import SearchResult
from tests.agreement.bounds import assert_bounded
from tests.agreement.bounds import bounds as bounds_of
from tests.agreement.case import (
    Case,
    exploration,
    levels_divided,
    memory_full,
    samples_brief,
    tables_small,
)
from tests.agreement.interruption import assert_damage_is_refused, interrupted, killed
from tests.agreement.orbits import assert_counts_orbits
from tests.agreement.promises import assert_comes_to_pass
from tests.agreement.summary import assert_takes_place, summary
from tests.agreement.walks import assert_walks_take_place
from tests.interpreter.interpreter import InterpreterEngine
from tests.random_models.pool import Sample
from tests.random_models.random_models import RandomModel


@dataclass
class Judged:
    """One random model before its judges, in a folder of its own; `counts` is what they saw."""

    text: RandomModel
    folder: Path
    counts: Counter[str] = field(default_factory=Counter)

    @cached_property
    def model(self) -> Model:
        """The model; `ModelError` where its text is refused."""
        model = self.text.load(self.folder)
        lower(model)
        return model

    @cached_property
    def case(self) -> Case:
        """The model without what must come to pass."""
        return Case.of(self.model)

    @classmethod
    def of(cls, sample: Sample, counts: Counter[str]) -> Judged:
        """A model of the pool, which is loaded, translated and explored once for all judges."""
        judged = cls(sample.text, sample.folder, counts)
        judged.model, judged.case = sample.model, sample.case
        return judged

    def chance(self) -> random.Random:
        """The same random numbers for the same text."""
        return random.Random(zlib.crc32(repr(self.text).encode()))


Judge = Callable[[Judged], None]


def threads(judged: Judged) -> None:
    """One thread, several, and eight that share every level; deadlock allowed and forbidden.

    And one that numbers the states, to the end, for some levels, or for none.
    """
    case = judged.case
    for allowed, oracle in case.oracles.items():
        for count in (1, 2, 8):
            with levels_divided():
                result = case.compiled(threads=count, deadlock_allowed=allowed)
            assert summary(result) == summary(oracle), count
            assert_takes_place(case.model, result)
        for most in (oracle.states, oracle.states // 2, 0):
            with levels_divided():
                result = case.numbered(most, deadlock_allowed=allowed, threads=2)
            assert summary(result) == summary(oracle), most
            assert_takes_place(case.model, result)
        judged.counts["deadlocks forbidden and found"] += not allowed and bool(oracle.deadlocks)
    judged.counts["violated"] += case.oracles[True].violation is not None
    judged.counts["without a value"] += case.oracles[True].error is not None
    judged.counts["held to the end"] += case.oracles[True].verdict == "holds"


def unbroken(judged: Judged) -> None:
    """The same without the claims that are broken, so that a search goes on past them."""
    case = judged.case
    while (violation := case.oracles[True].violation) is not None:
        broken = violation.properties
        kept = tuple(prop for prop in case.model.properties if prop.name not in broken)
        case = Case(replace(case.model, properties=kept))
    if case is not judged.case:
        further = Judged(judged.text, judged.folder)
        further.case = case
        threads(further)
        judged.counts["explored past violations"] += 1


def interpreter(judged: Judged) -> None:
    """The engine that executes the intermediate representation."""
    case = judged.case
    for allowed, oracle in case.oracles.items():
        engine = InterpreterEngine(case.model)
        result = Search(
            engine, Exploration(bounds=Bounds(max_depth=case.depth), deadlock_allowed=allowed)
        ).run()
        assert summary(result) == summary(oracle)


def symmetry(judged: Judged) -> None:
    """States that differ by interchangeable names only count as one: as many as brute force has."""
    groups = assert_counts_orbits(judged.case)
    judged.counts["names interchanged"] += groups > 0


def checkpoints(judged: Judged) -> None:
    """A search that is stopped, or ends in the middle of a write, goes on to the same result."""
    case, chance = judged.case, judged.chance()
    oracle = case.oracles[True]
    with tempfile.TemporaryDirectory(dir=judged.folder) as name:
        folder = Path(name) / "checkpoint"
        stop = chance.randint(0, max(0, oracle.depth - 1))
        case.explored(max_depth=stop, checkpoint=folder, threads=1)
        judged.counts["damaged checkpoints refused"] += assert_damage_is_refused(case, folder)
        judged.counts["interrupted in a write"] += interrupted(case, folder, chance)
        _goes_on(case, folder, oracle)


def kills(judged: Judged) -> None:
    """A process that is killed at any moment leaves a checkpoint that goes on to the same."""
    case, chance = judged.case, judged.chance()
    with tempfile.TemporaryDirectory(dir=judged.folder) as name:
        folder = Path(name) / "checkpoint"
        judged.counts["killed while it explored"] += killed(case, folder, chance)
        judged.counts["killed with levels kept"] += any(folder.glob("*.json"))
        _goes_on(case, folder, case.oracles[True], threads=(8,))


def _goes_on(
    case: Case, folder: Path, oracle: SearchResult, threads: tuple[int, ...] = (1, 8)
) -> None:
    """The search in a folder ends as one that was never interrupted, each time."""
    for count in threads:
        with levels_divided():
            result = case.explored(checkpoint=folder, threads=count)
        assert summary(result) == summary(oracle)
        assert_takes_place(case.model, result)


def spill(judged: Judged) -> None:
    """No memory to speak of: tables and levels are in files, of which nothing is left."""
    case, tables = judged.case, list[int]()
    real = Spill.zeros

    def counted(self: Spill, words: int) -> object:
        tables.append(words)
        return real(self, words)

    for allowed, oracle in case.oracles.items():
        with tempfile.TemporaryDirectory(dir=judged.folder) as name, levels_divided():
            with memory_full(), tables_small(), patch.object(Spill, "zeros", counted):
                result = case.explored(spill=Path(name), deadlock_allowed=allowed, threads=2)
            assert list(Path(name).iterdir()) == []
        assert summary(result) == summary(oracle)
        assert_takes_place(case.model, result)
    judged.counts["tables on disk"] += bool(tables)


def bounds(judged: Judged) -> None:
    """A bound on states: the same counts in the same words, however the states are explored."""
    case, chance = judged.case, judged.chance()
    whole = case.oracles[True]
    symmetric = build_program(case.model, symmetry=True)
    is_same = symmetric.text == case.program.text
    code = case.code if is_same else machine_code(symmetric.text, None)

    def in_orbits(most: int) -> SearchResult:
        return ParallelSearch(
            symmetric, code, exploration(max_depth=case.depth, max_states=most, threads=2)
        ).run()

    for most in bounds_of(whole, chance):
        with tempfile.TemporaryDirectory(dir=judged.folder) as name, levels_divided():
            folder = Path(name)

            def on_disk(most: int, folder: Path = folder) -> SearchResult:
                with memory_full(), tables_small():
                    return case.explored(spill=folder, max_states=most, threads=2)

            def kept(most: int, folder: Path = folder / "checkpoint") -> SearchResult:
                case.explored(checkpoint=folder, max_states=max(1, most // 2), threads=1)
                return case.explored(checkpoint=folder, max_states=most, threads=8)

            result = assert_bounded(
                whole,
                most,
                lambda most: case.plain(max_depth=case.depth, max_states=most),
                lambda most: case.compiled(max_states=most, threads=1),
                lambda most: case.compiled(max_states=most, threads=8),
                lambda most: case.explored(engine="auto", max_states=most),
                on_disk,
                kept,
            )
            assert_takes_place(case.model, result)
            judged.counts["bounded"] += result.states < whole.states
            judged.counts["not bounded"] += result.states == whole.states
    orbits = in_orbits(10**9)
    for most in bounds_of(orbits, chance):
        with samples_brief():
            assert_bounded(orbits, most, in_orbits)
        judged.counts["orbits bounded"] += most < orbits.states < whole.states


def faults(judged: Judged) -> None:
    """With each of its faults in place the model is another one, and the same to all engines."""
    for name in judged.text.fault_names:
        faulty = Judged(judged.text, judged.folder)
        with suppress(ModelError, NotCompiled):
            faulty.model = judged.text.load(judged.folder, name)
            threads(faulty)
            interpreter(faulty)
            judged.counts["faults"] += 1
            judged.counts["faults that change something"] += summary(
                faulty.case.oracles[True]
            ) != summary(judged.case.oracles[True])


def simulation(judged: Judged) -> None:
    """Random walks are behaviours of plain Python, and break nothing but what they say."""
    judged.counts["walks"] += assert_walks_take_place(judged.case)


def liveness(judged: Judged) -> None:
    """What must come to pass, against all sets of states to go round in for ever."""
    if judged.model.of_kind(Kind.LEADS_TO):
        judged.counts.update(assert_comes_to_pass(judged.model))


JUDGES: dict[str, Judge] = {
    "threads": threads,
    "unbroken": unbroken,
    "interpreter": interpreter,
    "symmetry": symmetry,
    "checkpoints": checkpoints,
    "kills": kills,
    "spill": spill,
    "bounds": bounds,
    "faults": faults,
    "simulation": simulation,
    "liveness": liveness,
}
"""By name. `kills` starts processes."""
