"""Two models, and what both of them show.

A name is shared where both models have a variable of it, of the same domain. A function that is
marked with `@shows` stands for a variable of its name, or in place of it: what it returns is then
compared with the other model's value, whatever the domains are. What a state shows is its *view*:
the values of all shared names. All else is hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.language.frontend import lower
from lockstep.language.likeness import Likeness, plain_value
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.language.protocol import Shown
from lockstep.plain.run import PlainEngine


@dataclass(frozen=True)
class Pair:
    """Two models with the names that they share, in the order of `one`."""

    one: Model
    other: Model
    shared: tuple[str, ...]

    @classmethod
    def of(cls, one: Model, other: Model) -> Pair:
        """Two models; a variable that both have with different domains is hidden in both.

        `ModelError` where a function of either is not in the notation.
        """
        for model in (one, other):
            lower(model)
        same = Likeness()
        names = (name for name in shown_names(one) if name in shown_names(other))
        shared = tuple(
            name
            for name in names
            if _function(one, name) is not None
            or _function(other, name) is not None
            or same(one.variables[name], other.variables[name])
        )
        return cls(one, other, shared)

    @property
    def swapped(self) -> Pair:
        """The same with the models in the other order."""
        return Pair(self.other, self.one, self.shared)

    @property
    def mapped(self) -> tuple[str, ...]:
        """The shared names that are a function in one of the models, or in both."""
        models = self.one, self.other
        return tuple(
            name for name in self.shared if any(_function(model, name) for model in models)
        )

    @property
    def variables(self) -> tuple[str, ...]:
        """The shared names that are variables of both models."""
        return tuple(name for name in self.shared if name not in self.mapped)

    def hidden(self, model: Model) -> tuple[str, ...]:
        """The names of one of them that are not shared."""
        return tuple(name for name in shown_names(model) if name not in self.shared)

    def value(self, model: Model, name: str, state: State) -> object:
        """What a state of a model shows under a name; equal to that of any load of either model."""
        return plain_value(shown_value(model, name, state))

    def view(self, model: Model, state: State) -> object:
        """What a state of a model shows."""
        return tuple(self.value(model, name, state) for name in self.shared)


def shown_names(model: Model) -> tuple[str, ...]:
    """The names under which a model shows something: variables, then functions of other names."""
    return tuple(dict.fromkeys((*model.variables, *(shown.name for shown in model.shown))))


def shown_value(model: Model, name: str, state: State) -> object:
    """What a state of a model shows under a name; `EvaluationError` where that has no meaning."""
    shown = _function(model, name)
    if shown is None:
        return getattr(state, name)
    value = PlainEngine(model, skips=False).show(shown, state)
    return model.lowered.shown[shown].value.domain.coerce(value, name)


def _function(model: Model, name: str) -> Shown | None:
    return next((shown for shown in model.shown if shown.name == name), None)
