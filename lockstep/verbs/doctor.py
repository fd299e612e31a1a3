"""`doctor`: says what lockstep needs, what it can use, and what of it is there."""

from __future__ import annotations

import importlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from lockstep.answers.answer import Answer
from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.others import DoctorRequest
from lockstep.system.child_process import output_of
from lockstep.system.java import find_java, java_release
from lockstep.system.maven import cached_jar, cure_of_fetching, means_of_fetching
from lockstep.system.resident import available_memory, in_mib
from lockstep.system.user_cache import cache_folder, is_trusted
from lockstep.twin.tlc import TLC
from lockstep.words import shown_path
from lockstep.workspace import OUTPUT_FOLDER, Workspace, find_workspace

_DISTRIBUTION = "lockstep"
_MODULES = {"z3-solver": "z3"}
"""Where the module of a package has another name."""

_USES_OF_EXTRAS = {
    "clients": "lockstep drive on clients of Apache Kafka",
    "drift": "lockstep drift between releases of Apache Kafka",
    "jvm": "lockstep drive on the classes of Apache Kafka",
    "spark": "--engine spark: large scopes and the logs of a fleet",
    "tables": "conform --out: what logs say, kept in tables",
}

_OF_OTHERS = {
    "pytest": "the tests of a workspace",
    "cvc5": "a second opinion on the proofs that `lockstep prove --smt` writes",
}
"""Packages that lockstep asks nobody to install, and what they are for."""

_TWINS = "lockstep twin"
_LITTLE_ROOM = 2**30
"""Bytes below which a search may soon be out of room."""
_PROGRAM_SECONDS = 10.0
_PROGRAMS = {
    "git": ("--version", "lockstep review REV..REV, and --changed REV"),
    "Go": ("version", "lockstep drive on clients and brokers in Go"),
    "Node": ("--version", "lockstep drive on clients in JavaScript"),
}
"""Programs that lockstep starts, the argument that prints their version, and their use."""


class Presence(StrEnum):
    """Whether a thing is there."""

    OK = "ok"
    ABSENT = "absent"
    """It is not there, or not fit to be used, and most of lockstep does without."""
    MISSING = "missing"
    """It is not there, and lockstep does not do without."""


@dataclass(frozen=True)
class Finding:
    """One thing that lockstep needs, or can use."""

    name: str
    """A package, an extra, a program, a folder, `workspace`, `disk`, `memory` or `cores`."""
    presence: Presence
    """`ok`, `absent` or `missing`: lockstep does without what is absent, for the most part."""
    what: str
    """Its version and place, or why it is not there."""
    needed_for: str = ""
    """What it is needed for; empty where all of lockstep needs it, and of what is there."""
    cure: str | None = None
    """What to do about it; null where it is there."""

    @staticmethod
    def ok(name: str, what: str) -> Finding:
        """A thing that is there."""
        return Finding(name, Presence.OK, what)

    @staticmethod
    def missing(name: str, why: str, cure: str | None) -> Finding:
        """A thing that has to be there."""
        return Finding(name, Presence.MISSING, why, cure=cure)

    @staticmethod
    def absent(name: str, why: str, needed_for: str, cure: str | None) -> Finding:
        """A thing without which only some of lockstep cannot be used."""
        return Finding(name, Presence.ABSENT, why, needed_for, cure)


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


def finding_answer(finding: Finding) -> Answer:
    """The answer about one thing."""
    is_there, is_missing = finding.presence is Presence.OK, finding.presence is Presence.MISSING
    return Answer(
        kind="doctor",
        verdict=str(finding.presence),
        because="" if is_there else finding.what,
        exit_code=int(ExitCode.USAGE if is_missing else ExitCode.HOLDS),
        details=finding,
    )


