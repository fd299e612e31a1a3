"""A folder of files, which are copied under other names.

`templates/workspace` and `templates/model` are well-formed as they stand, and are tested so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from lockstep.errors import LockstepError, not_written
from lockstep.words import shown_path

_TEMPLATES = Path(__file__).with_name("templates")

WORKSPACE = "workspace"
"""A workspace with two protocols, `delivery` and `lease`, and a program to drive along `lease`."""

MODEL = "model"
"""The files of one protocol, `my_protocol`."""


def filled(template: str, names: Mapping[str, str]) -> dict[Path, str]:
    """The texts of a template's files by their paths, each key of `names` replaced by its value.

    They are replaced in texts and in paths alike.
    """
    root = _TEMPLATES / template
    files = {}
    for file in sorted(root.rglob("*")):
        # Installing a package compiles what is in it.
        if file.is_file() and file.suffix != ".pyc":
            path, text = str(file.relative_to(root)), file.read_text(encoding="utf-8")
            for old, new in names.items():
                path, text = path.replace(old, new), text.replace(old, new)
            files[Path(path)] = text
    return dict(sorted(files.items()))


def in_the_way(root: Path, files: Iterable[Path]) -> list[Path]:
    """What is there already where files of these paths below `root` would be written."""
    found = []
    for file in files:
        for folder in reversed(file.parents):
            if os.path.lexists(root / folder) and not (root / folder).is_dir():
                found.append(root / folder)
        if os.path.lexists(root / file):
            found.append(root / file)
    return list(dict.fromkeys(found))


def write_new(root: Path, files: Mapping[Path, str]) -> None:
    """Write files below `root`, all of them or none; no file that is there is written over.

    `LockstepError` where one is there, or cannot be written.
    """
    if taken := in_the_way(root, files):
        raise LockstepError(
            f"nothing was written, for there is already: {', '.join(map(shown_path, taken))}",
            cure="choose another name, or move them out of the way",
        )
    made: list[Path] = []
    file = root
    try:
        for path, text in files.items():
            file = root / path
            _make_folder(file.parent, made)
            with file.open("x", encoding="utf-8") as stream:
                made.append(file)
                stream.write(text)
    except OSError as error:
        _remove(made)
        raise LockstepError(not_written(file, error)) from None
    except BaseException:
        _remove(made)
        raise


def _make_folder(folder: Path, made: list[Path]) -> None:
    """Make a folder and those above it; what was made is added to `made`."""
    if folder.is_dir():
        return
    _make_folder(folder.parent, made)
    folder.mkdir()
    made.append(folder)


def _remove(made: list[Path]) -> None:
    for path in reversed(made):
        with suppress(OSError):
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink()
