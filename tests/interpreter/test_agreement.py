"""Every engine agrees with plain Python: on random models, and on those of this workspace.

A further engine is one line in `ENGINES`. A disagreement is shown as the smallest model that
Hypothesis finds, as text to paste into a file; `LOCKSTEP_PROFILE=wide` looks at thousands.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model, Property, load_model, model_names
from lockstep.language.notation import Kind, State
from lockstep.language.source import ModelError
from lockstep.plain.engine import Engine, Outcome, WatchedEngine
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import EvaluationError, SearchResult
from lockstep.results.trace import Step
from lockstep.specs.scopes import load_model_spec
from tests.agreement.case import instances_of
from tests.day import drawn_daily
from tests.interpreter import interpreter
from tests.interpreter.interpreter import InterpreterEngine
from tests.random_models.parts.states import some_states
from tests.random_models.random_models import RandomModel, random_models

ENGINES: dict[str, Callable[[Model], WatchedEngine]] = {
    "interpreter": InterpreterEngine,
    "python without skips": lambda model: PlainEngine(model, skips=False),
}
"""What is compared with plain Python, which is the oracle."""

MOST_STATES = 60
"""Random models are explored this far; most have fewer states."""

MOST_STEPS = 1_500
"""Models with many action instances are explored less far: each is tried three times."""

Failure: TypeAlias = tuple[str, Path | None, int | None]
"""Where an evaluation failed: the action or claim, the file and the line."""


def failure(error: EvaluationError | None) -> Failure | None:
    return None if error is None else (error.function, error.file, error.line)


def steps_of(engine: Engine, state: State) -> tuple[list[Step], Failure | None]:
    """The successors up to the first that fails, in order, and where that is."""
    steps: list[Step] = []
    try:
        for step in engine.successors(state):
            steps.append(step)
    except EvaluationError as error:
        return steps, failure(error)
    return steps, None


def says_of(
    engine: Engine, prop: Property, before: State, after: State | None
) -> Outcome | Failure | None:
    try:
        return engine.evaluate(prop, before, after)
    except EvaluationError as error:
        return failure(error)


def reachable(engine: Engine, most: int) -> Iterator[tuple[State, list[State]]]:
    """States with their successors, the nearest first, past every failure and violation."""
    seen, waiting = {engine.model.initial}, [engine.model.initial]
    for state in waiting:
        steps, _ = steps_of(engine, state)
        yield state, [step.state for step in steps]
        for step in steps:
            if step.state not in seen and len(seen) < most:
                seen.add(step.state)
                waiting.append(step.state)


def outcome(result: SearchResult) -> dict[str, Any]:
    """All that a search says, but the engine's name, the time, and how it words an error."""
    said = {**vars(result), "error": failure(result.error)}
    unlike = {"engine", "seconds"} | ({"because"} if result.error is not None else set())
    return {name: value for name, value in said.items() if name not in unlike}


