"""Searches that were made in an earlier run, and need not be made again.

Only what holds in a scope as it stands is taken from there. A violation has to be found again, for
its behaviour is written for `replay`; what is inconclusive may have been short of time. What the
scope pins and declares is no part of it: the search is judged again each time.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lockstep.answers.answer import Answer, counts_of
from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.verbs.check_result import Checked
from lockstep.workspace import Workspace

PACKAGES = ("llvmlite", "numba", "numpy", "scipy")
"""The packages that take part in a search."""

_COUNTS = ("model", "engine", "states", "transitions", "depth", "levels", "seconds")
"""What a result and its answer both have, and mean the same by."""

_DETAILS = ("fired", "applied", "reached", "deadlocks", "remark", "sampled", "sampled_steps")
"""What only a result that holds has."""


def search_question(
    workspace: Workspace,
    model: Model,
    scope: str,
    constants: Mapping[str, object],
    exploration: Exploration,
) -> Question:
    """The search of a model in a scope, as far as its result depends on it."""
    options = {
        "model": model.name,
        "constants": {name: repr(value) for name, value in constants.items()},
        "engine": exploration.engine,
        "deadlock_allowed": exploration.deadlock_allowed,
    }
    dependencies = Dependencies(texts_of(model), options, PACKAGES)
    return Question(workspace, "check", model.name, scope, dependencies)


def search_answer(checked: Checked) -> Answer:
    """The answer of a search, as it was explored and before anybody judges it."""
    result = checked.result
    answer = Answer(
        kind="check",
        model=result.model,
        scope=checked.scope,
        verdict=str(result.verdict),
        because=result.because,
        length=None if checked.trace is None else len(checked.trace.steps),
        trace=None if checked.saved is None else str(checked.saved),
        **counts_of(result),
    )
    if result.verdict is not Verdict.HOLDS:
        return answer
    if result.unchecked:
        answer.verdict = str(Verdict.INCONCLUSIVE)
        answer.because = f"not checked: {', '.join(result.unchecked)}"
        return answer
    whole = msgspec.to_builtins(result)
    answer.details = {name: whole[name] for name in _DETAILS}
    return answer


def kept_search(model: Model, answer: Answer) -> SearchResult | None:
    """The result that an answer describes; None unless it is one of this model that holds."""
    if answer.verdict != Verdict.HOLDS:
        return None
    counts = {name: getattr(answer, name) for name in _COUNTS}
    try:
        result = msgspec.convert({**answer.details, **counts}, SearchResult)
    except msgspec.ValidationError:
        return None
    properties = {prop.name for prop in model.properties}
    is_of_model = list(result.fired) == [action.name for action in model.actions]
    return result if is_of_model and properties >= result.applied | result.reached else None
