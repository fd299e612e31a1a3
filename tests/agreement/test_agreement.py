"""Random models, run in every way in which a search can be run, are what they are in plain Python.

`LOCKSTEP_PROFILE=wide` looks at thousands, and `python -m tests.agreement` at tens of thousands on
all cores.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest

from lockstep.explore import live_search
from lockstep.language import symmetry
from lockstep.language.frontend import lower
from lockstep.language.source import ModelError
from lockstep.machine.code import program
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.search.checkpoint import Checkpoint
from lockstep.machine.search.interface import Array
from lockstep.machine.search.levels import Levels
from lockstep.machine.search.workers import Totals
from lockstep.plain.engine import Disagreement
from lockstep.plain.supervision import Supervision
from tests.agreement.judges import JUDGES, Judged
from tests.interpreter.test_agreement import MISTAKES, changed
from tests.random_models.pool import MODELS, Sample, is_the_same_every_day, judge_all, model_of


def look(name: str, most: int = MODELS) -> Counter[str]:
    """What a judge saw of so many models of the pool, but for those of the day."""
    counts = Counter[str]()
    judge = JUDGES[name]

    def look_at(sample: Sample) -> None:
        judge(Judged.of(sample, counts if is_the_same_every_day(sample.seed) else Counter()))

    judge_all(look_at, most=most, at_least=most // 2)
    return counts


@pytest.mark.slow
def test_interrupted_searches_go_on_to_the_same() -> None:
    counts = look("checkpoints")
    assert counts["interrupted in a write"] > 10
    assert counts["damaged checkpoints refused"] > 20


@pytest.mark.verify
def test_killed_searches_go_on_to_the_same() -> None:
    counts = look("kills")
    assert counts["killed while it explored"] > 20
    assert counts["killed with levels kept"] > 10


def test_states_on_disk_are_the_same_states() -> None:
    assert look("spill")["tables on disk"] > 20


@pytest.mark.slow
def test_a_bound_on_states_is_the_same_to_all_engines() -> None:
    counts = look("bounds")
    assert counts["bounded"] > 30
    assert counts["not bounded"] > 30
    assert counts["orbits bounded"] > 5


def test_symmetry_finds_the_orbits_of_brute_force() -> None:
    assert look("symmetry")["names interchanged"] > 10


@pytest.mark.slow
def test_models_with_faults_are_the_same_to_all_engines() -> None:
    assert look("faults")["faults that change something"] > 12


def test_random_walks_are_behaviours() -> None:
    assert look("simulation")["walks"] > 300


def test_what_must_come_to_pass_does_where_brute_force_says_so() -> None:
    counts = look("liveness")
    for outcome in ("held", "violated"):
        for fair in ("with", "without"):
            assert counts[f"leads_to {outcome}, {fair} fairness"] > 2


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
    def errs() -> None:
        """Let a judge look at models of its own, of which nothing was made without the mistake."""
        for seed in range(1_000):
            with TemporaryDirectory() as folder, suppress(ModelError, NotCompiled):
                JUDGES[judge](Judged(model_of(seed), Path(folder)))

    with WRONG[judge](), pytest.raises((AssertionError, Disagreement, ExceptionGroup)):
        errs()
