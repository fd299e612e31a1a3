"""The text of a workspace: what the results of all tasks depend on, and what is sent with them."""

from __future__ import annotations

from pathlib import Path

_FOLDERS = ("models", "invariants", "specs")
_ENDINGS = (".py", ".toml")


def workspace_text(root: Path) -> dict[str, bytes]:
    """The content of each file of models, claims and scopes, by its path in the workspace."""
    files = (file for folder in _FOLDERS for file in root.joinpath(folder).rglob("*"))
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in sorted(files)
        if file.suffix in _ENDINGS and file.is_file()
    }
