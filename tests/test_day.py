"""Every daily case has its day, and `-m verify` has all of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.day import DEAR_SECONDS, VARIABLE, days_of_dear, leave_for_verify

NAMES = [f"test_{test}[{case}]" for test in "ab" for case in range(5)]


class Case(pytest.Item):
    """A case of a test, which does nothing."""

    def runtest(self) -> None: ...


RunOf = Callable[..., list[str]]


@pytest.fixture
def run_of(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> RunOf:
    """The cases that are run of two tests of five: a third of them a day, or half as they are dear.

    The last two are not dear.
    """

    def run(day: int, *, verifies: bool = False, is_marked: bool = True) -> list[str]:
        monkeypatch.setenv(VARIABLE, str(day))
        cases = [Case.from_parent(request.session, name=name) for name in NAMES]
        for case in cases if is_marked else ():
            case.add_marker(pytest.mark.daily(3))
        dear = tmp_path / "dear.json"
        dear.write_text(json.dumps({case.nodeid: DEAR_SECONDS for case in cases[:-2]}))
        monkeypatch.setattr("tests.day.DEAR", dear)
        leave_for_verify(cases, verifies=verifies)
        marked = [case.name for case in cases if case.get_closest_marker("verify")]
        return marked if verifies else [name for name in NAMES if name not in marked]

    return run


def test_each_case_has_one_day_of_three(run_of: RunOf) -> None:
    assert sorted(run_of(7) + run_of(8) + run_of(9)) == NAMES
    assert run_of(7) == run_of(10)


def test_verify_has_all_cases(run_of: RunOf) -> None:
    assert run_of(7, verifies=True) == NAMES
    assert run_of(7, verifies=True, is_marked=False) == NAMES[:-2]


def test_a_dear_test_has_its_days(run_of: RunOf) -> None:
    first, second = run_of(7, is_marked=False), run_of(8, is_marked=False)
    assert set(first) & set(second) == set(NAMES[-2:])
    assert sorted(first + second) == sorted(NAMES + NAMES[-2:])
    assert first == run_of(9, is_marked=False)


def test_days_have_as_much_to_do() -> None:
    seconds = {str(number): 2 + number % 40 / 2 for number in range(300)}
    days = days_of_dear(seconds)
    work = [
        sum(seconds[test] for test, (slot, period) in days.items() if day % period == slot)
        for day in range(12)
    ]
    assert max(work) < 1.05 * min(work)
