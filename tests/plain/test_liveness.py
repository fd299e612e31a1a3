"""What leads to what, under which fairness: small models by hand."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.explore.known_space import MostStates
from lockstep.explore.live_search import check_liveness
from lockstep.language.model import Model, load_model
from lockstep.machine.code.layout import NotCompiled
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Limits, Space, Unfinished, build_space
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from tests.interpreter.interpreter import InterpreterEngine

LAMP = """
from lockstep import Constant, OneOf, Map, State, action, require

CLIENTS: Constant = ("c1", "c2")
Client = OneOf(CLIENTS)


class Lamp(State):
    is_on: bool = False
    served: Map[Client, bool] = {c: False for c in Client}
    is_broken: bool = False


@action
def switch(s, new):
    require(not s.is_broken)
    new.is_on = not s.is_on


@action
def serve(s, new, c: Client):
    \"\"\"The lamp is on: a client reads by it, or has read enough.\"\"\"
    require(s.is_on)
    new.served[c] = not s.served[c]


@action
def look(s, new):
    \"\"\"Changes nothing.\"\"\"
    new.is_on = s.is_on


@action
def give_up(s, new):
    require(s.is_on)
    new.is_on = False
    new.is_broken = True
"""

HEAD = """
from lockstep import each, leads_to
from models.lamp import Client, give_up, look, serve, switch

"""

Check = Callable[[str], SearchResult]


@pytest.fixture
def model(tmp_path: Path) -> Callable[[str], Model]:
    """The lamp, with what must come to pass of it."""

    def load(claims: str) -> Model:
        for folder, text in (("models", LAMP), ("invariants", HEAD + claims)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "lamp.py").write_text(text, encoding="utf-8")
        return load_model(tmp_path, "lamp")

    return load


@pytest.fixture
def check(model: Callable[[str], Model]) -> Check:
    """Checks one claim, `leads_to(...)` and what is returned, of the lamp and a client `c`."""

    def explored(claim: str) -> SearchResult:
        fairness, says = claim.split(":")
        text = f"@leads_to({fairness})\ndef comes(s, c: Client):\n    return {says}\n"
        return explore(model(text), Exploration(liveness=True))

    return explored


def test_nothing_comes_to_pass_unless_something_is_promised(check: Check) -> None:
    result = check(": not s.is_on, s.is_on")
    assert result.verdict is Verdict.VIOLATED
    assert result.violation is not None
    assert result.violation.trace == Trace(result.violation.trace.initial, (), 0)
    assert result.because == "comes is violated by a behaviour that goes on for ever"


def test_weak_fairness_of_what_stays_enabled(check: Check) -> None:
    assert check("weak=switch: not s.is_on and not s.is_broken, s.is_on").verdict == "holds"


def test_weak_fairness_is_too_weak_for_what_is_enabled_now_and_then(check: Check) -> None:
    """The lamp goes on and off for ever, and nobody reads by it."""
    result = check("weak=(switch, serve): True, s.served[c] or s.is_broken")
    assert result.violation is not None
    trace = result.violation.trace
    assert [step.action for step in trace.steps] == ["switch", "switch"]
    assert trace.loop == 0
    assert result.violation.parameters == ("c1",)


def test_strong_fairness_of_what_is_enabled_now_and_then(check: Check) -> None:
    claim = "True, s.served[c] or s.is_broken"
    assert check(f"weak=switch, strong=each(serve, 'c'): {claim}").verdict == "holds"


def test_fairness_of_the_whole_may_pass_over_one_value_for_ever(check: Check) -> None:
    """One client reads for ever; the other never does."""
    result = check("weak=switch, strong=serve: True, s.served[c] or s.is_broken")
    assert result.violation is not None
    trace = result.violation.trace
    (passed_over,) = result.violation.parameters
    served = {step.parameters for step in trace.steps if step.action == "serve"}
    assert served
    assert (passed_over,) not in served


def test_fairness_is_no_promise_while_an_action_is_disabled(check: Check) -> None:
    """A broken lamp stays off, whatever is promised."""
    result = check("weak=switch, strong=each(serve): s.is_broken, s.served[c]")
    assert result.violation is not None
    trace = result.violation.trace
    assert [step.action for step in trace.steps] == ["switch", "give_up"]
    assert trace.loop == 2


def test_a_step_that_changes_nothing_is_no_step(check: Check) -> None:
    result = check("weak=look: True, s.is_on")
    assert result.violation is not None
    assert result.violation.trace.steps == ()


def test_the_goal_may_be_reached_with_the_premise(check: Check) -> None:
    assert check(": s.is_on, s.is_on").verdict == "holds"


def test_a_premise_that_is_never_true_is_not_applied(check: Check) -> None:
    result = check("weak=switch: s.is_on and not s.is_on, s.is_on")
    assert (result.verdict, result.applied) == ("holds", set())
    assert "comes" in check("weak=switch: not s.is_on, True").applied


def test_a_goal_without_a_value_is_an_error_at_its_state(check: Check) -> None:
    result = check("weak=switch: s.is_on, 1 // (0 if s.is_on else 1) == 1")
    assert result.error is not None
    assert result.error_trace is not None
    assert [step.action for step in result.error_trace.steps] == ["switch"]


CLAIMS = """
@leads_to(weak=switch)
def gets_light(s):
    return not s.is_on and not s.is_broken, s.is_on


@leads_to()
def gets_served(s, c: Client):
    lit = s.is_on
    return lit, s.served[c]


@leads_to()
def gets_dark(s):
    return s.is_on, not s.is_on
