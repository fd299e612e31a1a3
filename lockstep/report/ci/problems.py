"""What a run found wrong, each at a place of the text, and what it could not check.

`sarif` and `github` show it. Nothing here says that something holds: what is in neither list was
checked, or was not asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Self

from lockstep.errors import ExitCode
from lockstep.language.loader import Universe
from lockstep.language.model import Model
from lockstep.language.source import Place
from lockstep.language.syntax import syntax_of
from lockstep.system.git import folder_in_repository
from lockstep.workspace import Workspace


class Level(StrEnum):
    """How much it matters, in the words of SARIF."""

    ERROR = "error"
    """Something is wrong, or a mistake kept it from being checked."""
    WARNING = "warning"
    """Something is not known."""
    NOTE = "note"
    """Something was left out on purpose."""


@dataclass(frozen=True)
class Rule:
    """What a problem breaks, under an id that stays.

    `title` is a line, `text` as much as there is to say, and `tags` the requirements it states.
    """

    id: str
    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Remark:
    """A text about a place."""

    place: Place
    text: str


@dataclass(frozen=True)
class Problem:
    """Something wrong: what it breaks, where, and the behaviour that shows it.

    `subject` is what it is about, such as `turnstile.entries_are_paid`. `identity` sets it apart
    from other problems of its rule and stays when lines move. `related` are other places to look
    at, and `behaviour` the steps that lead to it, the initial state first.
    """

    rule: Rule
    place: Place
    subject: str
    message: str
    identity: tuple[str, ...]
    related: tuple[Remark, ...] = ()
    behaviour: tuple[Remark, ...] = ()


class Unknown(StrEnum):
    """Why a run says nothing of something, with the sentence that SARIF has for it."""

    sentence: str

    def __new__(cls, word: str, sentence: str) -> Self:
        made = str.__new__(cls, word)
        made._value_, made.sentence = word, sentence
        return made

    NOT_CHECKED = "not-checked", "Something was not checked."
    """It could not be explored, or one property was left out."""
    INTERNAL_ERROR = "internal-error", "A mistake in lockstep itself, which is no verdict."
    INTERRUPTED = "interrupted", "The run was interrupted before it came to this."
    INCONCLUSIVE = "inconclusive", "Nothing was refuted, but not everything was covered."
    NOT_PROVED = "not-proved", "An induction does not go through, which refutes nothing."
    IDLE = "idle", "An action never fired in the scope, which says nothing of it."
    VACUOUS = "vacuous", "The premise of a property was never true in the scope."
    EXPECTED = "as-pinned", "What is violated is what the scope pins."
    SKIPPED = "skipped", "Nothing that a model is made of has changed, so it was not checked."


@dataclass(frozen=True)
class Gap:
    """Something of which the run says nothing, and why."""

    unknown: Unknown
    level: Level
    subject: str
    message: str
    place: Place | None = None


@dataclass(frozen=True)
class Problems:
    """All of one run.

    `category` keeps this kind of run apart from others whose problems are kept beside it, such as
    `check/default`.
    """

    category: str
    exit_code: int
    problems: tuple[Problem, ...]
    gaps: tuple[Gap, ...]

    @classmethod
    def of(cls, category: str, exit_code: int, found: Iterable[Problem | Gap]) -> Problems:
        """Those of a run that found problems and gaps, in any order."""
        every = list(found)
        problems = tuple(one for one in every if isinstance(one, Problem))
        gaps = tuple(one for one in every if isinstance(one, Gap))
        return cls(category, exit_code, problems, gaps)

    @property
    def is_whole(self) -> bool:
        """Whether everything was checked that was to be."""
        ends = (ExitCode.HOLDS, ExitCode.VIOLATED, ExitCode.DIFFERS)
        return self.exit_code in ends and all(gap.level is Level.NOTE for gap in self.gaps)

    @property
    def rules(self) -> Iterator[Rule]:
        """Each rule that a problem breaks, once."""
        yield from {problem.rule.id: problem.rule for problem in self.problems}.values()


@dataclass(frozen=True)
class SourceRoot:
    """The folder that paths are relative to: the top of the repository.

    Where a workspace is in no repository, it is the workspace itself. `prefix` is the path of the
    workspace below it, `""` or with a `/` at its end.
    """

    workspace: Path
    prefix: str

    @classmethod
    def of(cls, workspace: Workspace) -> SourceRoot:
        """That of a workspace."""
        return cls(workspace.root, folder_in_repository(workspace.root) or "")

    def path(self, file: Path) -> str:
        """The path of a file, with `/` between its parts."""
        if file.is_relative_to(self.workspace):
            return f"{self.prefix}{file.relative_to(self.workspace).as_posix()}"
        return file.name


def in_characters(place: Place) -> Place:
    """The place with columns in characters from 1: those of places are in bytes from 0."""
    return replace(
        place,
        column=_characters(place.file, place.line, place.column) + 1,
        end_column=_characters(place.file, place.end_line, place.end_column) + 1,
    )


def _characters(file: Path, line: int, column: int) -> int:
    lines = _lines(file)
    if line > len(lines):
        return column
    return len(lines[line - 1][:column].decode("utf-8", errors="ignore"))


@cache
def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().split(b"\n")
    except OSError:
        return []


def place_of_function(universe: Universe, function: Callable[..., Any]) -> Place | None:
    """The name of a function where it is defined; None for one from elsewhere."""
    definition = universe.definition(function)
    return None if definition is None else Place.of_name(*definition)


def place_of_state(model: Model) -> Place:
    """The name of the state class where it is declared."""
    module = model.universe.modules.get(model.state.__module__)
    file = getattr(module, "__file__", None)
    own = place_of_model(model.universe.root, model.name).file
    return _declared(own if file is None else Path(file), model.state.__name__)


def place_of_property(root: Path, model: str, name: str) -> Place:
    """Where a property is, of a model that is not loaded."""
    return _declared_in(root, ("invariants", "invariants/lemmas"), model, name)


def place_of_fault(root: Path, model: str, name: str) -> Place:
    """Where a fault is, of a model that is not loaded."""
    return _declared_in(root, ("models/faults",), model, name)


def place_of_model(root: Path, model: str) -> Place:
    """The beginning of a model's file."""
    return Place.beginning(root / "models" / f"{model}.py")


def place_of_scope(root: Path, model: str, scope: str) -> Place:
    """The table of a scope in `specs/`; the beginning of the file where none is so named."""
    file = root / "specs" / f"{model}.toml"
    head = f"[scopes.{scope}]".encode()
    for number, line in enumerate(_lines(file), start=1):
        if line.strip().startswith(head):
            return Place(file, number, 0, number, len(line.rstrip()))
    return Place.beginning(file)


def _declared_in(root: Path, folders: tuple[str, ...], model: str, name: str) -> Place:
    files = [root / folder / f"{model}.py" for folder in folders]
    places = (_declared(file, name) for file in files if file.is_file())
    first = Place.beginning(files[0])
    return next((place for place in places if place != Place.beginning(place.file)), first)


def _declared(file: Path, name: str) -> Place:
    """The name of a function or class at the top of a file; the beginning where it has none."""
    for node in syntax_of(file).statements:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return Place.of_name(node, file)
    return Place.beginning(file)
