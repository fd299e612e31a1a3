"""Plain Python and machine code send the mutants of random models the same way."""

import random
import tempfile
from pathlib import Path

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.mutants.fate import Fate
from lockstep.mutants.judge import Judge
from lockstep.mutants.mutant import mutants_of
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.verdict import Verdict
from tests.random_models.random_models import RandomModel, random_models

MOST_STATES = 300
BOUNDS = Bounds(max_states=20 * MOST_STATES, max_seconds=600)


@settings(max_examples=15)
@given(random_models(), st.randoms(use_true_random=False))
def test_both_engines_agree(text: RandomModel, chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = text.accepted(Path(folder))
        small = Exploration("python", Bounds(max_states=MOST_STATES))
        result = explore(model, small)
        mutants = mutants_of(model)
        assume(result.verdict is Verdict.HOLDS and mutants)
        try:
            judges = [
                Judge(model, Exploration(engine, BOUNDS)) for engine in ("python", "compiled")
            ]
        except LockstepError as error:
            assume("no machine code" not in error.message)
            raise
        for mutant in chance.sample(mutants, min(4, len(mutants))):
            plain, compiled = (judge.judge(mutant).sentence for judge in judges)
            event(str(plain.fate))
            if Fate.INCONCLUSIVE in (plain.fate, compiled.fate):
                continue
            assert (plain.fate, plain.by) == (compiled.fate, compiled.by), mutant.name
            assert plain.steps == compiled.steps, mutant.name
