"""What a fault leaves out of the step that it replaces.

A step writes some variables. A fault that stands in its place, or edits it, and forgets one of them
is another mistake than the one that it is about, and what it breaks may come of that. So a fault
writes all that the step writes, or names what it leaves as it was.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

from lockstep.language.loader import Universe
from lockstep.language.notation import FAULT
from lockstep.language.source import Diagnostic, Place


def unwritten_parts(
    universe: Universe,
    function: Callable[..., Any],
    changed: Sequence[tuple[Callable[..., Any], Callable[..., Any]]],
    unchanged: Set[str],
) -> Iterator[Diagnostic]:
    """What a fault leaves out unsaid, or says that it leaves out and does not.

    `changed` are the functions that it replaces or edits, each with what stands in its place, and
    `unchanged` what it and the faults beside it leave out on purpose.
    """
    definition, mark = universe.definition(function), getattr(function, FAULT)
    if definition is None:
        return
    own = _written(universe, function)
    left: dict[str, str] = {}
    for step, instead in changed:
        now = _written(universe, instead)
        own |= now
        parts = (p for p in _written(universe, step) if not any(_overlap(p, one) for one in now))
        left |= dict.fromkeys(parts, step.__name__)
    place = Place.of_name(*definition)
    for name in dict.fromkeys(mark.unchanged):
        if name not in left:
            yield _is_not_left(place, function.__name__, name, name in own)
    if missing := sorted(left.keys() - unchanged):
        yield Diagnostic(
            "left-unwritten",
            place,
            f"{function.__name__} leaves out {', '.join(missing)}, which {left[missing[0]]} writes",
            "what breaks may come of that, and not of the mistake that the fault is about",
            f"write new.{missing[0]}, or say that it is meant: "
            f"`@fault(..., unchanged={tuple(missing)!r})`",
        )


def _is_not_left(place: Place, fault: str, name: str, is_written: bool) -> Diagnostic:
    why = f"{fault} writes it" if is_written else "what the fault changes does not write it"
    return Diagnostic(
        "left-unwritten",
        place,
        f"{fault} says that {name} is unchanged",
        why,
        "name only what the replaced step writes and the fault does not",
    )


def _overlap(part: str, other: str) -> bool:
    """Whether writing one part of a state writes the other, or a part of it."""
    return f"{part}.".startswith(f"{other}.") or f"{other}.".startswith(f"{part}.")


def _written(universe: Universe, function: Callable[..., Any]) -> set[str]:
    """The parts of the next state that an action or a procedure writes, such as `disk.log`.

    Keys of maps do not count: whichever is written, the variable is.
    """
    return set().union(*_by_parameter(universe, function, ()).values())


def _by_parameter(
    universe: Universe, function: Callable[..., Any], callers: tuple[object, ...]
) -> dict[str, set[str]]:
    """What is written of each parameter, by the function or by what it calls."""
    definition = universe.definition(function)
    if definition is None or function in callers:
        return {}
    written: dict[str, set[str]] = {one.arg: set() for one in definition[0].args.args}
    for line in definition[0].body:
        match line:
            case (
                ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target])
                | ast.AugAssign(target=ast.Attribute() | ast.Subscript() as target)
            ):
                root, parts = written_target(target)
                if root in written and parts:
                    written[root].add(".".join(parts))
            case ast.Expr(value=ast.Call() as call):
                called = called_function(function, call.func)
                if called is None or (text := universe.definition(called)) is None:
                    continue
                inner = _by_parameter(universe, called, (*callers, function))
                named = zip((one.arg for one in text[0].args.args), call.args, strict=False)
                for name, value in (*named, *((one.arg, one.value) for one in call.keywords)):
                    if isinstance(value, ast.Name) and value.id in written:
                        written[value.id] |= inner.get(str(name), set())
    return written


def written_target(node: ast.expr) -> tuple[str | None, list[str]]:
    """The name that is written to, and the variable and fields on the way."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
        node = node.value
    return (node.id if isinstance(node, ast.Name) else None), parts


def called_function(caller: Callable[..., Any], node: ast.expr) -> Callable[..., Any] | None:
    """The function that a name, or a name in a module, stands for in the text of another one."""
    found: object = None
    if isinstance(node, ast.Name):
        found = caller.__globals__.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        found = getattr(caller.__globals__.get(node.value.id), node.attr, None)
    return found if callable(found) else None
