"""The search on Spark says the same as that of one machine, with Spark's part taken in process."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis.strategies import randoms

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_marks
from lockstep.language.model import model_names
from lockstep.language.notation import Kind
from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.spark.search import search
from lockstep.spark.search.search import NearBounds
from tests.agreement.bounds import assert_bounded, bounds
from tests.agreement.case import Case as PlainCase
from tests.agreement.case import levels_divided
from tests.day import drawn_daily
from tests.random_models.parts.size import USUAL
from tests.random_models.random_models import RandomModel, random_models
from tests.spark.search.cases import FAR, ROOT, Case, compared
from tests.spark.search.in_process import InProcess

SOME = "fetch_response"
"""A model of 3,232 states on 24 levels, whose faults are found within seconds."""

AHEAD = NearBounds(states=0, small=10**9, owners=4)
"""Every level is found by a job, and those that become no larger by one for several."""


@pytest.mark.daily(4)
@pytest.mark.parametrize("name", model_names(ROOT))
def test_every_model_by_jobs_and_without(name: str, tmp_path: Path) -> None:
    case, session = Case.of(name), InProcess()
    expected = compared(case.on_one_machine())
    assert compared(case.on_spark(tmp_path / "far", session)) == expected
    assert session.jobs >= expected["depth"]  # type: ignore[operator]
    ahead = InProcess()
    assert compared(case.on_spark(tmp_path / "ahead", ahead, AHEAD)) == expected
    assert ahead.jobs < session.jobs
    alone = InProcess()
    assert compared(case.on_spark(tmp_path / "near", alone, NearBounds())) == expected
    assert alone.jobs == 0


@pytest.mark.parametrize("owners", [1, 2, 64, 128])
def test_any_number_of_owners(owners: int, tmp_path: Path) -> None:
    case = Case.of("snapshot_offsets", "default")
    result = case.on_spark(tmp_path, InProcess(), NearBounds(0, 1, owners))
    assert compared(result) == compared(case.on_one_machine())


@pytest.mark.daily(4)
@pytest.mark.parametrize("fault", sorted(fault_marks(ROOT, SOME)))
def test_every_fault_has_the_same_trace(fault: str, tmp_path: Path) -> None:
    case = Case.of(SOME, fault=fault)
    expected = compared(case.on_one_machine())
    assert compared(case.on_spark(tmp_path / "four", InProcess())) == expected
    assert compared(case.on_spark(tmp_path / "ahead", InProcess(), AHEAD)) == expected
    nine_levels = NearBounds(states=400, small=100, owners=2)
    assert compared(case.on_spark(tmp_path / "two", InProcess(), nine_levels)) == expected


def test_the_driver_shares_its_levels_among_threads_and_leaves_the_rest_to_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, session = Case.of(SOME), InProcess()
    with levels_divided():
        result = case.on_spark(tmp_path / "some", session, NearBounds(states=1500), threads=3)
    assert compared(result) == compared(case.on_one_machine())
    assert 0 < session.jobs < result.depth
    assert result.remark.startswith("up to 100,000,000 states one machine")
    alone = case.on_spark(tmp_path / "all", InProcess(), NearBounds())
    assert alone.remark.startswith("Spark was not needed")
    monkeypatch.setattr(search, "_SHARE", 10**9)  # of the memory the states take their share
    early = InProcess()
    assert compared(case.on_spark(tmp_path / "none", early, NearBounds())) == compared(result)
    assert early.jobs > session.jobs


def test_a_deadlock_has_the_same_trace(tmp_path: Path) -> None:
    case = Case.of("snapshot_fetch")
    case.deadlock_allowed = False
    result = case.on_spark(tmp_path, InProcess())
    assert result.violation is not None
    assert result.violation.properties == ("deadlock",)
    assert compared(result) == compared(case.on_one_machine())


def judge(text: RandomModel, folder: Path, *, symmetry: bool = False) -> None:
    """Compare a random model's searches; one that takes minutes is passed over."""
    try:
        model = text.load(folder).without(Kind.LEADS_TO)
        case = Case(model, deadlock_allowed=len(text.model) % 2 == 0, symmetry=symmetry)
        is_wide = case.program.layout.words > 3
    except (ModelError, NotCompiled):
        reject()
    if is_wide or (result := case.on_one_machine()).states > 20_000:
        reject()
    expected = compared(result)
    assert compared(case.on_spark(folder / "near", InProcess(), NearBounds())) == expected
    if result.depth <= 15:
        assert compared(case.on_spark(folder / "far", InProcess())) == expected
        assert compared(case.on_spark(folder / "ahead", InProcess(), AHEAD)) == expected


@drawn_daily(15)
@given(text=random_models(size=USUAL))
def test_random_models(text: RandomModel, tmp_path_factory: pytest.TempPathFactory) -> None:
    judge(text, tmp_path_factory.mktemp("random"))


