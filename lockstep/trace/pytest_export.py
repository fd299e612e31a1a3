"""A behaviour as a test to paste: it fails as long as the model behaves so."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping

from lockstep.language.model import DEADLOCK, Model
from lockstep.results.trace import Trace
from lockstep.trace.claims import find_property
from lockstep.trace.itf import Origin
from lockstep.trace.itf_values import encode

LINE_LENGTH = 100


def to_pytest(model: Model, trace: Trace, origin: Origin) -> str:
    """A pytest file that takes the behaviour again and asserts that `origin.property` holds.

    `ValueError` for a behaviour that violates no property.
    """
    if origin.property is None:
        raise ValueError("a behaviour without a violated property makes no test")
    named: dict[str, object] = {}
    if origin.constants:
        named["constants"] = dict(origin.constants)
    if origin.fault:
        named["fault"] = origin.fault
    lines = [
        "from lockstep.trace.behaviour import Behaviour",
        "",
        "",
        f"def test_{model.name}_keeps_{origin.property}():",
        *_docstring(_says(model, origin.property)),
        *_call("behaviour = Behaviour", model.name, named),
    ]
    for step in trace.steps:
        action = model.action(step.action)
        given = {
            parameter.name: encode(parameter.domain, value)
            for parameter, value in zip(action.parameters, step.parameters, strict=True)
        }
        lines += _call("behaviour.take", step.action, given)
    loop = "" if trace.loop is None else f", loop={trace.loop}"
    lines.append(f"    assert not behaviour.violates({_quoted(origin.property)}{loop})")
    return "\n".join(lines) + "\n"


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


def _call(function: str, first: str, named: Mapping[str, object]) -> list[str]:
    """A call on one line, or with one argument a line where that is too long."""
    arguments = [_quoted(first), *(f"{name}={_literal(value)}" for name, value in named.items())]
    line = f"    {function}({', '.join(arguments)})"
    if len(line) <= LINE_LENGTH:
        return [line]
    return [f"    {function}(", *(f"        {argument}," for argument in arguments), "    )"]


def _literal(value: object) -> str:
    match value:
        case str():
            return _quoted(value)
        case dict():
            inside = (f"{_literal(key)}: {_literal(part)}" for key, part in value.items())
            return "{" + ", ".join(inside) + "}"
        case list():
            return "[" + ", ".join(map(_literal, value)) + "]"
        case tuple():
            return "(" + ", ".join(map(_literal, value)) + ("," if len(value) == 1 else "") + ")"
        case _:
            return repr(value)


def _quoted(text: str) -> str:
    """A string literal, in double quotes where that is possible without escapes."""
    plain = repr(text)
    return f'"{text}"' if plain == f"'{text}'" and '"' not in text else plain
