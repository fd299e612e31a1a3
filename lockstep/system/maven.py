"""Jars from Maven Central: fetched once by coordinate, then kept and checked on every use."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.child_process import output_of
from lockstep.system.java import find_java
from lockstep.system.scratch import scratch_folder
from lockstep.system.user_cache import cache_folder, make_private

# Named with its version so that every machine runs the same goal, whatever its Maven defaults to.
_MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
_FETCH_SECONDS = 600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Artifact:
    """A jar of a Maven repository, and the SHA-256 that it is known to have."""

    group: str
    name: str
    version: str
    sha256: str
    classifier: str = ""
    """What it has of the artifact, as `sources` or `test`; empty for its classes."""

    @property
    def coordinate(self) -> str:
        """As Maven writes it."""
        kind = f":jar:{self.classifier}" if self.classifier else ""
        return f"{self.group}:{self.name}:{self.version}{kind}"

    @property
    def file_name(self) -> str:
        """The name that Maven and Ivy give the file."""
        return f"{self.name}-{self.version}{'-' * bool(self.classifier)}{self.classifier}.jar"


def jar_of(artifact: Artifact) -> Path:
    """The artifact's jar, fetched into the cache if it is not there yet.

    Its SHA-256 is checked on every call. A cached jar with another digest is named in a warning
    and fetched again, once. Processes that call this at the same moment each fetch their own copy
    and rename it into place, so none ever sees half a file.

    Raises LockstepError when it cannot be fetched, or when what was fetched is not the pinned jar.
    """
    jar = cache_folder() / artifact.file_name
    if jar.is_file():
        digest = _sha256(jar)
        if digest == artifact.sha256:
            return jar
        _log.warning("%s is damaged (SHA-256 %s): fetching it again", jar, digest)
    _fetch_into(jar, artifact)
    return jar


def jars_of(artifacts: Sequence[Artifact]) -> list[Path]:
    """The jars of several artifacts; what is missing is fetched by one run of Maven, if it can be.

    Raises what `jar_of` does.
    """
    missing = [one for one in artifacts if not (cache_folder() / one.file_name).is_file()]
    maven = shutil.which("mvn")
    if maven is not None and len(missing) > 1:
        with _keeping(cache_folder(), f"{len(missing)} jars") as folder:
            _fetch_together(maven, missing, folder)
    return [jar_of(artifact) for artifact in artifacts]


def _fetch_together(maven: str, artifacts: Sequence[Artifact], folder: Path) -> None:
    """Fetch into the cache what Maven fetches; what it does not is fetched one by one later."""
    project = folder / "pom.xml"
    project.write_text(_project(artifacts), encoding="utf-8")
    command = [
        maven,
        "--batch-mode",
        "--quiet",
        "--file",
        str(project),
        f"{_MAVEN_COPY}-dependencies",
    ]
    wanted = ("-DexcludeTransitive=true", f"-DoutputDirectory={folder}")
    with suppress(subprocess.TimeoutExpired):
        output_of([*command, *wanted], _FETCH_SECONDS, folder)
    for artifact in artifacts:
        fetched = folder / artifact.file_name
        if fetched.is_file() and _sha256(fetched) == artifact.sha256:
            os.replace(fetched, cache_folder() / artifact.file_name)


def _project(artifacts: Sequence[Artifact]) -> str:
    """A project of Maven that depends on these artifacts and nothing else."""
    named = "".join(
        f"<dependency><groupId>{one.group}</groupId><artifactId>{one.name}</artifactId>"
        f"<version>{one.version}</version>"
        f"{f'<classifier>{one.classifier}</classifier>' * bool(one.classifier)}</dependency>"
        for one in artifacts
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>lockstep</groupId><artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{named}</dependencies></project>"
    )


def cached_jar(artifact: Artifact) -> Path | None:
    """The artifact's jar if it is in the cache and undamaged; nothing is fetched."""
    jar = cache_folder() / artifact.file_name
    return jar if jar.is_file() and _sha256(jar) == artifact.sha256 else None


def means_of_fetching() -> str | None:
    """What a jar would be fetched by, for readers; None where there is nothing."""
    maven = shutil.which("mvn")
    if maven is not None:
        return f"Maven ({maven})"
    return None if ivy_jar() is None else "PySpark's Ivy"


def cure_of_fetching(artifact: Artifact) -> str:
    """What to do where a jar cannot be fetched."""
    return (
        "install Maven or `pip install pyspark`, with a way to Maven Central; "
        f"or put the jar at {cache_folder() / artifact.file_name} yourself"
    )


