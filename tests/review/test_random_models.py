"""Random models and their mutants: both engines say where they part, and so does the oracle."""

import random
import tempfile
from pathlib import Path

from hypothesis import assume, event, given, reject, settings
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.mutants.mutant import mutants_of
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.space import Limits
from lockstep.results.verdict import Verdict
from lockstep.review.difference import difference_of
from lockstep.review.inclusion import find_parting
from lockstep.review.observed import observe
from lockstep.review.pair import Pair
from tests.random_models.random_models import RandomModel, random_models
from tests.review.plain_inclusion import plain_parting
from tests.review.second_opinion import confirm_inclusion
from tests.review.words import shortest_parting

MOST_STATES = 60
SMALL = Exploration("python", Bounds(max_states=MOST_STATES))
LIMITS = Limits(MOST_STATES)


@settings(max_examples=25)
@given(random_models(), st.randoms(use_true_random=False))
def test_both_engines_and_the_oracle_agree(text: RandomModel, chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = text.load(Path(folder))
        try:
            mutants = mutants_of(model)
        except LockstepError:
            reject()  # the few texts that are refused: test_nearly_all_load counts them
        assume(explore(model, SMALL).verdict is Verdict.HOLDS and mutants)
        for mutant in chance.sample(mutants, min(3, len(mutants))):
            try:
                other = load_model(Path(folder), model.name, change=mutant.change)
                verdict = explore(other, SMALL).verdict
            except LockstepError:
                continue  # a text without meaning, or one that is refused when it is translated
            if verdict not in (Verdict.HOLDS, Verdict.VIOLATED):
                continue
            names = tuple(name for name in model.variables if chance.random() < 0.7)
            whole = Pair.of(model, other)
            pair = Pair(model, other, tuple(name for name in whole.shared if name in names))
            if pair.shared:
                event(agree(pair))


def agree(pair: Pair) -> str:
    """Compare a pair in all ways; what comes of it."""
    plain = observe(pair, LIMITS, SMALL)
    machine = observe(pair, LIMITS, Exploration("auto"))
    verdicts = []
    for turn in (0, 1):
        one, other = plain[turn], plain[1 - turn]
        parting = plain_parting(one, other)
        same = find_parting(machine[turn], machine[1 - turn], LIMITS)
        steps = None if parting is None else len(parting.edges)
        assert steps == (None if same is None else len(same.edges))
        assert steps == shortest_parting(one, other)
        if parting is None:
            assert confirm_inclusion(one, other, LIMITS)
        else:
            ordered = (pair, pair.swapped)[turn]
            difference = difference_of(ordered, one, parting, LIMITS)
            assert (difference.reason is None) == (not parting.edges)
        verdicts.append("includes" if parting is None else "parts")
    return " and ".join(verdicts)
