"""The nearest state that satisfies a predicate, and the predicates that are read."""

from __future__ import annotations

import ast
import dataclasses
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from tempfile import gettempdir

from lockstep.errors import LockstepError, not_written
from lockstep.explore.engines import explore
from lockstep.language import ir
from lockstep.language.domains import RangeDomain
from lockstep.language.frontend import lower
from lockstep.language.load_problems import not_python, too_deep
from lockstep.language.model import Model, Property, with_goal
from lockstep.language.notation import Kind, State
from lockstep.language.source import Diagnostic, ModelError, Place, allow_nesting
from lockstep.language.totality import parts_of, refuse_endless
from lockstep.language.types import capped_size
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.system.scratch import scratch_folder
from lockstep.words import plural


@dataclass(frozen=True)
class Nearest:
    """A shortest way to a state that was looked for.

    `steps` lead there and are empty where the search began in such a state; None where none was
    found, and `because` then says how far the search came. `result` is the search's own.
    """

    steps: tuple[Step, ...] | None
    because: str
    result: SearchResult


def find_nearest(model: Model, start: State, predicate: str, bounds: Bounds) -> Nearest:
    """Look for a state in which a predicate over `s` is true, breadth first from `start`.

    The engine that suits it searches, and plain Python walks what it finds. What the model claims
    is not looked at on the way. `Refused` as of `parse_predicate`; `LockstepError` where no folder
    for scratch can be made.
    """
    try:
        with scratch_folder("lockstep-predicate-") as folder:
            ruled_out = parse_predicate(model, predicate, folder)
            searched = replace(model, initial=start, properties=(ruled_out,))
            # A search ends where something is broken, so what is looked for is ruled out.
            result = explore(searched, Exploration(bounds=bounds))
    except OSError as error:
        raise LockstepError(not_written(Path(gettempdir()), error)) from None
    if result.violation is not None:
        steps = result.violation.trace.steps
        away = f"{plural(len(steps), 'step')} away" if steps else "true here already"
        return Nearest(steps, away, result)
    if result.verdict is Verdict.HOLDS:
        states = plural(result.states, "state")
        return Nearest(None, f"it is false in every state from here on ({states})", result)
    return Nearest(None, f"not found: {result.because}", result)


@dataclass(frozen=True)
class Coverage:
    """What a search came by, each in the model's order.

    `fired` counts the enabled instances of each action. `premises` says of each invariant whether
    its premise was true somewhere, and `goals` of each goal whether some state satisfies it. They
    are those of all reachable states only if the search came to its end: see `result`.
    """

    result: SearchResult
    fired: dict[str, int]
    premises: dict[str, bool]
    goals: dict[str, bool]


def cover(model: Model, request: Exploration) -> Coverage:
    """Search a model from its initial state by the engine that suits it.

    What must come to pass is not looked at. A search ends at the first level where something is
    violated. `LockstepError` as of `explore`.
    """
    model = model.without(Kind.LEADS_TO)
    result = explore(model, request)
    return Coverage(
        result,
        {action.name: result.fired.get(action.name, 0) for action in model.actions},
        {
            prop.name: prop.name in result.applied
            for prop in model.properties
            if prop.kind in (Kind.INVARIANT, Kind.STEP_INVARIANT)
        },
        {prop.name: prop.name in result.reached for prop in model.of_kind(Kind.SOMETIMES)},
    )


MOST_LETTERS = 2_000
"""Letters of a predicate."""
MOST_ROUNDS = 100_000
"""Rounds of a predicate's comprehensions in one state."""

ASKED_FOR = "asked_for"
"""The name of what is asked for, where it has no value in some state."""
_STATED = "stated"
_FILE = "predicate"
_LEAD = len("    return ")
"""Columns before the predicate in the file that `with_goal` writes."""


class Refused(LockstepError):
    """A text is no predicate of the notation; the message shows it with a caret and a cure."""


