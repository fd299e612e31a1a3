"""What becomes of actions of random models and their mutants, against every state of both."""

import random
import re
import tempfile
from pathlib import Path

from hypothesis import Phase, HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from lockstep.errors import LockstepError
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
        return RandomModel(changed, "", text.constants).load(folder)
    except LockstepError:
        return None


@settings(max_examples=150, phases=(Phase.explicit, Phase.generate), suppress_health_check=[HealthCheck.filter_too_much])
@given(random_models(size=SMALL, faulty=False), st.randoms(use_true_random=False))
def test_the_solver_says_what_all_states_show(text: RandomModel, chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        try:
            base = text.load(Path(one))
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
