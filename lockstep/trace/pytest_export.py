"""A behaviour as a test: it fails as long as the model behaves so."""

from __future__ import annotations

import enum
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from lockstep.language.model import DEADLOCK, Model
from lockstep.results.trace import Trace
from lockstep.trace.claims import find_property
from lockstep.trace.itf import Origin
from lockstep.trace.layout import Group, Room, Text, grouped, lay_out, prefixed

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
    prop = find_property(model, name)
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