def parse_predicate(model: Model, text: str, folder: Path) -> Property:
    """What a predicate over `s` rules out, as an invariant: that it is true in no state.

    It may name what the model's files name: `s.epoch[c1] > 3 and s.wire is None`. Files of it are
    written to `folder`, which has to be there as long as the property is used. `Refused` for a text
    that is no predicate, that is outside of the notation, or that goes through more values than can
    be enumerated in each state of a search.
    """
    text = text.strip()
    if not text:
        raise Refused("the predicate is empty", cure="write a condition on `s`, as an invariant")
    if len(text) > MOST_LETTERS or not text.isprintable():
        raise Refused(
            f"a predicate is one line of up to {MOST_LETTERS:,} letters that can be printed",
            cure="write a helper in the model, and name it here",
        )
    try:
        return _parse(model, text, folder)
    except ModelError as error:
        shown = "\n\n".join(_shown(problem, folder) for problem in error.diagnostics)
        raise Refused(shown) from None


def _parse(model: Model, text: str, folder: Path) -> Property:
    bare = dataclasses.replace(model, properties=())
    expression = _expression(text, folder / _FILE)
    stated = with_goal(bare, _STATED, text, folder / f"{_STATED}.py")
    code = lower(stated)
    refuse_endless(stated, code)
    (goal,) = code.properties
    _refuse_long_rounds(goal)
    # The text of the tree, which has no comment that would hide what is put after it.
    negation = f"not ({ast.unparse(expression)})"
    (ruled_out,) = with_goal(bare, ASKED_FOR, negation, folder / f"{ASKED_FOR}.py").properties
    return dataclasses.replace(ruled_out, kind=Kind.INVARIANT)


def _expression(text: str, file: Path) -> ast.Expression:
    """The syntax of a text that is one expression and no more, written to a file of its own.

    Only such a text may stand after `return` in a file that is run.
    """
    file.write_text(f"{text}\n", encoding="utf-8")
    allow_nesting()
    try:
        return ast.parse(text, filename=str(file), mode="eval")
    except (SyntaxError, ValueError) as error:
        problem = error if isinstance(error, SyntaxError) else SyntaxError(str(error))
        if not problem.offset or problem.text is None:
            problem.lineno, problem.offset, problem.text = 1, len(text) + 1, text
        raise ModelError([not_python(problem, file)]) from None
    except (RecursionError, MemoryError):
        raise ModelError([too_deep(file, text)]) from None


def _refuse_long_rounds(goal: ir.PropertyCode) -> None:
    """Refuse what goes through so much in one state that no bound on time would be kept."""
    if _rounds(goal) > MOST_ROUNDS:
        raise ModelError(
            [
                Diagnostic(
                    "too-many-rounds",
                    goal.claim.place,
                    f"this goes through more than {MOST_ROUNDS:,} values in a state",
                    "each state of a search is looked at in turn",
                    "go through a smaller domain, or a collection of the state",
                )
            ]
        )


def _rounds(node: object) -> int:
    """How often the innermost parts of an IR node are evaluated in all, about and at the most."""
    own = 1
    match node:
        case ir.Comprehension():
            own = prod(_items(part.source) for part in node.generators)
        case ir.MakeMap():
            own = capped_size(node.key, MOST_ROUNDS + 1)
    return own * max(1, sum(map(_rounds, parts_of(node))))


def _items(source: ir.Source) -> int:
    """How many items a source has; a collection is one of the state, and counts as one."""
    match source:
        case ir.OverDomain(domain):
            return capped_size(domain, MOST_ROUNDS + 1)
        case ir.OverRange(start, stop):
            low, high = start.domain, stop.domain
            assert isinstance(low, RangeDomain)
            assert isinstance(high, RangeDomain)
            return max(0, high.high - low.low)
    return 1


def _shown(problem: Diagnostic, folder: Path) -> str:
    """A problem as it is printed, its place one of the predicate itself."""
    place = problem.place
    if place.file == folder / f"{_STATED}.py" and place.column >= _LEAD:
        begin, end = place.column - _LEAD, place.end_column - _LEAD
        place = Place(folder / _FILE, 1, begin, 1, end)
    shown = dataclasses.replace(problem, place=place).render()
    return shown.replace(f"{folder}/", "")
