"""The folder of a search: its manifest, its runs, and the lock that keeps other searches away.

All machines that take part see it under the same path. Nothing in it is ever executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.machine.search.checkpoint import FolderLock
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.manifest import (
    FORMAT,
    Manifest,
    NotAManifest,
    manifest_of,
    read_document,
    write_manifest,
)
from lockstep.spark.search.runs import Damaged, RunFolder


class WorkFolder:
    """A folder for one search; closing it lets others use the folder.

    `manifest` is what is committed, None where nothing is. Raises LockstepError where the folder
    cannot be used, is in use, belongs to another search, or has a damaged manifest.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str], machine: Machine) -> None:
        self._folder = folder.absolute()
        self._identity = identity
        self._machine = machine
        self.manifest: Manifest | None = None
        try:
            self.runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LockstepError(f"{folder} cannot be made: {error.strerror}") from None
        self._lock = FolderLock(self._folder)
        try:
            if self._file.exists():
                self.manifest = self._read()
        except BaseException:
            self._lock.release()
            raise

    @property
    def runs(self) -> Path:
        """The folder of the runs."""
        return self._folder / "runs"

    @property
    def reader(self) -> RunFolder:
        """The runs, read and written from here."""
        return RunFolder(self.runs, self._machine)

    def commit(self, manifest: Manifest) -> None:
        """From now on this is what is there; every other file of runs is removed.

        No task may be running that still needs one. `OSError` where it cannot be done: what was
        committed before is still good.
        """
        write_manifest(self._file, self._identity, manifest)
        self.manifest = manifest
        for file in self.runs.iterdir():
            if file.name not in manifest.files:
                file.unlink(missing_ok=True)

    def close(self) -> None:
        """Let others use the folder."""
        self._lock.release()

    def damaged(self, damage: Damaged) -> LockstepError:
        """What to say of a run that is not what was written."""
        return self._damaged(self.runs / damage.file, damage.why)

    @property
    def _file(self) -> Path:
        return self._folder / "spark.json"

    def _read(self) -> Manifest:
        shape = self._machine.shape
        try:
            document = read_document(self._file)
            self._compare(document)
            return manifest_of(document, actions=shape.actions, properties=shape.properties)
        except NotAManifest as reason:
            raise self._damaged(self._file, str(reason)) from None

    def _compare(self, document: Mapping[str, object]) -> None:
        """See that the search that is here is this one."""
        if document.get("format") != FORMAT:
            raise self._another("another version of lockstep made it")
        parts = document.get("search")
        if not isinstance(parts, Mapping):
            parts = {}
        differences = [name for name, part in self._identity.items() if parts.get(name) != part]
        if differences:
            raise self._another(f"not the same: {', '.join(differences)}")

    def _another(self, why: str) -> LockstepError:
        return LockstepError(
            f"{self._folder} is the checkpoint of another search: {why}",
            cure="name another folder, or remove this one",
        )

    def _damaged(self, file: Path, why: str) -> LockstepError:
        return LockstepError(
            f"the checkpoint is damaged: {file}: {why}",
            cure=f"remove {self._folder}; the search begins again",
        )
