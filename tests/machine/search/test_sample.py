"""What machine code says of a sample of states is compared with plain Python."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.machine.code.machine import machine_code
from lockstep.machine.code.program import Program, build_program
from lockstep.machine.search.sample import STATES, Sample, places
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.visited import VisitedStates
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict

ROOT = Path(__file__).parents[3]
MODEL = """\
from lockstep import Constant, OneOf, Range, Record, State, action, require

LIMIT: Constant = 3
FORBIDDEN: Constant = 9
PREMISE: Constant = 0

Side = OneOf(("left", "right"), interchangeable=True)


class Counter(State):
    count: Range(0, 9) = 0
    side: Side | None = None


@action
def add(s, new):
    require(s.count < LIMIT)
    new.count = s.count + 1


@action
def turn(s, new, side: Side):
    new.side = side
"""
INVARIANTS = """\
from lockstep import invariant, sometimes, step_invariant, when

from models.counter import FORBIDDEN, PREMISE


@invariant()
def is_allowed(s):
    return s.count != FORBIDDEN


@invariant()
def is_low(s):
    when(s.count >= PREMISE)
    return s.count < 9


@step_invariant()
def never_goes_down(s, new):
    return new.count >= s.count


@sometimes()
def is_two(s):
    return s.count == 2
"""


@pytest.fixture
def variant(tmp_path: Path) -> Callable[..., Model]:
    for folder, text in (("models", MODEL), ("invariants", INVARIANTS)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "counter.py").write_text(text)
    return lambda **constants: load_model(tmp_path, "counter", constants)


def searched(
    model: Model, other: Model, request: Exploration = Exploration(), *, symmetry: bool = False
) -> SearchResult:
    """A search of one model by the machine code of another."""
    program = build_program(model, symmetry=symmetry)
    text = build_program(other, symmetry=program.symmetry is not None).text
    return ParallelSearch(replace(program, text=text), machine_code(text, None), request).run()


def test_every_search_says_how_much_was_sampled(variant: Callable[..., Model]) -> None:
    result = explore(variant(), Exploration("compiled"))
    assert result.verdict is Verdict.HOLDS
    assert result.sampled == result.states == 12
    assert result.sampled_steps == result.transitions
    large = explore(load_model(ROOT, "session_cache"), Exploration("compiled"))
    assert 0 < large.sampled <= STATES
    assert large.sampled_steps >= large.sampled
    assert explore(variant(), Exploration("python")).sampled == 0


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("symmetry", [False, True])
def test_the_steps_of_another_program(
    variant: Callable[..., Model], threads: int, symmetry: bool
) -> None:
    right, wrong = variant(), variant(LIMIT=5)
    assert (
        searched(right, right, Exploration(threads=threads), symmetry=symmetry).verdict
        is Verdict.HOLDS
    )
    with pytest.raises(Disagreement, match="add in"):
        searched(right, wrong, Exploration(threads=threads), symmetry=symmetry)


def test_an_invariant_that_machine_code_does_not_see_broken(
    variant: Callable[..., Model],
) -> None:
    with pytest.raises(Disagreement, match="the first property that fails"):
        searched(variant(FORBIDDEN=3), variant())


def test_a_premise_that_machine_code_takes_for_another(variant: Callable[..., Model]) -> None:
    with pytest.raises(Disagreement, match="the properties that apply"):
        searched(variant(PREMISE=4), variant())


def test_a_search_that_a_bound_ended_is_sampled(variant: Callable[..., Model]) -> None:
    result = explore(variant(), Exploration("compiled", Bounds(max_depth=2)))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.sampled == result.states
    with pytest.raises(Disagreement, match="add in"):
        searched(variant(), variant(LIMIT=0), Exploration(bounds=Bounds(max_depth=2)))


def test_a_checkpoint_gone_on_with_is_sampled(
    variant: Callable[..., Model], tmp_path: Path
) -> None:
    explore(variant(), Exploration("compiled", Bounds(max_depth=2), checkpoint=tmp_path / "kept"))
    for _ in range(2):
        resumed = explore(variant(), Exploration("compiled", checkpoint=tmp_path / "kept"))
        assert resumed.sampled == resumed.states == 12


def test_a_state_that_the_search_lost(
    variant: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both agree on every step, but the table of known states forgot where they lead."""
    tables: list[VisitedStates] = []

    class Forgetful(VisitedStates):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            tables.append(self)

    monkeypatch.setattr("lockstep.machine.search.search.VisitedStates", Forgetful)
    compare = Sample.compare

    def forget(sample: Sample, packed: Any) -> Any:
        for table in tables[0].tables:
            table[:] = 0
        return compare(sample, packed)

    monkeypatch.setattr(Sample, "compare", forget)
    with pytest.raises(Disagreement, match="the search missed"):
        explore(variant(), Exploration("compiled"))


def test_words_that_are_no_state(variant: Callable[..., Model]) -> None:
    program = build_program(variant())
    sample = Sample(program, machine_code(program.text, None))
    state = np.array(program.layout.encode(program.model.initial), np.uint64)
    assert len(sample.compare(state)) == 3 * program.layout.words
    with pytest.raises(Disagreement, match="no state"):
        sample.compare(state | np.uint64(0xFFFF))


def test_what_stands_for_a_state(variant: Callable[..., Model]) -> None:
    """Machine code that takes another state for the one that stands for others."""
    program: Program = build_program(variant(), symmetry=True)
    text = program.text.replace('@"canonical"', '@"of_no_use"')
    text += '\ndefine i64 @"canonical"(i64* %a, i64* %b, i64* %c) {\n  ret i64 0\n}\n'
    sample = Sample(program, machine_code(text, None))
    state = np.array(program.layout.encode(program.model.initial), np.uint64)
    with pytest.raises(Disagreement, match="what stands for"):
        sample.compare(state)


@pytest.mark.parametrize("counts", [[1], [1, 0], [1, 2, 3], [1, 10, 100, 1000, 10000]])
def test_places_are_spread_over_all_states(counts: list[int]) -> None:
    chosen = list(places(counts))
    assert len(chosen) == len(set(chosen)) == min(STATES, sum(counts))
    assert all(position < counts[depth] for depth, position in chosen)
    assert (0, 0) in chosen
    if sum(counts) > STATES:
        halves = [list(places(counts))[:50], list(places(counts))[-50:]]
        for half in halves:
            assert {depth for depth, _ in half} >= {3, 4}, "each part of it is spread, too"
