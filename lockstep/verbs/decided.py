"""What was decided in earlier runs, so that an unchanged question need not be decided again.

A decision is a small JSON document in a file that is named after the digest of all that it depends
on: `.lockstep/decided/VERB/DIGEST.json` in the workspace. Whatever changes the answer changes the
digest, so that a file is never out of date, only without use. Nothing is lost with the folder but
time. Beside it, in `.lockstep/failed/`, is what did not hold: it is decided again each time, and
kept for a report alone.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import msgspec

from lockstep.errors import not_written
from lockstep.language.likeness import made_by
from lockstep.system.sealed import (
    BrokenSeal,
    document_in,
    keep_newest,
    own_content,
    write_document,
)
from lockstep.verbs.failed_result import FailedResult, read_failed

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.workspace import Workspace

_VERSION = 3
_MOST_FILES = 1_000
"""Decisions of a verb that are kept; those made longest ago go first."""

DECIDED, FAILED = "decided", "failed"
"""The folders of what holds and of what does not."""

_MOST_BYTES = 1 << 20
"""A larger file is none that was written here."""


@dataclass(frozen=True)
class Dependencies:
    """All that a decision depends on, beside lockstep itself and Python.

    `texts` are the texts of files by their path in the workspace, `options` what was asked, as
    JSON, and `packages` the installed packages whose version may change the answer.
    """

    texts: Mapping[str, str]
    options: Mapping[str, Any]
    packages: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A number in hexadecimal that is another one when anything of this is."""
        document = {
            "texts": dict(self.texts),
            "options": dict(self.options),
            "packages": {name: version(name) for name in self.packages},
            "lockstep": [version("lockstep"), _digest_of_lockstep()],
            "python": platform.python_version(),
        }
        return _digest_of(document)


LOADED = "what loading made"
"""Beside the paths of files, what stands for the values that their texts were given."""


def texts_of(model: Model) -> dict[str, str]:
    """The text of every file that a model was loaded from, with all that these import.

    Under `LOADED` is what the texts became: what engines start from is this.
    """
    root = model.universe.root

    def name(path: Path) -> str:
        """Its path in the workspace, which may have been moved."""
        return (path.relative_to(root) if path.is_relative_to(root) else path).as_posix()

    texts = {name(file.path): file.text for file in model.universe.files.values()}
    return {**texts, LOADED: made_by(model.universe)}


@dataclass(frozen=True)
class Decision:
    """What was decided, and when (in UTC)."""

    document: Mapping[str, Any]
    since: datetime
    about: str = ""
    """The model with its scope or its proof, whatever their texts were."""


class _Kept(msgspec.Struct, forbid_unknown_fields=True):
    """A decision in its file."""

    about: str
    since: Annotated[datetime, msgspec.Meta(tz=True)]
    document: dict[str, Any]


class Decisions:
    """The decisions of one verb in a workspace; in the folder `failed` those that do not hold."""

    def __init__(self, workspace: Workspace, verb: str, folder: str = DECIDED) -> None:
        self._workspace = workspace
        self._verb = verb
        self._folder = workspace.output / folder / verb

    def find(self, digest: str) -> Decision | None:
        """The decision that depends on just this.

        None where there is none, and where its file is damaged or may be somebody else's: it is
        then decided again.
        """
        try:
            content = own_content(self._file(digest), most=_MOST_BYTES)
            kept = document_in(content, _Kept, self._about(digest))
        except (OSError, BrokenSeal):
            return None
        return Decision(kept.document, kept.since, kept.about)

    def latest(self) -> dict[str, datetime]:
        """When something was decided last about each model and scope, whatever the texts were."""
        latest: dict[str, datetime] = {}
        for file in self._folder.glob("*.json"):
            decision = self.find(file.stem)
            if decision is not None:
                since = latest.get(decision.about, decision.since)
                latest[decision.about] = max(since, decision.since)
        return latest

    def keep(self, digest: str, document: Mapping[str, Any], about: str = "") -> str | None:
        """Keep a decision for later runs; None, or why that cannot be done."""
        kept = _Kept(about, datetime.now(UTC).replace(microsecond=0), dict(document))
        file = self._file(digest)
        try:
            self._workspace.make_output()
            file.parent.mkdir(parents=True, exist_ok=True)
            # Not for a group to write, whatever the umask: such a file would not be trusted.
            write_document(file, kept, self._about(digest), 0o644)
            keep_newest(self._folder, "*.json", _MOST_FILES)
        except OSError as error:
            return not_written(self._folder, error)
        return None

    def _file(self, digest: str) -> Path:
        return self._folder / f"{digest}.json"

    def _about(self, digest: str) -> str:
        """What a decision's file belongs to, so that it is none in another's place."""
        return f"{_VERSION} {self._verb} {digest}"


ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Question(Generic[ResultT]):
    """A question that a verb answers, and how its result is written as a document and read again.

    `about` names the model and its scope or proof. `write` gives None for a result that is not
    kept, and `read` for a document that describes no result of this question.
    """

    workspace: Workspace
    verb: str
    dependencies: Dependencies
    write: Callable[[ResultT], Mapping[str, Any] | None]
    read: Callable[[Mapping[str, Any]], ResultT | None]
    about: str = ""

    def find(self) -> tuple[ResultT, datetime] | None:
        """The result of an earlier run, and when that was; None if it has to be decided."""
        decision = self._decisions().find(self._digest)
        result = None if decision is None else self.read(decision.document)
        return None if decision is None or result is None else (result, decision.since)

    def keep(self, result: ResultT) -> str | None:
        """Keep a result for later runs; None, or why that cannot be done."""
        document = self.write(result)
        if document is None:
            return None
        return self._decisions().keep(self._digest, document, self.about)

    def find_failed(self) -> tuple[FailedResult, datetime] | None:
        """The latest result that did not hold, and when that was; None where there is none."""
        decision = self._decisions(FAILED).find(self._digest)
        result = None if decision is None else read_failed(decision.document)
        return None if decision is None or result is None else (result, decision.since)

    def keep_failed(self, result: FailedResult) -> None:
        """Keep for a report what does not hold; where that cannot be done, nothing is lost."""
        self._decisions(FAILED).keep(self._digest, asdict(result), self.about)

    def _decisions(self, folder: str = DECIDED) -> Decisions:
        return Decisions(self.workspace, self.verb, folder)

    @cached_property
    def _digest(self) -> str:
        return self.dependencies.digest


def _digest_of(document: Mapping[str, Any]) -> str:
    text = json.dumps(document, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@cache
def _digest_of_lockstep() -> str:
    """That of lockstep's own files, which a working copy may change without another version."""
    return _digest_of_folder(Path(__file__).parents[1])


def _digest_of_folder(folder: Path) -> str:
    files = (file for file in folder.rglob("*") if "__pycache__" not in file.parts)
    return _digest_of(
        {
            file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in files
            if file.is_file()
        }
    )
