"""The options of the plugin, which every run of pytest reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

SWITCH = "--lockstep"
SCOPE = "--lockstep-scope"
KINDS = "lockstep"
SAMPLES = "lockstep_samples"
MARKER = "lockstep"


def declare(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("lockstep", "the claims of a workspace as tests")
    group.addoption(
        SWITCH,
        action="store_true",
        help="Collect all that the workspace claims: its models in their scopes, faults, proofs, "
        "twins and requirements.",
    )
    group.addoption(
        SCOPE,
        action="append",
        default=[],
        metavar="NAME",
        help="A scope to check in place of `small` and `default`, such as `large`; `all` for each.",
    )
    parser.addini(
        KINDS,
        "What is collected without --lockstep, too: check, faults, prove, twin, matrix, samples.",
        type="args",
        default=[],
    )
    parser.addini(
        SAMPLES,
        "Recorded logs that conform: patterns of files below the root folder.",
        type="linelist",
        default=[],
    )
