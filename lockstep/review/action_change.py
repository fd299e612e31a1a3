"""What becomes of each action from one model to another: does it allow less, more, or the same.

Compared is what the actions do to the shared variables, in every state within the types, reachable
or not. A variable that only one model has takes every value there: an action is the same where it
does the same whatever the hidden variables are.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import z3

from lockstep.language import ir
from lockstep.language.model import Action, Model
from lockstep.language.source import Place
from lockstep.language.totality import walk
from lockstep.prove.solver import ask, new_solver
from lockstep.prove.terms import Truth, term
from lockstep.prove.values import NotProvable
from lockstep.review.action_example import Example, Oracle
from lockstep.review.difference import parting_places
from lockstep.review.joint import Joint, JointAction
from lockstep.review.pair import Pair


class Strength(StrEnum):
    """What becomes of an action."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    """Each version takes a step that the other does not, or one text alone has no meaning."""
    WEAKENED = "weakened"
    """HEAD takes every step that BASE takes, and more."""
    STRENGTHENED = "strengthened"
    """HEAD takes no step that BASE does not take, and not all of those."""
    UNDECIDED = "not decided"
    SAME = "same"


_STRENGTHS = {
    (False, False): Strength.SAME,
    (True, False): Strength.STRENGTHENED,
    (False, True): Strength.WEAKENED,
    (True, True): Strength.CHANGED,
}
"""By whether BASE takes a step that HEAD does not take, and HEAD one that BASE does not take."""


@dataclass(frozen=True)
class ActionChange:
    """One action of BASE, HEAD or both; None where a version does not have it.

    `is_same_text` says that both say the same, with all that they call, so that nothing was to be
    asked; else `places` are where the texts part first. `because` says why it is not decided, and
    `is_late` that more time may decide it. What is the same `is_idle` where no state enables it. An
    added or removed action that writes hidden variables alone `is_internal`.
    """

    name: str
    base: Action | None
    head: Action | None
    strength: Strength
    is_same_text: bool = False
    places: tuple[Place | None, Place | None] = (None, None)
    examples: tuple[Example, ...] = ()
    because: str = ""
    is_late: bool = False
    is_idle: bool = False
    is_internal: bool = False

    @property
    def in_order(self) -> Strength | None:
        """What becomes of it where all invariants of BASE hold; None where that is not known."""
        if any(example.is_in_order is None for example in self.examples):
            return None
        if self.strength in (Strength.STRENGTHENED, Strength.WEAKENED, Strength.CHANGED):
            turns = [turn for one in self.examples if one.is_in_order for turn in one.turns]
            return _STRENGTHS[0 in turns, 1 in turns]
        return self.strength

    @property
    def action(self) -> Action:
        """HEAD's action, or BASE's where HEAD has none."""
        action = self.base if self.head is None else self.head
        assert action is not None
        return action


class Comparison:
    """All actions of two models; `max_seconds` bounds what the solver is asked about each."""

    def __init__(self, base: Model, head: Model, max_seconds: float) -> None:
        self._joint = Joint(base, head)
        self._max_seconds = max_seconds
        self._base = {action.name: action for action in base.actions}
        self._head = {action.name: action for action in head.actions}

    @property
    def pair(self) -> Pair:
        """The two models, and the variables that are compared."""
        return self._joint.pair

    @property
    def names(self) -> tuple[str, ...]:
        """The actions in the order of BASE, then those that only HEAD has."""
        return tuple(dict.fromkeys([*self._base, *self._head]))

    def change(self, name: str) -> ActionChange:
        """What becomes of one action; `Disagreement` where plain Python contradicts the solver."""
        base, head = self._base.get(name), self._head.get(name)
        if base is None or head is None:
            strength = Strength.ADDED if base is None else Strength.REMOVED
            code = self._joint.code(1 if base is None else 0, name)
            written = {part.variable for part in code.statements if isinstance(part, ir.Write)}
            is_internal = written.isdisjoint(self._joint.pair.shared)
            return ActionChange(name, base, head, strength, is_internal=is_internal)
        places = parting_places(self._joint.code(0, name), self._joint.code(1, name))
        if places is None:
            return ActionChange(name, base, head, Strength.SAME, is_same_text=True)
        change = ActionChange(name, base, head, Strength.UNDECIDED, places=places)
        if unlike := sorted(self._joint.unlike & self._touched(name)):
            because = f"{', '.join(unlike)} of BASE and HEAD cannot be compared"
            return replace(change, because=f"{because}: the domains have other parts")
        try:
            question = _Question(self._joint, name, self._max_seconds)
            return replace(question.decided(change), is_late=question.is_late)
        except NotProvable as error:
            return replace(change, because=str(error))

    def _touched(self, name: str) -> set[str]:
        """The variables that an action of one of the models reads or writes."""
        codes = self._joint.code(0, name), self._joint.code(1, name)
        return {
            part.variable
            for code in codes
            for part in walk(code)
            if isinstance(part, ir.Read | ir.Write)
        }


_Answer: TypeAlias = "Example | str | None"
"""A step, none, or why it is not known."""


class _Question:
    """One action of two models, and the time there is for it."""

    def __init__(self, joint: Joint, name: str, max_seconds: float) -> None:
        self._joint = joint
        self._action = JointAction(joint, name)
        self._oracle = Oracle(joint, name)
        self._max_seconds = max_seconds
        self._ends = time.monotonic() + max_seconds
        self.is_late = False

    def decided(self, change: ActionChange) -> ActionChange:
        """What becomes of the action."""
        more = self._exceeding(1)
        if isinstance(more, Example) and more.shows_both and more.is_in_order:
            return replace(change, strength=Strength.CHANGED, examples=(more,))
        less = self._exceeding(0)
        examples = tuple(one for one in (more, less) if isinstance(one, Example))
        unknown = next((one for one in (more, less) if isinstance(one, str)), "")
        if more is None and less is None:
            return self._with_failures(change)
        strength = _STRENGTHS[less is not None, more is not None]
        if unknown:
            strength = Strength.UNDECIDED
        return replace(change, strength=strength, examples=examples, because=unknown)

    def _with_failures(self, change: ActionChange) -> ActionChange:
        """The same steps in both: one text may have no meaning where the other takes no step."""
        answer = self._ask(self._action.fails_alone())
        if answer is None:
            is_idle = self._ask(self._action.steps()) is None
            return replace(change, strength=Strength.SAME, is_idle=is_idle)
        if isinstance(answer, str):
            return replace(change, because=answer)
        example = self._oracle.failing(self._action.instance(answer))
        return replace(change, strength=Strength.CHANGED, examples=(example,))

    def _exceeding(self, number: int) -> _Answer:
        """A step that one model takes and the other does not, where BASE is in order if may be."""
        exceeds = self._action.exceeds(number)
        answer = self._ask(exceeds)
        if answer is None or isinstance(answer, str):
            return answer
        ordered = self._ask(exceeds, self._joint.in_order)
        if isinstance(ordered, z3.ModelRef):
            instance = self._action.instance(ordered)
            example = self._oracle.example(instance, number, in_order=True)
            return replace(example, is_in_order=True)
        example = self._oracle.example(self._action.instance(answer), number, in_order=False)
        return replace(example, is_in_order=None if isinstance(ordered, str) else False)

    def _ask(self, *claims: Truth) -> z3.ModelRef | str | None:
        if any(claim is False for claim in claims):
            return None
        solver = new_solver()
        solver.add(term(self._joint.typed), *(term(claim) for claim in claims))
        answer = ask(solver, self._ends - time.monotonic())
        if isinstance(answer, str) and time.monotonic() >= self._ends:
            self.is_late = True
            return f"no answer within {self._max_seconds:g} s"
        return answer
