"""What can go wrong while a model's files are loaded, as diagnostics."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import lockstep
from lockstep.errors import nearest
from lockstep.language.notation import MarkedTwice, NoRequirement, OutcomeUnclear
from lockstep.language.python_subset import why_not_here
from lockstep.language.records import NoDomain, domain_of
from lockstep.language.source import Diagnostic, Place, place_in
from lockstep.language.values import NotInDomain, TooManyValues


class ForeignImport(ImportError):
    """A model imports something that lockstep does not know the text of."""


class ImportCycle(ImportError):
    """A module imports a name from one that is still being loaded, and has not defined it yet."""


def not_python(error: SyntaxError, path: Path) -> Diagnostic:
    """The file is not Python."""
    line, letters = error.lineno or 1, max(0, (error.offset or 1) - 1)
    column = len((error.text or "")[:letters].encode())
    return Diagnostic(
        "syntax",
        Place(path, line, column, line, column + 1),
        f"this is not Python: {error.msg}",
        "a model is a Python file first",
        "mend the line; the caret is where Python gave up",
    )


def too_deep(path: Path, text: str, among: range | None = None) -> Diagnostic:
    """An expression is nested too deeply.

    Python does not say where, so the longest of the lines `among` is shown, by default of all.
    """
    lines = text.splitlines() or [""]
    within = among or range(1, len(lines) + 1)
    number = max(within, key=lambda line: len(lines[line - 1]))
    line = lines[number - 1]
    start = len(line) - len(line.lstrip())
    return Diagnostic(
        "too-deep",
        Place(path, number, start, number, start + 1),
        "an expression is nested too deeply",
        "one inside another is read by recursion, of which Python bounds the depth",
        "write `all(...)`, `any(...)` or `sum(...)` over a domain instead of a long chain",
    )


def no_value(node: ast.AnnAssign, name: str, path: Path) -> Diagnostic:
    """A constant that neither the text nor the scope gives a value."""
    return Diagnostic(
        "constant-without-value",
        Place.of(node, path),
        f"the constant {name} has no value",
        "neither the text nor the scope gives it one",
        f"write `{name}: Constant = ...`, or set it in the scope",
    )


_KINDS = {bool: "a boolean", int: "an integer", str: "a text", tuple: "a list"}


def another_type(node: ast.AnnAssign, given: ast.expr, path: Path) -> Diagnostic | None:
    """A constant is set to a value of another type than its text gives it; None where it is not."""
    own, other = _literal(node.value), _literal(given)
    if own is None or other is None or type(own) is type(other):
        return None
    name, kind = ast.unparse(node.target), _KINDS[type(own)]
    return Diagnostic(
        "constant-type",
        Place.of(node, path),
        f"the constant {name} is set to {other!r}, which is {_KINDS[type(other)]}",
        f"its text gives it {own!r}, which is {kind}",
        f"set {kind}",
    )


def _literal(node: ast.expr | None) -> bool | int | str | tuple[object, ...] | None:
    """The value that a text writes out; None where it computes one, or says None."""
    try:
        value = None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return value if isinstance(value, bool | int | str | tuple) else None


def duplicates(tree: ast.Module, path: Path) -> Iterator[Diagnostic]:
    """Functions and classes of a name that is defined before: Python would forget the first."""
    first: dict[str, int] = {}
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if node.name in first:
            yield Diagnostic(
                "defined-twice",
                Place.of(node, path),
                f"{node.name} is defined a second time",
                f"Python would silently forget the one in line {first[node.name]}",
                "rename one of them, or remove it",
            )
        first.setdefault(node.name, node.lineno)


def failing_lines(
    node: ast.ClassDef, members: Mapping[str, object], path: Path
) -> list[tuple[ast.AnnAssign, Exception]]:
    """The variables or fields of a class that cannot be made, each with what fails."""
    failing: list[tuple[ast.AnnAssign, Exception]] = []
    names = dict(members)
    for line in node.body:
        if isinstance(line, ast.AnnAssign):
            place = f"{node.name}.{ast.unparse(line.target)}"
            try:
                domain_of(_value(line.annotation, names, path), place)
                if line.value is not None:
                    _value(line.value, names, path)
            except Exception as error:
                failing.append((line, error))
    return failing


def failed_in(line: ast.AnnAssign, error: Exception, path: Path) -> Diagnostic:
    """A variable or field cannot be made."""
    problem = failed(error, path)
    if isinstance(error, NoDomain):
        return replace(problem, place=Place.of(line.annotation, path))
    return problem


def _value(node: ast.expr, names: dict[str, object], path: Path) -> object:
    return eval(compile(ast.Expression(node), str(path), "eval", dont_inherit=True), names)


_TYPING = {
    "Optional": "write `X | None` for `Optional[X]`",
    "Union": "write `X | None`; a value is of one kind otherwise",
    "List": "write `Sequence[Item, most]` for `List[Item]`",
    "Tuple": "write `Sequence[Item, most]` for `Tuple[Item, ...]`",
    "Dict": "write `Map[Key, Value]` for `Dict[Key, Value]`",
    "FrozenSet": "write `Set[Item]` for `FrozenSet[Item]`",
    "Enum": "write `from enum import Enum`",
}
_FOREIGN = {
    "typing": "leave it out: write `X | None` for `Optional[X]`, `Set[X]`, `Map[K, V]`, "
    "`Sequence[X, most]`",
    "random": "leave it out: a parameter of an action takes every value of its domain in turn",
    "dataclasses": "leave it out: a class derived from `Record` needs no decorator",
    "collections": "leave it out: there are `Map`, `Sequence` and `Set` of lockstep",
}


def _instead_of_name(name: str) -> str:
    if name in _TYPING:
        return _TYPING[name]
    if name in lockstep.__all__:
        return f"write `from lockstep import {name}`"
    return nearest(name, lockstep.__all__, "define it above, or import it")


def failed(error: BaseException, path: Path) -> Diagnostic:
    """Running the file failed: a domain, a constant, a class or an import is wrong."""
    place = place_in(error.__traceback__, (str(path),)) or Place.beginning(path)
    match error:
        case NotInDomain():
            return Diagnostic(
                "outside-field",
                place,
                str(error),
                "a record is checked when it is made",
                "give a value in the domain, or widen the domain",
            )
        case TooManyValues():
            return Diagnostic(
                "too-many-values",
                place,
                str(error),
                "what is enumerated takes memory and time for each value",
                "give the scope smaller constants, or let a domain of few values take its place",
            )
        case OutcomeUnclear():
            return Diagnostic(
                "fault-outcome",
                place,
                f"this fault says {error}",
                "`lockstep faults` holds every fault against what it says of itself",
                'write `@fault(breaks="the property")`, or `@fault(harmless="why, in words")`',
            )
        case MarkedTwice():
            return Diagnostic(
                "marked-twice",
                place,
                f"{error} is marked twice",
                "a function is one thing: an action, a claim of one kind, or a fault",
                "leave one decorator out, or write a second function",
            )
        case NoRequirement():
            return Diagnostic(
                "no-requirement",
                place,
                f"{error} is not the id of a requirement",
                "what a claim states is looked up in specs/ by its id, which is a text",
                'write ids such as `@invariant("227-4")`, or none: `@invariant`',
            )
        case NoDomain():
            return Diagnostic(
                "no-domain",
                place,
                str(error),
                "every variable and every field takes its values from a finite domain",
                error.cure or "write a domain: `Range(...)`, `OneOf(...)`, `Set[...]`, an enum",
            )
        case NameError() if (why := why_not_here(error.name or "")) is not None:
            return Diagnostic(
                "not-reproducible",
                place,
                f"a model cannot use {error.name}",
                why,
                "write the value in the text or as a constant that a scope sets, or leave it out",
            )
        case NameError():
            return Diagnostic(
                "undefined-name",
                place,
                str(error).partition(". ")[0],
                "neither this file nor what it imports defines the name",
                _instead_of_name(error.name or ""),
            )
        case ForeignImport():
            what = str(error)
            return Diagnostic(
                "import",
                place,
                f"a model cannot import {what}" if what else "a model cannot import relatively",
                "every engine must see all of a model's text",
                _FOREIGN.get(
                    what,
                    "import from models or invariants, the notation from lockstep, "
                    "and Enum from enum",
                ),
            )
        case ModuleNotFoundError():
            return Diagnostic(
                "no-module",
                place,
                f"there is no module {error.name}",
                f"it would be the file {error} in the workspace",
                "mend the name, or write the file",
            )
        case ImportCycle():
            return Diagnostic(
                "import-cycle",
                place,
                f"{error} is not defined yet: {error.name} is still being loaded",
                "the two modules import each other, and one has to be complete first",
                "move what both need into a third module",
            )
        case ImportError():
            return Diagnostic(
                "no-name",
                place,
                str(error).partition(" (")[0],
                "the module does not define that name",
                "mend the name, or define it there",
            )
    return Diagnostic(
        "load",
        place,
        f"running this failed: {type(error).__name__}: {error}",
        "constants, domains and the state class are made when a model is loaded",
        "mend what the caret shows",
    )
