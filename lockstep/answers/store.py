"""Answers of earlier runs, so that an unchanged question need not be answered again.

An answer is a small JSON document in a file that is named after the digest of all that it depends
on: `.lockstep/decided/VERB/DIGEST.json` in the workspace. Whatever changes the answer changes the
digest, so that a file is never out of date, only without use. Nothing is lost with the folder but
time. An answer that does not hold is there for a report alone: it is looked for again each time.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lockstep.answers.answer import Answer, decode, encode, now
from lockstep.errors import not_written
from lockstep.language.likeness import made_by
from lockstep.results.verdict import Verdict
from lockstep.system.sealed import document_in, keep_newest, own_content, write_document

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.workspace import Workspace

_MOST_FILES = 1_000
"""Answers of a verb that are kept; those made longest ago go first."""

_MOST_BYTES = 1 << 20
"""A larger file is none that was written here."""


@dataclass(frozen=True)
class Dependencies:
    """All that an answer depends on, beside lockstep itself and Python.

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


version = cache(metadata.version)
"""The version of an installed package, which no process changes while it runs."""

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
class Question:
    """A question that a verb answers about a model in a scope or a proof."""

    workspace: Workspace
    verb: str
    model: str
    scope: str
    dependencies: Dependencies

    def find(self) -> Answer | None:
        """The answer that depends on just this.

        None where there is none, and where its file is damaged or may be somebody else's: the
        question is then answered again.
        """
        answer = _read(self._file)
        is_ours = answer is not None and (answer.kind, answer.key) == (self.verb, self._digest)
        return answer if is_ours else None

    def keep(self, answer: Answer) -> str | None:
        """Keep an answer for later runs; None, or why that cannot be done.

        What is inconclusive takes the place of no other answer: it may have been short of time.
        """
        if answer.verdict == Verdict.INCONCLUSIVE:
            earlier = self.find()
            if earlier is not None and earlier.verdict != Verdict.INCONCLUSIVE:
                return None
        kept = msgspec.structs.replace(answer, kind=self.verb, key=self._digest, since=now())
        folder = self._file.parent
        try:
            self.workspace.make_output()
            folder.mkdir(parents=True, exist_ok=True)
            # Not for a group to write, whatever the umask: such a file would not be trusted.
            write_document(self._file, msgspec.Raw(encode(kept)), self._digest, 0o644)
            keep_newest(folder, "*.json", _MOST_FILES)
        except OSError as error:
            return not_written(folder, error)
        return None

    @cached_property
    def _digest(self) -> str:
        return self.dependencies.digest

    @property
    def _file(self) -> Path:
        return _folder(self.workspace, self.verb) / f"{self._digest}.json"


def latest_answers(workspace: Workspace, verb: str) -> dict[tuple[str, str], datetime]:
    """When a verb answered last about each model and scope or proof, whatever the texts were."""
    latest: dict[tuple[str, str], datetime] = {}
    for file in _folder(workspace, verb).glob("*.json"):
        answer = _read(file)
        if answer is not None and answer.since is not None and answer.key == file.stem:
            subject = answer.model, answer.scope
            latest[subject] = max(answer.since, latest.get(subject, answer.since))
    return latest


def _folder(workspace: Workspace, verb: str) -> Path:
    return workspace.output / "decided" / verb


def _read(file: Path) -> Answer | None:
    """The answer in a file; None where there is none, or none that is as it was written."""
    try:
        content = own_content(file, most=_MOST_BYTES)
        written = bytes(document_in(content, msgspec.Raw, belongs_to=file.stem))
        answer = decode(written, Answer)
        # No field is in the file that is not looked at.
        is_whole = encode(answer) == written and isinstance(answer.details, dict)
        return answer if is_whole and answer.since is not None else None
    except (OSError, ValueError):
        return None


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
