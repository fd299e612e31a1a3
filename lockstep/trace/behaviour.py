"""A behaviour step by step in a test, as `lockstep replay --pytest FILE` writes one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import load_model
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step, Trace
from lockstep.trace.claims import failing_binding
from lockstep.trace.conjuncts import false_requirement
from lockstep.trace.layout import show
from lockstep.trace.render import render_instance
from lockstep.words import place_text, plural
from lockstep.workspace import find_workspace


class Behaviour:
    """Steps of a model, taken one after the other from its initial state by plain Python.

    `constants` set the scope, `fault` and `proposal` put one of the model's in place, and
    `workspace` is a folder of the workspace, by default the current one. `LockstepError` for a name
    that the workspace does not know.

    A step that the model does not allow ends the behaviour: later ones are not tried, and it
    violates nothing. So a test passes once the model no longer does what it tells.
    """

    def __init__(
        self,
        model: str,
        *,
        constants: Mapping[str, object] | None = None,
        fault: str | None = None,
        proposal: str | None = None,
        workspace: Path | None = None,
    ) -> None:
        root = find_workspace(workspace).root
        self._model = load_model(root, model, constants, fault=fault, proposal=proposal)
        self._engine = PlainEngine(self._model)
        self._steps: list[Step] = []
        self._refused: tuple[str, tuple[Any, ...]] | None = None

    def __repr__(self) -> str:
        """What a failing test shows: how far it went, and why no further."""
        return f"<Behaviour of {self._model.name}: {self._ended}>"

    @property
    def trace(self) -> Trace:
        """What was taken so far."""
        return Trace(self._model.initial, tuple(self._steps))

    @property
    def refused(self) -> str | None:
        """The action that was not enabled when it was to be taken; None while all were."""
        return None if self._refused is None else self._refused[0]

    @property
    def why_refused(self) -> str | None:
        """Which guard kept that action from being taken, with its place and values."""
        if self._refused is None:
            return None
        name, arguments = self._refused
        action, universe = self._model.action(name), self._model.universe
        what = f"{render_instance(name, action.parameters, arguments)} is not enabled"
        conjunct = false_requirement(universe, action, self.trace.last, arguments)
        if conjunct is None:
            return what
        place = place_text(conjunct.file, conjunct.line, universe.root)
        values = ", ".join(f"{text} = {show(value)}" for text, value in conjunct.known)
        return f"{what}: {conjunct.text} is false ({place}), where {values}"

    @property
    def _ended(self) -> str:
        return self.why_refused or plural(len(self._steps), "step")

    def named(self, place: str) -> Any:
        """A record or an enum of the model by its module and name: `models.fetch_session.Via`.

        It is the one of this scope: values of another load of the same file are others.
        `LockstepError` for a name that is not there.
        """
        module, _, name = place.rpartition(".")
        members = vars(self._model.universe.modules.get(module, ModuleType(module)))
        if not isinstance(members.get(name), type):
            raise LockstepError(
                f"{self._model.name} has no type {place!r}",
                cure="name the file that defines it: models.NAME.TYPE",
            )
        return members[name]

    def take(self, name: str, /, **parameters: object) -> None:
        """Take an action. Parameters are values of the model; `named` gives their types.

        `LockstepError` for an unknown action or a parameter that it cannot be given.
        `EvaluationError` when the action writes what its domain does not allow.
        """
        action = self._model.find_action(name)
        if action is None:
            actions = ", ".join(declared.name for declared in self._model.actions)
            raise LockstepError(
                f"{self._model.name} has no action {name!r}", cure=f"its actions are: {actions}"
            )
        names = [parameter.name for parameter in action.parameters]
        if sorted(parameters) != sorted(names):
            raise LockstepError(
                f"{name} is given {', '.join(parameters) or 'nothing'}",
                cure=f"its parameters are: {', '.join(names) or 'none'}",
            )
        try:
            arguments = tuple(
                parameter.domain.coerce(parameters[parameter.name], parameter.name)
                for parameter in action.parameters
            )
        except NotInDomain as error:
            raise LockstepError(f"{name} cannot be given {error}") from None
        if self._refused is None:
            self._take(name, arguments)

    def violates(self, name: str, *, loop: int | None = None) -> bool:
        """Whether a property is false where the behaviour ends, `deadlock` included.

        Of a `leads_to` it is whether it is broken when all steps but the first `loop` are taken for
        ever, or nothing happens any more where those are all.
        """
        trace = self.trace
        failing = failing_binding(self._engine, name, Trace(trace.initial, trace.steps, loop))
        return self._refused is None and failing is not None

    def _take(self, name: str, arguments: tuple[Any, ...]) -> None:
        after = self._engine.run(self._model.action(name), self.trace.last, arguments)
        if after is None:
            self._refused = name, arguments
        else:
            self._steps.append(Step(name, arguments, after))
