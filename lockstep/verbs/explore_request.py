"""What is asked of `explore`, for Python and for the command line alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.specs.tables import Plain
from lockstep.verbs.option import (
    REQUIRED,
    fault_option,
    given_flags,
    option,
    proposal_option,
    refuse_pairs,
    seconds,
    workspace_option,
)
from lockstep.verbs.search_options import constants_option
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class ExploreRequest:
    """A model to walk by hand, in one scope."""

    model: str = option(default=REQUIRED, metavar="MODEL", help="The model to walk.")
    workspace: Workspace | None = workspace_option()
    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope of specs/MODEL.toml; `default` unless told."
    )
    constants: Mapping[str, Plain] = constants_option()
    fault: str | None = fault_option()
    proposal: str | None = proposal_option()
    max_seconds: float = option(
        "--max-seconds",
        default=10.0,
        parse=seconds,
        metavar="S",
        help="Stop a search for a state, or of all states, after S seconds.",
    )

    def __post_init__(self) -> None:
        refuse_pairs({"--proposal": ("--fault",)}, given_flags(self))
