"""Why instances of an action are not enabled: the guards that are false, and for how many."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lockstep.language.model import Action, Model
from lockstep.language.notation import Disabled, State
from lockstep.plain.bindings import Bindings, Parameters
from lockstep.plain.run import NextState
from lockstep.trace.conjuncts import Conjunct, false_requirement
from lockstep.trace.render import render_binding

MOST_INSTANCES = 200
"""Instances of an action that are asked why they are not enabled."""


@dataclass(frozen=True)
class Refusal:
    """A guard that is false for some instances of an action.

    `file` and `line` are where it is written, `text` is its conjunct that is false, or the guard as
    a whole where that cannot be told. `instances` counts those that it stops; `binding` is the
    first of them, and `conjunct` has the values that it has there.
    """

    file: Path | None
    line: int
    text: str
    instances: int
    binding: str
    conjunct: Conjunct | None


@dataclass(frozen=True)
class Refusals:
    """Why instances of an action are not enabled, what stops them last coming first.

    `enabled` instances are. Where `is_cut`, only the first ones were asked.
    """

    refusals: tuple[Refusal, ...]
    enabled: int
    is_cut: bool


def refusals(
    model: Model,
    action: Action,
    state: State,
    is_over: Callable[[], bool] = lambda: False,
    most: int = MOST_INSTANCES,
) -> Refusals:
    """Ask up to `most` instances of an action, in the order of its parameters, what stops them.

    Those for which the action has no meaning are passed over. It ends early when `is_over`.
    """
    stopped: dict[tuple[int, str, int, str], list[tuple[str, Conjunct | None]]] = {}
    enabled = 0
    is_cut = False
    bindings = Bindings(Parameters([parameter.domain for parameter in action.parameters]))
    for asked, arguments in enumerate(bindings):
        if asked >= most or (asked and is_over()):
            is_cut = True
            break
        line = _stopping_line(action, state, arguments)
        if line is None:
            enabled += 1
        elif line:
            conjunct = false_requirement(model.universe, action, state, arguments)
            where = ("", line, "") if conjunct is None else _key(conjunct)
            key = (-line, where[0], where[1], where[2])
            binding = render_binding(action.parameters, arguments)
            stopped.setdefault(key, []).append((binding, conjunct))
    found = tuple(
        _refusal(model, action, -negative, cases)
        for (negative, _, _, _), cases in sorted(stopped.items(), key=lambda item: item[0])
    )
    return Refusals(found, enabled, is_cut)


def _refusal(
    model: Model, action: Action, line: int, cases: list[tuple[str, Conjunct | None]]
) -> Refusal:
    binding, conjunct = cases[0]
    if conjunct is not None:
        return Refusal(conjunct.file, conjunct.line, conjunct.text, len(cases), binding, conjunct)
    definition = model.universe.definition(action.function)
    if definition is None:
        return Refusal(None, line, "", len(cases), binding, None)
    node, file = definition
    statement = next(
        part for part in node.body if part.lineno <= line <= (part.end_lineno or part.lineno)
    )
    return Refusal(file, line, ast.unparse(statement), len(cases), binding, None)


def _key(conjunct: Conjunct) -> tuple[str, int, str]:
    return str(conjunct.file), conjunct.line, conjunct.text


def _stopping_line(action: Action, state: State, arguments: tuple[object, ...]) -> int | None:
    """The line of the action's own body that is not passed; None if enabled, 0 on an error."""
    try:
        action.function(state, NextState(state), *arguments)
    except Disabled as disabled:
        return _line_in(disabled.__traceback__)
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever a model's text raises, `exit(0)` included
        return 0
    return None


def _line_in(trace: TracebackType | None) -> int:
    assert trace is not None
    assert trace.tb_next is not None
    return trace.tb_next.tb_lineno