def doctor(request: DoctorRequest = DoctorRequest()) -> DoctorResult:
    """Look at Python, its packages, the workspace and the machine.

    Nothing is fetched or kept, and no model is run.
    """
    workspace, finding = _workspace(request.workspace)
    output = Path.cwd() / OUTPUT_FOLDER if workspace is None else workspace.output
    free, memory = shutil.disk_usage(_nearest(output)).free, available_memory()
    return DoctorResult(
        (
            *_packages(),
            finding,
            _java(),
            _tlc(),
            *_programs(),
            Finding.ok("C compiler", "not needed: llvmlite makes the machine code"),
            _cache(),
            _folder(
                "output",
                output,
                "keeping counterexamples, and results from one run to the next",
                f"make {output} a folder that can be written",
            ),
            _room("disk", free, "--checkpoint, --spill", f"make room where {output} is"),
            _room("memory", memory, "large scopes", "--memory SIZE --spill DIR needs less"),
            Finding.ok("cores", f"{len(os.sched_getaffinity(0))}"),
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
        return None, Finding.absent(
            name, error.message, "every verb but conform and init", error.cure
        )
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


def _packages() -> list[Finding]:
    """Python, each package that lockstep needs, and those that it can use."""
    try:
        lockstep = metadata.distribution(_DISTRIBUTION)
    except metadata.PackageNotFoundError:
        why = "it is not installed: which packages it needs is not known"
        return [_python(""), Finding.missing(_DISTRIBUTION, why, "install lockstep by pip")]
    wanted = [Requirement(text) for text in lockstep.requires or ()]
    return [
        _python(str(lockstep.metadata["Requires-Python"] or "")),
        Finding.ok(_DISTRIBUTION, lockstep.version),
        *(_package(one) for one in wanted if _is_wanted(one, "")),
        *(
            _extra(extra, [one for one in wanted if _is_wanted(one, extra, "")])
            for extra in lockstep.metadata.get_all("Provides-Extra") or ()
        ),
        *(_other(name, use) for name, use in _OF_OTHERS.items()),
    ]


def _is_wanted(requirement: Requirement, extra: str, without: str | None = None) -> bool:
    """Whether an extra asks for a package here, and lockstep `without` it does not."""
    if requirement.marker is None:
        return without is None
    is_wanted = requirement.marker.evaluate({"extra": extra})
    return is_wanted and (without is None or not requirement.marker.evaluate({"extra": without}))


def _python(bounds: str) -> Finding:
    version, name = platform.python_version(), "python"
    if not SpecifierSet(bounds).contains(version, prereleases=True):
        why = f"{version} ({sys.executable}) is not {bounds}"
        return Finding.missing(name, why, f"install lockstep with a Python {bounds}")
    return Finding.ok(name, f"{version} ({sys.executable})")


def _package(requirement: Requirement) -> Finding:
    name = requirement.name
    wanted = f"{name}{requirement.specifier}"
    cure = f"pip install '{wanted}'"
    version = _version(name)
    if version is None:
        return Finding.missing(name, "it is not installed", cure)
    if not _is_met_by(requirement, version):
        return Finding.missing(name, f"{version} is not {requirement.specifier}", cure)
    try:
        importlib.import_module(_MODULES.get(name, name.replace("-", "_")))
    except Exception as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        why = f"{version} cannot be imported: {reason}"
        return Finding.missing(name, why, f"pip install --force-reinstall '{wanted}'")
    return Finding.ok(name, version)


def _extra(extra: str, requirements: list[Requirement]) -> Finding:
    versions = [(requirement, _version(requirement.name)) for requirement in requirements]
    lacking = [
        f"{requirement.name} {version} is not {requirement.specifier}"
        for requirement, version in versions
        if version is not None and not _is_met_by(requirement, version)
    ]
    if none := [one.name for one, version in versions if version is None]:
        lacking.append(f"not installed: {', '.join(none)}")
    if lacking:
        cure = f"pip install '{_DISTRIBUTION}[{extra}]'"
        return Finding.absent(extra, "; ".join(lacking), _USES_OF_EXTRAS.get(extra, ""), cure)
    there = (f"{requirement.name} {version}" for requirement, version in versions)
    return Finding.ok(extra, ", ".join(there))


def _other(name: str, use: str) -> Finding:
    version = _version(name)
    if version is None:
        return Finding.absent(name, "it is not installed", use, f"pip install {name}")
    return Finding.ok(name, version)


def _version(name: str) -> str | None:
    """The version that is installed; None where none is."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _is_met_by(requirement: Requirement, version: str) -> bool:
    return requirement.specifier.contains(version, prereleases=True)


def _java() -> Finding:
    try:
        program = find_java()
    except LockstepError as error:
        needed_for = f"{_TWINS}, --engine spark, lockstep drive on the classes of Apache Kafka"
        return Finding.absent("Java", error.message, needed_for, error.cure)
    return Finding.ok("Java", f"{java_release(program)} ({program})")


def _tlc() -> Finding:
    try:
        jar = cached_jar(TLC)
    except (LockstepError, OSError) as error:
        return Finding.absent("TLC", str(error), _TWINS, "let LOCKSTEP_CACHE name a folder")
    if jar is not None:
        return Finding.ok("TLC", f"{TLC.coordinate} ({jar})")
    means = means_of_fetching()
    if means is None:
        why = "it is not there yet, and neither Maven nor PySpark is there to fetch it"
        return Finding.absent("TLC", why, _TWINS, cure_of_fetching(TLC))
    why = "it is not there yet"
    return Finding.absent("TLC", why, _TWINS, f"lockstep twin fetches it once, by {means}")


def _programs() -> Iterator[Finding]:
    """Programs on the PATH that some of lockstep starts."""
    for name, (version, needed_for) in _PROGRAMS.items():
        cure = f"install {name}, and put `{name.lower()}` on the PATH"
        program = shutil.which(name.lower())
        if program is None:
            yield Finding.absent(name, "it is not on the PATH", needed_for, cure)
            continue
        try:
            answer = output_of([program, version], _PROGRAM_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            answer = None
        if answer is None or answer.returncode != 0:
            yield Finding.absent(name, f"{program} does not start", needed_for, cure)
        else:
            number = re.search(r"\d+(\.\d+)+", answer.stdout)
            found = answer.stdout.strip() if number is None else number[0]
            yield Finding.ok(name, f"{found} ({program})")


def _cache() -> Finding:
    """The folder of machine code and of TLC."""
    name, needed_for = "cache", "keeping machine code and TLC from one run to the next"
    try:
        folder = cache_folder()
    except LockstepError as error:
        return Finding.missing(name, error.message, error.cure)
    code = folder / "compiled"
    if code.is_dir() and not is_trusted(code.stat()):
        why = f"{code} holds machine code, and other users can write to it"
        return Finding.missing(name, why, f"chmod go-w {code}, or let LOCKSTEP_CACHE name another")
    cure = "let LOCKSTEP_CACHE be the path of a folder that can be written"
    return _folder(name, folder, needed_for, cure)


def _room(name: str, size: int, needed_for: str, cure: str) -> Finding:
    what = f"{in_mib(size)} free"
    if size < _LITTLE_ROOM:
        return Finding.absent(name, f"only {what}", needed_for, cure)
    return Finding.ok(name, what)


def _folder(name: str, folder: Path, needed_for: str, cure: str) -> Finding:
    problem = _why_not_written(folder)
    if problem is not None:
        return Finding.absent(name, problem, needed_for, cure)
    return Finding.ok(name, str(folder))


def _why_not_written(folder: Path) -> str | None:
    """Why no file can be written into a folder that need not be there yet; None where one can."""
    there = _nearest(folder)
    try:
        with tempfile.TemporaryFile(dir=there):
            return None
    except OSError as error:
        return f"{there} cannot be written: {error.strerror}"


def _nearest(folder: Path) -> Path:
    """The folder itself, or the nearest thing above it that is there."""
    return next(path for path in (folder, *folder.parents) if os.path.lexists(path))
