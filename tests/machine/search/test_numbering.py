"""States have the numbers that plain Python gives them, however many threads expand them."""

from pathlib import Path

import pytest

from lockstep.explore.compiled import code_of
from lockstep.language.model import Model, load_model
from lockstep.language.notation import Kind
from lockstep.machine.code import machine
from lockstep.machine.code.machine import MachineCode, machine_code
from lockstep.machine.code.program import build_program
from lockstep.machine.search import space_search
from lockstep.machine.search.numbering_search import NumberingSearch, SpaceSearch
from lockstep.machine.search.search import ParallelSearch
from lockstep.machine.search.space_search import Numbering
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.plain.space import Limits, Space, build_space
from lockstep.results.search_result import SearchResult
from lockstep.specs.scopes import load_model_spec
from tests.agreement.case import levels_divided
from tests.agreement.summary import summary
from tests.machine.test_liveness import assert_same

ROOT = Path(__file__).parents[3]
LIMITS = Limits(10**6)
NAME = "session_cache"


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, NAME, load_model_spec(ROOT, NAME).scope("small").constants)


@pytest.fixture(scope="module")
def oracle(model: Model) -> Space:
    return build_space(model, LIMITS)


def numbered(
    model: Model, threads: int, *, crowded: bool = False, expected: int = 0
) -> tuple[SearchResult, Space]:
    """What a search finds, all levels being divided among its threads, and the graph it makes.

    If it is `crowded`, a thread has room for the steps of one state.
    """
    safety = model.without(Kind.LEADS_TO)
    program = build_program(safety)
    request = Exploration(threads=threads, deadlock_allowed=True)
    numbering = Numbering(program, LIMITS, expected)
    if crowded:
        numbering._capacity = numbering._most
    search = NumberingSearch(program, machine_code(program.text, None), request, numbering)
    with levels_divided():
        result = search.run()
    assert search.numbering is not None
    return result, search.numbering.space(LIMITS)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_numbers_are_those_of_plain_python(model: Model, oracle: Space, threads: int) -> None:
    result, space = numbered(model, threads)
    assert result.states == len(oracle.states)
    assert_same(space, oracle)


def test_a_share_that_finds_no_room_is_done_before_the_next(
    model: Model, oracle: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads stop after a state; what follows is numbered after what they left."""
    monkeypatch.setattr(Numbering, "_likely", lambda *_: 1)
    taken: list[int] = []
    take = Numbering._take

    def counted(self: Numbering, reached: space_search._Reached, states: int) -> None:
        taken.append(states)
        take(self, reached, states)

    monkeypatch.setattr(Numbering, "_take", counted)
    _, space = numbered(model, 2, crowded=True)
    assert_same(space, oracle)
    assert len(taken) > len(oracle.states) // 2


@pytest.mark.parametrize("expected", [0, 1_000_000])
def test_tables_grow_to_what_is_expected(
    model: Model, oracle: Space, monkeypatch: pytest.MonkeyPatch, expected: int
) -> None:
    """There is little room at first; then there is as much again, or what is expected at once."""
    monkeypatch.setattr(space_search, "_STRETCH", 1)
    sizes: list[int] = []
    make_room = Numbering._make_room

    def seen(self: Numbering, more: int) -> None:
        make_room(self, more)
        sizes.append(len(self._table))

    monkeypatch.setattr(Numbering, "_make_room", seen)
    _, space = numbered(model, 2, expected=expected)
    assert_same(space, oracle)
    assert (len(set(sizes)) == 2) == (expected > 0)
    assert (sizes[-1] > 2 * expected) or not expected


@pytest.mark.parametrize("threads", [1, 3])
def test_code_that_becomes_better_on_the_way_changes_nothing(
    model: Model, oracle: Space, threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = build_program(model.without(Kind.LEADS_TO))
    monkeypatch.setattr(machine, "SOON_STATES", len(oracle.states) // 2)

    def soon() -> MachineCode:
        for file in tmp_path.glob("*.o"):
            file.unlink()
        return machine_code(program.text, tmp_path, soon=True)

    plain = Search(PlainEngine(program.model)).run()
    request = Exploration(threads=threads)
    with levels_divided():
        alone = ParallelSearch(program, soon(), request)
        numbered = NumberingSearch(program, soon(), request, Numbering(program, LIMITS))
        for search in (alone, numbered):
            code = search.code
            assert summary(search.run()) == summary(plain)
            assert search.code is not code
    assert numbered.numbering is not None
    assert_same(numbered.numbering.space(LIMITS), oracle)
    code = soon()
    spaces = SpaceSearch(program, code, LIMITS)
    assert_same(spaces.space(), oracle)
    assert spaces.code is not code


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_what_was_counted_while_numbers_lasted_is_counted_once(
    model: Model, oracle: Space, threads: int
) -> None:
    """Past a limit the search goes on without numbers, and counts as one that never had any."""
    safety = model.without(Kind.LEADS_TO)
    program = build_program(safety)
    code = machine_code(program.text, None)
    few = Numbering(program, Limits(len(oracle.states) // 2))
    search = NumberingSearch(program, code, Exploration(threads=threads), few)
    with levels_divided():
        result = search.run()
    whole = ParallelSearch(program, code, Exploration(threads=1)).run()
    assert search.numbering is None
    assert (result.states, result.transitions) == (whole.states, whole.transitions)
    assert (result.fired, result.depth) == (whole.fired, whole.depth)


@pytest.mark.parametrize(
    ("request_", "is_soon"),
    [
        (Exploration(), True),
        (Exploration(expected=machine.SOON_STATES), True),
        (Exploration(expected=machine.SOON_STATES + 1), False),
        (Exploration(checkpoint=Path("folder")), False),
        (Exploration(bounds=Bounds(memory=2**30)), False),
    ],
)
def test_a_search_that_takes_long_or_has_a_bound_on_memory_begins_with_the_better_code(
    model: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request_: Exploration,
    *,
    is_soon: bool,
) -> None:
    monkeypatch.setenv("LOCKSTEP_CACHE", str(tmp_path))
    program = build_program(model.without(Kind.LEADS_TO))
    code = code_of(program, request_)
    assert (code.suited_to(machine.SOON_STATES) is not code) == is_soon
