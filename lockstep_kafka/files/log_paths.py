"""The files that logs stand for, the same ones wherever they are followed."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence

from lockstep.errors import LockstepError
from lockstep.system.physical_lines import STANDARD_INPUT


def log_paths(logs: Sequence[str]) -> list[str]:
    """The paths of the files, each once.

    A log is a file, a folder of files and folders, a glob pattern, or `-`, which is given back as
    it is. In folders, what has a name that begins with a dot is left out. `LockstepError` for a
    log that stands for no file, and for a folder that cannot be read.
    """
    paths: dict[str, str] = {}
    for log in logs:
        for path in _paths(log):
            paths.setdefault(path if path == STANDARD_INPUT else os.path.abspath(path), path)
    return list(paths.values())


def _paths(log: str) -> list[str]:
    if log == STANDARD_INPUT:
        return [log]
    if os.path.isdir(log):
        paths = sorted(_files_below(log))
    elif not os.path.exists(log) and glob.has_magic(log):
        paths = sorted(path for path in glob.glob(log, recursive=True) if os.path.isfile(path))
    else:
        try:
            os.stat(log)
        except OSError as error:
            raise _unreadable(log, error) from None
        paths = [log]
    if not paths:
        raise LockstepError(f"{log} has no files", cure="name files, or a folder that holds some")
    return paths


def _files_below(folder: str) -> Iterator[str]:
    def refuse(error: OSError) -> None:
        raise _unreadable(error.filename, error) from None

    for above, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(above, name)
            if not name.startswith(".") and os.path.isfile(path):
                yield path


def _unreadable(path: str, error: OSError) -> LockstepError:
    return LockstepError(f"{path} cannot be read: {error.strerror or error}")
