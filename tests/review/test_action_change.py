"""What becomes of actions of random models and their mutants, against every state of both."""

import random
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.mutants.mutant import mutants_of
from lockstep.review.action_change import ActionChange, Comparison, Strength
from tests.random_models.parts.size import Count, Size
from tests.random_models.random_models import NAME, RandomModel, random_models
from tests.review.every_state import count_of_bindings, count_of_states, expected

SMALL = Size(
    variables=Count(1, 2, go_on=2),
    actions=Count(1, 2, go_on=2),
    claims=Count(0, 2, go_on=2),
    helpers=Count(0, 2),
    procedures=Count(0, 1, go_on=1),
    wide_sets=1_000,
)
MOST_STATES = 120
MOST_BINDINGS = 60
SECONDS = 60.0


def is_small(model: Model) -> bool:
    return count_of_states(model) <= MOST_STATES and count_of_bindings(model) <= MOST_BINDINGS


def variant(folder: Path, base: Model, text: RandomModel, chance: random.Random) -> Model | None:
    """The model with some other text, in a folder of its own; None where that is no model."""
    changed = text.model
    mutants = mutants_of(base)
    if mutants and chance.random() < 0.8:
        changed = chance.choice(mutants).change.applied(changed)
    if chance.random() < 0.3:  # a variable has another name: it is hidden in both
        name = chance.choice(list(base.variables))
        changed = re.sub(rf"(?<![\w'\"]){name}(?![\w'\"])", f"{name}0", changed)
    if chance.random() < 0.2:  # parameters of that name have another one
        changed = re.sub(r"(?<![\w'\"])x(?![\w'\"])", "x0", changed)
    if chance.random() < 0.3:
        changed = re.sub(r"Range\(0, 2\)", f"Range(0, {chance.choice((1, 3))})", changed)
    try:
        model = RandomModel(changed, "", text.constants).load(folder)
        lower(model)
        return model
    except LockstepError:
        return None


