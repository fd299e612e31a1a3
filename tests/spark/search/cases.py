"""Searches for the tests: a model with what its scope says of it, by both engines."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from lockstep.language.faults import fault_constants, fault_scope_name, marks_in_place
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind
from lockstep.machine.code.machine import machine_code
from lockstep.machine.code.program import Program, build_program
from lockstep.machine.search.checkpoint import search_identity
from lockstep.machine.search.interface import Array
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.workers import shape_of
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.spark.search.search import NearBounds, SparkSearch
from lockstep.spark.search.work_folder import WorkFolder
from lockstep.specs.scopes import load_model_spec
from lockstep.system.user_cache import cache_folder
from tests.spark.search.in_process import InProcess

ROOT = Path(__file__).parents[3]
FAR = NearBounds(states=0, small=1, owners=4)
"""Every level is a job, and each has several owners."""


def rows_of(numbers: list[tuple[int, ...]], words: int) -> Array:
    """States as the kernels have them."""
    return np.array(numbers, np.uint64).reshape(-1, words).reshape(-1)


@dataclass
class Case:
    """A model, and whether it may end."""

    model: Model
    deadlock_allowed: bool = True
    symmetry: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        scope: str = "small",
        fault: str | None = None,
    ) -> Case:
        """A model of the workspace in a scope, or in that of the fault."""
        spec = load_model_spec(ROOT, name)
        marks = marks_in_place(ROOT, name, fault)
        chosen = fault_scope_name(marks) or scope
        values = {**spec.scope(chosen).constants, **fault_constants(marks)}
        model = load_model(ROOT, name, values, fault=fault).without(Kind.LEADS_TO)
        return cls(model, spec.deadlock_allowed)

    @cached_property
    def program(self) -> Program:
        """The model's program."""
        return build_program(self.model, symmetry=self.symmetry)

    def on_one_machine(self) -> SearchResult:
        """What the engine of one machine finds."""
        code = machine_code(self.program.text, cache_folder() / "compiled")
        request = Exploration("compiled", deadlock_allowed=self.deadlock_allowed)
        return ParallelSearch(self.program, code, request).run()

    def on_spark(
        self,
        folder: Path,
        session: InProcess,
        near: NearBounds = FAR,
        request: Exploration | None = None,
        threads: int | None = None,
    ) -> SearchResult:
        """What the search on Spark finds, with its tasks in this process."""
        allowed = self.deadlock_allowed
        identity = search_identity(self.program, deadlock_allowed=allowed)
        request = request or Exploration("spark", deadlock_allowed=allowed)
        with closing(WorkFolder(folder, identity, shape_of(self.program))) as work:
            search = SparkSearch(
                self.program, work, request, lambda: session.session, near=near, threads=threads
            )
            return search.run()


def compared(result: SearchResult) -> dict[str, object]:
    """All that both engines must agree on: everything but time, names, the sample and advice."""
    apart = {"engine", "seconds", "sampled", "sampled_steps", "remark"}
    parts = {name: value for name, value in vars(result).items() if name not in apart}
    return parts | {"error": result.error and str(result.error)}
