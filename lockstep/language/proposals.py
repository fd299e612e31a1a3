"""Proposals: changes to a model that somebody suggests, each in `models/proposals/MODEL/NAME.py`.

Such a file imports from the model what it changes. It may replace functions of the model, add
actions, derive a state class with more variables from the model's own, and say with `@shows` what
a state shows in place of a variable.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError, unknown
from lockstep.language.declarations import OF_MODELS
from lockstep.language.inventory import PROPOSALS
from lockstep.language.loader import Universe
from lockstep.language.notation import MARK, REPLACES, Kind, Mark, State
from lockstep.language.source import ModelError
from lockstep.language.unread import missing_functions, unread_functions
from lockstep.system.text_files import is_file


@dataclass(frozen=True)
class Variant:
    """What changes a model, under a name that says what it is, such as `the fault torn_write`.

    `loaded` are the modules that the model had before the change was loaded.
    """

    universe: Universe
    model: str
    name: str
    loaded: frozenset[str]

    def replace(self, old: Callable[..., Any], new: Callable[..., Any]) -> None:
        """Let a function stand in place of another one, of the same kind.

        `LockstepError` where the model does not use the other one.
        """
        if old.__module__ not in self.loaded:
            raise LockstepError(
                f"{self.name} replaces {old.__name__}, which {self.model} does not use",
                cure=f"name a function of models/{self.model}.py or of what it imports",
            )
        mark = getattr(old, MARK, None)
        if mark is not None:
            setattr(new, MARK, mark)
        self.universe.substitute(old, new)


@dataclass(frozen=True)
class Proposal:
    """What a proposal adds to a model: functions by name, and a state class in place of its own.

    The functions are actions, and what is marked with `@shows`.
    """

    name: str
    functions: dict[str, Callable[..., Any]]
    states: tuple[type[State], ...]

    def state_in_place_of(self, state: type[State]) -> type[State]:
        """The state class with the proposal; `LockstepError` where it is not derived from this."""
        if len(self.states) > 1:
            raise LockstepError(
                f"the proposal {self.name} declares several state classes",
                cure="declare all new variables in one class",
            )
        for own in self.states:
            if not issubclass(own, state):
                raise LockstepError(
                    f"the proposal {self.name} declares {own.__name__}, which is not derived from "
                    f"{state.__name__}",
                    cure=f"write class {own.__name__}({state.__name__})",
                )
        return self.states[0] if self.states else state


def proposal_names(root: Path, model: str) -> list[str]:
    """The proposals of a model, in alphabetical order."""
    files = root.joinpath(PROPOSALS, model).glob("*.py")
    return sorted(file.stem for file in files if not file.name.startswith((".", "__")))


def apply_proposal(universe: Universe, model: str, name: str) -> Proposal:
    """Put a proposal in place of what it changes in a loaded model.

    `LockstepError` where there is no such proposal, or it changes what the model does not use.
    """
    if not is_file(universe.root.joinpath(PROPOSALS, model, f"{name}.py")):
        names = proposal_names(universe.root, model)
        raise unknown(f"{model} has no proposal {name!r}", name, names, "its proposals are")
    variant = Variant(universe, model, f"the proposal {name}", frozenset(universe.modules))
    module = universe.load(f"models.proposals.{model}.{name}")
    functions = [
        (key, member)
        for key, member in vars(module).items()
        if isinstance(member, types.FunctionType) and member.__module__ == module.__name__
    ]
    missing = missing_functions(universe, model, [one for _, one in functions], [module.__name__])
    problems = [*unread_functions(universe, module), *missing]
    if problems:
        raise ModelError(problems)
    for _, function in functions:
        old = getattr(function, REPLACES, None)
        if old is not None:
            variant.replace(old, function)
    own = vars(universe.modules[f"models.{model}"])
    added: dict[str, Callable[..., Any]] = {
        key: function
        for key, function in functions
        if not hasattr(function, REPLACES) and _kind(function) in OF_MODELS
    }
    for key, new in added.items():
        if key in own and _kind(new) is Kind.ACTION:
            raise LockstepError(
                f"the proposal {name} has an action {key}, and so has {model}",
                cure=f"mark it with @replaces({key}), or give it another name",
            )
    states = tuple(
        member
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, State)
        if member.__module__ == module.__name__
    )
    return Proposal(name, added, states)


def _kind(function: Callable[..., Any]) -> Kind | None:
    mark = getattr(function, MARK, None)
    return mark.kind if isinstance(mark, Mark) else None
