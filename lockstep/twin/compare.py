"""Holds a twin's state graph against the model's, and names the first place where they part."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from lockstep.explore import engines
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.language.totality import refuse_endless
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import Progress, SearchResult
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.render import render_taken
from lockstep.twin.dump import LabelledGraph
from lockstep.twin.findings import TlcRun
from lockstep.twin.names import StateReader, TwinState, definition_name, snake_name, twin_changes
from lockstep.twin.refinement import Refinement

Outgoing: TypeAlias = "Counter[tuple[str, TwinState]]"


@dataclass(frozen=True)
class _Side:
    """The model or its twin, and the steps that it takes from one state."""

    name: str
    steps: Outgoing


@dataclass(frozen=True)
class Difference:
    """Where the two graphs part first, in breadth-first order.

    `trace` is a shortest behaviour to the state where they do, which both have; `because` says in
    one sentence what only one of them does there, and `details` what that changes, by variable.
    """

    because: str
    details: tuple[str, ...]
    trace: Trace


@dataclass(frozen=True)
class CountDifference:
    """A count, `states`, `transitions` or `depth`, that is not the same.

    `at_least` says that TLC stopped counting there.
    """

    name: str
    model: int
    twin: int
    at_least: bool = False

    def __str__(self) -> str:
        more = " or more" if self.at_least else ""
        return f"{self.name}: {self.model:,} in the model, {self.twin:,}{more} in the twin"


def explore(
    model: Model,
    *,
    on_state: Callable[[State, list[Step]], None] | None = None,
    max_seconds: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> SearchResult:
    """The model's graph, whatever its invariants say of it.

    Where each state is to be visited, by plain Python; where only counts are asked for, by the
    engine that is fastest.
    """
    bare = dataclasses.replace(model, properties=())
    request = Exploration(bounds=Bounds(max_seconds=max_seconds), on_progress=on_progress)
    if on_state is None:
        return engines.explore(bare, request)
    refuse_endless(bare, lower(bare))
    return Search(PlainEngine(bare), request, on_state=on_state).run()


def compare_counts(result: SearchResult, run: TlcRun) -> list[CountDifference]:
    """What TLC counted otherwise.

    Its depth is exact, and looked at, with one worker only. Where it found more states than the
    model has, it may have stopped there, and nothing else is looked at.
    """
    if run.distinct > result.states:
        return [CountDifference("states", result.states, run.distinct, at_least=True)]
    counts = [
        ("states", result.states, run.distinct),
        ("transitions", result.transitions, run.transitions),
        *([("depth", result.depth, run.steps)] if run.workers == 1 else []),
    ]
    return [CountDifference(name, ours, theirs) for name, ours, theirs in counts if ours != theirs]


def compare_graphs(
    model: Model,
    steps: Mapping[State, Sequence[Step]],
    graph: LabelledGraph,
    *,
    whole: bool = True,
) -> Difference | None:
    """The first difference between the model's graph and the twin's; None when they are the same.

    `steps` are those of each state of the model, in the order of breadth-first search. The graphs
    are the same when both begin in the same state and, from each state that one reaches, the same
    actions lead as often to the same states.

    `whole` says that TLC explored everything. If not, `graph` is the dump of a search by one worker
    that stopped early: of the states that it was still to expand nothing is said, and of the one
    that it was expanding only what the model cannot do.

    Raises LockstepError when the twin has other variables than the model.
    """
    return _Comparison(model, steps, graph, whole).first()


class _Comparison:
    def __init__(
        self,
        model: Model,
        steps: Mapping[State, Sequence[Step]],
        graph: LabelledGraph,
        whole: bool,
    ) -> None:
        self._model = model
        self._steps = steps
        self._actions = {definition_name(action.name): action.name for action in model.actions}
        self._parents: dict[State, tuple[State, Step] | None] = {model.initial: None}
        reader = StateReader(model)
        states = {number: reader.read(values) for number, values in graph.states.items()}
        self._initial = [states[number] for number in sorted(graph.initial)]
        self._known = set(states.values())
        self._outgoing: dict[TwinState, Outgoing] = {}
        for source, label, target in graph.edges:
            name = self._actions.get(label, label)
            self._outgoing.setdefault(states[source], Counter())[name, states[target]] += 1
        self._half: TwinState | None = None
        self._waiting: set[TwinState] = set()
        if not whole and graph.edges:
            # TLC expands states in the order in which it found them.
            order = list(states)
            last = order.index(graph.edges[-1][0])
            self._half = states[order[last]]
            self._waiting = {states[number] for number in order[last + 1 :]}

    def first(self) -> Difference | None:
        difference = self._between_initial()
        if difference is not None:
            return difference
        for state, steps in self._steps.items():
            for step in steps:
                self._parents.setdefault(step.state, (state, step))
            if state in self._waiting:
                continue
            ours: Outgoing = Counter((step.action, step.state) for step in steps)
            theirs = self._outgoing.get(state, Counter())
            if state == self._half:
                ours &= theirs
            if ours != theirs:
                return self._between(state, steps, ours, theirs)
        return None

    def _between_initial(self) -> Difference | None:
        ours = self._model.initial
        if self._initial == [ours]:
            return None
        start = Trace(ours, ())
        if len(self._initial) != 1:
            because = f"the twin has {len(self._initial)} initial states, the model 1"
            return Difference(because, (), start)
        details = tuple(twin_changes(ours, self._initial[0]))
        return Difference("the initial states differ, model -> twin", details, start)

    def _between(
        self, state: State, steps: Sequence[Step], ours: Outgoing, theirs: Outgoing
    ) -> Difference:
        """How the steps of a state differ, by the first action in the model's order that does."""
        only_ours, only_theirs = ours - theirs, theirs - ours
        names = [action.name for action in self._model.actions]
        names += sorted({name for name, _ in only_theirs if name not in self._actions.values()})
        name = next(
            name for name in names if any(name == of for of, _ in (*only_ours, *only_theirs))
        )
        mine = [target for of, target in only_ours if of == name and isinstance(target, State)]
        others = [target for of, target in only_theirs if of == name]
        instances = [step for step in steps if step.action == name]
        if mine and others:
            # The two that differ in the fewest places.
            pairs = product(mine, others)
            target, other = min(pairs, key=lambda pair: len(list(twin_changes(*pair))))
            because = f"{name} leads to another state in the twin"
            details = [
                *self._reported("the model", state, target, instances),
                *self._reported("the twin", state, other, []),
            ]
        elif mine:
            target = mine[0]
            because = self._one_sided(
                name, target, _Side("the model", ours), _Side("the twin", theirs)
            )
            details = self._reported("the model", state, target, instances)
            if target not in self._known:
                details.append("the twin has no such state")
        else:
            other = others[0]
            because = self._one_sided(
                name, other, _Side("the twin", theirs), _Side("the model", ours)
            )
            details = self._reported("the twin", state, other, [])
        return Difference(because, tuple(details), self._trace(state))

    def _one_sided(self, name: str, target: TwinState, one: _Side, other: _Side) -> str:
        """What to say of a step that one of the two takes more often than the other."""
        if name not in self._actions.values():
            return f"the twin takes {name}, and the model has no action {snake_name(name)}"
        step = name, target
        if other.steps[step]:
            ways = f"{one.steps[step]} ways, {other.name} in {other.steps[step]}"
            return f"{one.name} can take {name} to the same state in {ways}"
        if any(name == of for of, _ in other.steps):
            return f"{one.name} can take {name} to a state to which {other.name} does not take it"
        return f"{one.name} can take {name}, and {other.name} cannot"

    def _reported(
        self, who: str, before: State, after: TwinState, instances: Iterable[Step]
    ) -> list[str]:
        """What a step changes, and the parameters with which the model takes it."""
        parameters = [render_taken(self._model, step) for step in instances if step.state == after]
        changed = list(twin_changes(before, after)) or ["nothing changes"]
        head = f"in {who}" + (f", {' or '.join(parameters)}" if parameters else "")
        return [f"{head}:", *(f"  {change}" for change in changed)]

    def _trace(self, state: State) -> Trace:
        steps: list[Step] = []
        parent = self._parents[state]
        while parent is not None:
            before, step = parent
            steps.append(step)
            parent = self._parents[before]
        return Trace(self._model.initial, tuple(reversed(steps)))


