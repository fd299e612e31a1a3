"""Random models, as text in the language: the judge of every engine.

A model is drawn piece by piece, each expression for the type that is wanted where it stands, so
that almost every text loads. Most models are small, for they shrink well; one in eight is as large
as real ones are. Domains are small but for some of sets, and so are most state spaces. About one
model in four is risky: evaluating it may fail (a write outside its domain, an index past the end, a
field of None, a division by zero), since engines must agree on failures as well.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
from hypothesis import reject
from hypothesis.strategies import DrawFn

import lockstep
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.language.source import ModelError
from tests.random_models.parts.choices import Choices
from tests.random_models.parts.functions import Functions
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.size import LARGE, USUAL, Count, Size
from tests.random_models.parts.vocabulary import Vocabulary, is_interchangeable
from tests.random_models.parts.writer import TextWriter

NAME = "sample"
"""The name of every random model."""

_VARIABLES = "abcdefghlmopqr"
"""Names that are not those of parameters, locals and what comprehensions bind."""
_KINDS = ("invariant", "step_invariant", "sometimes", "leads_to")


@dataclass(frozen=True)
class RandomModel:
    """The texts of a model, its claims and its faults, and the constants of the scope to load."""

    model: str
    invariants: str
    constants: Mapping[str, object] = field(default_factory=dict)
    faults: str = ""

    def load(self, root: Path, fault: str | None = None) -> Model:
        """The model, from the files that are written below `root`; others there are replaced.

        With `fault`, that fault is in place.
        """
        texts = {"models": self.model, "invariants": self.invariants, "models/faults": self.faults}
        for folder, text in texts.items():
            (root / folder).mkdir(exist_ok=True)
            (root / folder / f"{NAME}.py").write_text(text, encoding="utf-8")
        return load_model(root, NAME, self.constants, fault=fault)

    def accepted(self, root: Path) -> Model:
        """The model, in a test of Hypothesis that has no use for a text that is refused.

        The few that are refused are counted by `test_nearly_all_load`.
        """
        try:
            model = self.load(root)
            lower(model)
        except ModelError:
            reject()
        return model

    @property
    def fault_names(self) -> list[str]:
        """The names of the faults."""
        return _defined(self.faults)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Hypothesis shows a failing example in this way: lines as lines."""
        printer.text(repr(self))

    def __repr__(self) -> str:
        return (
            f'RandomModel(\n    model="""\\\n{self.model}""",\n'
            f'    invariants="""\\\n{self.invariants}""",\n    constants={self.constants!r},\n'
            f'    faults="""\\\n{self.faults}""",\n)'
        )


@dataclass(frozen=True)
class Likeness:
    """What a random model is like; what is None is drawn as well.

    With `risky` its evaluation may fail, with `symmetric` many of its names are interchangeable,
    with `faulty` it has faults, with `live` something must come to pass. Unless `size` is given,
    one model in eight is as large as real ones are.
    """

    risky: bool | None = None
    size: Size | None = None
    symmetric: bool | None = None
    faulty: bool | None = None
    live: bool | None = None


@st.composite
def random_models(draw: DrawFn, /, **kind: Any) -> RandomModel:
    """Any model, as Hypothesis draws it; what is given says which kind, as in `Likeness`."""
    return drawn_model(Choices(draw), Likeness(**kind))


def drawn_model(choices: Choices, kind: Likeness) -> RandomModel:
    """The model of some choices.

    A text may be refused when it is loaded (`ModelError`): what the front end finds out about types
    is not copied here to the last detail.
    """
    risky, size, symmetric, faulty = kind.risky, kind.size, kind.symmetric, kind.faulty
    if size is None:
        size = LARGE if choices.now_and_then(8) else USUAL
    if symmetric is None:
        symmetric = choices.now_and_then(6)
    vocabulary = Vocabulary(choices, size, symmetric=symmetric)
    writer = TextWriter(choices, vocabulary)
    if risky is None:
        risky = choices.now_and_then(4)
    variables = {_VARIABLES[n]: vocabulary.domain(2) for n in _numbers(choices, size.variables)}
    declared = {
        name: f"    {name}: {vocabulary.annotation(domain)} = {_first_value(writer, domain)}"
        for name, domain in variables.items()
    }
    functions = Functions(writer, variables, risky=risky)
    for number in _numbers(choices, size.helpers):
        writer.functions.append(functions.helper(f"helper{number}"))
    for number in _numbers(choices, size.procedures):
        writer.functions.append(functions.procedure(f"effect{number}"))
    actions = [functions.action(f"act{number}") for number in _numbers(choices, size.actions)]
    claims = [
        functions.claim(f"claim{number}", choices.pick(_KINDS))
        for number in _numbers(choices, size.claims)
    ]
    if kind.live:
        claims.append(functions.claim("comes", "leads_to"))
    faults = []
    if faulty is None:
        faulty = choices.now_and_then(4)
    if faulty:
        faults = [functions.fault(f"fault{number}") for number in choices.times(1, 2, go_on=1)]
    return _assembled(writer, declared, _Texts(actions, claims, faults))


