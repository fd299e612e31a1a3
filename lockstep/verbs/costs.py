"""`costs`: what the scenarios of models cost, each with the behaviours that attain it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from lockstep.answers.answer import Answer
from lockstep.costs.scenario import Attained, ScenarioCost, costs_of
from lockstep.errors import LockstepError
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.plain.space import MOST_STATES, Limits
from lockstep.requests.option import choose
from lockstep.requests.review_plan import ReviewPlan, ReviewTask
from lockstep.requests.run import Failure, Judged, Run, Watch, judged_answer, run_each
from lockstep.requests.search import CostsRequest
from lockstep.requests.version import Version, version_of
from lockstep.results.verdict import Verdict
from lockstep.specs.costs import Scenario
from lockstep.specs.judgement import check_declarations
from lockstep.specs.scopes import load_model_spec
from lockstep.system.crash import failure_of
from lockstep.trace.itf import Origin, save_as, traces_folder
from lockstep.workspace import find_workspace

EXTREMES = ("fewest", "most")
"""Of each count; also the names of the fields."""


@dataclass(frozen=True)
class SavedCost:
    """What a scenario costs, with the file of each behaviour by the count's name and its extreme.

    What could not be written is not there.
    """

    cost: ScenarioCost
    files: Mapping[tuple[str, str], Path] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelCosts(Judged):
    """What the scenarios of one model cost in one scope."""

    version: Version
    scope: str
    costs: tuple[SavedCost, ...]
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """`inconclusive` where something is not known; costs are never right or wrong."""
        is_open = any(saved.cost.unknown for saved in self.costs)
        return Verdict.INCONCLUSIVE if is_open else Verdict.HOLDS


@dataclass(frozen=True)
class Uncosted(Failure):
    """A model whose scenarios could not be looked at."""

    model: str
    scope: str
    error: LockstepError


CostsRun = Run[str, "ModelCosts | Uncosted"]


class AttainedDetails(msgspec.Struct, frozen=True):
    """The fewest or the most of a count, and a behaviour that attains it."""

    number: int | None
    """Null for no bound."""
    actions: tuple[str, ...]
    """The actions of that behaviour, from where counting begins to the goal."""
    begins: int
    """How many steps of the behaviour come before that."""
    repeats: tuple[int, int] | None
    """Of a number without bound `[first, last]`: the steps after `first`, up to `last`, may be
    repeated."""
    repeated: tuple[str, ...]
    """The actions among these that count."""
    file: str | None
    """The whole behaviour, for `lockstep replay`."""


class CostDetails(msgspec.Struct, frozen=True, rename={"begin": "from", "goal": "to"}):
    """What a scenario costs."""

    begin: str | None
    """Null for the initial state."""
    goal: str
    without: tuple[str, ...]
    never: str
    """Why no behaviour goes through the scenario, or empty."""
    unknown: str
    """What ended the work before it was known, or empty."""
    counts: dict[str, dict[str, AttainedDetails]]
    """The `fewest` and the `most` of each count, by its name."""


class CostsDetails(msgspec.Struct, frozen=True):
    """What only the answer about costs has."""

    costs: dict[str, CostDetails]
    """The cost of each scenario, by its name."""


def costs_answer(result: ModelCosts | Uncosted) -> Answer:
    """The answer about the costs of a model."""
    if isinstance(result, Uncosted):
        return judged_answer("costs", result, model=result.model, scope=result.scope)
    version, costs = result.version, [saved.cost for saved in result.costs]
    return judged_answer(
        "costs",
        result,
        model=version.model,
        scope=result.scope,
        **version.changes,
        seconds=result.seconds,
        because="; ".join(f"{one.scenario.name}: {one.unknown}" for one in costs if one.unknown),
        details=CostsDetails({one.cost.scenario.name: cost_details(one) for one in result.costs}),
    )


def cost_details(saved: SavedCost) -> CostDetails:
    """What a scenario costs, as JSON has it."""
    cost, scenario = saved.cost, saved.cost.scenario
    counts = {
        count.name: {
            extreme: _attained(getattr(count, extreme), saved.files.get((count.name, extreme)))
            for extreme in EXTREMES
        }
        for count in cost.counts
    }
    without = tuple(scenario.without)
    return CostDetails(scenario.begin, scenario.goal, without, cost.never, cost.unknown, counts)


class CostChangeDetails(msgspec.Struct, frozen=True):
    """What a scenario costs in BASE and in HEAD."""

    scenario: str
    is_reworded: bool
    """Whether the two do not count the same way."""
    base: CostDetails
    head: CostDetails


def cost_change(change: CostChange) -> CostChangeDetails:
    """A scenario of a review, as JSON has it."""
    name = change.head.cost.scenario.name
    base, head = cost_details(change.base), cost_details(change.head)
    return CostChangeDetails(name, change.is_reworded, base, head)


def _attained(attained: Attained, file: Path | None) -> AttainedDetails:
    names = tuple(step.action for step in attained.trace.steps[attained.begins :])
    return AttainedDetails(
        attained.number,
        names,
        attained.begins,
        attained.repeats,
        attained.repeated,
        None if file is None else str(file),
    )


def costs(
    request: CostsRequest,
    *,
    on_result: Callable[[ModelCosts | Uncosted], None] = lambda _: None,
    watch: Watch = Watch(),
) -> CostsRun:
    """What the scenarios of models cost; `on_result` hears of each model as soon as it is done.

    `LockstepError` where a named model has no scenario, or no model has one.
    """
    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    having = [name for name in names if load_model_spec(workspace.root, name).costs]
    lacking = [name for name in names if name not in having] if request.models else []
    if lacking or not having:
        raise LockstepError(
            f"{', '.join(lacking) or 'no model'} has no scenario to count",
            cure="write a table [costs.NAME] in specs/MODEL.toml",
        )

    def work(name: str) -> ModelCosts | Uncosted:
        version = version_of(workspace, name, request)
        scope = request.scope or version.usual_scope
        try:
            return _costs(version, scope, request, watch)
        except Exception as error:
            return Uncosted(name, scope, failure_of(error, workspace))

    return run_each(having, work, on_result)


def _costs(version: Version, scope: str, request: CostsRequest, watch: Watch) -> ModelCosts:
    started = time.perf_counter()
    model = version.at(scope)
    check_declarations(model, version.spec)
    lower(model)  # refuses what is outside the notation, whichever engine runs
    scenarios = tuple(version.spec.costs.values())
    saved = saved_costs(
        version, model, scope, scenarios, Saving(request.exploration, request.save, watch)
    )
    return ModelCosts(version, scope, saved, time.perf_counter() - started)


@dataclass(frozen=True)
class Saving:
    """How costs are worked out, the folder for their behaviours, and who looks on."""

    exploration: Exploration
    folder: Path | None
    watch: Watch = Watch()


def saved_costs(
    version: Version, model: Model, scope: str, scenarios: Sequence[Scenario], saving: Saving
) -> tuple[SavedCost, ...]:
    """What scenarios of a model cost, each behaviour in a file."""
    bounds = saving.exploration.bounds
    limits = Limits.of(bounds, bounds.max_states or MOST_STATES)
    with saving.watch.search(f"{version} {scope}: costs", None) as on_progress:
        exploration = replace(saving.exploration, on_progress=on_progress)
        results = list(costs_of(model, scenarios, limits, exploration))
    return tuple(_saved(version, model, scope, cost, saving) for cost in results)


def _saved(
    version: Version, model: Model, scope: str, cost: ScenarioCost, saving: Saving
) -> SavedCost:
    files = {}
    for count in cost.counts:
        for extreme in EXTREMES:
            attained: Attained = getattr(count, extreme)
            number = "no bound" if attained.number is None else f"{attained.number:,}"
            origin = Origin.of(
                model,
                scope=scope,
                fault=version.fault,
                proposal=version.proposal,
                engine=saving.exploration.engine,
                goal=f"{cost.scenario.name}, {extreme} {count.name}: {number}",
            )
            name = f"{version.title}-{cost.scenario.name}-{count.name}-{extreme}-{scope}.itf.json"
            folder = saving.folder or traces_folder(version.workspace)
            saved = save_as(folder / name, version.workspace, model, attained.trace, origin)
            if saved.file is not None:
                files[count.name, extreme] = saved.file
    return SavedCost(cost, files)


@dataclass(frozen=True)
class CostChange:
    """A scenario that BASE and HEAD both have, by its name, and what it costs in each."""

    base: SavedCost
    head: SavedCost

    @property
    def is_reworded(self) -> bool:
        """Whether the two do not count the same way; a count that only one has is none of that."""
        base, head = self.base.cost.scenario, self.head.cost.scenario
        ways = [(one.begin, one.goal, set(one.without)) for one in (base, head)]
        shared = base.counts.keys() & head.counts.keys()
        return ways[0] != ways[1] or any(base.counts[key] != head.counts[key] for key in shared)


def cost_changes(
    plan: ReviewPlan, task: ReviewTask, base: Model, head: Model, saving: Saving
) -> tuple[CostChange, ...]:
    """What scenarios cost in BASE and in HEAD; none where no scenario is in both.

    `saving` is without the folder, which depends on the version.
    """
    versions = task.versions.base, task.versions.head
    names = [name for name in versions[0].spec.costs if name in versions[1].spec.costs]
    if not names:
        return ()
    sides = (
        saved_costs(
            version,
            model,
            task.scope,
            [version.spec.costs[name] for name in names],
            replace(saving, folder=plan.folder(version)),
        )
        for version, model in zip(versions, (base, head), strict=True)
    )
    return tuple(CostChange(*pair) for pair in zip(*sides, strict=True))
