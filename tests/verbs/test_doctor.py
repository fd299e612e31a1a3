"""Requirements as lockstep's own metadata has them."""

from importlib import metadata

import pytest
from packaging.requirements import Requirement

from lockstep.verbs.doctor import _is_met_by, _is_wanted


def test_every_requirement_of_lockstep_is_met_and_of_somebody() -> None:
    requirements = [Requirement(line) for line in metadata.requires("lockstep") or ()]
    assert {"numpy", "z3-solver", "pyspark"} <= {one.name for one in requirements}
    extras = metadata.metadata("lockstep").get_all("Provides-Extra") or []
    assert {"jvm", "spark", "tables"} <= set(extras)
    for one in requirements:
        assert _is_met_by(one, metadata.version(one.name)), one
        for_extra = any(_is_wanted(one, extra, "") for extra in extras)
        assert _is_wanted(one, "") != for_extra, one


@pytest.mark.parametrize(
    ("line", "needed", "for_spark"),
    [
        ("numpy>=2", True, False),
        ("a==1 ; extra == 'spark'", False, True),
        ("a==1; extra == 'other'", False, False),
        ("a>=1; python_version < '3'", False, False),
        ("a>=1; python_version > '3'", True, False),
    ],
)
def test_who_needs_a_package(line: str, needed: bool, for_spark: bool) -> None:
    requirement = Requirement(line)
    assert _is_wanted(requirement, "") == needed
    assert _is_wanted(requirement, "spark", "") == for_spark


def test_versions_are_those_of_python_packages() -> None:
    assert _is_met_by(Requirement("x>=2.9"), "2.10")
    assert _is_met_by(Requirement("x>=2.0"), "2.1rc1")
    assert not _is_met_by(Requirement("x<2"), "2.0.1")
    assert not _is_met_by(Requirement("x>=2.0"), "unknown")
