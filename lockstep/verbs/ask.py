"""Questions to the solver about one model: is there such a behaviour, are two actions the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.prove.bounded import BoundedResult, Target, check_bounded, where
from lockstep.prove.equal import Contrast, contrast
from lockstep.prove.relation import Relation
from lockstep.prove.solver import ctrl_c_ends_a_question
from lockstep.requests.option import choose
from lockstep.requests.prove import AskOptions, ProveRequest
from lockstep.requests.run import Judged, judged_answer
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.documents import steps_json
from lockstep.trace.itf import NOTHING_SAVED, Saved
from lockstep.trace.render import render_step, render_taken
from lockstep.verbs.explore import goal_model
from lockstep.verbs.prove_kept import Reason, keep_trace
from lockstep.verbs.prove_result import Subject, load_subject
from lockstep.words import plural
from lockstep.workspace import find_workspace

_GOAL, _START = "found", "started"
"""The names of the two predicates of a search, as goals of the model."""


@dataclass(frozen=True)
class Searched(Judged):
    """What came of a search, and the file of the behaviour if there is one."""

    subject: Subject
    asked: AskOptions
    model: Model
    result: BoundedResult
    written: Saved

    @property
    def trace(self) -> Trace | None:
        """The behaviour that was looked for, or that violates something."""
        return None if self.result.violation is None else self.result.violation.trace

    @property
    def violated(self) -> tuple[str, ...]:
        """What is violated at its end, where no goal was looked for."""
        violation = self.result.violation
        return () if violation is None or self.asked.find is not None else violation.properties

    @property
    def verdict(self) -> Verdict:
        """`holds` if the goal is reached, and `violated` if without a goal something is."""
        if self.result.violation is None:
            return Verdict.INCONCLUSIVE if self.result.error is None else Verdict.ERROR
        return Verdict.VIOLATED if self.asked.find is None else Verdict.HOLDS

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.result.interrupted

    @property
    def because(self) -> str:
        """Why there is no behaviour, and of up to how many steps; empty if there is one."""
        result = self.result
        if result.violation is not None:
            return ""
        nothing = ""
        if result.covered is not None:
            steps = plural(result.covered, "step")
            end = "breaks anything" if self.asked.find is None else "reaches it"
            nothing = f"no behaviour in up to {steps} {end}"
        return "; ".join(part for part in (result.because, nothing) if part)


@dataclass(frozen=True)
class Compared(Judged):
    """Two actions, and a state in which they differ if there is one."""

    subject: Subject
    actions: tuple[str, str]
    model: Model
    contrast: Contrast | None

    @property
    def verdict(self) -> Verdict:
        """`holds` if they do the same, else `violated`."""
        return Verdict.HOLDS if self.contrast is None else Verdict.VIOLATED

    @property
    def effects(self) -> dict[str, tuple[str, ...]]:
        """What each action does in the state in which they differ, line by line."""
        if self.contrast is None:
            return {}
        does = (_effect(self.model, outcome) for outcome in self.contrast.does)
        return dict(zip(self.actions, does, strict=True))


def _effect(model: Model, outcome: Trace | str | None) -> tuple[str, ...]:
    if outcome is None:
        return ("is not enabled",)
    if isinstance(outcome, str):
        return (f"has no meaning: {outcome}",)
    (step,) = outcome.steps
    return tuple(render_step(1, render_taken(model, step), outcome.initial, step.state))


Asked: TypeAlias = Searched | Compared


def ask(request: ProveRequest, asked: AskOptions) -> Asked:
    """Look for a behaviour, which is saved, or compare two actions, of the model of a request.

    `LockstepError` for a question with mistakes, of several models, and about actions that cannot
    be compared; `NotProvable` where the solver gives up.
    """
    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    if len(names) != 1:
        raise LockstepError(
            "--find, --from and --equal ask about one model", cure="name the model before it"
        )
    with ctrl_c_ends_a_question():
        subject = load_subject(workspace, names[0], request)
        if asked.equal is None:
            return _search(subject, asked)
        model = subject.load(lemmas=False)
        difference = contrast(Relation(model), *asked.equal, request.max_seconds)
    return Compared(subject, asked.equal, model, difference)


def _search(subject: Subject, asked: AskOptions) -> Searched:
    request = subject.request
    model, start, workspace = subject.load(lemmas=False), None, subject.workspace
    if asked.find is not None:
        model = goal_model(workspace, model, _GOAL, asked.find)
    if asked.start is not None:
        helped = goal_model(workspace, subject.load(), _START, asked.start)
        start = where(Relation(helped), _START)
    result = check_bounded(
        Relation(model),
        subject.proof.depth if request.depth is None else request.depth,
        Target(only=None if asked.find is None else _GOAL, start=start),
        max_seconds=request.max_seconds,
    )
    written = NOTHING_SAVED
    if result.violation is not None:
        violation = result.violation if asked.find is None else None
        reason = Reason(violation, asked.find, asked.start)
        written = keep_trace(subject, model, result.violation.trace, reason)
    return Searched(subject, asked, model, result, written)


class FindDetails(msgspec.Struct, frozen=True):
    """What only the answer of a search has."""

    goal: str | None
    """What was looked for; null for a violation."""
    start: str | None
    """What is true at first; null where it begins in the first state."""
    covered: int | None
    """Up to how many steps there is no such behaviour; null if nothing is known."""
    steps: list[Any] | None
    """The behaviour: the `action` and the `parameters` of each step."""
    not_saved: str | None
    """Why there is no file of it."""


class EqualDetails(msgspec.Struct, frozen=True):
    """What only the answer about two actions has."""

    actions: tuple[str, str]
    differ: dict[str, tuple[str, ...]]
    """What each action does in a state in which they differ, line by line; empty without one."""


def ask_answer(result: Asked) -> Answer:
    """The answer to such a question."""
    request = result.subject.request
    asked: dict[str, Any] = {
        "model": result.subject.name,
        "scope": result.subject.proof.name,
        "fault": request.fault,
        "constants": dict(request.constants),
        "engine": "z3",
    }
    if isinstance(result, Compared):
        details = EqualDetails(result.actions, result.effects)
        return judged_answer("equal", result, details=details, **asked)
    trace, written = result.trace, result.written
    return judged_answer(
        "find",
        result,
        violated=next(iter(result.violated), None),
        violates=result.violated,
        seconds=result.result.seconds,
        length=None if trace is None else len(trace.steps),
        trace=written.place,
        because=result.because,
        details=FindDetails(
            result.asked.find,
            result.asked.start,
            result.result.covered,
            None if trace is None else steps_json(result.model, trace),
            written.why_not,
        ),
        **asked,
    )
