from __future__ import annotations

import pytest

from lockstep.errors import LockstepError
from lockstep.twin.config import scope_config, without_checks

TEMPLATE = """\
\\* Nothing here depends on the scope.
SPECIFICATION Spec
INVARIANT TypeOK
CONSTANTS
    None = None
    Offset <- MCOffset

INVARIANTS
    EpochsAgree
    NeverShared
PROPERTIES
    StartsAtOne
CHECK_DEADLOCK FALSE
PROPERTY Eventually
"""


def test_constants_come_before_the_template() -> None:
    constants = {
        "MAX_EPOCH": 2,
        "PARTITIONS": ("p1", "p2"),
        "CAN_JAM": True,
        "LOWEST": -1,
        "FOLLOWERS": (),
    }
    assert scope_config(constants, "SPECIFICATION Spec\n") == (
        "CONSTANTS\n"
        "    MaxEpoch = 2\n"
        '    Partitions = {"p1", "p2"}\n'
        "    CanJam = TRUE\n"
        "    Lowest <- Minus1\n"
        "    Followers = {}\n"
        "\n"
        "SPECIFICATION Spec\n"
    )


def test_a_model_without_constants_has_the_template_alone() -> None:
    assert scope_config({}, TEMPLATE) == TEMPLATE


@pytest.mark.parametrize("value", [None, 1.5, (1, -1), ("a", 2.0)])
def test_a_constant_that_has_no_form_is_refused(value: object) -> None:
    with pytest.raises(LockstepError, match="LIMIT"):
        scope_config({"LIMIT": value}, "")


def test_only_the_claims_are_left_out() -> None:
    assert without_checks(TEMPLATE) == (
        "\\* Nothing here depends on the scope.\n"
        "SPECIFICATION Spec\n"
        "CONSTANTS\n"
        "    None = None\n"
        "    Offset <- MCOffset\n"
        "\n"
        "CHECK_DEADLOCK FALSE\n"
    )
