"""Random small models, as text in the language: the judge of every engine.

A model is drawn piece by piece, each expression for the type that is wanted where it stands, so
that almost every text loads. Domains are small, and so are most state spaces. About one model in
four is risky: evaluating it may fail (a write outside its domain, an index past the end, a field
of None, a division by zero), since engines must agree on failures as well.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis.strategies import DrawFn

import lockstep
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.model import Model, load_model
from lockstep.testing.random.choices import Choices
from lockstep.testing.random.functions import Functions
from lockstep.testing.random.vocabulary import Vocabulary
from lockstep.testing.random.writer import Writer

NAME = "sample"
"""The name of every random model."""


@dataclass(frozen=True)
class RandomModel:
    """The text of a model and of its claims, and the constants of the scope to load it in."""

    model: str
    invariants: str
    constants: Mapping[str, object] = field(default_factory=dict)

    def load(self, root: Path) -> Model:
        """The model, from the files that are written below `root`; others there are replaced."""
        for folder, text in (("models", self.model), ("invariants", self.invariants)):
            (root / folder).mkdir(exist_ok=True)
            (root / folder / f"{NAME}.py").write_text(text, encoding="utf-8")
        return load_model(root, NAME, self.constants)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Hypothesis shows a failing example in this way: lines as lines."""
        printer.text(repr(self))

    def __repr__(self) -> str:
        return (
            f'RandomModel(\n    model="""\\\n{self.model}""",\n'
            f'    invariants="""\\\n{self.invariants}""",\n    constants={self.constants!r},\n)'
        )


@st.composite
def random_models(draw: DrawFn, *, risky: bool | None = None) -> RandomModel:
    """Any small model; with `risky`, one of which the evaluation may fail, or one that has values.

    A text may be refused when it is loaded (`ModelError`): what the front end finds out about
    types is not copied here to the last detail.
    """
    choices = Choices(draw)
    vocabulary = Vocabulary(choices)
    writer = Writer(choices, vocabulary)
    if risky is None:
        risky = choices.now_and_then(4)
    variables = {"abcd"[number]: vocabulary.domain(2) for number in choices.times(1, 4, go_on=3)}
    declared = {
        name: f"    {name}: {vocabulary.annotation(domain)} = {_first_value(writer, domain)}"
        for name, domain in variables.items()
    }
    functions = Functions(writer, variables, risky=risky)
    for number in choices.times(0, 2):
        writer.functions.append(functions.helper(f"helper{number}"))
    if choices.below(2):
        writer.functions.append(functions.procedure("effect"))
    actions = [functions.action(f"act{number}") for number in choices.times(1, 4, go_on=3)]
    kinds = ("invariant", "step_invariant", "sometimes")
    claims = [
        functions.claim(f"claim{number}", choices.pick(kinds)) for number in choices.times(0, 3)
    ]
    return _assembled(writer, declared, actions, claims)


def _first_value(writer: Writer, domain: Domain) -> str:
    """A first value as text; a map has different values, written out."""
    match domain:
        case MapDomain(key, value):
            own = {_key_text(k): _first_value(writer, value) for k in key}
            return "{" + ", ".join(f"{k}: {v}" for k, v in own.items()) + "}"
        case RecordDomain(record):
            parts = (f"{n}={_first_value(writer, d)}" for n, d in record.fields.items())
            return f"{record.__name__}({', '.join(parts)})"
        case OptionDomain(some) if writer.choices.below(2):
            return _first_value(writer, some)
    return writer.literal(domain).text


def _key_text(key: object) -> str:
    return f"{type(key).__name__}.{key.name}" if isinstance(key, enum.Enum) else repr(key)


def _assembled(
    writer: Writer, variables: Mapping[str, str], actions: list[str], claims: list[str]
) -> RandomModel:
    """The two files, with those declarations and functions only that something uses."""
    vocabulary = writer.vocabulary
    functions = {function.name: function.text for function in writer.functions}
    called = [functions[n] for n in _with_all_they_use([*actions, *claims], functions)]
    text = "\n".join([*actions, *claims, *called])
    fields = [line for name, line in variables.items() if re.search(rf"\.{name}\b", text)]
    state = "class Sample(State):\n" + "\n".join(fields)
    wanted = _with_all_they_use([state, *actions, *claims], {**vocabulary.declared, **functions})
    declared = {n: text for n, text in vocabulary.declared.items() if n in wanted}
    used = {n: text for n, text in functions.items() if n in wanted}
    body = [*declared.values(), state, *used.values(), *actions]
    constants = {n: value for n, value in vocabulary.constants.items() if n in wanted}
    known = [*declared, *used]
    mentioned = [name for name in known if name in _words(claims)]
    imports = _notation(claims)
    if mentioned:
        imports += f"from models.{NAME} import {', '.join(sorted(mentioned))}\n"
    return RandomModel(
        _notation(body) + _joined(body), imports + _joined(claims) if claims else "", constants
    )


def _joined(parts: list[str]) -> str:
    return "".join(
        ("\n\n" if "\n" in part else "") + ("" if "\n" in part else "\n") + part + "\n"
        for part in parts
    )


def _notation(parts: list[str]) -> str:
    words = _words(parts)
    names = [name for name in lockstep.__all__ if name in words]
    lines = ["from enum import Enum"] if "Enum" in words else []
    lines += [f"from lockstep import {', '.join(names)}"] if names else []
    return "".join(line + "\n" for line in lines)


def _with_all_they_use(texts: list[str], declared: Mapping[str, str]) -> set[str]:
    """The names of the declarations that the texts use, directly or through others."""
    wanted: set[str] = set()
    left = list(texts)
    while left:
        found = {word for word in _words([left.pop()]) if word in declared} - wanted
        wanted |= found
        left += [declared[name] for name in found]
    return wanted


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}