@dataclass(frozen=True)
class TwinResult:
    """One model in one scope beside its twin, both explored.

    The verdict is `holds` when both are the same, state by state (`compare` is `graph`) or in their
    counts (`counts`), and TLC finds everything that the twin claims, and that it refines what it is
    to refine; it is `violated` when they differ or TLC refutes a claim or the refinement, and
    `inconclusive` when they are the same and the twin claims nothing.
    """

    model: Model
    scope: str
    compare: str
    explored: SearchResult
    run: TlcRun
    """TLC's run that was compared. It ends where it has found more states than the model has."""
    unchecked: tuple[str, ...]
    """The liveness properties that TLC was not asked for, by their names in the model."""
    refinement: Refinement | None
    """Whether the twin refines its abstract module; None where it is to refine none, or TLC was not
    asked."""
    unrefined: str | None
    """The abstract module that TLC was not asked for: the scope is too large, or the twin is not
    the model."""
    seconds: float
    """Wall-clock time of all of it: the search of the model, TLC, and reading its graph."""
    verdict: Verdict = Verdict.HOLDS
    because: str = ""
    """Why the verdict is not `holds`; empty if it is."""
    difference: Difference | None = None
    counts: tuple[CountDifference, ...] = ()
    """The counts that are not the same, where TLC was not stopped by what it refuted."""
    refuting: TlcRun | None = None
    """TLC's run that refuted a claim of the twin, with the behaviour that does."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """What TLC was not asked, a sentence each with the way to have it asked."""
        sentences = []
        if self.unchecked:
            named = ", ".join(self.unchecked)
            sentences.append(
                f"TLC was not asked for liveness ({named}): --liveness does, and takes long"
            )
        if self.unrefined is not None:
            sentences.append(
                f"TLC was not asked whether it refines {self.unrefined}: a smaller scope says"
            )
        return tuple(sentences)

    @property
    def refuted(self) -> str | None:
        """The claim refuted, by its name in the model: a property or `deadlock`.

        None where nothing is refuted, and where TLC does not name it: of a `leads_to` it does not,
        so that it is known only where the model has no other.
        """
        if self.refuting is None:
            return None
        if self.refuting.verdict == "deadlock":
            return "deadlock"
        if self.refuting.violated is not None:
            return snake_name(self.refuting.violated)
        pending = self.model.of_kind(Kind.LEADS_TO)
        return pending[0].name if len(pending) == 1 else None
