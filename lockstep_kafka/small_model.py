"""A model cut down to what one case needs: states are built, and actions taken, by plain Python."""

from __future__ import annotations

from typing import Any

from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.language.protocol import Property
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep.trace.conjuncts import false_requirement
from lockstep.trace.layout import show
from lockstep_kafka.findings import Candidate

_LONGEST_SHOWN = 40
"""Characters of a value that a reader still takes in at a glance."""


class SmallModel:
    """An instance of a model; its own text says which actions can be taken, and where they lead."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._engine = PlainEngine(model)
        self._actions = {action.name: action for action in model.actions}

    def state(self, **variables: object) -> Any:
        """The initial state, with some variables as given; `NotInDomain` where they cannot be."""
        initial = self.model.initial
        fields = initial.fields
        return initial.of(
            fields[name].coerce(variables[name], name) if name in variables else value
            for name, value in zip(fields, initial, strict=True)
        )

    def step(self, state: State, action: str, **arguments: object) -> Any:
        """Where an action leads; None where it cannot be taken, or a value is none of Kafka's."""
        definition = self._actions[action]
        try:
            return self._engine.run(definition, state, self._values(action, arguments))
        except NotInDomain:
            return None

    def broken(self, state: State, kind: Kind) -> list[Property]:
        """The claims of a kind, such as invariants, that are false of a state."""
        evaluate = self._engine.evaluate
        return [
            claim
            for claim in self.model.properties
            if claim.kind is kind and evaluate(claim, state, None).failing is not None
        ]

    def refusal(self, state: State, action: str, **arguments: object) -> Candidate:
        """Why an action cannot be taken: the conjunct that is false, and what it reads."""
        try:
            values = self._values(action, arguments)
        except NotInDomain as error:
            return Candidate(action, outcome=f"no behaviour has the value: {error}")
        conjunct = false_requirement(self.model.universe, self._actions[action], state, values)
        if conjunct is None:
            return Candidate(action)
        reads = {
            name: _text(value)
            for name, value in (*conjunct.bound.items(), *conjunct.values.items())
        }
        shown = {name: value for name, value in reads.items() if len(value) <= _LONGEST_SHOWN}
        return Candidate(action, conjunct.text, shown)

    def _values(self, action: str, arguments: dict[str, object]) -> tuple[object, ...]:
        return tuple(
            parameter.domain.coerce(arguments[parameter.name], parameter.name)
            for parameter in self._actions[action].parameters
        )


def _text(value: object) -> str:
    """A value for a reader; a set has one order in each process, but not in all of them."""
    return show(frozenset(value)) if isinstance(value, set | frozenset) else str(value)
