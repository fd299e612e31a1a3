"""Machine code makes the graph that plain Python makes, and says the same of its states.

Here of random models; `tests/models/test_every_model.py` has those of this workspace. A
disagreement is shown as the smallest model that Hypothesis finds; `LOCKSTEP_PROFILE=wide` looks at
thousands.
"""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from lockstep.explore.compiled import packed_space
from lockstep.explore.engines import explore
from lockstep.explore.known_space import KnownSpace
from lockstep.explore.live_search import check_liveness
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind
from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.machine import machine_code
from lockstep.machine.code.program import build_program
from lockstep.machine.search.numbering_search import SpaceSearch, compiled_parts
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.fair_parts import Promises, fair_parts
from lockstep.plain.liveness import plain_pledges
from lockstep.plain.space import Limits, Space, Unfinished, build_space
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.judgement import judge
from lockstep.specs.scopes import load_model_spec
from tests.day import drawn_daily
from tests.plain.networkx_oracle import grouped, mask_of, parts_by_networkx
from tests.random_models.random_models import NAME, RandomModel, random_models

ROOT = Path(__file__).parents[2]
LIMITS = Limits(2000, memory=2**30)
"""Random models with more states than that are passed over."""
SAYS = ("{0}, not ({0})", "not ({0}), {0}", "True, {0}", "{0}, False")
"""What a random condition may be for: the premise, the goal, or both."""


@st.composite
def random_live_models(draw: st.DrawFn) -> RandomModel:
    """A random model whose invariants and goals have become claims of liveness."""
    random = draw(random_models())
    actions = sorted(
        definition.name
        for definition in ast.parse(random.model).body
        if isinstance(definition, ast.FunctionDef) and definition.name.startswith("act")
    )
    imports, claims = [], []
    for node in ast.parse(random.invariants).body:
        if isinstance(node, ast.ImportFrom):
            imports.append(ast.unparse(node))
        elif isinstance(node, ast.FunctionDef) and not _says_when(node):
            end = node.body[-1]
            assert isinstance(end, ast.Return)
            assert end.value is not None
            says = draw(st.sampled_from(SAYS)).format(ast.unparse(end.value))
            end.value = ast.parse(says, mode="eval").body
            node.decorator_list = [ast.parse(_decorator(draw, actions), mode="eval").body]
            claims.append(ast.unparse(node))
    imports += [
        "from lockstep import each, leads_to",
        f"from models.{NAME} import {', '.join(actions)}",
    ]
    nothing = f"@{_decorator(draw, actions)}\ndef something_comes(s):\n    return True, False"
    return replace(random, invariants="\n\n\n".join([*imports, nothing, *claims]) + "\n")


def _says_when(node: ast.FunctionDef) -> bool:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return bool(names & {"when", "step_invariant"})


def _decorator(draw: st.DrawFn, actions: list[str]) -> str:
    """Fairness of some actions: weak or strong, of the whole or for each binding."""
    promised: dict[str, list[str]] = {"weak": [], "strong": []}
    for action in draw(st.lists(st.sampled_from(actions), unique=True)):
        form = draw(st.sampled_from(("{}", "each({})")))
        promised[draw(st.sampled_from(("weak", "strong")))].append(form.format(action))
    return (
        "leads_to("
        + ", ".join(
            f"{how}=({''.join(f'{a}, ' for a in some)})" for how, some in promised.items() if some
        )
        + ")"
    )


def assert_same(space: Space, oracle: Space) -> None:
    """The same states, and the same labelled steps, with the same numbers."""
    assert list(space.states) == list(oracle.states)
    assert space.first.tolist() == oracle.first.tolist()
    assert space.targets.tolist() == oracle.targets.tolist()
    assert space.labels.tolist() == oracle.labels.tolist()
    assert list(space.instances) == list(oracle.instances)


