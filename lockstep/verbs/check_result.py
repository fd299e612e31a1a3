"""What comes of `check`: one result a model, and what was not checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from lockstep.answers.answer import Answer, counts_of
from lockstep.answers.store import Dependencies, Question, texts_of
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model
from lockstep.plain.exploration import Exploration
from lockstep.requests.check import CheckRequest
from lockstep.requests.run import Failure, Run, judged_answer
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict, exit_code_of, worst
from lockstep.specs.judgement import Difference, Judgement
from lockstep.specs.scopes import Pins
from lockstep.trace.behaviour import to_pytest
from lockstep.trace.documents import claim_json, error_json, steps_json
from lockstep.workspace import Workspace

if TYPE_CHECKING:
    from lockstep.language.inventory import Unused
    from lockstep.requests.affected import Affected
    from lockstep.results.trace import Trace
    from lockstep.trace.itf import Origin


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
    def judged(self) -> str:
        """Of how many properties that is, and of how many there are where these are more."""
        properties = len(self.model.properties)
        return str(properties) if self.checked == properties else f"{self.checked}/{properties}"

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


class CheckDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a check has."""

    properties: int
    """How many properties the model has."""
    checked: int
    """Of how many of them it is known whether they hold as far as the search went."""
    fired: dict[str, int]
    """How many instances of each action were enabled."""
    applied: tuple[str, ...]
    """The invariants whose premise some state or step satisfied."""
    reached: tuple[str, ...]
    """The goals that some state satisfied."""
    missed: tuple[str, ...]
    """The goals that no reachable state satisfies: makes it `violated`."""
    deadlocks: int
    """How many states no step leaves."""
    unchecked: tuple[str, ...]
    """Each `leads_to` of which nothing is known (see [liveness](liveness.md))."""
    interrupted: bool
    """Whether Ctrl-C ended the search."""
    remark: str
    """What else to know of how it was explored, or empty."""
    sampled: int
    """How many states of a search by machine code plain Python was given, too, and agreed on. 0
    where plain Python explored all, and where a violation ended the search, which plain Python has
    walked."""
    sampled_steps: int
    """How many steps leave these states."""
    pins: Pins | None
    """The pinned `verdict`, `states`, `transitions`, `depth` and, of a violation, all properties
    that it `violates`; each is null where it is not pinned. Null where nothing was compared."""
    differences: tuple[Difference, ...]
    """`{name, expected, found}` for each pin that was not found."""
    idle: tuple[str, ...]
    """Actions that never fired and are not declared so: makes it `inconclusive`."""
    vacuous: tuple[str, ...]
    """Properties whose premise never held and that are not declared so, or that every scope
    declares so: the same."""
    stale: tuple[str, ...]
    """What is declared idle or vacuous, but is not so: makes it `differs`."""
    expected: bool
    """Whether it is a violation that the scope pins."""
    requirements: tuple[str, ...]
    """The requirements that the property `violated` states."""
    parameters: dict[str, Any]
    """The parameters for which that property fails."""
    steps: list[dict[str, Any]] | None
    """The counterexample, or the way to where the text has no meaning: the `action` and the
    `parameters` of each step."""
    loop: int | None
    """After how many steps those come that are taken for ever; where none come, nothing happens
    any more."""
    not_saved: str | None
    """Why there is no file of the counterexample."""
    error: dict[str, Any] | None
    """Where the text has no meaning: `function`, `file` (below the workspace), `line`, `column`
    (from 1, in bytes), `reason`, `why`, and `cure`, what to do."""
    pytest: str | None
    """With `--pytest`, the counterexample as a test."""
    others: tuple[Answer, ...]
    """With `--all`, the answer about each violation after the first."""
    rest: Answer | None
    """With `--all`, the answer about the properties that none of these violates; a deadlock that
    was found is allowed there. Null where nothing is violated, or nothing is left. It counts in
    `exit_code`, and not in `summary`."""


def check_answer(
    result: CheckResult, request: CheckRequest = CheckRequest(), *, pytest: bool = False
) -> Answer:
    """The answer to a check; with `pytest`, with its counterexample as a test."""
    asked: dict[str, Any] = {
        "scope": result.scope,
        "fault": request.fault,
        "proposal": request.proposal,
        "constants": dict(request.constants),
        "seed": None if request.walks is None else request.seed,
    }
    if isinstance(result, Unchecked):
        return judged_answer("check", result, model=result.name, engine=request.engine, **asked)
    search = result.result
    return judged_answer(
        "check",
        result,
        model=search.model,
        violated=next(iter(search.violated), None),
        length=None if result.trace is None else len(result.trace.steps),
        trace=None if result.saved is None else str(result.saved),
        because=result.judgement.because,
        judged=result.judged,
        since=result.since,
        details=_details(result, request, pytest),
        **asked,
        **counts_of(search),
    )


def _details(checked: Checked, request: CheckRequest, pytest: bool) -> CheckDetails:
    model, search, trace = checked.model, checked.result, checked.trace
    origin = checked.origin
    is_claim = pytest and origin is not None and origin.property is not None
    values = {
        **vars(checked.judgement),
        **vars(search),
        "properties": len(model.properties),
        "checked": checked.checked,
        "applied": sorted(search.applied),
        "reached": sorted(search.reached),
        **claim_json(model, search.violation),
        "steps": None if trace is None else steps_json(model, trace),
        "loop": None if trace is None else trace.loop,
        "not_saved": checked.not_saved,
        "error": None if search.error is None else error_json(model, search.error),
        "pytest": to_pytest(model, trace, origin) if is_claim and trace and origin else None,
        "others": [check_answer(one, request, pytest=pytest) for one in checked.others],
        "rest": None
        if checked.rest is None
        else check_answer(checked.rest, request, pytest=pytest),
    }
    return msgspec.convert(values, CheckDetails, from_attributes=True)


def search_answer(checked: Checked) -> Answer:
    """The answer of a search, as it was explored and before anybody judges it."""
    result = checked.result
    verdict, because = result.verdict, result.because
    if verdict is Verdict.HOLDS and result.unchecked:
        verdict = Verdict.INCONCLUSIVE
        because = f"not checked: {', '.join(result.unchecked)}"
    return check_answer(replace(checked, judgement=Judgement(verdict, because, None)))


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
