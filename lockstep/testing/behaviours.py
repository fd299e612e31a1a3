"""Behaviours that Hypothesis draws, as a search has them: counts, and what is violated, shortened.

    draw_behaviours(load_model(root, "fetch_session"), Walks(500, seed=1, by_hypothesis=True))

Plain Python takes every step, so no machine code is needed, and no width is too large.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.exploration import Exploration, Walks
from lockstep.plain.supervision import Stopped, Supervision
from lockstep.results.search_result import (
    EvaluationError,
    Progress,
    SearchResult,
    report_error,
    report_violation,
)
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.system.interruption import INTERRUPTION
from lockstep.system.resident import ResidentBound
from lockstep.system.user_cache import cache_folder
from lockstep.testing.guide import BACKEND
from lockstep.testing.state_machine import ModelMachine, Violated, state_machine_for


def draw_behaviours(
    model: Model, walks: Walks, request: Exploration = Exploration()
) -> SearchResult:
    """Take random behaviours of a model; what they find is violated, or else inconclusive.

    In the result `states` are the distinct ones that were seen, `transitions` and `fired` the steps
    that were taken, those of shortening included, and `depth` the length of the longest behaviour.
    The counterexample is as short as Hypothesis made it, which need not be the shortest there is.
    Of the bounds, those on time and memory are heeded. `LockstepError` for a property that plain
    Python cannot check.
    """
    return _Drawing(model, walks, request).run()


class _Over(BaseException):
    """A bound was met. Hypothesis would take an `Exception` for a failure, and shorten it."""


def _report(result: SearchResult, failure: Violated | EvaluationError, trace: Trace) -> None:
    """Say in a result what failed at the end of a behaviour."""
    if isinstance(failure, Violated):
        report_violation(result, failure.violation)
    else:
        report_error(result, failure, trace)


class _Drawing:
    """One run of Hypothesis; `run` does it, once."""

    def __init__(self, model: Model, walks: Walks, request: Exploration) -> None:
        self._walks = walks
        self._result = SearchResult(model.name, "hypothesis")
        memory = request.bounds.memory
        resident = None if memory is None else ResidentBound(memory)
        self._states: set[int] = set()
        self._behaviours = 0
        self._end = ""
        self._supervision = Supervision(request, self._result, resident, lambda: len(self._states))
        self._machine = state_machine_for(
            model, deadlock_allowed=request.deadlock_allowed, on_state=self._arrive
        )

    def run(self) -> SearchResult:
        """Draw behaviours until all are taken, something is violated, or a bound is met."""
        result = self._result
        try:
            self._draw(seed(self._walks.seed)(self._machine))
        except (Violated, EvaluationError):
            pass  # `failure` has it
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) or INTERRUPTION.has_come:
                result.interrupted, self._end = True, "interrupted"
            # Where it draws again what it has drawn before, Hypothesis takes an end for a flaky
            # test, and raises an error of its own instead.
            if not self._end:
                raise
        result.fired = dict(self._machine.fired())
        result.states = len(self._states)
        result.transitions = sum(result.fired.values())
        failure = self._machine.tested.failure
        if failure is None:
            result.verdict = Verdict.INCONCLUSIVE
            result.because = self._walks.ended(
                self._end or "all that was asked", self._behaviours, result.states
            )
        else:
            _report(result, *failure)
        result.seconds = self._supervision.seconds
        return result

    def _draw(self, machine: type[ModelMachine]) -> None:
        """Let Hypothesis draw; it raises what it found."""
        # It keeps what it reads of our code, by default in the current folder.
        os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(cache_folder() / "hypothesis"))
        run_state_machine_as_test(
            machine,
            settings=settings(
                backend=BACKEND,
                max_examples=self._walks.count,
                stateful_step_count=self._walks.steps,
                database=None,
                deadline=None,
                derandomize=False,
                phases=(Phase.generate, Phase.shrink),
                print_blob=False,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
                verbosity=Verbosity.quiet,
            ),
        )

    def _arrive(self, state: State, steps: int) -> None:
        """Count a state, and end the run where a bound is met."""
        self._behaviours += steps == 0
        self._states.add(hash(state))
        self._result.depth = max(self._result.depth, steps)
        try:
            INTERRUPTION.heed()
            self._supervision.watch(self._progress)
        except Stopped as stopped:
            self._end = str(stopped)
            raise _Over from None
        except KeyboardInterrupt:
            self._result.interrupted, self._end = True, "interrupted"
            raise

    def _progress(self, seconds: float) -> Progress:
        steps = sum(self._machine.fired().values())
        return Progress(len(self._states), steps, self._result.depth, 0, seconds)
