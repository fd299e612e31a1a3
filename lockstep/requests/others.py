"""What is asked of the verbs that take little, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from lockstep.errors import LockstepError
from lockstep.requests.option import (
    MOST_THREADS,
    REQUIRED,
    Request,
    anew_option,
    command_line,
    given_flags,
    option,
    save_option,
    seconds,
    seconds_option,
    workspace_option,
)
from lockstep.requests.search import ModelRequest, ModelsRequest, VersionOptions
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class MatrixRequest(ModelsRequest):
    """The requirements that some models refer to; all of `specs/` unless models are named."""


@dataclass(frozen=True)
class TwinRequest(ModelsRequest):
    """Comparisons of some models with their twins; every field has a default."""

    models: tuple[str, ...] = option(
        default=(), metavar="MODEL", help="Names of models; all that have a twin unless some given."
    )
    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope to compare instead of `small` and `default`."
    )
    max_seconds: float | None = seconds_option("Stop TLC after S seconds, and the search as well.")
    workers: int = option(
        "--workers",
        default=1,
        least=1,
        most=MOST_THREADS,
        metavar="N",
        help="Number of TLC's threads where counts are compared.",
    )
    keep: Path | None = option(
        "--keep", metavar="DIR", help="Keep TLC's configurations and graphs in a folder."
    )
    liveness: bool = option(
        "--liveness",
        default=False,
        help="Let TLC check liveness in scopes beyond some thousand states.",
    )
    anew: bool = anew_option()

    def again(self, model: str) -> str:
        """The command that asks the same of one model."""
        return command_line("twin", self, model)


@dataclass(frozen=True)
class DoctorRequest:
    """What is to be looked at: the machine, and a workspace."""

    workspace: Workspace | None = workspace_option()


@dataclass(frozen=True)
class NewRequest:
    """A protocol to begin."""

    kind: Literal["model"] = option(default=REQUIRED, metavar="model", help="What to begin.")
    name: str = option(default=REQUIRED, metavar="NAME", help="Its name, such as lock_service.")
    workspace: Workspace | None = workspace_option()


@dataclass(frozen=True)
class ProposeRequest:
    """A proposal to begin."""

    model: str = option(default=REQUIRED, metavar="MODEL", help="The model to change.")
    name: str = option(
        default=REQUIRED, metavar="NAME", help="The proposal's name, such as no_retries."
    )
    workspace: Workspace | None = workspace_option()


@dataclass(frozen=True)
class InitRequest:
    """A workspace to make."""

    folder: Path = option(
        default=REQUIRED,
        metavar="NAME",
        help="The folder to make it in, which gives it its name: a new one, "
        "or one that is there, such as `.`",
    )


@dataclass(frozen=True)
class ReportRequest:
    """A report of a workspace; every field has a default.

    `history` is the file that earlier reports have added to, by default one of the workspace.
    `conform` are files with what `conform --json` printed.
    """

    workspace: Workspace | None = workspace_option()
    history: Path | None = option(
        "--history",
        metavar="FILE",
        help="The results of earlier reports, to which this one adds its own; "
        "default: .lockstep/history.jsonl.",
    )
    conform: tuple[Path, ...] = option(
        "--conform",
        default=(),
        metavar="FILE",
        help="What `conform --json` printed, to be shown as well.",
    )


@dataclass(frozen=True)
class ReplayRequest(Request):
    """A recorded behaviour to take again."""

    apart: ClassVar = {"--on": ("--pytest",)}

    file: Path = option(default=REQUIRED, metavar="FILE", help="A trace that a verb saved.")
    pytest: Path | None = option(
        "--pytest", metavar="FILE", help="Write the behaviour as a file of pytest."
    )
    on: str | None = option(
        "--on",
        metavar="VERSION",
        help="Replay it on another version: MODEL, MODEL.FAULT, MODEL.PROPOSAL, MODEL@NAME=VALUE, "
        "or REV:MODEL.",
    )
    scope: str | None = option(
        "--scope", metavar="NAME", help="The scope of --on. Default: the recorded constants."
    )
    workspace: Workspace | None = workspace_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scope is not None and self.on is None:
            raise LockstepError(
                "--scope is that of another version", cure="name the version with --on"
            )


@dataclass(frozen=True)
class ExploreRequest(VersionOptions, ModelRequest):
    """A model to walk by hand, in one scope."""

    max_seconds: float = seconds_option(
        "Stop a search for a state, or of all states, after S seconds.", 10.0
    )


@dataclass(frozen=True, kw_only=True)
class DriveRequest(VersionOptions, ModelRequest):
    """Software to drive in step with a model, in one scope."""

    apart: ClassVar = {"--pairs": ("--random",)}

    driver: str = option(
        "--driver",
        default=REQUIRED,
        metavar="FILE.py[:NAME]",
        help="The file of the driver, and its class where there are several; or the name of one "
        "that is installed.",
    )
    pairs: bool = option(
        "--pairs",
        default=False,
        help="Take every transition after each action that leads to its state.",
    )
    random: int | None = option(
        "--random",
        least=1,
        metavar="N",
        help="Take N random behaviours instead of every transition of the scope.",
    )
    length: int = option(
        "--steps",
        default=100,
        least=1,
        most=10**7,
        metavar="N",
        help="Steps of a random behaviour.",
    )
    seed: int = option("--seed", default=0, metavar="N", help="The seed of random behaviours.")
    max_steps: int | None = option(
        "--max-steps", least=1, metavar="N", help="Stop after N steps of the software."
    )
    max_seconds: float | None = seconds_option()
    call_seconds: float = option(
        "--call-seconds",
        default=60.0,
        parse=seconds,
        metavar="S",
        help="End a call of the driver that takes longer than S seconds.",
    )
    save: Path | None = save_option()

    def __post_init__(self) -> None:
        super().__post_init__()
        for flag in given_flags(self):
            if flag in ("--steps", "--seed") and self.random is None:
                raise LockstepError(f"{flag} is that of random behaviours", cure="add --random N")