@drawn_daily(8)
@given(text=random_models(size=USUAL, symmetric=True))
def test_random_models_up_to_names(
    text: RandomModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    judge(text, tmp_path_factory.mktemp("random"), symmetry=True)


class Killed(BaseException):
    """The driver is gone."""


def killed_at(number: int) -> InProcess:
    """A session whose driver dies when a job is due."""

    def die(job: int) -> None:
        if job == number:
            raise Killed

    return InProcess(die)


@pytest.mark.parametrize(("near", "least_kills"), [(FAR, 8), (AHEAD, 3)])
def test_killed_before_any_level_it_goes_on_to_the_same_counts(
    near: NearBounds, least_kills: int, tmp_path: Path
) -> None:
    case = Case.of(SOME)
    kills = 0
    while True:
        session = killed_at(3)
        try:
            result = case.on_spark(tmp_path, session, near)
        except Killed:
            kills += 1
        else:
            break
    assert kills >= least_kills
    assert compared(result) == compared(case.on_one_machine())
    assert compared(case.on_spark(tmp_path, killed_at(1))) == compared(result)


def test_every_file_that_is_lost_or_changed_is_reported(tmp_path: Path) -> None:
    case = Case.of(SOME)
    with pytest.raises(Killed):
        case.on_spark(tmp_path, killed_at(15))
    files = sorted((tmp_path / "runs").iterdir())
    assert len(files) > 20
    for file in files:
        content = file.read_bytes()
        place = len(content) // 3
        changed = content[:place] + bytes([content[place] ^ 64]) + content[place + 1 :]
        other = next(one.read_bytes() for one in files if one.read_bytes() != content)
        for damaged in (None, content[:-9], b"", changed, other):
            file.unlink()
            if damaged is not None:
                file.write_bytes(damaged)
            with pytest.raises(LockstepError, match=file.name) as raised:
                case.on_spark(tmp_path, InProcess())
            assert "the search begins again" in str(raised.value)
            file.write_bytes(content)
    assert compared(case.on_spark(tmp_path, InProcess())) == compared(case.on_one_machine())


def test_old_runs_are_removed_and_few_are_left(tmp_path: Path) -> None:
    case = Case.of("snapshot_log")
    result = case.on_spark(tmp_path, InProcess(), NearBounds(0, 1, 1))
    files = list((tmp_path / "runs").iterdir())
    assert result.depth > 30
    assert len(files) < 20
    assert all(file.suffix == ".parquet" for file in files)


def test_bounds_are_met_between_levels(tmp_path: Path) -> None:
    case = Case.of(SOME)

    def bounded(folder: str, bounds: Bounds) -> str:
        request = Exploration("spark", bounds, deadlock_allowed=case.deadlock_allowed)
        result = case.on_spark(tmp_path / folder, InProcess(), request=request)
        assert result.verdict is Verdict.INCONCLUSIVE
        return result.because

    because = bounded("depth", Bounds(max_depth=7))
    assert because.endswith("every behaviour of up to 7 steps is covered")
    because = bounded("seconds", Bounds(max_seconds=0.0))
    assert because.startswith("stopped after 0 s as bounded")
    # A search that was bounded goes on without the bound.
    again = case.on_spark(tmp_path / "depth", InProcess())
    assert compared(again) == compared(case.on_one_machine())


@drawn_daily(12)
@given(text=random_models(), chance=randoms())
def test_a_bound_on_states_is_that_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory, text: RandomModel, chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("bounded")
    try:
        plain = PlainCase.of(text.load(folder))
        _ = plain.program
    except (ModelError, NotCompiled):
        reject()
    case, near = (
        Case(plain.model),
        chance.choice([FAR, AHEAD, NearBounds(states=9, small=5, owners=2)]),
    )
    most_depth = plain.depth

    def on_spark(most: int, place: str = "") -> SearchResult:
        request = Exploration("spark", Bounds(max_states=most, max_depth=most_depth))
        place = place or f"alone-{most}"
        return case.on_spark(folder / place, InProcess(), near, request)

    def gone_on(most: int) -> SearchResult:
        place = f"kept-{most}"
        half = Exploration("spark", Bounds(max_states=max(1, most // 2)))
        case.on_spark(folder / place, InProcess(), near, half)
        return on_spark(most, place)

    whole = plain.oracles[True]
    for most in bounds(whole, chance):
        assert_bounded(
            whole,
            most,
            lambda most: plain.plain(max_depth=most_depth, max_states=most),
            on_spark,
            gone_on,
        )


def test_ctrl_c_ends_a_job(tmp_path: Path) -> None:
    def interrupt(number: int) -> None:
        if number == 4:
            raise KeyboardInterrupt

    case = Case.of(SOME)
    result = case.on_spark(tmp_path, InProcess(interrupt))
    assert result.interrupted
    assert result.because.startswith("interrupted, with ")
    assert compared(case.on_spark(tmp_path, InProcess())) == compared(case.on_one_machine())


def test_plain_python_looks_at_the_same_states_no_matter_who_owns_them(tmp_path: Path) -> None:
    case = Case.of(SOME)
    samples = set()
    for owners in (1, 8):
        folder = tmp_path / str(owners)
        result = case.on_spark(folder, InProcess(), NearBounds(0, 1, owners))
        assert 0 < result.sampled <= 200
        samples.add((folder / "spark.json").read_text().partition("sample")[2])
    assert len(samples) == 1
