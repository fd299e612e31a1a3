"""Whether the machine has what lockstep can use: programs, folders, room."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.child_process import output_of
from lockstep.system.java import find_java, java_release
from lockstep.system.maven import cached_jar, cure_of_fetching, means_of_fetching
from lockstep.system.resident import available_memory, in_mib
from lockstep.system.user_cache import cache_folder, is_trusted
from lockstep.twin.twin_files import TLC
from lockstep.verbs.doctor_finding import Finding

_TWINS = "lockstep twin"
_LITTLE_ROOM = 2**30
"""Bytes below which a search may soon be out of room."""
_GIT_SECONDS = 10.0


def program_findings() -> list[Finding]:
    """Java, TLC, git, and the compiler that nobody needs."""
    return [
        _java(),
        _tlc(),
        _git(),
        Finding.ok("C compiler", "not needed: llvmlite makes the machine code"),
    ]


def _java() -> Finding:
    try:
        program = find_java()
    except LockstepError as error:
        return Finding.absent("Java", error.message, f"{_TWINS}, --engine spark", error.cure)
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


def _git() -> Finding:
    needed_for, cure = "lockstep review REV..REV", "install git, and put it on PATH"
    program = shutil.which("git")
    if program is None:
        return Finding.absent("git", "it is not on PATH", needed_for, cure)
    try:
        answer = output_of([program, "--version"], _GIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        answer = None
    if answer is None or answer.returncode != 0:
        return Finding.absent("git", f"{program} does not start", needed_for, cure)
    return Finding.ok("git", f"{answer.stdout.strip().removeprefix('git version ')} ({program})")


def cache_finding() -> Finding:
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


def output_finding(folder: Path) -> Finding:
    """The folder of counterexamples and of results."""
    needed_for = "keeping counterexamples, and results from one run to the next"
    return _folder("output", folder, needed_for, f"make {folder} a folder that can be written")


def room_findings(folder: Path) -> list[Finding]:
    """How much there is of disk (for `folder`), memory and cores."""
    free, memory = shutil.disk_usage(_nearest(folder)).free, available_memory()
    cores = len(os.sched_getaffinity(0))
    return [
        _room("disk", free, "--checkpoint, --spill", f"make room where {folder} is"),
        _room("memory", memory, "large scopes", "--memory SIZE --spill DIR needs less"),
        Finding.ok("cores", f"{cores}"),
    ]


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
