"""What goes wrong on a level: of all that does, the first by rank, then by the states' words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from lockstep.language.model import DEADLOCK
from lockstep.language.notation import Kind, State
from lockstep.language.symmetry import permuted_state
from lockstep.machine.code.program import Program
from lockstep.machine.search.interface import NOTHING_NOTED, Array
from lockstep.plain.ending import violated_at_the_end
from lockstep.plain.engine import Disagreement
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import (
    EvaluationError,
    SearchResult,
    Violation,
    report_error,
    report_violation,
)
from lockstep.results.trace import Step, Trace


class Finding:
    """One kind of failure as kernels note it: in `packed` its rank, then the states concerned."""

    def __init__(self, words: int) -> None:
        """`words` of one state, or of two side by side."""
        self.packed: Array = np.zeros(1 + words, np.uint64)
        self.packed[0] = NOTHING_NOTED

    @property
    def is_noted(self) -> bool:
        """Whether there is anything."""
        return int(self.packed[0]) != NOTHING_NOTED

    @property
    def rank(self) -> int:
        """Its rank, where there is anything."""
        return int(self.packed[0])

    @property
    def states(self) -> Array:
        """The words of the states."""
        return self.packed[1:]


@dataclass
class Findings:
    """The failures that one thread noted on a level.

    Steps have two states, the one before and the one after. A rank in `broken` is one more than a
    property's position in the model, 0 for a deadlock; in `failed` it is the rank of the place
    without meaning.
    """

    broken_step: Finding
    broken_state: Finding
    failed_step: Finding
    failed_state: Finding

    @property
    def is_noted(self) -> bool:
        """Whether there is any."""
        return any(finding.is_noted for finding in vars(self).values())

    @classmethod
    def none(cls, words: int) -> Findings:
        """No failure so far, of states of `words` words."""
        return cls(Finding(2 * words), Finding(words), Finding(2 * words), Finding(words))


def first(findings: list[Finding]) -> Finding | None:
    """The first of several findings of one kind; None when nothing is noted in any."""
    noted = [finding for finding in findings if finding.is_noted]
    return min(noted, key=lambda finding: finding.packed.tolist(), default=None)


class Judge:
    """Reports in the model's terms what a search noted in packed states."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._model = program.model
        self._plain = PlainEngine(program.model)

    def behaviour(self, states: Iterable[Iterable[int]]) -> Trace:
        """The behaviour that goes through packed states, the first of them the initial one.

        With symmetry it goes through states that are these but for the names.
        """
        packed = [[int(word) for word in row] for row in states]
        initial = self._program.layout.decode(packed[0])
        steps: list[Step] = []
        for words in packed[1:]:
            steps.append(self._step(steps[-1].state if steps else initial, words))
        return Trace(initial, tuple(steps))

    def deadlock(self, result: SearchResult, trace: Trace) -> None:
        """Report that nothing is enabled at the end of a behaviour."""
        report_violation(result, Violation((DEADLOCK,), (), trace))

    def violation(self, result: SearchResult, trace: Trace, rank: int) -> None:
        """Report a violation at the end of a behaviour: of the property before `rank`."""
        expected = self._model.properties[rank - 1].name
        failing = violated_at_the_end(self._plain, trace)
        if expected not in failing:
            raise Disagreement(f"{expected} holds in plain Python at the end of {trace.states}")
        names = tuple(failing)
        report_violation(result, Violation(names, failing[names[0]], trace))

    def error(self, result: SearchResult, trace: Trace, function: int) -> None:
        """Report an error in one function, by its number, at the end of a behaviour."""
        report_error(result, self._error_at(trace, function), trace)

    def _error_at(self, trace: Trace, function: int) -> EvaluationError:
        try:
            if function < len(self._model.actions):
                for _ in self._plain.instances(self._model.actions[function], trace.last):
                    pass
            else:
                prop = self._model.properties[function - len(self._model.actions)]
                if prop.kind is Kind.STEP_INVARIANT:
                    self._plain.evaluate(prop, trace.states[-2], trace.last)
                else:
                    self._plain.evaluate(prop, trace.last, None)
        except EvaluationError as error:
            return error
        raise Disagreement(f"plain Python has no error at the end of {trace.states}")

    def _step(self, state: State, packed: list[int]) -> Step:
        """The step from a state to one that a packed state stands for."""
        wanted = self.standing_for(self._program.layout.decode(packed))
        for step in self._plain.successors(state):
            if self.standing_for(step.state) == wanted:
                return step
        raise Disagreement(f"plain Python has no step from {state} to the state {wanted}")

    def standing_for(self, state: State) -> list[int]:
        """The packed state that stands for a state."""
        encode, symmetry = self._program.layout.encode, self._program.symmetry
        if symmetry is None:
            return encode(state)
        return min(
            encode(permuted_state(state, permutation)) for permutation in symmetry.permutations()
        )


def site_order(program: Program) -> list[tuple[int, int]]:
    """Where there may be no meaning, by rank: the function's number in the model, and the line."""
    return sorted({(site.function, site.place.line) for site in program.sites})


def site_ranks(program: Program) -> list[int]:
    """For each site its rank: by function in the model's order, then by line."""
    ranks = {key: rank for rank, key in enumerate(site_order(program))}
    return [ranks[site.function, site.place.line] for site in program.sites] or [0]


def ranked_functions(program: Program) -> list[int]:
    """For each rank, the number of the function in the model: actions first, then properties."""
    return [function for function, _ in site_order(program)]