def assert_agreement(model: Model, engines: Mapping[str, WatchedEngine], most: int) -> None:
    """Engines say what Python says: of every state and step, of some more, and of the search."""
    oracle = PlainEngine(model)
    others = [(state, [other]) for state, other in pairwise(some_states(model, 20))]
    for state, afters in [*reachable(oracle, most), *others]:
        steps = steps_of(oracle, state)
        for name, engine in engines.items():
            assert steps_of(engine, state) == steps, (name, state)
        for prop in model.properties:
            over_steps = prop.kind is Kind.STEP_INVARIANT
            for after in afters if over_steps else [None]:
                expected = says_of(oracle, prop, state, after)
                for name, engine in engines.items():
                    said = says_of(engine, prop, state, after)
                    assert said == expected, (name, prop.name, state, after)
    bounded = Exploration(bounds=Bounds(max_states=most))
    searched = outcome(Search(oracle, bounded).run())
    for name, engine in engines.items():
        assert outcome(Search(engine, bounded).run()) == searched, name


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@pytest.mark.slow
@drawn_daily(60)
@given(text=random_models())
def test_engines_agree_on_random_models(folder: Path, text: RandomModel) -> None:
    try:
        model = text.load(folder)
        engines = {name: engine(model) for name, engine in ENGINES.items()}
    except ModelError:
        reject()
    assert_agreement(model, engines, max(5, min(MOST_STATES, MOST_STEPS // instances_of(model))))


ROOT = Path(__file__).parents[2]


@pytest.mark.daily(3)
@pytest.mark.parametrize("model", model_names(ROOT))
def test_engines_agree_on_the_models_of_the_workspace(model: str) -> None:
    constants = load_model_spec(ROOT, model).scope("small").constants
    shipped = load_model(ROOT, model, constants)
    assert_agreement(shipped, {name: engine(shipped) for name, engine in ENGINES.items()}, 100)


Change: TypeAlias = Callable[[Any], Any]

MISTAKES: dict[str, Change] = {
    "min for max": lambda node: (
        replace(node, largest=not node.largest) if isinstance(node, ir.Extremum) else node
    ),
    "<= for <": lambda node: (
        replace(node, operator="<=")
        if isinstance(node, ir.Compare) and node.operator == "<"
        else node
    ),
    "any subset is strict": lambda node: (
        replace(node, strict=True) if isinstance(node, ir.Subset) else node
    ),
    "difference the other way": lambda node: (
        replace(node, left=node.right, right=node.left)
        if isinstance(node, ir.SetOperation) and node.operator == "-"
        else node
    ),
    "// rounds up": lambda node: (
        ir.Negate(node.place, node.domain, replace(node, left=opposite(node.left)))
        if isinstance(node, ir.Arithmetic) and node.operator == "//"
        else node
    ),
    "None goes unnoticed": lambda node: (
        replace(node, certain=True) if isinstance(node, ir.Unwrap) else node
    ),
    "stretches have no end": lambda node: (
        replace(node, stop=None) if isinstance(node, ir.Slice) else node
    ),
    "joined the other way": lambda node: (
        replace(node, left=node.right, right=node.left)
        if isinstance(node, ir.Concatenate)
        else node
    ),
    "conditions of comprehensions are skipped": lambda node: (
        replace(node, conditions=()) if isinstance(node, ir.Generator) else node
    ),
    "the first write wins": lambda node: (
        replace(node, statements=node.statements[::-1]) if isinstance(node, ir.ActionCode) else node
    ),
    "only the first guard counts": lambda node: (
        replace(
            node,
            statements=tuple(
                line
                for index, line in enumerate(node.statements)
                if index == 0 or not isinstance(line, ir.Guard)
            ),
        )
        if isinstance(node, ir.ActionCode)
        else node
    ),
    "what is written is not checked": lambda node: (
        replace(node, value=ir.Literal(node.place, node.target, next(iter(node.target))))
        if isinstance(node, ir.Write) and isinstance(node.value, ir.Arithmetic)
        else node
    ),
    "the state after is the state before": lambda node: (
        replace(node, after=False) if isinstance(node, ir.Read) else node
    ),
}
"""Mistakes that an engine could make, as changes to the IR that it executes."""


def opposite(node: ir.Expression) -> ir.Expression:
    return ir.Negate(node.place, node.domain, node)


def changed(node: Any, change: Change) -> Any:
    """An IR node with a change made to it and to everything inside."""
    if type(node) is tuple:  # records and maps are tuples, too, and values
        return tuple(changed(part, change) for part in node)
    if not is_dataclass(node) or type(node).__module__ != ir.__name__:
        return node
    parts = {part.name: changed(getattr(node, part.name), change) for part in fields(node)}
    return change(replace(node, **parts))  # type: ignore[type-var]


HALVES = RandomModel(
    "from lockstep import Range, State, action\n\n"
    "class Sample(State):\n    a: Range(-3, 3) = 3\n\n"
    "@action\ndef act0(s, new):\n    new.a = s.a // 2\n",
    "from lockstep import invariant\n\n@invariant()\ndef claim0(s):\n    return s.a >= -3\n",
)
"""Few random models divide, and fewer by a number that leaves a rest."""


Corpus: TypeAlias = Callable[[], Iterator[Model]]
"""Different random models, simple and large ones in turn as they were drawn; loaded when needed."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder, texts = tmp_path_factory.mktemp("corpus"), {repr(HALVES): HALVES}

    @settings(
        max_examples=400,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(random_models())
    def collect(text: RandomModel) -> None:
        texts.setdefault(repr(text), text)

    @cache
    def loaded(text: str) -> Model:
        return texts[text].load(folder)

    collect()
    return lambda: map(loaded, texts)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_engine_is_found_out(
    mistake: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge is able to fail: among a few hundred models, some tell each mistake."""

    def differs(model: Model) -> bool:
        try:
            assert_agreement(model, {"interpreter": InterpreterEngine(model)}, MOST_STATES)
        except Exception:
            return True
        return False

    monkeypatch.setattr(
        interpreter, "lower", lambda model: changed(lower(model), MISTAKES[mistake])
    )
    assert any(map(differs, corpus()))
