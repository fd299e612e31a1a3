"""Walk a model along an observed behaviour, by plain Python, at any width.

The walker holds one state. An observation names the action and all of its parameters, so nothing
is enumerated: domains as wide as 64 bits cost nothing.
"""

from __future__ import annotations

from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine


class Walker:
    """A model, and the state that the observed system is believed to be in."""

    def __init__(self, model: Model) -> None:
        self._engine = PlainEngine(model)
        self._actions = {action.name: action for action in model.actions}
        self.state: State = model.initial

    def peek(self, action: str, **arguments: object) -> State | None:
        """Where one action instance would lead; None when it is not enabled.

        Raises `EvaluationError` when an argument or a result lies outside its domain.
        """
        definition = self._actions[action]
        values = tuple(
            parameter.domain.coerce(arguments[parameter.name], parameter.name)
            for parameter in definition.parameters
        )
        return self._engine.run(definition, self.state, values)

    def take(self, action: str, **arguments: object) -> bool:
        """Take one action instance; False, and no move, when it is not enabled."""
        state = self.peek(action, **arguments)
        if state is not None:
            self.state = state
        return state is not None
