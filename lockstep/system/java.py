"""The Java runtime that TLC (and Ivy) is run with."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.child_process import output_of

MINIMUM_JAVA = 17
"""The oldest Java release accepted: Kafka and Spark need it, TLC is content with less."""

_CURE = (
    f"install a Java {MINIMUM_JAVA} runtime or a later one; point JAVA_HOME at it or put it on PATH"
)
_START_SECONDS = 60.0


def find_java() -> Path:
    """The `java` program to use: that of JAVA_HOME if it is new enough, else the one on PATH.

    The path is the runtime's own program, as the runtime itself names it, so that a version
    manager's launcher never stands between us and the process that may have to be stopped.

    Raises LockstepError, in one sentence with its cure, when none is there or all are too old.
    """
    rejected: list[str] = []
    for origin, program in _candidates():
        if not program.is_file():
            rejected.append(f"{origin} names {program}, which is not there")
            continue
        probed = _probe(program)
        if probed is None:
            rejected.append(f"{program} ({origin}) does not start")
            continue
        version, home = probed
        if version < MINIMUM_JAVA:
            rejected.append(f"{program} ({origin}) is Java {version}")
            continue
        own = home / "bin" / program.name
        return own if own.is_file() else program
    why = "; ".join(rejected) if rejected else "JAVA_HOME is not set and PATH has no java"
    raise LockstepError(f"Java {MINIMUM_JAVA} or later is needed: {why}.", cure=_CURE)


def java_release(program: Path) -> int | None:
    """The feature release of a `java` program, such as 17; None if it does not start."""
    probed = _probe(program)
    return None if probed is None else probed[0]


def _candidates() -> list[tuple[str, Path]]:
    candidates: list[tuple[str, Path]] = []
    home = os.environ.get("JAVA_HOME")
    if home:
        name = "java.exe" if os.name == "nt" else "java"
        candidates.append(("JAVA_HOME", Path(home) / "bin" / name))
    on_path = shutil.which("java")
    if on_path:
        candidates.append(("PATH", Path(on_path)))
    return candidates


@functools.cache
def _probe(program: Path) -> tuple[int, Path] | None:
    """(feature release, home folder) as the runtime reports them, or None if it does not start."""
    try:
        answer = output_of([str(program), "-XshowSettings:properties", "-version"], _START_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    settings = answer.stdout
    # Java 8 and older call themselves 1.8; from 9 on the first number is the feature release.
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", settings, re.MULTILINE)
    home = re.search(r"^\s*java\.home = (.+?)\s*$", settings, re.MULTILINE)
    if answer.returncode != 0 or version is None or home is None:
        return None
    return int(version.group(1)), Path(home.group(1))
