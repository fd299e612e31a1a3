"""What comes of `check`: one result a model, and what was not checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from lockstep.answers.answer import Answer, counts_of
from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.requests.run import Failure, Run
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict, exit_code_of, worst
from lockstep.workspace import Workspace

if TYPE_CHECKING:
    from lockstep.language.inventory import Unused
    from lockstep.language.model import Model
    from lockstep.results.search_result import SearchResult
    from lockstep.results.trace import Trace
    from lockstep.specs.judgement import Judgement
    from lockstep.trace.itf import Origin
    from lockstep.verbs.affected import Affected


@dataclass
class Checked(ShownInNotebooks):
    """One model in one scope, explored and judged."""

    model: Model
    scope: str
    result: SearchResult
    judgement: Judgement
    trace: Trace | None = None
    """The shortest behaviour to the violation or to where the text has no meaning."""
    origin: Origin | None = None
    saved: Path | None = None
    """The file of the trace."""
    not_saved: str | None = None
    """Why the trace could not be saved."""
    since: datetime | None = None
    """When it was explored, where that was in an earlier run."""
    pinned: tuple[str, ...] = ()
    """What was written into specs/MODEL.toml, one text a value."""
    others: tuple[Checked, ...] = ()
    """The other violations, where the check went on past the first: one result a search."""
    rest: CheckResult | None = None
    """The result of the properties that none of these violates.

    None where the check did not go on, nothing is violated, or no property is left.
    """

    @property
    def verdict(self) -> Verdict:
        """The verdict on the model in this scope."""
        return self.judgement.verdict

    @property
    def checked(self) -> int:
        """Of how many properties it is known whether they hold as far as the search went."""
        return len(self.model.properties) - len(self.result.undecided(self.model))

    @property
    def exit_code(self) -> int:
        """What this result alone would end the process with."""
        code = exit_code_of(
            self.verdict,
            expected=self.judgement.expected,
            interrupted=self.result.interrupted,
        )
        rest = () if self.rest is None else (self.rest,)
        return worst([code, *(other.exit_code for other in (*self.others, *rest))])


@dataclass(frozen=True)
class Unchecked(ShownInNotebooks, Failure):
    """A model that could not be explored: it is not well formed, or has no such scope."""

    name: str
    scope: str
    error: LockstepError


CheckResult: TypeAlias = "Checked | Unchecked"


@dataclass(frozen=True)
class CheckRun(Run[str, CheckResult], ShownInNotebooks):
    """All results; `pending` are models that the run did not come to, `unused` files not read."""

    unused: tuple[Unused, ...] = ()
    affected: Affected | None = None
    """Which models a change can affect, where that was asked; the others were skipped."""

    @property
    def exit_code(self) -> int:
        """The worst of all: never 0 where something was to be checked and was not."""
        is_mistaken = any(file.is_mistake for file in self.unused)
        unread = ExitCode.USAGE if is_mistaken else ExitCode.HOLDS
        return worst([super().exit_code, unread])


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
