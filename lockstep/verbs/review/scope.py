"""Two versions of a model compared in one scope: properties, and behaviours."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.plain.exploration import Exploration, Spaces
from lockstep.plain.space import MOST_STATES, Limits, Space, Unfinished
from lockstep.requests.check import CheckRequest
from lockstep.requests.review_plan import ReviewPlan, ReviewTask
from lockstep.requests.run import Judged, Watch
from lockstep.requests.version import Version, VersionPair
from lockstep.results.search_result import EvaluationError
from lockstep.results.verdict import Verdict
from lockstep.review.difference import Difference, difference_of
from lockstep.review.inclusion import find_parting
from lockstep.review.observed import ObservedSpace, observe
from lockstep.review.pair import Pair
from lockstep.specs.expected import Expected
from lockstep.verbs.check import check, plan_check
from lockstep.verbs.check_result import Checked, Unchecked
from lockstep.verbs.costs import CostChange, Saving, cost_changes
from lockstep.verbs.review.evidence import Change, PropertyChange, property_changes

_DUBIOUS = (Change.LOST, Change.SILENCED, Change.OPEN)
"""What somebody has to look at: nothing is broken by it, and something is no longer said."""


@dataclass(frozen=True)
class Direction:
    """Whether one version shows nothing but what the other does.

    Without a verdict `because` says what ended the comparison. Plain Python has seen a difference.
    """

    verdict: Verdict
    difference: Difference | None = None
    because: str = ""


@dataclass(frozen=True)
class GraphSize:
    """How many states a version has, and how many steps lead to the farthest of them."""

    states: int
    depth: int


@dataclass(frozen=True)
class Behaviours:
    """How two versions compare in what both show.

    `adds` says whether HEAD shows nothing but what BASE does, and `removes` whether BASE shows
    nothing but what HEAD does. `sizes` are those of BASE and HEAD; None where not all states of
    both were visited.
    """

    adds: Direction
    removes: Direction
    sizes: tuple[GraphSize, GraphSize] | None = None

    @classmethod
    def open(cls, because: str) -> Behaviours:
        """Nothing is known, for a reason."""
        direction = Direction(Verdict.INCONCLUSIVE, because=because)
        return cls(direction, direction)


@dataclass(frozen=True)
class ScopeReview(Judged):
    """Two versions in one scope.

    `unjudged` says why HEAD is not judged by the claims of BASE, where those are others; it is
    empty where it is. `interrupted` says that Ctrl-C ended a search. `expected` has, by their
    names, the properties of which the change is expected; `expected_behaviours` say why HEAD may
    show more.
    """

    versions: VersionPair
    scope: str
    pair: Pair
    properties: tuple[PropertyChange, ...]
    behaviours: Behaviours
    seconds: float
    unjudged: str = ""
    interrupted: bool = False
    expected: Mapping[str, tuple[Expected, ...]] = field(default_factory=dict)
    expected_behaviours: tuple[Expected, ...] = ()
    costs: tuple[CostChange, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """`violated` where HEAD breaks something, or shows more than BASE, and that unexpected."""
        changes = {prop.change for prop in self.properties if prop.name not in self.expected}
        adds = Verdict.HOLDS if self.expected_behaviours else self.behaviours.adds.verdict
        if Change.BROKEN in changes or adds is Verdict.VIOLATED:
            return Verdict.VIOLATED
        if adds is not Verdict.HOLDS or changes.intersection(_DUBIOUS) or self.unjudged:
            return Verdict.INCONCLUSIVE
        return Verdict.HOLDS

    @property
    def because(self) -> str:
        """Why it does not hold; empty where it does."""
        reasons = []
        for change in (Change.BROKEN, *_DUBIOUS):
            names = [one.name for one in self.properties if one.change is change]
            if unexpected := [name for name in names if name not in self.expected]:
                reasons.append(f"{change}: {', '.join(unexpected)}")
        adds = self.behaviours.adds
        if not self.expected_behaviours and adds.verdict is Verdict.VIOLATED:
            reasons.append("HEAD shows what BASE does not")
        elif not self.expected_behaviours and adds.verdict is not Verdict.HOLDS:
            reasons.append(f"what HEAD adds: {adds.because or adds.verdict}")
        if self.unjudged:
            reasons.append(f"HEAD is not judged by what BASE claims: {self.unjudged}")
        return "; ".join(reasons)


def review_scope(plan: ReviewPlan, task: ReviewTask, watch: Watch) -> ScopeReview:
    """Compare two versions in a scope; `LockstepError` where one of them cannot be checked."""
    started, spaces = time.perf_counter(), Spaces[Space]()
    exploration = replace(plan.request.exploration, spaces=spaces)
    base = _checked(plan, task.versions.base, task.scope, watch, spaces)
    head = _checked(plan, task.versions.head, task.scope, watch, spaces)
    judged, unjudged = _judged(plan, task, watch)
    pair = Pair.of(base.model, head.model)
    meaningless = _meaningless(exploration, {"BASE": base, "HEAD": head})
    return ScopeReview(
        versions=task.versions,
        scope=task.scope,
        pair=pair,
        properties=property_changes(base, head, judged),
        behaviours=Behaviours.open(meaningless)
        if meaningless
        else _behaviours(exploration, pair, str(task), watch),
        seconds=time.perf_counter() - started,
        unjudged=unjudged,
        interrupted=base.result.interrupted or head.result.interrupted,
        costs=()
        if meaningless
        else cost_changes(plan, task, base.model, head.model, Saving(exploration, None, watch)),
    )


def _judged(plan: ReviewPlan, task: ReviewTask, watch: Watch) -> tuple[Checked | None, str]:
    """HEAD judged by what BASE claims, or why that is not possible."""
    version = task.versions.judged
    if version is None:
        return None, ""
    try:
        return _checked(plan, version, task.scope, watch), ""
    except LockstepError as error:
        return None, task.versions.shown(str(error))


def _checked(
    plan: ReviewPlan,
    version: Version,
    scope: str,
    watch: Watch,
    spaces: Spaces[Space] | None = None,
) -> Checked:
    """All properties of a version, judged past what is violated."""
    asked = CheckRequest(
        models=(version.model,),
        workspace=version.workspace,
        scope=scope,
        goes_on=True,
        save=plan.folder(version),
        **version.changes,
        **plan.request.given,
    )
    run = check(replace(plan_check(asked), spaces=spaces), watch=watch)
    if run.pending:
        raise KeyboardInterrupt
    (result,) = run.results
    if isinstance(result, Unchecked):
        raise result.error
    return result


def _meaningless(exploration: Exploration, versions: Mapping[str, Checked]) -> str:
    """Why a version has no graph: its text has no meaning in a reachable state; else empty."""
    for name, checked in versions.items():
        result = checked.result
        spaces = exploration.spaces
        if spaces is not None and spaces.find(checked.model) is not None:
            continue
        if not result.is_finished:
            bare = replace(checked.model, properties=())
            result = explore(bare, replace(exploration, deadlock_allowed=True))
        if result.error is not None:
            where = result.error.seen_from(checked.model.universe.root)
            return f"{name} has no meaning in a reachable state: {where}"
    return ""


def _behaviours(exploration: Exploration, pair: Pair, title: str, watch: Watch) -> Behaviours:
    """Whether HEAD adds behaviours, and whether it removes some."""
    bounds = exploration.bounds
    limits = Limits.of(bounds, bounds.max_states or MOST_STATES)
    if not pair.shared:
        return Behaviours.open("they share no variable")
    try:
        with watch.search(f"{title}: behaviours", None) as on_progress:
            base, head = observe(pair, limits, replace(exploration, on_progress=on_progress))
    except Unfinished as unfinished:
        return Behaviours.open(str(unfinished))
    except EvaluationError as error:
        where = error.seen_from(pair.other.universe.root)
        return Behaviours.open(f"what is shown has no meaning in a reachable state: {where}")
    return Behaviours(
        _direction(pair.swapped, head, base, limits),
        _direction(pair, base, head, limits),
        (_size(base), _size(head)),
    )


def _size(observed: ObservedSpace) -> GraphSize:
    space = observed.space
    return GraphSize(len(space.states), int(space.depths()[-1]))


def _direction(pair: Pair, one: ObservedSpace, other: ObservedSpace, limits: Limits) -> Direction:
    """Whether `one`, the graph of `pair.one`, shows nothing but what the other does."""
    try:
        parting = find_parting(one, other, limits)
        if parting is None:
            return Direction(Verdict.HOLDS)
        difference = difference_of(pair, one, parting, limits)
        return Direction(Verdict.VIOLATED, difference)
    except Unfinished as unfinished:
        return Direction(Verdict.INCONCLUSIVE, because=str(unfinished))
