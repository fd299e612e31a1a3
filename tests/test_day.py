"""Every daily case has its day, and `-m verify` has all of them."""

from collections.abc import Callable

import pytest

from tests.day import VARIABLE, leave_for_verify

NAMES = [f"test_{test}[{case}]" for test in "ab" for case in range(5)]


class Case(pytest.Item):
    """A case of a test, which does nothing."""

    def runtest(self) -> None: ...


RunOf = Callable[..., list[str]]


@pytest.fixture
def run_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> RunOf:
    """The cases that are run of two tests of five, a third of them a day."""

    def run(day: int, *, verifies: bool = False) -> list[str]:
        monkeypatch.setenv(VARIABLE, str(day))
        cases = [Case.from_parent(request.session, name=name) for name in NAMES]
        for case in cases:
            case.add_marker(pytest.mark.daily(3))
        leave_for_verify(cases, verifies=verifies)
        marked = [case.name for case in cases if case.get_closest_marker("verify")]
        return marked if verifies else [name for name in NAMES if name not in marked]

    return run


def test_each_case_has_one_day_of_three(run_of: RunOf) -> None:
    assert sorted(run_of(7) + run_of(8) + run_of(9)) == NAMES
    assert run_of(7) == run_of(10)


def test_verify_has_all_cases(run_of: RunOf) -> None:
    assert run_of(7, verifies=True) == NAMES
