"""A step that one model takes and the other does not, as plain Python says.

The solver names a state, with parameters. Plain Python takes the step and finds that the other
model does not take it; then it makes the state as plain as that stays so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from lockstep.language.domains import Domain
from lockstep.language.likeness import plain_value
from lockstep.language.model import Action, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import Disagreement
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step
from lockstep.review.difference import Reason, reason_of
from lockstep.review.joint import Instance, Joint, JointAction
from lockstep.review.pair import Pair
from lockstep.review.plainer import Slot, plainer, slots_of
from lockstep.trace.itf_values import Misfit, decode, encode

_Outcome: TypeAlias = "State | EvaluationError | None"


@dataclass(frozen=True)
class Example:
    """A step that the model of this `number` takes and the other does not: 0 is BASE's, 1 HEAD's.

    `states` are those of BASE and HEAD before the step, which need not be reachable. `reason` says
    why the other does not take it, and `failure` what has no meaning in its text there; neither is
    printed where an action has parameters that the other has not. Without a `step` it is only said
    that the text of model `number` has no meaning there, and the other's has one.

    `is_in_order` says whether all invariants of BASE hold in that state. It is False where they
    hold in no state that shows the like, and None where that is not known.
    """

    number: int
    states: tuple[State, State]
    step: Step | None
    reason: Reason | None = None
    failure: str = ""
    is_in_order: bool | None = None

    @property
    def shows_both(self) -> bool:
        """Whether the other model takes another step there, which this one does not take."""
        return self.reason is not None and self.reason.after is not None

    @property
    def turns(self) -> tuple[int, ...]:
        """The numbers of the models that take a step which the other does not take."""
        return (0, 1) if self.shows_both or self.step is None else (self.number,)


class Oracle:
    """Plain Python in both models, about one action."""

    def __init__(self, joint: Joint, name: str) -> None:
        self._pair = joint.pair
        self._models = joint.pair.one, joint.pair.other
        self._engines = tuple(PlainEngine(model) for model in self._models)
        self._actions: tuple[Action, Action] = (
            joint.pair.one.action(name),
            joint.pair.other.action(name),
        )
        self._joint_action = JointAction(joint, name)
        self._invariants = [
            prop
            for prop in joint.pair.one.of_kind(Kind.INVARIANT)
            if joint.relations[0].is_written_out(joint.relations[0].properties[prop.name])
        ]

    def example(self, instance: Instance, number: int, *, in_order: bool) -> Example:
        """The plainest step near an instance that model `number` takes and the other does not.

        With `in_order` all invariants of BASE hold there. `Disagreement` where plain Python does
        not see such a step.
        """
        kind = self._kind(instance, number)
        if kind is None or (in_order and not self.is_in_order(instance)):
            raise Disagreement(f"plain Python sees no difference in {instance}")

        def is_one(other: Instance) -> bool:
            return self._kind(other, number) == kind and (not in_order or self.is_in_order(other))

        return self._described(plainer(instance, self._slots(number), is_one), number)

    def failing(self, instance: Instance) -> Example:
        """A state near an instance in which only one text has a meaning."""
        number = self._failing(instance)
        if number is None:
            raise Disagreement(f"plain Python sees no difference in {instance}")
        plain = plainer(instance, self._slots(number), lambda other: self._failing(other) == number)
        outcome = self._outcome(number, plain, plain.arguments[number])
        assert isinstance(outcome, EvaluationError)
        return Example(number, plain.states, None, failure=self._seen(number, outcome))

    def is_in_order(self, instance: Instance) -> bool:
        """Whether the invariants of BASE hold, but for those with very many parameters."""
        return all(self._holds(prop, instance.states[0]) for prop in self._invariants)

    def _holds(self, prop: Property, state: State) -> bool:
        try:
            return self._engines[0].evaluate(prop, state, None).failing is None
        except EvaluationError:
            return True  # as for the solver: it says nothing where it has no meaning

    def _outcome(self, number: int, instance: Instance, arguments: tuple[Any, ...]) -> _Outcome:
        try:
            return self._engines[number].run(
                self._actions[number], instance.states[number], arguments
            )
        except EvaluationError as error:
            return error

    def _outcomes(self, number: int, instance: Instance) -> Iterator[_Outcome]:
        """What a model does with each value of the parameters that only it has."""
        parameters = self._actions[number].parameters
        if not all(
            _is_in(one.domain, value)
            for one, value in zip(parameters, instance.arguments[number], strict=True)
            if one.name in self._joint_action.shared
        ):
            return
        for binding in self._joint_action.bindings(number):
            arguments = tuple(
                binding.get(one.name, value)
                for one, value in zip(parameters, instance.arguments[number], strict=True)
            )
            yield self._outcome(number, instance, arguments)

    def _kind(self, instance: Instance, number: int) -> str | None:
        """How the other model does not take the step of model `number`; None where it does."""
        after = self._outcome(number, instance, instance.arguments[number])
        if not isinstance(after, State):
            return None
        values, kinds = self._values(after), set()
        for other in self._outcomes(1 - number, instance):
            if isinstance(other, State) and self._values(other) == values:
                return None
            kinds.add(type(other).__name__)
        return " ".join(sorted(kinds))

    def _values(self, state: State) -> tuple[object, ...]:
        """The shared variables of a state, equal where both loads have equal values."""
        return tuple(plain_value(getattr(state, name)) for name in self._pair.shared)

    def _failing(self, instance: Instance) -> int | None:
        """The number of the model whose text alone has no meaning; None where there is none."""
        fails = [
            any(isinstance(one, EvaluationError) for one in self._outcomes(number, instance))
            for number in (0, 1)
        ]
        return None if fails[0] == fails[1] else fails.index(True)

    def _slots(self, number: int) -> list[Slot]:
        return slots_of(self._pair, self._actions, self._joint_action.shared, number)

    def _described(self, instance: Instance, number: int) -> Example:
        after = self._outcome(number, instance, instance.arguments[number])
        assert isinstance(after, State)
        step = Step(self._actions[number].name, instance.arguments[number], after)
        pair: Pair = self._pair if number == 0 else self._pair.swapped
        reason, failure = None, ""
        if self._joint_action.has_other_parameters:
            return Example(number, instance.states, step)
        try:
            reason = reason_of(pair, step, instance.states[1 - number])
        except EvaluationError as error:
            failure = self._seen(1 - number, error)
        return Example(number, instance.states, step, reason, failure)

    def _seen(self, number: int, error: EvaluationError) -> str:
        return error.seen_from(self._models[number].universe.root)


def _is_in(domain: Domain, value: Any) -> bool:
    """Whether a value lies in a domain with all its parts, however it was made."""
    try:
        decode(domain, encode(domain, value), "")
    except Misfit:
        return False
    return True
