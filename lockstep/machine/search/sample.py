"""Plain Python beside the machine code, on some states of a search.

Machine code alone says that something holds. So some states of each search, evenly spread over all
that it found, are given to both: each must name the same steps, and say the same of every property
in the state and over its steps. A difference is an error of this program, never a verdict.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from math import gcd

import numpy as np
from numpy.typing import NDArray

from lockstep.language.model import Property
from lockstep.language.notation import Kind, State
from lockstep.machine.code.machine import MachineCode
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import Array
from lockstep.machine.search.judge import Judge
from lockstep.plain.engine import Disagreement
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step

STATES = 200
"""States of a search that are given to plain Python."""
_SECONDS = 0.2
_SHARE = 0.01
"""How long plain Python looks at a sample: so many seconds, and such a share of the search."""
_PERMUTED = 1000
"""States that plain Python permutes, at most, to find which of them stands for the others."""


class Sample:
    """Compares a program's machine code with plain Python, one state at a time."""

    def __init__(self, program: Program, code: MachineCode) -> None:
        self._program = program
        self._model = program.model
        self._plain = PlainEngine(program.model)
        self._judge = Judge(program)
        self._code = code  # or its functions would be gone
        self._permuted = 0
        self.states = 0
        """How many states were compared."""
        self.steps = 0
        """How many steps."""

    def compare_some(
        self,
        chosen: Iterable[tuple[int, Array]],
        seconds: float,
        complete: int,
        found: Callable[[Array], bool],
    ) -> None:
        """Compare states, each with its level, for a moment after a search of so many seconds.

        What follows the states of the `complete` first levels must be `found`.
        """
        words, end = self._program.layout.words, time.thread_time() + _SECONDS + _SHARE * seconds
        for depth, state in chosen:
            successors = self.compare(state)
            for begin in range(0, len(successors) if depth < complete else 0, words):
                successor = successors[begin : begin + words]
                if not found(successor):
                    raise Disagreement(f"the search missed {successor}, a successor of {state}")
            if time.thread_time() >= end:
                break

    def compare(self, packed: Array) -> Array:
        """Compare what both say of one packed state; the states that stand for its successors.

        `Disagreement` when they differ, in whatever it is.
        """
        state = self._decoded(packed)
        self._compare_properties("check_state", (Kind.INVARIANT, Kind.SOMETIMES), [(state, packed)])
        successors = self._compare_steps(state, packed)
        self.states += 1
        self.steps += len(successors) // self._program.layout.words
        return self._canonical(successors)

    def _decoded(self, packed: Array) -> State:
        layout, words = self._program.layout, packed.tolist()
        try:
            state = layout.decode(words)
        except (LookupError, ValueError) as error:
            raise Disagreement(f"the words {words} are no state: {error}") from None
        domains = self._model.variables.values()
        belongs = all(domain.contains(part) for domain, part in zip(domains, state, strict=True))
        if not belongs or layout.encode(state) != words:
            raise Disagreement(f"the words {words} are no state of the model: {state}")
        return state

    def _compare_steps(self, state: State, packed: Array) -> Array:
        """The packed successors of a state, by the machine code, which plain Python finds too."""
        layout, actions = self._program.layout, self._model.actions
        successors = np.zeros(max(1, self._program.most_successors) * layout.words, np.uint64)
        labels = np.zeros(max(1, self._program.most_successors), np.int64)
        count = self._call("expand", packed, successors, labels)
        steps: list[Step] = []
        failed: str | None = None
        try:
            steps.extend(self._plain.successors(state))
        except EvaluationError as error:
            failed = error.function
        if count < 0 or failed is not None:
            self._same("where the text has no meaning", state, self._failed(count), failed)
            return np.empty(0, np.uint64)
        rows = successors[: count * layout.words].reshape(count, layout.words).tolist()
        ends = np.searchsorted(labels[:count], self._program.first_labels[1:]).tolist()
        expected = [(step.action, layout.encode(step.state)) for step in steps]
        for action, begin, end in zip(actions, [0, *ends], ends, strict=False):
            by_plain = sorted(row for name, row in expected if name == action.name)
            self._same(f"{action.name} in", state, sorted(rows[begin:end]), by_plain)
        self._same("the number of steps from", state, count, len(steps))
        if self._program.has_step_invariants:
            for step, (_, row) in zip(steps, expected, strict=True):
                pair = [(state, packed), (step.state, np.array(row, np.uint64))]
                self._compare_properties("check_step", (Kind.STEP_INVARIANT,), pair)
        return successors[: count * layout.words]

    def _compare_properties(
        self, name: str, kinds: tuple[Kind, ...], states: list[tuple[State, Array]]
    ) -> None:
        """Compare the first property that fails, and which of them had a meaning to apply."""
        properties = [prop for kind in kinds for prop in self._model.of_kind(kind)]
        if not properties:
            return
        marks = np.zeros(len(self._model.properties), np.int64)
        answer = self._call(name, *(packed for _, packed in states), marks)
        first, failed, applied = self._outcomes(properties, [state for state, _ in states])
        where = states[0][0]
        if answer < 0 or (failed is not None and first == 0):
            self._same("where the text has no meaning", where, self._failed(answer), failed)
            return
        self._same("the first property that fails in", where, answer, first)
        if failed is None:
            pairs = zip(self._model.properties, marks.tolist(), strict=True)
            marked = [prop.name for prop, mark in pairs if mark]
            self._same("the properties that apply in", where, sorted(marked), sorted(applied))

    def _outcomes(
        self, properties: Sequence[Property], states: list[State]
    ) -> tuple[int, str | None, list[str]]:
        """By plain Python: the first that fails, where there is no meaning, and what applies."""
        after = states[1] if len(states) > 1 else None
        first = 0
        applied: list[str] = []
        for prop in properties:
            try:
                outcome = self._plain.evaluate(prop, states[0], after)
            except EvaluationError as error:
                return first, error.function, applied
            is_goal = prop.kind is Kind.SOMETIMES
            if outcome.failing is None if is_goal else outcome.applied:
                applied.append(prop.name)
            if not is_goal and outcome.failing is not None and first == 0:
                first = self._model.properties.index(prop) + 1
        return first, None, applied

    def _canonical(self, successors: Array) -> Array:
        """The states that stand for some, of which plain Python finds as many as there is time."""
        if not self._program.reduces or not len(successors):
            return successors
        symmetry, words = self._program.symmetry, self._program.layout.words
        assert symmetry is not None
        canonical = successors.copy()
        count = np.array([len(successors) // words], np.int64)
        self._call("canonical", canonical, count, count)
        rows = canonical.reshape(-1, words).tolist()
        for state, row in zip(successors.reshape(-1, words).tolist(), rows, strict=True):
            if self._permuted + symmetry.size > _PERMUTED and self._permuted:
                break
            self._permuted += symmetry.size
            decoded = self._program.layout.decode(state)
            self._same("what stands for", decoded, row, self._judge.standing_for(decoded))
        return canonical

    def _call(self, name: str, *arrays: Array | NDArray[np.int64]) -> int:
        """Call a function of the machine code with arrays."""
        kind = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p] * len(arrays))
        function: Callable[..., int] = kind(self._code.address(name))
        return function(*(array.ctypes.data for array in arrays))

    def _failed(self, answer: int) -> str | None:
        """The function without meaning by the machine code's answer; None where all have one."""
        if answer >= 0:
            return None
        names = [action.name for action in self._model.actions]
        names += [prop.name for prop in self._model.properties]
        return names[self._program.sites[-1 - answer].function]

    def _same(self, what: str, state: State, machine: object, plain: object) -> None:
        if machine != plain:
            raise Disagreement(
                f"{what} {state}: machine code says {machine}, plain Python says {plain}"
            )


def places(counts: Sequence[int], most: int = STATES) -> Iterator[tuple[int, int]]:
    """Which states to compare, as level and position, evenly spread over all levels.

    They come in such an order that whatever is left out at the end is spread over all levels, too.
    """
    total = sum(counts)
    ends = list(accumulate(counts))
    number = min(most, total)
    stride = max(1, round(number * 0.618))
    while gcd(stride, number) > 1:
        stride += 1
    for turn in range(number):
        index = turn * stride % number * (total - 1) // max(1, number - 1)
        depth = int(np.searchsorted(ends, index, side="right"))
        yield depth, index - (ends[depth] - counts[depth])