def _fetch_into(jar: Path, artifact: Artifact) -> None:
    with _keeping(jar.parent, artifact.coordinate) as folder:
        fetched = _fetch(artifact, folder)
        digest = _sha256(fetched)
        if digest != artifact.sha256:
            raise LockstepError(
                f"{artifact.coordinate} as fetched has SHA-256 {digest}, but "
                f"{artifact.sha256} is pinned: it was damaged on the way, or it is another "
                "file.",
                cure="fetch again; if it stays so, look at what the repository mirror serves",
            )
        os.replace(fetched, jar)


@contextmanager
def _keeping(cache: Path, what: str) -> Iterator[Path]:
    """A folder to fetch into, beside what is kept."""
    try:
        make_private(cache)
        with scratch_folder(".fetching-", cache) as folder:
            yield folder
    except OSError as error:
        raise LockstepError(
            f"{what} cannot be kept in {cache}: {error}.",
            cure="point LOCKSTEP_CACHE at a folder that can be written",
        ) from error


def _fetch(artifact: Artifact, folder: Path) -> Path:
    """Fetches the jar into `folder` by the first means that works, Maven before Ivy."""
    failures: list[str] = []
    target = folder / artifact.file_name
    for means, command in _commands(artifact, folder):
        try:
            answer = output_of(command, _FETCH_SECONDS, folder)
        except subprocess.TimeoutExpired:
            failures.append(f"{means} gave no answer in {_FETCH_SECONDS:.0f} s")
            continue
        if answer.returncode == 0 and target.is_file():
            return target
        failures.append(f"{means} failed ({_first_complaint(answer.stdout)})")
    why = "; ".join(failures) or "there is neither `mvn` on PATH nor PySpark's Ivy"
    raise LockstepError(
        f"{artifact.coordinate} cannot be fetched: {why}.", cure=cure_of_fetching(artifact)
    )


def _commands(artifact: Artifact, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """What is there to fetch a jar by, and the command that does it."""
    maven, ivy = shutil.which("mvn"), ivy_jar()
    if maven is not None:
        wanted = (f"-Dartifact={artifact.coordinate}", f"-DoutputDirectory={folder}")
        yield "Maven", [maven, "--batch-mode", "--quiet", _MAVEN_COPY, *wanted]
    if ivy is not None:
        named = ["-dependency", artifact.group, artifact.name, artifact.version]
        if artifact.classifier == "test":
            named = ["-ivy", str(_ivy_file(artifact, folder))]
        # Of classes, sources and documentation `-types` leaves the one file.
        kind = "source" if artifact.classifier == "sources" else "jar"
        alone = ("-notransitive", "-types", kind, "-cache", str(folder / "ivy"))
        place = str(folder / "[artifact]-[revision](-[classifier]).[ext]")
        command = [str(find_java()), "-jar", str(ivy), *named, *alone]
        yield "Ivy", [*command, "-retrieve", place]


def _ivy_file(artifact: Artifact, folder: Path) -> Path:
    """What Ivy reads for a jar of tests, which its command line cannot name."""
    file = folder / "ivy.xml"
    file.write_text(
        '<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">'
        '<info organisation="lockstep" module="jars"/><dependencies>'
        f'<dependency org="{artifact.group}" name="{artifact.name}" rev="{artifact.version}">'
        f'<artifact name="{artifact.name}" type="jar" m:classifier="{artifact.classifier}"/>'
        "</dependency></dependencies></ivy-module>",
        encoding="utf-8",
    )
    return file


def ivy_jar() -> Path | None:
    """The Ivy that an installed PySpark ships, found without importing PySpark; None without it."""
    spec = importlib.util.find_spec("pyspark")
    if spec is None or spec.submodule_search_locations is None:
        return None
    for location in spec.submodule_search_locations:
        jars = sorted(Path(location).glob("jars/ivy-*.jar"))
        if jars:
            return jars[-1]
    return None


def _first_complaint(output: str) -> str:
    """The first line of a build tool's output that says what went wrong, shortened."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    marks = ("ERROR", "unresolved", "UNRESOLVED", "problem", "Exception")
    complaint = next((line for line in lines if any(mark in line for mark in marks)), None)
    said = complaint or (lines[-1] if lines else "it said nothing")
    return said if len(said) <= 300 else said[:297] + "..."


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
