"""A workspace's text, carried to machines that do not have it."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path

from lockstep.system.scratch import scratch_folder
from lockstep.system.user_cache import cache_folder, make_private

_MARKERS = ("lockstep.toml", "pyproject.toml")
_FOLDERS = ("models", "invariants", "specs")
_ENDINGS = (".py", ".toml")


@dataclass(frozen=True)
class WorkspaceText:
    """The content of a workspace's text files by their paths in it.

    `digest` is another one when any of them is.
    """

    digest: str
    files: Mapping[str, bytes] = field(compare=False, repr=False)

    @classmethod
    def of(cls, root: Traversable) -> WorkspaceText:
        """Models, claims and scopes of the workspace at `root`, and what marks it as one."""
        markers = {name: root.joinpath(name) for name in _MARKERS}
        files = {name: file.read_bytes() for name, file in markers.items() if file.is_file()}
        for folder in _FOLDERS:
            files |= _files_below(root.joinpath(folder), folder)
        return cls.of_files(files)

    @classmethod
    def of_files(cls, files: Mapping[str, bytes]) -> WorkspaceText:
        """Files by their paths."""
        hashed = hashlib.sha256()
        for name, content in sorted(files.items()):
            hashed.update(f"{name}\0{len(content)}\0".encode())
            hashed.update(content)
        return cls(hashed.hexdigest(), dict(files))

    def unpacked(self) -> Path:
        """The folder of this machine with just these files, the same one for all processes.

        It is written whole or not at all, and again where a file of it is not as it was.
        """
        folder = cache_folder() / "shipped" / self.digest
        if self._is_whole(folder):
            return folder
        make_private(folder.parent)
        lock = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self._is_whole(folder):  # another process may have written it meanwhile
                self._write(folder)
        finally:
            os.close(lock)
        return folder

    def _write(self, folder: Path) -> None:
        with scratch_folder("unpacking-", folder.parent) as scratch:
            if folder.exists():
                folder.rename(scratch / "damaged")
            for name, content in self.files.items():
                file = scratch / "whole" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            (scratch / "whole").rename(folder)

    def _is_whole(self, folder: Path) -> bool:
        try:
            return all(
                (folder / name).read_bytes() == content for name, content in self.files.items()
            )
        except OSError:
            return False


def _files_below(folder: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir() if folder.is_dir() else ():
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _files_below(entry, path)
        elif entry.name.endswith(_ENDINGS):
            yield path, entry.read_bytes()