@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
@given(random_models(size=SMALL, faulty=False), st.randoms(use_true_random=False))
def test_the_solver_says_what_all_states_show(text: RandomModel, chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        try:
            base = text.load(Path(one))
            lower(base)
        except LockstepError:
            assume(condition=False)
        assume(is_small(base))
        head = variant(Path(other), base, text, chance)
        assume(head is not None and is_small(head))
        assert head is not None
        comparison = Comparison(base, head, SECONDS)
        for name in comparison.names:
            agree(base, head, comparison.change(name))


def agree(base: Model, head: Model, change: ActionChange) -> None:
    event(str(change.strength))
    if change.strength is Strength.UNDECIDED:
        assert "no answer" not in change.because
        return
    assert change.strength is expected(base, head, change.name), change
    if change.in_order is not None:
        assert change.in_order is expected(base, head, change.name, in_order=True), change


def load(folder: Path, model: str) -> Model:
    (folder / "models").mkdir(parents=True)
    (folder / "models" / f"{NAME}.py").write_text(model, encoding="utf-8")
    return load_model(folder, NAME)


COUNTER = """
from lockstep import Range, State, action, require

Count = Range(0, MOST)


class Counter(State):
    count: Count = 0
    {hidden}: bool = False


@action
def add(s, new, by: Range(1, 2)):
    require({guard})
    new.count = {value}


@action
def {other}(s, new):
    new.{hidden} = not s.{hidden}
"""
PLAIN = {
    "hidden": "open",
    "guard": "s.count + by <= MOST",
    "value": "s.count + by",
    "other": "turn",
}


def change_of(
    tmp_path: Path, name: str, most: tuple[int, int] = (3, 3), **head: str
) -> ActionChange:
    """What becomes of an action of the counter where HEAD says something else."""
    models = [
        load(tmp_path / side, COUNTER.format(**parts).replace("MOST", str(number)))
        for side, parts, number in zip(
            ("base", "head"), (PLAIN, {**PLAIN, **head}), most, strict=True
        )
    ]
    return Comparison(models[0], models[1], SECONDS).change(name)


def test_the_same_text_is_not_asked_about(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add")
    assert (change.strength, change.is_same_text) == (Strength.SAME, True)


def test_the_same_in_other_words_is_proved(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", guard="not s.count > MOST - by")
    assert (change.strength, change.is_same_text) == (Strength.SAME, False)


def test_a_guard_that_is_gone_has_its_line(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", guard="s.count < MOST", value="min(s.count + by, MOST)")
    assert change.strength is Strength.WEAKENED
    (example,) = change.examples
    assert (example.number, example.is_in_order) == (1, True)
    assert example.reason is not None
    assert example.reason.conjunct is not None
    assert example.reason.conjunct.text == "s.count + by <= 3"
    assert [one.line for one in change.places if one is not None] == [14, 14]
    assert tuple(example.states[0]) == (2, False)


HELPED = """\
from lockstep import Range, State, action, require

Count = Range(0, 3)


class Counter(State):
    count: Count = 0


def fewer(s):
    return {fewer}


def none(s):
    return s.count == 0


@action
def add(s, new):
    require({guard}){beside}
    new.count = s.count + 1
"""


@pytest.mark.parametrize(
    ("fewer", "guard", "beside", "lines"),
    [
        ("s.count + 1 < 3", "fewer(s)", "", [11, 11]),
        ("s.count + 1 < 3", "fewer(s)", "  # few", [11, 11]),
        ("s.count < 3", "none(s)", "", [20, 20]),
    ],
    ids=["in a helper that both call", "beside a comment", "at the call of another helper"],
)
def test_the_place_is_where_the_texts_part(
    tmp_path: Path, fewer: str, guard: str, beside: str, lines: list[int]
) -> None:
    base, head = (
        load(tmp_path / side, HELPED.format(**parts))
        for side, parts in (
            ("base", {"fewer": "s.count < 3", "guard": "fewer(s)", "beside": ""}),
            ("head", {"fewer": fewer, "guard": guard, "beside": beside}),
        )
    )
    places = Comparison(base, head, SECONDS).change("add").places
    assert [one.line for one in places if one is not None] == lines


def test_a_narrower_guard_strengthens(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", guard="s.count + by < MOST")
    assert change.strength is Strength.STRENGTHENED
    assert [example.number for example in change.examples] == [0]


def test_one_example_shows_that_a_step_leads_elsewhere(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", value="MOST")
    assert change.strength is Strength.CHANGED
    (example,) = change.examples
    assert example.shows_both
    assert tuple(example.states[0]) == (0, False)


def test_a_text_without_meaning_is_no_step(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", guard="s.count < MOST")
    assert change.strength is Strength.CHANGED
    (example,) = change.examples
    assert (example.number, example.step) == (1, None)
    assert "count = 4 is not in 0..3" in example.failure


def test_a_wider_range_allows_more(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", (3, 4))
    assert change.strength is Strength.WEAKENED


def test_a_wide_range_is_not_gone_through(tmp_path: Path) -> None:
    change = change_of(tmp_path, "add", (2**63 - 1, 2**63 - 1), guard="s.count < MOST - by")
    assert change.strength is Strength.STRENGTHENED
    (example,) = change.examples
    assert example.step is not None
    assert next(iter(example.step.state)) == 2**63 - 1


def test_a_guard_on_a_hidden_variable_strengthens(tmp_path: Path) -> None:
    guard = "s.count + by <= MOST and not s.closed"
    change = change_of(tmp_path, "add", hidden="closed", guard=guard)
    assert change.strength is Strength.STRENGTHENED


def test_an_action_that_only_hidden_variables_feel_is_internal(tmp_path: Path) -> None:
    change = change_of(tmp_path, "close", hidden="closed", other="close")
    assert (change.strength, change.is_internal) == (Strength.ADDED, True)
    change = change_of(tmp_path / "again", "turn", other="close")
    assert (change.strength, change.is_internal) == (Strength.REMOVED, False)


def test_names_that_differ_are_not_decided(tmp_path: Path) -> None:
    names = COUNTER.replace("Range(0, MOST)", "OneOf(NAMES)").replace("import", "import OneOf,")
    texts = [
        names.format(**{**PLAIN, "guard": "s.count == 'a'", "value": "'b'"}).replace("NAMES", value)
        for value in ("('a', 'b')", "('a', 'b', 'c')")
    ]
    base, head = (
        load(tmp_path / str(number), text.replace("count: Count = 0", "count: Count = 'a'"))
        for number, text in enumerate(texts)
    )
    change = Comparison(base, head, SECONDS).change("add")
    assert change.strength is Strength.UNDECIDED
    assert "count of BASE and HEAD cannot be compared" in change.because


def test_no_time_leaves_it_open(tmp_path: Path) -> None:
    models = [
        load(tmp_path / side, COUNTER.format(**parts).replace("MOST", "3"))
        for side, parts in (("base", PLAIN), ("head", {**PLAIN, "guard": "s.count < 3"}))
    ]
    change = Comparison(models[0], models[1], 0.0).change("add")
    assert change.strength is Strength.UNDECIDED
    assert (change.because, change.is_late) == ("no answer within 0 s", True)
