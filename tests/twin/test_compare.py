"""A twin's graph is made of the model's own here, changed in one place; TLC is not asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.language.notation import State
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.twin.compare import Difference, compare_counts, compare_graphs, explore
from lockstep.twin.dump import LabelledGraph
from lockstep.twin.findings import TlcRun
from lockstep.twin.names import definition_name, encode, variable_name
from lockstep.twin.tla_parser import TlaFunction, TlaValue

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"
START = 0


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, "turnstile", {"GATES": ("east",), "CAN_JAM": False})


def _steps(model: Model) -> dict[State, list[Step]]:
    steps: dict[State, list[Step]] = {}
    explore(model, on_state=steps.__setitem__)
    return steps


@dataclass
class Drawn:
    """A graph that a test may change; states are numbered in the order of the search."""

    states: dict[int, dict[str, TlaValue]] = field(default_factory=dict)
    edges: list[tuple[int, str, int]] = field(default_factory=list)
    initial: set[int] = field(default_factory=lambda: {START})
    whole: bool = True

    def add(self, **changed: TlaValue) -> int:
        """Another state: the initial one but for what is given."""
        number = len(self.states)
        self.states[number] = self.states[START] | changed
        return number

    def compare(self, model: Model) -> Difference | None:
        graph = LabelledGraph(frozenset(self.initial), self.states, self.edges)
        return compare_graphs(model, _steps(model), graph, whole=self.whole)


@pytest.fixture
def drawn(model: Model) -> Drawn:
    drawn, numbers = Drawn(), {model.initial: START}
    for state, steps in _steps(model).items():
        drawn.states[numbers[state]] = {
            variable_name(name): encode(domain, getattr(state, name))
            for name, domain in model.variables.items()
        }
        for step in steps:
            target = numbers.setdefault(step.state, len(numbers))
            drawn.edges.append((numbers[state], definition_name(step.action), target))
    return drawn


def _found(drawn: Drawn, model: Model) -> Difference:
    difference = drawn.compare(model)
    assert difference is not None
    return difference


def _actions(difference: Difference) -> list[str]:
    return [step.action for step in difference.trace.steps]


def test_equal_graphs_have_no_difference(drawn: Drawn, model: Model) -> None:
    assert drawn.compare(model) is None


def test_a_step_that_the_twin_lacks(drawn: Drawn, model: Model) -> None:
    drawn.edges = [edge for edge in drawn.edges if edge[1] != "Push"]
    difference = _found(drawn, model)
    assert difference.because == "the model can take push, and the twin cannot"
    assert _actions(difference) == ["coin"]
    assert difference.details == (
        "in the model, push(g=east):",
        "  arm[east]: OPEN -> LOCKED",
        "  entries[east]: 0 -> 1",
    )


def test_a_step_that_only_the_twin_takes(drawn: Drawn, model: Model) -> None:
    drawn.edges.append((1, "Collect", START))
    difference = _found(drawn, model)
    assert difference.because == "the twin can take collect, and the model cannot"
    assert _actions(difference) == ["coin"]
    assert difference.details[0] == "in the twin:"


def test_another_effect(drawn: Drawn, model: Model) -> None:
    wrong = drawn.add(arm=TlaFunction({"east": "OPEN"}), coins=TlaFunction({"east": 2}))
    drawn.edges = [
        (source, label, wrong) if (source, label) == (START, "Coin") else (source, label, target)
        for source, label, target in drawn.edges
    ]
    difference = _found(drawn, model)
    assert difference.because == "coin leads to another state in the twin"
    assert difference.trace.steps == ()
    assert "  coins[east]: 0 -> 1" in difference.details
    assert "  coins[east]: 0 -> 2" in difference.details


def test_an_effect_outside_the_domain(drawn: Drawn, model: Model) -> None:
    wrong = drawn.add(coins=TlaFunction({"east": 7}))
    drawn.edges[0] = (START, drawn.edges[0][1], wrong)
    difference = _found(drawn, model)
    assert "leads to another state in the twin" in difference.because
    assert any("7 is not in" in line for line in difference.details)


def test_a_step_taken_more_often(drawn: Drawn, model: Model) -> None:
    drawn.edges.append((START, "Coin", 1))
    difference = _found(drawn, model)
    reported = "the twin can take coin to the same state in 2 ways, the model in 1"
    assert difference.because == reported


def test_a_second_state_to_go_to(drawn: Drawn, model: Model) -> None:
    drawn.edges.append((START, "Coin", 2))
    reported = "the twin can take coin to a state to which the model does not take it"
    assert _found(drawn, model).because == reported


def test_an_action_that_the_model_does_not_have(drawn: Drawn, model: Model) -> None:
    drawn.edges.append((START, "ShakeHard", START))
    reported = "the twin takes ShakeHard, and the model has no action shake_hard"
    assert _found(drawn, model).because == reported


def test_another_initial_state(drawn: Drawn, model: Model) -> None:
    drawn.initial = {1}
    difference = _found(drawn, model)
    assert difference.because == "the initial states differ, model -> twin"
    assert difference.details == ("arm[east]: LOCKED -> OPEN", "coins[east]: 0 -> 1")


def test_two_initial_states(drawn: Drawn, model: Model) -> None:
    drawn.initial = {START, 1}
    assert _found(drawn, model).because == "the twin has 2 initial states, the model 1"


def test_the_nearest_of_several_differences_is_reported(drawn: Drawn, model: Model) -> None:
    last = max(drawn.states)
    drawn.edges += [(last, "ShakeHard", last), (1, "ShakeHard", 1)]
    assert _actions(_found(drawn, model)) == ["coin"]


def test_a_part_that_nothing_leads_to_is_no_difference(drawn: Drawn, model: Model) -> None:
    # TLC never writes such a thing: what it dumps it has reached.
    lonely = drawn.add(arm=TlaFunction({"east": "JAMMED"}))
    drawn.edges.append((lonely, "Jam", lonely))
    assert drawn.compare(model) is None


def test_what_a_stopped_search_was_still_to_expand_is_no_difference(
    drawn: Drawn, model: Model
) -> None:
    drawn.whole = False
    third = [edge for edge in drawn.edges if edge[0] == 2]
    assert len(third) > 1
    drawn.edges = drawn.edges[: drawn.edges.index(third[0]) + 1]
    assert drawn.compare(model) is None
    drawn.whole = True
    assert drawn.compare(model) is not None


def test_what_a_stopped_search_did_last_is_a_difference_if_the_model_cannot(
    drawn: Drawn, model: Model
) -> None:
    drawn.whole = False
    kept = drawn.edges.index(next(edge for edge in drawn.edges if edge[0] == 1))
    wrong = drawn.add(arm=TlaFunction({"east": "JAMMED"}))
    drawn.edges = [*drawn.edges[:kept], (1, "Jam", wrong)]
    assert _found(drawn, model).because == "the twin can take jam, and the model cannot"


def test_what_a_stopped_search_did_in_full_is_compared(drawn: Drawn, model: Model) -> None:
    drawn.whole = False
    drawn.edges.remove(next(edge for edge in drawn.edges if edge[:2] == (START, "Coin")))
    assert _found(drawn, model).because == "the model can take coin, and the twin cannot"


def test_other_variables_are_an_error(drawn: Drawn, model: Model) -> None:
    for values in drawn.states.values():
        values["money"] = values.pop("coins")
    with pytest.raises(LockstepError, match="money is not one of them"):
        drawn.compare(model)


def _run(**changed: int) -> TlcRun:
    same = TlcRun(initial=1, initial_generated=1, generated=8, distinct=5, depth=5, seconds=0.1)
    return msgspec.structs.replace(same, **changed)


def test_equal_counts(model: Model) -> None:
    assert compare_counts(explore(model), _run()) == []


def test_counts_that_differ_are_each_reported(model: Model) -> None:
    different = compare_counts(explore(model), _run(generated=1_009, distinct=4, depth=4))
    assert list(map(str, different)) == [
        "states: 5 in the model, 4 in the twin",
        "transitions: 7 in the model, 1,008 in the twin",
        "depth: 4 in the model, 3 in the twin",
    ]


def test_more_states_than_the_model_has_are_not_counted_to_the_end(model: Model) -> None:
    (different,) = compare_counts(explore(model), _run(generated=1_009, distinct=6))
    assert str(different) == "states: 5 in the model, 6 or more in the twin"


def test_the_depth_is_not_compared_when_several_workers_searched(model: Model) -> None:
    assert compare_counts(explore(model), _run(depth=9, workers=2)) == []


def test_invariants_do_not_end_the_search_for_the_graph() -> None:
    letters = load_model(ROOT, "letters", {})
    result = explore(letters)
    assert (result.verdict, result.states, result.transitions) == (Verdict.HOLDS, 83, 124)
