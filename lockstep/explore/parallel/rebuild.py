"""From packed states back to behaviours, with plain Python as the judge.

The states of a behaviour are found backwards through the levels: on the level before, the
smallest state with a step to the one at hand. What the steps are called, which properties fail
and where the text has no meaning is then asked of plain Python, state by state. An answer other
than the search's is an error of this program, never a verdict.
"""

from __future__ import annotations

import numpy as np

from lockstep.compiled.program import Program
from lockstep.explore.engine import EvaluationError
from lockstep.explore.parallel import kernels
from lockstep.explore.parallel.findings import Finding
from lockstep.explore.parallel.levels import Levels
from lockstep.explore.parallel.memory import Array
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import (
    DEADLOCK,
    SearchResult,
    Trace,
    Violation,
    report_error,
    report_violation,
)
from lockstep.language.model import Property
from lockstep.language.notation import Kind, State


class Disagreement(Exception):
    """The machine code found what plain Python does not."""


class Rebuilder:
    """Rebuilds the behaviour to what a search found while it expanded the last of the levels."""

    def __init__(self, program: Program, expand_at: int, levels: Levels) -> None:
        self._program = program
        self._plain = PlainEngine(program.model)
        self._expand_at = expand_at
        self._levels = levels

    def violation(self, result: SearchResult, step: Finding | None, state: Finding | None) -> None:
        """Report the violation that comes first, of a step or of a state."""
        model, words = self._program.model, self._program.layout.words
        if step is not None and step.key is not None and step.rank[0] == 0:
            trace = self._trace(step.states[:words], 1)
            report_violation(result, Violation((DEADLOCK,), (), trace))
            return
        of_step = step if state is None or (step and step.rank[0] < state.rank[0]) else None
        if of_step is not None:
            trace = self._trace(of_step.states[:words], 1)
            trace = self._with_step(trace, self._decode(of_step.states[words:]))
        else:
            assert state is not None
            trace = self._trace(state.states, 0)
        failing = self._failing(trace)
        finding = of_step or state
        assert finding is not None
        expected = model.properties[int(finding.rank[0]) - 1].name
        if expected not in failing:
            raise Disagreement(f"{expected} holds in plain Python at the end of {trace.states}")
        names = tuple(prop.name for prop in model.properties if prop.name in failing)
        report_violation(result, Violation(names, failing[names[0]], trace))

    def error(self, result: SearchResult, step: Finding | None, state: Finding | None) -> None:
        """Report the error that comes first, met while expanding a state or checking one."""
        words = self._program.layout.words
        finding = step if state is None or (step and step.rank[0] < state.rank[0]) else state
        assert finding is not None
        function = ranked_functions(self._program)[int(finding.rank[0])]
        actions = self._program.model.actions
        if finding is state:
            trace = self._trace(state.states, 0)
        else:
            trace = self._trace(finding.states[:words], 1)
            if function >= len(actions):
                trace = self._with_step(trace, self._decode(finding.states[words:]))
        report_error(result, self._error_at(trace, function), trace)

    def _error_at(self, trace: Trace, function: int) -> EvaluationError:
        """The error that plain Python meets in one function at the end of a behaviour."""
        model = self._program.model
        try:
            if function < len(model.actions):
                for _ in self._plain.instances(model.actions[function], trace.last):
                    pass
            else:
                prop = model.properties[function - len(model.actions)]
                if prop.kind is Kind.STEP_INVARIANT:
                    self._plain.evaluate(prop, trace.states[-2], trace.last)
                else:
                    self._plain.evaluate(prop, trace.last, None)
        except EvaluationError as error:
            return error
        raise Disagreement(f"plain Python has no error at the end of {trace.states}")

    def _failing(self, trace: Trace) -> dict[str, tuple[object, ...]]:
        """The properties that plain Python finds broken at the end of a behaviour."""
        model = self._program.model
        failing = self._broken(model.of_kind(Kind.INVARIANT), trace.last)
        if trace.steps:
            steps = model.of_kind(Kind.STEP_INVARIANT)
            failing |= self._broken(steps, trace.states[-2], trace.last)
        return failing

    def _broken(
        self, properties: tuple[Property, ...], state: State, after: State | None = None
    ) -> dict[str, tuple[object, ...]]:
        """Those of one kind that fail, up to where the text has no meaning."""
        failing: dict[str, tuple[object, ...]] = {}
        try:
            for prop in properties:
                outcome = self._plain.evaluate(prop, state, after)
                if outcome.failing is not None:
                    failing[prop.name] = outcome.failing
        except EvaluationError:
            pass
        return failing

    def _trace(self, target: Array, back: int) -> Trace:
        """The behaviour to a state of the level `back` before the one that is being found."""
        chain = [np.array(target)]
        depth = len(self._levels) - back
        while depth > 0:
            depth -= 1
            chain.append(self._predecessor(depth, chain[-1]))
        states = [self._decode(each) for each in reversed(chain)]
        trace = Trace(states[0], ())
        for state in states[1:]:
            trace = self._with_step(trace, state)
        return trace

    def _predecessor(self, depth: int, target: Array) -> Array:
        words = self._program.layout.words
        successors = np.zeros(max(1, self._program.most_successors) * words, np.uint64)
        ignored = np.zeros(len(self._program.model.actions), np.int64)
        found: list[Array] = []
        for part in self._levels.parts(depth):
            position = kernels.predecessor(
                part, len(part) // words, words, self._expand_at, target, successors, ignored
            )
            if position >= 0:
                found.append(part[position * words : (position + 1) * words])
        return min(found, key=lambda each: tuple(int(word) for word in each))

    def _with_step(self, trace: Trace, state: State) -> Trace:
        for step in self._plain.successors(trace.last):
            if step.state == state:
                return Trace(trace.initial, (*trace.steps, step))
        raise Disagreement(f"plain Python has no step from {trace.last} to {state}")

    def _decode(self, words: Array) -> State:
        return self._program.layout.decode([int(word) for word in words])


def site_order(program: Program) -> list[tuple[int, int]]:
    """Where there may be no meaning, by rank: the function's number in the model, and the line."""
    return sorted({(site.function, site.place.line) for site in program.sites})


def ranked_functions(program: Program) -> list[int]:
    """For each rank, the number of the function in the model: actions first, then properties."""
    return [function for function, _ in site_order(program)]
