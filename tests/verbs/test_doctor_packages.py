"""Requirements as lockstep's own metadata has them."""

from importlib import metadata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.verbs.doctor_packages import Requirement, read_requirement

NUMBERS = st.lists(st.integers(0, 40), min_size=1, max_size=4)


def text(numbers: list[int]) -> str:
    return ".".join(map(str, numbers))


def test_every_requirement_of_lockstep_is_understood_and_met() -> None:
    requirements = [read_requirement(line) for line in metadata.requires("lockstep") or ()]
    assert {"numpy", "z3-solver", "pyspark"} <= {one.name for one in requirements}
    assert {one.extra for one in requirements} == {None, "spark"}
    for one in requirements:
        assert one.is_met_by(metadata.version(one.name)), one


@pytest.mark.parametrize(
    ("line", "requirement"),
    [
        ("numpy>=2", Requirement("numpy", ">=2", None)),
        ("numpy<3,>=2", Requirement("numpy", "<3,>=2", None)),
        ("z3-solver", Requirement("z3-solver", "", None)),
        ("a==1 ; extra == 'spark'", Requirement("a", "==1", "spark")),
        ('a==1; extra == "spark"', Requirement("a", "==1", "spark")),
    ],
)
def test_requirements(line: str, requirement: Requirement) -> None:
    assert read_requirement(line) == requirement


@pytest.mark.parametrize("line", ["a!=1", "a>=1; python_version < '4'", "a @ file:///b", ""])
def test_what_is_not_understood_is_not_passed_over(line: str) -> None:
    with pytest.raises(ValueError, match="is no requirement that is understood"):
        read_requirement(line)


@given(NUMBERS, NUMBERS)
def test_versions_are_compared_as_numbers(one: list[int], other: list[int]) -> None:
    width = max(len(one), len(other))
    a, b = (numbers + [0] * (width - len(numbers)) for numbers in (one, other))
    expected = {">=": a >= b, "==": a == b, "<": a < b}
    for relation, is_so in expected.items():
        assert Requirement("x", f"{relation}{text(other)}", None).is_met_by(text(one)) == is_so


def test_what_follows_the_numbers_does_not_count() -> None:
    assert Requirement("x", ">=2.0", None).is_met_by("2.0rc1")
    assert not Requirement("x", ">=2.0", None).is_met_by("unknown")
