"""A behaviour step by step in a test, and the test that `lockstep replay --pytest FILE` writes."""

from __future__ import annotations

import enum
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from lockstep.errors import LockstepError, unknown
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step, Trace
from lockstep.trace.claims import failing_binding
from lockstep.trace.conjuncts import false_requirement
from lockstep.trace.itf import Origin
from lockstep.trace.layout import Group, Room, Text, grouped, lay_out, prefixed
from lockstep.trace.render import render_instance
from lockstep.words import plural
from lockstep.workspace import find_workspace


class Behaviour:
    """Steps of a model, taken one after the other from its initial state by plain Python.

    `constants` set the scope, `fault` and `proposal` put one of the model's in place, and
    `workspace` is a folder of the workspace, by default the current one. `LockstepError` for a name
    that the workspace does not know.

    A step that the model does not allow ends the behaviour: later ones are not tried, and it
    violates nothing. So a test passes once the model no longer does what it says.
    """

    def __init__(
        self,
        model: str,
        *,
        constants: Mapping[str, object] | None = None,
        fault: str | None = None,
        proposal: str | None = None,
        workspace: Path | str | None = None,
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
        values = ", ".join(conjunct.equations)
        return f"{what}: {conjunct.text} is false ({conjunct.place}), where {values}"

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
            actions = [declared.name for declared in self._model.actions]
            problem = f"{self._model.name} has no action {name!r}"
            raise unknown(problem, name, actions, "its actions are")
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


_BODY = Room(begin=4, parts=8)


def to_pytest(model: Model, trace: Trace, origin: Origin, workspace: str | None = None) -> str:
    """A pytest file that takes the behaviour again and asserts that `origin.property` holds.

    `workspace` is the text of an expression for the workspace's folder; without it the test is one
    to paste into a file of the workspace. `ValueError` for a behaviour that violates no property.
    """
    if origin.property is None:
        raise ValueError("a behaviour without a violated property makes no test")
    program = _Program(model)
    steps = [line for step in trace.steps for line in program.call(step.action, step.parameters)]
    loop = "" if trace.loop is None else f", loop={trace.loop}"
    lines = [
        *(["from pathlib import Path", ""] if workspace is not None else []),
        "from lockstep.trace.behaviour import Behaviour",
        *(["", f"WORKSPACE = {workspace}"] if workspace is not None else []),
        "",
        "",
        f"def test_{model.name}_keeps_{origin.property}():",
        *_docstring(_says(model, origin.property)),
        *program.beginning(origin, workspace),
        *program.names(),
        *steps,
        f"    assert not behaviour.violates({quoted(origin.property)}{loop})",
    ]
    return "\n".join(lines) + "\n"


def workspace_from(file: Path, root: Path) -> str:
    """The expression by which a test in `file` names the workspace's folder `root`."""
    file, root = file.resolve(), root.resolve()
    if file.is_relative_to(root):
        return f"Path(__file__).parents[{len(file.relative_to(root).parts) - 1}]"
    return f"Path({quoted(str(root))})"


class _Program:
    """The steps of a test, and the types of the values that they name."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._names: dict[type, str] = {}

    def beginning(self, origin: Origin, workspace: str | None) -> list[str]:
        """The lines that begin the behaviour."""
        arguments: list[Text] = [quoted(self._model.name)]
        if origin.constants:
            pairs = origin.constants.items()
            items = [prefixed(f"{quoted(name)}: ", self._literal(value)) for name, value in pairs]
            arguments.append(Group("constants={", tuple(items), "}"))
        if origin.fault:
            arguments.append(f"fault={quoted(origin.fault)}")
        if origin.proposal:
            arguments.append(f"proposal={quoted(origin.proposal)}")
        if workspace is not None:
            arguments.append("workspace=WORKSPACE")
        return lay_out([Group("behaviour = Behaviour(", tuple(arguments), ")")], _BODY)

    def call(self, name: str, parameters: tuple[object, ...]) -> list[str]:
        """The lines that take an action."""
        bindings = zip(self._model.action(name).parameters, parameters, strict=True)
        arguments = [
            prefixed(f"{parameter.name}=", self._literal(value)) for parameter, value in bindings
        ]
        return lay_out([Group("behaviour.take(", (quoted(name), *arguments), ")")], _BODY)

    def names(self) -> Iterator[str]:
        """The lines that give the types their names."""
        for kind, name in self._names.items():
            place = quoted(f"{kind.__module__}.{kind.__name__}")
            yield f"    {name} = behaviour.named({place})"

    def _literal(self, value: object) -> Text:
        """A value as Python text, records and enums by the names of their types."""
        match value:
            case enum.Enum():
                return f"{self._name(type(value))}.{value.name}"
            case str():
                return quoted(value)
            case frozenset() if not value:
                return "set()"
        return grouped(value, self._literal, self._name)

    def _name(self, kind: type) -> str:
        """The name of a type in the test: its own, and another where two have the same."""
        if kind not in self._names:
            same = sum(earlier.__name__ == kind.__name__ for earlier in self._names)
            self._names[kind] = kind.__name__ + (f"_{same + 1}" if same else "")
        return self._names[kind]


def _says(model: Model, name: str) -> str:
    if name == DEADLOCK:
        return "Something can always happen."
    prop = model.find_property(name)
    return (prop.doc if prop else "") or f"{name} holds."


def _docstring(text: str) -> Iterable[str]:
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if safe.endswith('"'):
        safe = safe[:-1] + '\\"'
    lines = safe.splitlines()
    if len(lines) == 1:
        return [f'    """{safe}"""']
    body = textwrap.indent("\n".join(lines[1:]), "    ").splitlines()
    return [f'    """{lines[0]}', *body, '    """']


def quoted(text: str) -> str:
    """A string literal, in double quotes where that is possible without escapes."""
    plain = repr(text)
    return f'"{text}"' if plain == f"'{text}'" and '"' not in text else plain