"""


def test_each_unfulfilled_claim_has_its_behaviour(model: Callable[[str], Model]) -> None:
    result = explore(model(CLAIMS))
    assert [violation.properties for violation in result.unfulfilled] == [
        ("gets_served",),
        ("gets_dark",),
    ]
    assert result.violation == result.unfulfilled[0]
    assert result.unchecked == ()


@pytest.mark.parametrize("engine", ["auto", "compiled", "python"])
def test_every_engine_finds_the_same(model: Callable[[str], Model], engine: str) -> None:
    lamp = model(CLAIMS)
    expected, result = explore(lamp), explore(lamp, Exploration(engine))
    assert result.unfulfilled == expected.unfulfilled
    assert result.because == expected.because
    assert (result.verdict, result.unchecked, result.remark) == ("violated", (), "")
    assert result.applied == {"gets_light", "gets_served", "gets_dark"}


def refused(*_: object) -> None:
    raise NotCompiled("refused")


def test_claims_without_machine_code(
    model: Callable[[str], Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain Python evaluates them in the graph that machine code made."""
    lamp = model(CLAIMS)
    expected = explore(lamp, Exploration("compiled"))
    monkeypatch.setattr("lockstep.machine.code.functions.FunctionBuilder.pledges", refused)
    monkeypatch.setattr("lockstep.explore.known_space.COMPILED", MostStates(0, 0))
    result = explore(lamp, Exploration("compiled"))
    assert (result.engine, result.remark) == ("compiled", "")
    assert result.unfulfilled == expected.unfulfilled


@pytest.mark.parametrize(("engine", "most"), [("python", "PLAIN"), ("compiled", "COMPILED")])
def test_too_many_states(
    model: Callable[[str], Model], monkeypatch: pytest.MonkeyPatch, engine: str, most: str
) -> None:
    lamp = model(CLAIMS)
    monkeypatch.setattr(f"lockstep.explore.known_space.{most}", MostStates(4, 5))
    result = explore(lamp, Exploration(engine))
    assert (result.verdict, result.remark) == ("inconclusive", "")
    assert result.unchecked == ("gets_light", "gets_served", "gets_dark")
    assert result.because == (
        "liveness not checked (12 states, more than 4): gets_light, gets_served, gets_dark; "
        "--liveness insists"
    )
    result = explore(lamp, Exploration(engine, liveness=True))
    assert (result.verdict, result.remark) == ("inconclusive", "")
    assert result.because.startswith("liveness not checked (12 states, more than 5): gets_light")


def test_memory_bounds_the_graph(model: Callable[[str], Model]) -> None:
    lamp = model(CLAIMS)
    result = SearchResult(lamp.name, "compiled", states=12)
    check_liveness(lamp, result, Exploration(liveness=True, bounds=Bounds(memory=2**20)))
    assert result.verdict == "inconclusive"
    assert "the state space takes more than 1 MiB of memory" in result.because


def test_time_bounds_the_graph(model: Callable[[str], Model]) -> None:
    lamp = model(CLAIMS)
    for engine in ("python", "compiled"):
        result = SearchResult(lamp.name, engine, states=12, seconds=1.0)
        check_liveness(lamp, result, Exploration(bounds=Bounds(max_seconds=1.0)))
        assert result.verdict == "inconclusive"
        assert "as bounded" in result.because


def test_ctrl_c_while_liveness_is_checked(
    model: Callable[[str], Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lockstep.explore.live_search.find_unfulfilled", interrupted)
    result = explore(model(CLAIMS), Exploration("compiled"))
    assert (result.verdict, result.interrupted) == ("inconclusive", True)
    assert result.because.startswith("liveness not checked (interrupted): gets_light")


def has_no_loop(trace: Trace) -> Trace:
    """A behaviour that ends leaves nothing undone."""
    return replace(trace, loop=None)


def one_step_more(trace: Trace) -> Trace:
    """No step of the model: the lamp is switched, and nothing changes."""
    return replace(trace, steps=(*trace.steps, Step("switch", (), trace.last)))


@pytest.mark.parametrize("wrong", [has_no_loop, one_step_more])
def test_what_plain_python_does_not_find_is_no_verdict(
    model: Callable[[str], Model],
    monkeypatch: pytest.MonkeyPatch,
    wrong: Callable[[Trace], Trace],
) -> None:
    right = Space.trace
    monkeypatch.setattr(Space, "trace", lambda *arguments: wrong(right(*arguments)))
    with pytest.raises(Disagreement):
        explore(model(CLAIMS), Exploration("compiled"))


def test_the_front_end_reads_premise_and_goal_as_python_does(model: Callable[[str], Model]) -> None:
    lamp = model(CLAIMS)
    plain, interpreter = PlainEngine(lamp), InterpreterEngine(lamp)
    for state in build_space(lamp, Limits(100)).states:
        for prop in lamp.properties:
            assert list(plain.pledges(prop, state)) == list(interpreter.pledges(prop, state))
            assert plain.evaluate(prop, state, None) == interpreter.evaluate(prop, state, None)


def test_a_graph_has_every_step_that_changes_something(model: Callable[[str], Model]) -> None:
    lamp = model("")
    space = build_space(lamp, Limits(12))
    plain = PlainEngine(lamp)
    assert len(space.states) == 12
    for number, state in enumerate(space.states):
        steps = [step for step in plain.successors(state) if step.state != state]
        assert [space.step(edge) for edge in space.steps(number)] == steps
        assert space.trace(space.way_to(number)).last == state
        assert len(space.way_to(number)) == space.depths()[number]
    with pytest.raises(Unfinished):
        build_space(lamp, Limits(11))
