"""`check --all`: leaves out what is violated, and explores the rest until nothing else is."""

from __future__ import annotations

from dataclasses import replace

from lockstep.explore.engines import explore
from lockstep.language.model import DEADLOCK, Model
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.judgement import judge
from lockstep.specs.scopes import Scope
from lockstep.system.crash import failure_of
from lockstep.system.interruption import INTERRUPTION
from lockstep.verbs.check_result import Checked, CheckResult, Unchecked
from lockstep.verbs.run import Watch
from lockstep.workspace import Workspace


def check_rest(
    first: Checked, scope: Scope, exploration: Exploration, workspace: Workspace, watch: Watch
) -> tuple[tuple[Checked, ...], CheckResult | None]:
    """What else is violated, one result a search, and the result of the properties that are left.

    A deadlock that was found is allowed from then on. The second is None where `first` violates
    nothing, and where no property is left. Neither an error nor Ctrl-C is raised, for what was
    found before stands.
    """
    others: list[Checked] = []
    latest = first
    exploration = replace(exploration, checkpoint=None, expected=0)
    while names := latest.result.violated:
        properties = tuple(prop for prop in latest.model.properties if prop.name not in names)
        allowed = exploration.deadlock_allowed or DEADLOCK in names
        if allowed and not properties:
            break
        model = replace(latest.model, properties=properties)
        exploration = replace(exploration, deadlock_allowed=allowed)
        try:
            result = _search(model, f"{model.name} {scope.name}, the rest", exploration, watch)
        except Exception as error:
            return tuple(others), Unchecked(model.name, scope.name, failure_of(error, workspace))
        latest = Checked(model, scope.name, result, judge(model, scope, result, pinned=False))
        if not result.violated:
            is_nothing_left = not properties and result.verdict is Verdict.HOLDS
            return tuple(others), None if is_nothing_left else latest
        others.append(latest)
    return tuple(others), None


def _search(model: Model, title: str, exploration: Exploration, watch: Watch) -> SearchResult:
    try:
        INTERRUPTION.heed()
        with watch.search(title, None) as on_progress:
            return explore(model, replace(exploration, on_progress=on_progress))
    except KeyboardInterrupt:
        return SearchResult(
            model.name,
            exploration.engine,
            Verdict.INCONCLUSIVE,
            interrupted=True,
            because="interrupted",
        )
