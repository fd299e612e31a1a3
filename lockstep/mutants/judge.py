"""Judges one mutant after the other of a model in one scope."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from lockstep.errors import ExitCode, LockstepError
from lockstep.explore.live_search import check_liveness
from lockstep.language.frontend import lower
from lockstep.language.likeness import plain_value
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.notation import Kind, State
from lockstep.language.source import Change
from lockstep.language.totality import refuse_endless
from lockstep.machine.code.layout import NotCompiled
from lockstep.mutants.compiled import CompiledModel
from lockstep.mutants.difference import Difference, difference
from lockstep.mutants.fate import Fate, Graph, Observed, Sentence, Silence, sentence
from lockstep.mutants.mutant import Mutant, mutants_of
from lockstep.mutants.parting import Parting, parting_of
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict

_Steps: TypeAlias = dict[object, frozenset[tuple[str, object, object]]]
"""For each state its steps, each with what it is a step of and where it leads."""


@dataclass(frozen=True)
class PlainModel:
    """A model with its labelled graph and the result of its search."""

    steps: _Steps
    result: SearchResult

    @classmethod
    def of(cls, model: Model, request: Exploration) -> PlainModel:
        """Explore a model."""
        return cls(*_explored(model, request))

    def observe(self, mutant: Model, changes: Difference, request: Exploration) -> Observed:
        """Find out about a mutant, whatever the `changes` are."""
        steps, result = _explored(mutant, request)
        if result.verdict is not Verdict.HOLDS:
            return Observed(result, Graph.OTHER)
        if steps == self.steps:
            return Observed(result, Graph.SAME)
        stutters = _changes(steps) == _changes(self.steps)
        return Observed(result, Graph.STUTTERS if stutters else Graph.OTHER)


def _explored(model: Model, request: Exploration) -> tuple[_Steps, SearchResult]:
    graph: _Steps = {}

    def visit(state: State, steps: list[Step]) -> None:
        graph[plain_value(state)] = frozenset(
            (step.action, plain_value(step.parameters), plain_value(step.state)) for step in steps
        )

    safety = model.without(Kind.LEADS_TO)
    result = Search(PlainEngine(safety), request, on_state=visit).run()
    check_liveness(model, result, request)
    return graph, result


def _changes(steps: _Steps) -> _Steps:
    """The steps that change the state."""
    return {
        state: frozenset(step for step in taken if step[-1] != state)
        for state, taken in steps.items()
    }


TIMES_AS_MANY_STATES = 10
"""A mutant is searched up to so many times the states of its model."""

MOST_SECONDS = 60.0
"""How long a mutant is searched, unless bounded otherwise."""


@dataclass(frozen=True)
class Judged:
    """A mutant with its fate; `result` is None where nothing was searched.

    `actions` are the names of those that it changes, and `parting` what a survivor does otherwise.
    """

    mutant: Mutant
    sentence: Sentence
    result: SearchResult | None
    actions: frozenset[str] = frozenset()
    parting: Parting | None = None


class Judge:
    """Judges the mutants of one model, which is explored once."""

    def __init__(
        self,
        model: Model,
        request: Exploration,
        environment: Iterable[str] = (),
        violated: Iterable[str] = (),
    ) -> None:
        """`environment` are the actions that are the environment's.

        `violated` are properties that the model itself violates: the others judge. The bounds of
        the request are those of each mutant, by default some times what the model itself takes.
        `LockstepError` where the model itself does not hold, or has not all of its states explored.
        """
        self._violated = frozenset(violated)
        self.model = model = self._judged(model)
        if DEADLOCK in self._violated:
            request = replace(request, deadlock_allowed=True)
        self._whole = replace(request, bounds=Bounds(memory=request.bounds.memory))
        request = replace(request, on_progress=None)  # which is of the model itself
        self._reference: CompiledModel | PlainModel = (
            self._plain if request.engine == "python" else self._compiled()
        )
        result = self._reference.result
        if result.verdict is not Verdict.HOLDS:
            is_unknown = result.verdict is Verdict.INCONCLUSIVE
            error = LockstepError(
                f"{model.name} does not hold itself: {result.because}",
                cure=f"see to `lockstep check {model.name}` first",
            )
            error.exit_code = ExitCode.INCONCLUSIVE if is_unknown else ExitCode.USAGE
            raise error
        self._before = Silence.of(model, result)
        names = set(environment)
        self._environment = frozenset(
            number for number, action in enumerate(model.actions) if action.name in names
        )
        states, seconds = request.bounds.max_states, request.bounds.max_seconds
        bounds = replace(
            request.bounds,
            max_states=TIMES_AS_MANY_STATES * result.states if states is None else states,
            max_seconds=MOST_SECONDS if seconds is None else seconds,
        )
        self._request = replace(request, bounds=bounds)

    @cached_property
    def mutants(self) -> dict[str, Mutant]:
        """The mutants of the model by their names."""
        return {mutant.name: mutant for mutant in mutants_of(self.model)}

    def judge(self, mutant: Mutant) -> Judged:
        """What becomes of a mutant."""
        model = self.model
        try:
            changed = self._changed(mutant.change)
        except LockstepError as error:
            why = f"it does not load: {error.message.splitlines()[0]}"
            return Judged(mutant, Sentence(Fate.VOID, why), None)
        changes = difference(model, changed)
        if not changes:
            why = "it is the same model: what changed is without effect in this scope"
            return Judged(mutant, Sentence(Fate.VOID, why), None)
        observed = self._observe(changed, changes)
        silence = Silence.of(changed, observed.result)
        fate = sentence(observed, silence, self._before, changes, self._environment)
        if fate.fate is Fate.EQUAL and not self._runs(mutant):
            fate = Sentence(Fate.NOT_EXERCISED, "what it changes never runs in this scope")
        actions = frozenset(model.actions[number].name for number in changes.actions)
        parting = parting_of(model, changed) if fate.fate is Fate.SURVIVES else None
        return Judged(mutant, fate, observed.result, actions, parting)

    def _runs(self, mutant: Mutant) -> bool:
        """Whether what a mutant changes runs in any state; True where nothing shows it."""
        try:
            probe = self._changed(mutant.probe)
        except LockstepError:
            return True
        observed = self._observe(probe, difference(self.model, probe))
        return observed.result.error is not None or observed.graph is not Graph.SAME

    def _changed(self, change: Change) -> Model:
        """The model with a change; `LockstepError` where it is none."""
        universe = self.model.universe
        loaded = load_model(universe.root, self.model.name, universe.constants, change=change)
        changed = self._judged(loaded)
        refuse_endless(changed, lower(changed))
        return changed

    def _judged(self, model: Model) -> Model:
        """A model with the properties that can judge."""
        kept = tuple(prop for prop in model.properties if prop.name not in self._violated)
        return replace(model, properties=kept) if self._violated else model

    def _observe(self, changed: Model, changes: Difference) -> Observed:
        try:
            return self._reference.observe(changed, changes, self._request)
        except NotCompiled:
            return self._plain.observe(changed, changes, self._request)

    def _compiled(self) -> CompiledModel | PlainModel:
        try:
            return CompiledModel.of(self.model, self._whole)
        except NotCompiled as reason:
            if self._whole.engine == "compiled":
                raise LockstepError(
                    f"{self.model.name} has no machine code in this scope: {reason}",
                    cure="--engine python judges its mutants, more slowly",
                ) from None
            return self._plain

    @cached_property
    def _plain(self) -> PlainModel:
        return PlainModel.of(self.model, self._whole)
