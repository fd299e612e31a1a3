"""Random models, run in every way in which a search can be run, are what they are in plain Python.

A difference is shown as the smallest model that Hypothesis finds; `LOCKSTEP_PROFILE=wide` looks at
thousands, and `python -m tests.agreement` at tens of thousands on all cores.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from lockstep.explore import live_search
from lockstep.language import symmetry
from lockstep.language.frontend import lower
from lockstep.machine.code import program
from lockstep.machine.search.checkpoint import Checkpoint
from lockstep.machine.search.crew import Totals
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.memory import Array
from lockstep.plain.engine import Disagreement
from lockstep.plain.supervision import Supervision
from tests.agreement.block import Pool, judge_model
from tests.agreement.census import Census
from tests.agreement.judges import JUDGES
from tests.interpreter.test_agreement import MISTAKES, changed
from tests.random_models.random_models import RandomModel, random_models

KINDS: dict[str, dict[str, Any]] = {
    "symmetry": {"symmetric": True},
    "bounds": {"symmetric": True},
    "faults": {"faulty": True},
    "liveness": {"live": True},
}
"""What models must be like for some judges to have something to do."""


@pytest.fixture(scope="session")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Pool | None:
    """Judges of one kind of models draw the same ones: each is loaded and translated once.

    There is none where every judge draws new ones, thousands of them.
    """
    return Pool(tmp_path_factory.mktemp("agreement")) if settings().derandomize else None


def look(*judges: str, pool: Pool | None = None, mistaken: bool = False) -> Census:
    """What judges saw of random models: as many as the profile says, or until one errs."""
    census = Census()
    kind = {name: value for judge in judges for name, value in KINDS.get(judge, {}).items()}

    phases = (Phase.reuse, Phase.generate, *([] if mistaken else [Phase.shrink]))
    drawn = settings().max_examples * (10 if mistaken else 1)

    @settings(phases=phases, max_examples=drawn, suppress_health_check=list(HealthCheck))
    @given(text=random_models(**kind))
    def judge_one(text: RandomModel) -> None:
        judge_model(text, census, [JUDGES[judge] for judge in judges], pool)

    judge_one()
    return census


def test_interrupted_searches_go_on_to_the_same(pool: Pool | None) -> None:
    counts = look("checkpoints", pool=pool).counts
    assert counts["interrupted in a write"] > 10
    assert counts["damaged checkpoints refused"] > 20


@pytest.mark.verify
def test_killed_searches_go_on_to_the_same() -> None:
    counts = look("kills").counts
    assert counts["killed while it explored"] > 20
    assert counts["killed with levels kept"] > 10


def test_states_on_disk_are_the_same_states(pool: Pool | None) -> None:
    assert look("spill", pool=pool).counts["tables on disk"] > 20


def test_a_bound_on_states_is_the_same_to_all_engines(pool: Pool | None) -> None:
    counts = look("bounds", pool=pool).counts
    assert counts["bounded"] > 50
    assert counts["not bounded"] > 50
    assert counts["orbits bounded"] > 5


def test_symmetry_finds_the_orbits_of_brute_force(pool: Pool | None) -> None:
    assert look("symmetry", pool=pool).counts["names interchanged"] > 20


def test_models_with_faults_are_the_same_to_all_engines(pool: Pool | None) -> None:
    assert look("faults", pool=pool).counts["faults that change something"] > 20


def test_random_walks_are_behaviours(pool: Pool | None) -> None:
    assert look("simulation", pool=pool).counts["walks"] > 300


def test_what_must_come_to_pass_does_where_brute_force_says_so(pool: Pool | None) -> None:
    counts = look("liveness", pool=pool).counts
    for outcome in ("held", "violated"):
        for fair in ("with", "without"):
            assert counts[f"leads_to {outcome}, {fair} fairness"] > 5


def without_first_guards() -> AbstractContextManager[object]:
    change = MISTAKES["only the first guard counts"]
    return patch.object(program, "lower", lambda model: changed(lower(model), change))


def uncounted(checkpoint: Checkpoint) -> Totals | None:
    totals = real_totals(checkpoint)
    return None if totals is None else Totals(totals.fired, totals.marks, [0] * len(totals.report))


def lossy(levels: Levels, parts: Iterable[Array]) -> None:
    real_extend(levels, list(parts)[:1])


real_totals: Callable[[Checkpoint], Totals | None] = Checkpoint.totals.fget  # type: ignore[attr-defined]
real_extend = Levels.extend


def too_early(supervision: Supervision, more: int = 0) -> None:
    real_watch_states(supervision, more + 1)


real_watch_states = Supervision.watch_states
WRONG: dict[str, Callable[[], AbstractContextManager[object]]] = {
    "threads": without_first_guards,
    "simulation": without_first_guards,
    "faults": without_first_guards,
    "checkpoints": lambda: patch.object(Checkpoint, "totals", property(uncounted)),
    "bounds": lambda: patch.object(Supervision, "watch_states", too_early),
    "spill": lambda: patch.object(Levels, "extend", lossy),
    "symmetry": lambda: patch.object(symmetry, "_difference", lambda *_: None),
    "liveness": lambda: patch.object(live_search, "find_unfulfilled", lambda *_: None),
}
"""Mistakes that could be made, and the judge that is to tell each."""


@pytest.mark.parametrize("judge", WRONG)
def test_a_mistake_is_found_out(judge: str) -> None:
    with WRONG[judge](), pytest.raises((AssertionError, Disagreement, ExceptionGroup)):
        look(judge, mistaken=True)
