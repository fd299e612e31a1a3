"""A twin's states as states of the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.trace.changes import changes
from lockstep.trace.render import render_whole_state
from lockstep.twin.findings import TraceStep
from lockstep.twin.names import NotInTwin, decode, definition_name, encode, variable_name
from lockstep.twin.tla_values import TlaValue, format_value


@dataclass(frozen=True)
class Foreign:
    """A state of the twin that is none of the model's: some variable's value is in no domain."""

    values: Mapping[str, TlaValue]
    problem: str

    def __hash__(self) -> int:
        return hash(frozenset(self.values.items()))


TwinState: TypeAlias = "State | Foreign"


class StateReader:
    """Turns the values of a twin's variables into states of `model`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._variables = {name: variable_name(name) for name in model.variables}
        # A dump has each value once, however many states it is part of. The value is kept here too,
        # so that its identity stays its own.
        self._decoded: dict[tuple[str, int], tuple[TlaValue, object]] = {}

    def read(self, values: Mapping[str, TlaValue]) -> TwinState:
        """One state; LockstepError when the twin's variables are not the model's."""
        if values.keys() != set(self._variables.values()):
            raise self._other_variables(set(values))
        parts = []
        for name, variable in self._variables.items():
            part = self._part(name, values[variable])
            if isinstance(part, NotInTwin):
                return Foreign(values, f"{name}: {part}")
            parts.append(part)
        return self._model.state.of(parts)

    def _part(self, name: str, value: TlaValue) -> object:
        """The variable's value, or why it has none."""
        key = (name, id(value))
        if key not in self._decoded:
            part: object
            try:
                part = decode(self._model.variables[name], value)
            except NotInTwin as problem:
                part = problem
            self._decoded[key] = (value, part)
        return self._decoded[key][1]

    def _other_variables(self, names: set[str]) -> LockstepError:
        wanted = set(self._variables.values())
        why = [
            *(f"{name} is missing" for name in sorted(wanted - names)),
            *(f"{name} is not one of them" for name in sorted(names - wanted)),
        ]
        return LockstepError(
            f"the twin of {self._model.name} has not the model's variables: {', '.join(why)}",
            cure="give it the same ones: log_start is called logStart in a twin",
        )


def twin_changes(before: State, after: TwinState) -> Iterator[str]:
    """What differs between two states, by variable; a foreign one is told in TLA+."""
    if isinstance(after, State):
        yield from map(str, changes(before, after))
        return
    yield f"which is no state of the model: {after.problem}"
    for name, domain in before.fields.items():
        old, new = encode(domain, getattr(before, name)), after.values[variable_name(name)]
        if old != new:
            yield f"{variable_name(name)}: {format_value(old)} -> {format_value(new)}"


def render_tlc_trace(model: Model, trace: Sequence[TraceStep]) -> Iterator[str]:
    """The lines of a behaviour that TLC found, each step with what it changes.

    History variables, which the model does not have, are left out.
    """
    reader = StateReader(model)
    variables = {variable_name(name) for name in model.variables}
    names = {definition_name(action.name): action.name for action in model.actions}
    width = len(str(len(trace)))
    before: TwinState | None = None
    for number, step in enumerate(trace):
        after = reader.read({name: step.state[name] for name in variables & step.state.keys()})
        if number:
            yield f"{number:>{width}}  {names.get(step.action, step.action)}"
        elif isinstance(after, State):
            yield from render_whole_state(after, width)
        if isinstance(before, State):
            changed = list(twin_changes(before, after)) or ["nothing changes"]
        elif isinstance(after, Foreign):
            changed = [f"{name} = {format_value(value)}" for name, value in after.values.items()]
        else:
            changed = []
        yield from (f"{'':>{width}}    {change}" for change in changed)
        before = after
