"""The model's answers to cases, kept on disk for the processes that ask the same.

A case is answered by plain Python in half a millisecond, and a fleet's logs have thousands. What is
kept is named by the digest of all that it depends on. Only answers are spared thereby: before a
departure is reported, the model is asked with the log's own numbers in any case.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from importlib.resources import files
from pathlib import Path

from msgspec import Struct

import lockstep
from lockstep.answers.store import Dependencies, texts_of
from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.system.sealed import document_in, keep_newest, own_content, write_document
from lockstep.system.user_cache import cache_folder, make_private
from lockstep_kafka.sessions.leader_case import Cached

Order = tuple[object, ...]
"""What a case says, with the ranks of its offsets in place of these."""

_MOST_CASES = 100_000
_MOST_BYTES = 2**24
_MOST_FILES = 20


class _Case(Struct, array_like=True):
    order: list[str | bool | int | None]
    answer: Cached | None


class KeptCases:
    """The answers of one model's leader in the user's cache."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def _digest(self) -> str | None:
        """That of all that answers depend on; None where nothing can be kept.

        So it is where lockstep's own files cannot be read, and for a user without a cache.
        """
        if not Path(lockstep.__file__).is_file():
            return None
        try:
            cache_folder()
        except LockstepError:
            return None
        package = files("lockstep_kafka")
        texts = {"small_model.py": package.joinpath("small_model.py").read_text("utf-8")}
        for file in package.joinpath("sessions").iterdir():
            if file.name.endswith(".py"):
                texts[f"sessions/{file.name}"] = file.read_text("utf-8")
        try:
            return Dependencies(texts | texts_of(self._model), {"cases": "leader"}).digest
        except PackageNotFoundError:
            return None

    @cached_property
    def _file(self) -> Path:
        return cache_folder() / "cases" / f"{self._digest}.json"

    def read(self) -> dict[Order, Cached | None]:
        """What is kept; nothing where a file is damaged, or others may have written it."""
        if self._digest is None:
            return {}
        try:
            content = own_content(self._file, most=_MOST_BYTES)
            cases = document_in(content, list[_Case], belongs_to=self._digest)
        except (OSError, ValueError):
            return {}
        with suppress(OSError):
            os.utime(self._file)  # the newest are kept: those that were used last
        return {tuple(case.order): case.answer for case in cases}

    def write(self, answers: dict[Order, Cached | None]) -> None:
        """Keep answers beside those that are kept; where it cannot be done, nothing is lost."""
        if self._digest is None or len(answers) > _MOST_CASES:
            return
        everything = self.read() | answers
        if len(everything) > _MOST_CASES:
            everything = answers
        cases = list(everything.items())
        with suppress(OSError):
            make_private(self._file.parent)
            write_document(self._file, cases, self._digest, 0o644)
            keep_newest(self._file.parent, "*.json", _MOST_FILES)
