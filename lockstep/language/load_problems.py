"""What can go wrong while a model's files are loaded, as diagnostics."""

from __future__ import annotations

import ast
from pathlib import Path

from lockstep.language.notation import OutcomeUnclear
from lockstep.language.source import Diagnostic, Place
from lockstep.language.values import NotInDomain


class ForeignImport(ImportError):
    """A model imports something that lockstep does not know the text of."""


class ImportCycle(ImportError):
    """A module is asked for a name that it defines only after it has imported the asker."""


def not_python(error: SyntaxError, path: Path) -> Diagnostic:
    """The text cannot be parsed."""
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
    """What is read by recursion has no end; nobody says where, but it is mostly the longest line.

    `among` are the numbers of the lines that it may be in.
    """
    lines = text.splitlines() or [""]
    within = among or range(1, len(lines) + 1)
    number = max(within, key=lambda each: len(lines[each - 1]))
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


def duplicates(tree: ast.Module, path: Path) -> list[Diagnostic]:
    """Functions and classes of a name that is defined before: Python would forget the first."""
    first: dict[str, int] = {}
    found = []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if node.name in first:
            found.append(
                Diagnostic(
                    "defined-twice",
                    Place.of(node, path),
                    f"{node.name} is defined a second time",
                    f"Python would silently forget the one in line {first[node.name]}",
                    "rename one of them, or remove it",
                )
            )
        first.setdefault(node.name, node.lineno)
    return found


def failed(error: BaseException, path: Path) -> Diagnostic:
    """Running the file failed: a domain, a constant, a class or an import is wrong."""
    place = _place_of(error, path)
    match error:
        case NotInDomain():
            return Diagnostic(
                "outside-field",
                place,
                str(error),
                "a record is checked when it is made",
                "give a value in the domain, or widen the domain",
            )
        case OutcomeUnclear():
            return Diagnostic(
                "fault-outcome",
                place,
                f"this fault says {error}",
                "`lockstep check --faults` holds every fault against what it says of itself",
                'write `@fault(breaks="the property")`, or `@fault(harmless="why, in words")`',
            )
        case ForeignImport():
            what = str(error)
            return Diagnostic(
                "import",
                place,
                f"a model cannot import {what}" if what else "a model cannot import relatively",
                "every engine must see all of a model's text",
                "import from lockstep, enum, models or invariants only",
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


def _place_of(error: BaseException, path: Path) -> Place:
    """Where in the file the failing instruction is."""
    place = Place(path, 1, 0, 1, 1)
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == str(path):
            positions = list(code.co_positions())[trace.tb_lasti // 2]
            line, end_line, column, end_column = positions
            place = Place(
                path,
                line or trace.tb_lineno,
                column or 0,
                end_line or line or trace.tb_lineno,
                end_column or 1,
            )
        trace = trace.tb_next
    return place