def both_graphs(model: Model) -> tuple[Space, Space, KnownSpace]:
    """The graph by machine code, the oracle, and the former with what its states say."""
    program = build_program(model)
    code = machine_code(program.text, None)
    space = SpaceSearch(program, code, LIMITS).space()
    oracle = build_space(model, replace(LIMITS, max_states=10**6))
    return space, oracle, packed_space(program, code, space)


@pytest.mark.slow
@drawn_daily(30)
@given(random_live_models())
def test_liveness_agrees_on_random_models(
    tmp_path_factory: pytest.TempPathFactory, random: RandomModel
) -> None:
    try:
        model = random.load(tmp_path_factory.mktemp("random"))
        build_space(model, LIMITS)
        space, oracle, known = both_graphs(model)
    except (ModelError, NotCompiled, Unfinished):
        reject()
    assert_same(space, oracle)
    for prop in model.of_kind(Kind.LEADS_TO):
        pledges, expected = known.pledges_of(prop, LIMITS), plain_pledges(model, oracle, prop)
        assert pledges.unanswered == expected.unanswered
        if pledges.unanswered is not None:
            continue
        assert list(pledges.bindings) == list(expected.bindings)
        assert np.array_equal(pledges.premise, expected.premise)
        assert np.array_equal(pledges.goal, expected.goal)
        promises = Promises(space, prop.fairness)
        for goal in pledges.goal:
            region = np.flatnonzero(~goal).tolist()
            past = mask_of(region, space)
            expected_parts = set(parts_by_networkx(oracle, promises, region))
            for parts_of in (fair_parts, compiled_parts):
                parts = parts_of(space, promises, past, past, LIMITS)
                assert grouped(parts.tolist()) == expected_parts
    results = {engine: checked(model, engine) for engine in ("python", "compiled")}
    assert results["compiled"] == replace(results["python"], engine="compiled")


def checked(model: Model, engine: str) -> SearchResult:
    """What liveness says after a search that found nothing wrong."""
    result = SearchResult(model.name, engine)
    check_liveness(model, result, Exploration(bounds=Bounds(memory=LIMITS.memory)))
    if result.error is not None:
        error = result.error
        assert result.because == error.message
        result.error = None
    return replace(result, seconds=0.0)


def test_a_bound_on_states_is_the_same_to_both_graphs() -> None:
    """A graph may have as many states as the bound says, and no more."""
    model = load_model(
        ROOT, "session_cache", load_model_spec(ROOT, "session_cache").scope("small").constants
    )
    program = build_program(model)
    code = machine_code(program.text, None)
    states = len(build_space(model, replace(LIMITS, max_states=10**6)).states)
    enough = replace(LIMITS, max_states=states)
    assert_same(SpaceSearch(program, code, enough).space(), build_space(model, enough))
    few = replace(LIMITS, max_states=states - 1)
    with pytest.raises(Unfinished) as compiled:
        SpaceSearch(program, code, few).space()
    with pytest.raises(Unfinished) as plain:
        build_space(model, few)
    assert str(compiled.value) == str(plain.value) == f"more than {states - 1:,} states"


def test_symmetry_does_not_keep_liveness_from_being_checked() -> None:
    scope = load_model_spec(ROOT, "snapshot_election").scope("small")
    model = load_model(ROOT, "snapshot_election", scope.constants)
    whole, reduced = explore(model), explore(model, Exploration(symmetry=True))
    assert reduced.states < whole.states
    assert (reduced.applied, reduced.unchecked) == (whole.applied, ())
    assert reduced.verdict is whole.verdict is Verdict.HOLDS


def test_a_pinned_violation_of_liveness() -> None:
    """Where the log is reset to newer snapshots only, a follower fetches one for ever."""
    scope = load_model_spec(ROOT, "snapshot_election").scope("newer")
    model = load_model(ROOT, "snapshot_election", scope.constants)
    judgement = judge(model, scope, explore(model), pinned=True)
    assert (judgement.verdict, judgement.expected) == (Verdict.VIOLATED, True)
    assert judgement.because.startswith("followers_catch_up is violated")
