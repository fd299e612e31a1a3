"""What the scenarios of two versions cost, on both sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lockstep.language.model import Model
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.saving import traces_folder
from lockstep.verbs.costs import SavedCost, Saving, saved_costs
from lockstep.verbs.review_plan import ReviewPlan, ReviewTask
from lockstep.verbs.version import Version


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
    specs = [load_model_spec(one.workspace.root, one.model) for one in versions]
    names = [name for name in specs[0].costs if name in specs[1].costs]
    if not names:
        return ()
    sides = (
        saved_costs(
            version,
            model,
            task.scope,
            [spec.costs[name] for name in names],
            replace(saving, folder=_folder(plan, version)),
        )
        for version, model, spec in zip(versions, (base, head), specs, strict=True)
    )
    return tuple(CostChange(*pair) for pair in zip(*sides, strict=True))


def _folder(plan: ReviewPlan, version: Version) -> Path:
    folder = plan.request.save or traces_folder(plan.workspace)
    return folder if version.revision is None else folder / version.revision
