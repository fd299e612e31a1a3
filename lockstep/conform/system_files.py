"""Files of a workspace that know the running systems of a model: ordinary Python, by its name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.loader import Universe
from lockstep.language.source import ModelError, place_in
from lockstep.system.interruption import INTERRUPTION
from lockstep.words import place_text


class SystemFile:
    """The file of a model in a folder of the workspace at `root`.

    `LockstepError` when it cannot be loaded.
    """

    def __init__(self, root: Path, folder: str, model: str) -> None:
        self.file = f"{folder}/{model}.py"
        """Its path in the workspace."""
        self._universe = Universe(root, is_ordinary=True)
        try:
            self.module = self._universe.load(self.file.removesuffix(".py").replace("/", "."))
        except ModelError as error:
            cause = error.__cause__
            why = f"\n{error}" if cause is None else f" {type(cause).__name__}: {cause}"
            raise LockstepError(f"{self.file} cannot be loaded:{why}") from cause

    def value(self, name: str) -> Any:
        """What the file calls so; None where it has no such name."""
        return vars(self.module).get(name)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turn what the file's text raises into a `LockstepError` with the place in the text."""
        try:
            yield
        except (LockstepError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if INTERRUPTION.has_come:
                raise KeyboardInterrupt from error
            raise self._failure(error) from error

    def _failure(self, error: BaseException) -> LockstepError:
        """What ended it, for the reader: a file it cannot read, or a mistake in its text."""
        if isinstance(error, OSError) and error.filename is not None:
            return LockstepError(f"{error.filename} cannot be read: {error.strerror or error}")
        universe = self._universe
        place = place_in(error.__traceback__, universe.files)
        where = self.file
        if place is not None:
            where = place_text(place.file, place.line, universe.root)
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return LockstepError(
            f"{where}: this cannot go on: {what}",
            cure="mend the text, or let it raise a LockstepError that says what is wrong",
        )
