from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import Engine
from lockstep.plain.exploration import ENGINES, Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import EvaluationError, Progress
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


def levels(engine: Engine) -> list[set[State]]:
    """The states by distance, found in the plainest way there is."""
    distances, visited = [{engine.model.initial}], {engine.model.initial}
    while distances[-1]:
        distances.append(
            {s.state for state in distances[-1] for s in engine.successors(state)} - visited
        )
        visited |= distances[-1]
    return distances[:-1]


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize("gates", [("east",), ("east", "west")])
def test_counts_are_those_of_the_graph(name: str, gates: tuple[str, ...]) -> None:
    engine = PlainEngine(load_model(ROOT, "turnstile", {"GATES": gates}))
    distances = levels(engine)
    result = explore(engine.model, Exploration(name))
    assert result.verdict is Verdict.HOLDS
    assert result.states == sum(map(len, distances))
    assert result.depth == len(distances) - 1
    every = [state for level in distances for state in level]
    steps = [step.action for state in every for step in engine.successors(state)]
    assert result.transitions == len(steps)
    assert result.fired == {action: steps.count(action) for action in result.fired}
    goals = {prop.name for prop in engine.model.of_kind(Kind.SOMETIMES)}
    assert result.applied == {prop.name for prop in engine.model.properties} - goals
    assert result.reached == {"somebody_gets_in"}


@pytest.mark.parametrize("fault", ["stays_open", "kicked_open"])
def test_a_trace_is_as_short_as_any_and_can_be_taken(fault: str) -> None:
    model = load_model(ROOT, "turnstile", fault=fault)
    engine = PlainEngine(model)
    violation = Search(engine).run().violation
    assert violation is not None
    steps = violation.trace.steps
    assert len(steps) == {"stays_open": 3, "kicked_open": 1}[fault]
    for before, step in zip(violation.trace.states, steps, strict=False):
        assert engine.run(model.action(step.action), before, step.parameters) == step.state
    shallower = Search(engine, Exploration(bounds=Bounds(max_depth=len(steps) - 1))).run()
    assert shallower.violation is None
    assert shallower.verdict is Verdict.INCONCLUSIVE
    assert f"every behaviour of up to {len(steps) - 1} step" in shallower.because


def edited(tmp_path: Path, file: str, old: str, new: str) -> Model:
    for folder in ("models", "invariants"):
        (tmp_path / folder).mkdir()
        text = (ROOT / folder / "turnstile.py").read_text(encoding="utf-8")
        if folder == file:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / folder / "turnstile.py").write_text(text, encoding="utf-8")
    return load_model(tmp_path, "turnstile", {"GATES": ("east",)})


def test_everything_that_fails_at_the_same_step_is_named(tmp_path: Path) -> None:
    model = edited(
        tmp_path,
        "models",
        "new.arm[g] = Arm.JAMMED",
        "new.arm[g] = Arm.OPEN\n    new.entries[g] = 2",
    )
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    assert violation.properties == ("entries_are_paid", "opens_only_for_a_coin")
    assert violation.parameters == ("east",)
    assert len(violation.trace.steps) == 1


def test_the_initial_state_is_checked_too(tmp_path: Path) -> None:
    model = edited(tmp_path, "invariants", "s.entries[g] <= s.coins[g]", "s.coins[g] > 0")
    result = Search(PlainEngine(model)).run()
    assert result.violation is not None
    assert result.violation.trace.steps == ()
    assert (result.states, result.transitions, result.depth) == (1, 0, 0)
    assert result.because == "entries_are_paid is violated after 0 steps"


def test_a_goal_that_no_state_reaches_is_violated(tmp_path: Path) -> None:
    model = edited(tmp_path, "invariants", "s.entries[g] > 0", "s.entries[g] > 2")
    result = Search(PlainEngine(model)).run()
    assert (result.verdict, result.missed) == (Verdict.VIOLATED, ("somebody_gets_in",))
    assert result.violation is None
    assert result.states == 8, "all was explored"


@pytest.mark.parametrize("name", ENGINES)
@pytest.mark.parametrize(
    ("edit", "steps"),
    [
        (("models", " and has_room(s, g))", ")"), 4),
        (("invariants", "s.entries[g] <= s.coins[g]", "2 // (2 - s.coins[g]) >= 0"), 3),
        (("invariants", "new.coins[g] == s.coins[g] + 1", "1 // (s.coins[g] - 1) != 5"), 3),
    ],
)
def test_text_without_meaning_ends_the_search(
    tmp_path: Path, name: str, edit: tuple[str, str, str], steps: int
) -> None:
    result = explore(edited(tmp_path, *edit), Exploration(name))
    assert result.verdict is Verdict.ERROR
    assert isinstance(result.error, EvaluationError)
    assert result.error.file == tmp_path / edit[0] / "turnstile.py"
    assert result.error_trace is not None
    assert len(result.error_trace.steps) == steps


def test_deadlock_is_violated_unless_it_is_allowed() -> None:
    engine = PlainEngine(load_model(ROOT, "letters", {"SACK": 1}))
    allowed = Search(engine).run()
    assert allowed.verdict is Verdict.HOLDS
    assert allowed.deadlocks == 4
    forbidden = Search(engine, Exploration(deadlock_allowed=False)).run()
    assert forbidden.violation is not None
    assert forbidden.violation.properties == (DEADLOCK,)
    assert len(forbidden.violation.trace.steps) == 3


@pytest.mark.parametrize(
    "bound", [Bounds(max_states=10), Bounds(max_seconds=0.0), Bounds(max_depth=2)]
)
def test_a_bound_makes_it_inconclusive(bound: Bounds) -> None:
    result = Search(PlainEngine(load_model(ROOT, "turnstile")), Exploration(bounds=bound)).run()
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "as bounded" in result.because
    assert 0 < result.states < 64


def test_max_depth_covers_exactly_that() -> None:
    engine = PlainEngine(load_model(ROOT, "turnstile"))
    result = Search(engine, Exploration(bounds=Bounds(max_depth=3))).run()
    assert result.states == sum(map(len, levels(engine)[:4]))
    assert result.depth == 3


@pytest.mark.parametrize("failure", [KeyboardInterrupt, MemoryError])
def test_what_was_found_survives_an_end_from_outside(failure: type[BaseException]) -> None:
    def end(state: State, steps: list[Step]) -> None:
        coins, entries = state[1], state[2]
        if coins["east"] == entries["east"] == 1:
            raise failure

    result = Search(PlainEngine(load_model(ROOT, "turnstile")), on_state=end).run()
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.interrupted is (failure is KeyboardInterrupt)
    assert result.states > 1
    assert "every behaviour of up to 2 steps is covered" in result.because


def test_progress_is_reported() -> None:
    reports: list[Progress] = []
    Search(
        PlainEngine(load_model(ROOT, "turnstile")), Exploration(on_progress=reports.append)
    ).run()
    assert reports[0].states == 1
    assert reports[0].frontier == 1


def test_every_state_is_visited_once_with_all_its_steps() -> None:
    engine = PlainEngine(load_model(ROOT, "turnstile"))
    visited: dict[State, list[Step]] = {}

    def visit(state: State, steps: list[Step]) -> None:
        assert state not in visited
        visited[state] = steps

    result = Search(engine, on_state=visit).run()
    assert len(visited) == result.states
    assert all(steps == list(engine.successors(state)) for state, steps in visited.items())
