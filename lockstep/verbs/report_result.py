"""What a report says of a workspace, before anybody shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from lockstep.results.verdict import Verdict, worst
from lockstep.specs.matrix import Matrix
from lockstep.specs.scopes import ModelSpec
from lockstep.system.revision import Revision
from lockstep.verbs.mutants_of_model import MutantsOfModel
from lockstep.verbs.prove_result import Proved
from lockstep.verbs.replay import Replay
from lockstep.verbs.report_campaigns import FaultsReport
from lockstep.verbs.report_entry import Entry
from lockstep.verbs.report_history import History
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class Place:
    """A line of a file of the workspace."""

    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True)
class Claim:
    """A property of a model; `kind` is its kind in words. `caught_first` are faults."""

    name: str
    kind: str
    doc: str
    place: Place | None
    requirements: tuple[str, ...]
    caught_first: tuple[str, ...]


class Conformance(Protocol):
    """What came of logs, as the package that knows them reads it: a struct of msgspec."""

    @property
    def exit_code(self) -> int:
        """That of the run which followed the logs."""
        ...


@dataclass(frozen=True)
class ModelReport:
    """All that is kept of one model. `places` are those of what `KIND MODEL.NAME` refers to.

    `fault_docs` and `sources` are by the name of a fault; the latter of those that have one.
    """

    spec: ModelSpec
    doc: str
    claims: tuple[Claim, ...]
    places: Mapping[str, Place]
    fault_docs: Mapping[str, str]
    sources: Mapping[str, str]
    checks: tuple[Entry, ...]
    faults: FaultsReport | None
    proofs: tuple[tuple[Entry, Proved | None], ...]
    twins: tuple[Entry, ...]
    mutants: tuple[Entry, MutantsOfModel | None]

    @property
    def name(self) -> str:
        """The model's name."""
        return self.spec.name

    @property
    def entries(self) -> Iterator[Entry]:
        """Every result of the model."""
        yield from self.checks
        if self.faults is not None:
            yield self.faults.entry
        yield from (entry for entry, _ in self.proofs)
        yield from self.twins
        yield self.mutants[0]

    @property
    def usual_check(self) -> Entry:
        """The check that `lockstep check` makes: the wanted one, or the first where none is."""
        return next((entry for entry in self.checks if entry.wanted), self.checks[0])


@dataclass(frozen=True)
class Report:
    """What is kept of a workspace. `matrix_error` says why the requirements cannot be read.

    `unread` are files that nothing reads, and `counterexamples` the behaviours of what is violated,
    as far as they are there again.
    """

    workspace: Workspace
    revision: Revision | None
    models: tuple[ModelReport, ...]
    matrix: Matrix | None
    matrix_error: str
    unread: tuple[str, ...]
    conformance: tuple[Conformance, ...]
    counterexamples: tuple[Replay, ...]
    history: History

    @property
    def entries(self) -> list[Entry]:
        """Every result, model by model."""
        return [entry for model in self.models for entry in model.entries]

    @property
    def broken(self) -> list[Entry]:
        """The results in which something is not as it must be."""
        return [entry for entry in self.entries if entry.is_broken]

    @property
    def open(self) -> list[Entry]:
        """What was not checked, or came to no end."""
        return [entry for entry in self.entries if entry.is_open]

    @property
    def exit_code(self) -> int:
        """The worst of all entries: 0 only where all that is wanted was checked and holds."""
        codes = [entry.exit_code for entry in self.entries]
        codes += [one.exit_code for one in self.conformance]
        codes += [1] * bool(self.matrix is not None and self.matrix.problems)
        codes += [2] * bool(self.matrix_error or self.unread)
        return worst(codes)

    @property
    def verdict(self) -> Verdict:
        """The verdict on all of it."""
        return {
            0: Verdict.HOLDS,
            1: Verdict.VIOLATED,
            3: Verdict.INCONCLUSIVE,
            4: Verdict.DIFFERS,
        }.get(self.exit_code, Verdict.ERROR)
