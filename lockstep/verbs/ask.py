"""Questions to the solver about one model: is there such a behaviour, are two actions the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from lockstep.language.model import Model
from lockstep.prove.bounded import BoundedResult, Target, check_bounded, where
from lockstep.prove.equal import Contrast, contrast
from lockstep.prove.relation import Relation
from lockstep.prove.solver import ctrl_c_ends_a_question
from lockstep.requests.prove import SECONDS, Widths
from lockstep.requests.run import Judged
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.trace.saving import Saved
from lockstep.verbs.explore import goal_model
from lockstep.verbs.prove_kept import Reason, keep_trace
from lockstep.verbs.prove_result import Subject, load_subject
from lockstep.words import plural
from lockstep.workspace import Workspace, find_workspace

_GOAL, _START = "found", "started"
"""The names of the two predicates of a search, as goals of the model."""


@dataclass(frozen=True)
class SearchRequest:
    """A shortest behaviour of one model is looked for: to the `goal`, or to a violation.

    It begins in the first state, or in any in which `start` is true and all invariants hold. Both
    are predicates as an invariant has them. `depth` is the most steps, or None for what the proof
    says, and `max_seconds` bounds the search as a whole.
    """

    model: str
    goal: str | None = None
    start: str | None = None
    widths: Widths = field(default_factory=Widths)
    depth: int | None = None
    max_seconds: float = SECONDS
    workspace: Workspace | None = None
    """Where the model is; that of the current folder unless told."""


@dataclass(frozen=True)
class Searched(Judged):
    """What came of a search, and the file of the behaviour if there is one."""

    subject: Subject
    request: SearchRequest
    model: Model
    result: BoundedResult
    written: Saved | None

    @property
    def trace(self) -> Trace | None:
        """The behaviour that was looked for, or that violates something."""
        return None if self.result.violation is None else self.result.violation.trace

    @property
    def violated(self) -> tuple[str, ...]:
        """What is violated at its end, where no goal was looked for."""
        violation = self.result.violation
        return () if violation is None or self.request.goal is not None else violation.properties

    @property
    def verdict(self) -> Verdict:
        """`holds` if the goal is reached, and `violated` if without a goal something is."""
        if self.result.violation is None:
            return Verdict.INCONCLUSIVE if self.result.error is None else Verdict.ERROR
        return Verdict.VIOLATED if self.request.goal is None else Verdict.HOLDS

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
            end = "breaks anything" if self.request.goal is None else "reaches it"
            nothing = f"no behaviour in up to {steps} {end}"
        return "; ".join(part for part in (result.because, nothing) if part)


def search(request: SearchRequest) -> Searched:
    """Look for a shortest behaviour, and save it. LockstepError for a request with mistakes."""
    workspace = request.workspace or find_workspace()
    with ctrl_c_ends_a_question():
        subject = load_subject(workspace, request.model, request.widths)
        model, start = subject.load(lemmas=False), None
        if request.goal is not None:
            model = goal_model(workspace, model, _GOAL, request.goal)
        if request.start is not None:
            helped = goal_model(workspace, subject.load(), _START, request.start)
            start = where(Relation(helped), _START)
        result = check_bounded(
            Relation(model),
            subject.proof.depth if request.depth is None else request.depth,
            Target(only=None if request.goal is None else _GOAL, start=start),
            max_seconds=request.max_seconds,
        )
    written = None
    if result.violation is not None:
        violation = result.violation if request.goal is None else None
        reason = Reason(violation, request.goal, request.start)
        written = keep_trace(subject, model, result.violation.trace, reason)
    return Searched(subject, request, model, result, written)


@dataclass(frozen=True)
class EqualRequest:
    """Whether two actions of one model do the same in every state, reached or not."""

    model: str
    actions: tuple[str, str]
    widths: Widths = field(default_factory=Widths)
    max_seconds: float = SECONDS
    workspace: Workspace | None = None
    """Where the model is; that of the current folder unless told."""


@dataclass(frozen=True)
class Compared(Judged):
    """Two actions, and a state in which they differ if there is one."""

    subject: Subject
    request: EqualRequest
    model: Model
    contrast: Contrast | None

    @property
    def verdict(self) -> Verdict:
        """`holds` if they do the same, else `violated`."""
        return Verdict.HOLDS if self.contrast is None else Verdict.VIOLATED


def compare_actions(request: EqualRequest) -> Compared:
    """Whether two actions do the same.

    LockstepError for actions that cannot be compared, and NotProvable where the solver gives up.
    """
    workspace = request.workspace or find_workspace()
    with ctrl_c_ends_a_question():
        subject = load_subject(workspace, request.model, request.widths)
        model = subject.load(lemmas=False)
        difference = contrast(Relation(model), *request.actions, request.max_seconds)
    return Compared(subject, request, model, difference)
