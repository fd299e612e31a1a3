"""What is asked of `explore`, for Python and for the command line alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.specs.tables import Plain
from lockstep.verbs.models import read_constants
from lockstep.verbs.option import (
    REQUIRED,
    fault_option,
    given_flags,
    option,
    refuse_pairs,
    seconds,
    workspace_option,
)
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ExploreRequest:
    """A model to walk by hand, in one scope."""

    model: str = option(default=REQUIRED, metavar="MODEL", help="The model to walk.")
    workspace: Workspace | None = workspace_option()
    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope of specs/MODEL.toml; `default` unless told."
    )
    constants: Mapping[str, Plain] = option(
        "--set",
        default={},
        gather=read_constants,
        metavar="NAME=VALUE",
        help="Change a constant.",
    )
    fault: str | None = fault_option()
    proposal: str | None = option(
        "--proposal", metavar="NAME", help="Put one of the model's proposals in place."
    )
    max_seconds: float = option(
        "--max-seconds",
        default=10.0,
        parse=seconds,
        metavar="S",
        help="Stop a search for a state, or of all states, after S seconds.",
    )

    def __post_init__(self) -> None:
        refuse_pairs({"--proposal": ("--fault",)}, given_flags(self))
