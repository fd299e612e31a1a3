"""Functions that show a value in place of a variable: renamed variables, and hiding ones."""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.language.source import ModelError
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.space import Limits, Unfinished
from lockstep.results.search_result import EvaluationError
from lockstep.results.verdict import Verdict
from lockstep.review.difference import difference_of
from lockstep.review.inclusion import find_parting
from lockstep.review.observed import ObservedSpace, observe
from lockstep.review.pair import Pair
from tests.random_models.random_models import RandomModel, random_models
from tests.review.plain_inclusion import plain_parting

MOST_STATES = 60
SMALL = Exploration("python", Bounds(max_states=MOST_STATES))
MACHINE = Exploration("auto")
LIMITS = Limits(MOST_STATES)

COUNTER = """
from lockstep import Constant, Range, State, action, require, shows

LIMIT: Constant = 3


class Counter(State):
    {variable}: Range(0, LIMIT) = 0


@action
def count(s, new):
    require(s.{variable} < LIMIT)
    new.{variable} = s.{variable} + 1


@action
def begin_again(s, new):
    require(s.{variable} == LIMIT)
    new.{variable} = 0
"""
SHOWS = """

@shows
def count_of(s):
    return {value}
"""


def counter(folder: Path, value: str | None = None, limit: int = 3) -> Model:
    """A counter in `count_of`; or in `number`, which shows a value under the name `count_of`."""
    text = COUNTER.format(variable="count_of" if value is None else "number")
    if value is not None:
        text += SHOWS.format(value=value)
    (folder / "models").mkdir(parents=True)
    (folder / "models" / "counter.py").write_text(text, encoding="utf-8")
    return load_model(folder, "counter", {"LIMIT": limit})


def renamed(text: str, name: str) -> str:
    """The text of a model in which one variable has another name."""
    text = re.sub(rf"\b(s|new)\.{name}\b", r"\1.renamed", text)
    return re.sub(rf"^    {name}:", "    renamed:", text, flags=re.MULTILINE)


def with_renamed(text: RandomModel, name: str) -> RandomModel:
    """The same model with another name for a variable, which it shows under the old one."""
    shown = f"\nfrom lockstep import shows\n\n\n@shows\ndef {name}(s):\n    return s.renamed\n"
    return replace(
        text,
        model=renamed(text.model, name) + shown,
        invariants=renamed(text.invariants, name),
    )


def parts(one: ObservedSpace, other: ObservedSpace) -> set[frozenset[tuple[int, int]]]:
    """Which states of two graphs show the same, whatever the numbers are."""
    alike: dict[int, set[tuple[int, int]]] = {}
    for number, space in enumerate((one, other)):
        for state, view in enumerate(space.views.tolist()):
            alike.setdefault(view, set()).add((number, state))
    return set(map(frozenset, alike.values()))


@settings(max_examples=25)
@given(random_models(risky=False), st.data())
def test_a_renamed_variable_is_the_same(text: RandomModel, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        base = text.load(Path(one))
        name = data.draw(st.sampled_from(list(base.variables)))
        try:
            assume(explore(base, SMALL).verdict in (Verdict.HOLDS, Verdict.VIOLATED))
        except ModelError:
            assume(False)  # a few random texts are refused
        head = with_renamed(text, name).load(Path(other))
        pair = Pair.of(base, head)
        assert pair.shared == tuple(base.variables)
        assert pair.mapped == (name,)
        assert pair.hidden(head) == ("renamed",)
        try:
            plain = observe(pair, LIMITS, SMALL)
        except Unfinished:
            assume(False)
        machine = observe(pair, LIMITS, MACHINE)
        assert parts(*plain) == parts(*machine)
        for turn in (0, 1):
            assert plain_parting(plain[turn], plain[1 - turn]) is None
            assert find_parting(machine[turn], machine[1 - turn], LIMITS) is None


@pytest.mark.parametrize("request_", [SMALL, MACHINE], ids=["python", "machine"])
def test_a_function_that_hides_is_a_refinement(tmp_path: Path, request_: Exploration) -> None:
    base, head = counter(tmp_path / "base"), counter(tmp_path / "head", "0")
    pair = Pair.of(base, head)
    one, other = observe(pair, LIMITS, request_)
    assert find_parting(other, one, LIMITS) is None
    parting = find_parting(one, other, LIMITS)
    assert parting is not None
    difference = difference_of(pair, one, parting, LIMITS)
    assert [step.action for step in difference.trace.steps] == ["count"]
    assert difference.reason is not None
    assert difference.reason.others == {"count_of": 0}


@pytest.mark.parametrize("request_", [SMALL, MACHINE], ids=["python", "machine"])
def test_domains_need_not_be_the_same(tmp_path: Path, request_: Exploration) -> None:
    """Two and three are shown as one, and so the steps between them are hidden."""
    base = counter(tmp_path / "base", limit=1)
    head = counter(tmp_path / "head", "min(s.number, 1)")
    one, other = observe(Pair.of(base, head), LIMITS, request_)
    assert find_parting(one, other, LIMITS) is None
    assert find_parting(other, one, LIMITS) is None


@pytest.mark.parametrize("request_", [SMALL, MACHINE], ids=["python", "machine"])
def test_true_is_not_one(tmp_path: Path, request_: Exploration) -> None:
    base = counter(tmp_path / "base", limit=1)
    head = counter(tmp_path / "head", "s.number > 0", limit=1)
    one, other = observe(Pair.of(base, head), LIMITS, request_)
    assert one.views[0] != other.views[0]


@pytest.mark.parametrize("request_", [SMALL, MACHINE], ids=["python", "machine"])
def test_a_value_that_has_no_meaning_is_an_error(tmp_path: Path, request_: Exploration) -> None:
    head = counter(tmp_path / "head", "3 // (2 - s.number)")
    with pytest.raises(EvaluationError, match="division") as error:
        observe(Pair.of(counter(tmp_path / "base"), head), LIMITS, request_)
    assert error.value.function == "count_of"


def test_a_proposal_shows_in_place_of_a_variable(tmp_path: Path) -> None:
    counter(tmp_path)
    folder = tmp_path / "models" / "proposals" / "counter"
    folder.mkdir(parents=True)
    text = "from lockstep import shows\n" + SHOWS.format(value="min(s.count_of, 2)")
    (folder / "coarse.py").write_text(text, encoding="utf-8")
    base, head = (load_model(tmp_path, "counter", proposal=name) for name in (None, "coarse"))
    pair = Pair.of(base, head)
    assert (pair.shared, pair.mapped, pair.variables) == (("count_of",), ("count_of",), ())
    one, other = observe(pair, LIMITS, MACHINE)
    assert find_parting(other, one, LIMITS) is not None
