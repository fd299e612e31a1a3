"""`doctor`: says what lockstep needs, what it can use, and what of it is there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import ExitCode, LockstepError
from lockstep.verbs.doctor_finding import Finding, Presence
from lockstep.verbs.doctor_machine import (
    cache_finding,
    output_finding,
    program_findings,
    room_findings,
)
from lockstep.verbs.doctor_packages import package_findings
from lockstep.verbs.requests import DoctorRequest
from lockstep.words import shown_path
from lockstep.workspace import OUTPUT_FOLDER, Workspace, find_workspace


@dataclass(frozen=True)
class DoctorResult:
    """What was found, thing by thing."""

    findings: tuple[Finding, ...]

    def named(self, presence: Presence) -> list[str]:
        """The things of which this is so."""
        return [finding.name for finding in self.findings if finding.presence is presence]

    @property
    def exit_code(self) -> ExitCode:
        """What the process ends with."""
        return ExitCode.USAGE if self.named(Presence.MISSING) else ExitCode.HOLDS


def doctor(request: DoctorRequest = DoctorRequest()) -> DoctorResult:
    """Look at Python, its packages, the workspace and the machine.

    Nothing is fetched or kept, and no model is run.
    """
    workspace, finding = _workspace(request.workspace)
    output = Path.cwd() / OUTPUT_FOLDER if workspace is None else workspace.output
    return DoctorResult(
        (
            *package_findings(),
            finding,
            *program_findings(),
            cache_finding(),
            output_finding(output),
            *room_findings(output),
        )
    )


def _workspace(workspace: Workspace | None) -> tuple[Workspace | None, Finding]:
    name = "workspace"
    try:
        workspace = workspace or find_workspace()
        models, unused = workspace.models(), workspace.unused()
    except LockstepError as error:
        if _is_marked(Path.cwd()):
            return None, Finding.missing(name, error.message, error.cure)
        return None, Finding.absent(name, error.message, "every verb but init", error.cure)
    what = f"{workspace.name} ({workspace.root}): {', '.join(models) or 'no models'}"
    unread = [f"{shown_path(file.file)}: {file.why}" for file in unused if file.is_mistake]
    if unread:
        cure = "rename what is not read, or remove it"
        return workspace, Finding.missing(name, f"{what}; not read: {'; '.join(unread)}", cure)
    if not models:
        return workspace, Finding.missing(name, what, "lockstep new model NAME")
    return workspace, Finding.ok(name, what)


def _is_marked(here: Path) -> bool:
    """Whether a folder, or one above it, says that it is a workspace."""
    return any((folder / "lockstep.toml").is_file() for folder in (here, *here.parents))
