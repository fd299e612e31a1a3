"""A workspace's text, carried to machines that do not have it."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

from lockstep.system.scratch import scratch_folder
from lockstep.system.user_cache import cache_folder, make_private

_FOLDERS = ("models", "invariants", "specs")
_MARKERS = ("lockstep.toml", "pyproject.toml")
_ENDINGS = (".py", ".toml")
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class WorkspaceText:
    """The text files of a workspace: `archive` is a ZIP file."""

    archive: bytes

    @classmethod
    def of(cls, root: Path) -> WorkspaceText:
        """The text of the workspace at `root`; equal texts give equal bytes."""
        paths = [root / name for name in _MARKERS]
        for folder in _FOLDERS:
            paths += sorted(root.joinpath(folder).rglob("*"))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in paths:
                if path.suffix in _ENDINGS and path.is_file():
                    entry = zipfile.ZipInfo(str(path.relative_to(root)), _EPOCH)
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    archive.writestr(entry, path.read_bytes())
        return cls(buffer.getvalue())

    def unpacked(self) -> Path:
        """A folder of this machine with the files, the same one for every process of the user."""
        parent = cache_folder() / "workspaces"
        folder = parent / hashlib.sha256(self.archive).hexdigest()[:32]
        if folder.is_dir():
            return folder
        make_private(parent)
        with scratch_folder(".unpacking-", parent) as scratch:
            whole = scratch / "whole"
            with zipfile.ZipFile(io.BytesIO(self.archive)) as archive:
                archive.extractall(whole)
            try:
                os.rename(whole, folder)
            except OSError:
                if not folder.is_dir():  # else another process was faster
                    raise
        return folder