def _numbers(choices: Choices, count: Count) -> Iterator[int]:
    return choices.times(count.least, count.most, go_on=count.go_on)


@dataclass(frozen=True)
class _Texts:
    """The functions that are there for themselves."""

    actions: list[str]
    claims: list[str]
    faults: list[str]

    @property
    def all(self) -> list[str]:
        return [*self.actions, *self.claims, *self.faults]


def _first_value(writer: Writer, domain: Domain) -> str:
    """A first value as text; a map has different values, written out."""
    match domain:
        case MapDomain(key, value) if is_interchangeable(key):
            return writer.literal(domain).text
        case MapDomain(key, value):
            own = {_key_text(k): _first_value(writer, value) for k in key}
            return "{" + ", ".join(f"{k}: {v}" for k, v in own.items()) + "}"
        case RecordDomain(record):
            parts = (f"{n}={_first_value(writer, d)}" for n, d in record.fields.items())
            return f"{record.__name__}({', '.join(parts)})"
        case OptionDomain(some) if not is_interchangeable(some) and writer.choices.below(2):
            return _first_value(writer, some)
    return writer.literal(domain).text


def _key_text(key: object) -> str:
    return f"{type(key).__name__}.{key.name}" if isinstance(key, enum.Enum) else repr(key)


def _assembled(writer: Writer, variables: Mapping[str, str], texts: _Texts) -> RandomModel:
    """The files, with those declarations and functions only that something uses."""
    vocabulary = writer.vocabulary
    functions = {function.name: function.text for function in writer.functions}
    texts = _with_faults_of_what_is_used(texts, functions)
    called = [functions[n] for n in _with_all_they_use(texts.all, functions)]
    text = "\n".join([*texts.all, *called])
    fields = [line for name, line in variables.items() if re.search(rf"\.{name}\b", text)]
    state = "class Sample(State):\n" + "\n".join(fields)
    wanted = _with_all_they_use([state, *texts.all], {**vocabulary.declared, **functions})
    declared = {n: text for n, text in vocabulary.declared.items() if n in wanted}
    used = {n: text for n, text in functions.items() if n in wanted}
    body = [*declared.values(), state, *used.values(), *texts.actions]
    constants = {n: value for n, value in vocabulary.constants.items() if n in wanted}
    declared_names = {
        *declared,
        *used,
        *(name for text in texts.actions for name in _defined(text)),
    }
    return RandomModel(
        _notation(body) + _joined(body),
        _beside(texts.claims, declared_names),
        constants,
        _beside(texts.faults, declared_names),
    )


def _with_faults_of_what_is_used(texts: _Texts, functions: Mapping[str, str]) -> _Texts:
    """The texts without faults that name a procedure which the model itself does not call."""
    used = _with_all_they_use([*texts.actions, *texts.claims], functions)
    unused = {name for name, text in functions.items() if "(s, new" in text} - used
    faults = [fault for fault in texts.faults if not unused & _words([fault])]
    return dataclasses.replace(texts, faults=faults)


def _beside(functions: list[str], declared_names: set[str]) -> str:
    """A file of functions that names some of what is declared_names in the model's file."""
    if not functions:
        return ""
    mentioned = sorted(declared_names & _words(functions))
    imports = f"from models.{NAME} import {', '.join(mentioned)}\n" if mentioned else ""
    return _notation(functions) + imports + _joined(functions)


def _defined(text: str) -> list[str]:
    return re.findall(r"^def (\w+)", text, re.MULTILINE)


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
    remaining = list(texts)
    while remaining:
        names = {word for word in _words([remaining.pop()]) if word in declared} - wanted
        wanted |= names
        remaining += [declared[name] for name in names]
    return wanted


def _words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in re.findall(r"[A-Za-z_]\w*", text)}
