"""What a report says of a workspace, before anybody shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lockstep.answers.history import CHECK, MUTANTS, Entry, History, history_rows
from lockstep.errors import LockstepError
from lockstep.language.faults import fault_definitions, fault_marks
from lockstep.language.model import Action, Model, Property
from lockstep.requests.option import choose
from lockstep.requests.others import ReplayRequest, ReportRequest
from lockstep.requests.run import Watch
from lockstep.results.verdict import Verdict, verdict_of, worst
from lockstep.specs.matrix import Matrix, build_matrix
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.system.extensions import LOGS, extension
from lockstep.system.git import Revision, revision_of
from lockstep.verbs.campaign import EarlierRows
from lockstep.verbs.mutants import MutantsOfModel
from lockstep.verbs.prove_result import Proved
from lockstep.verbs.replay import replay
from lockstep.verbs.replay_result import Replay
from lockstep.verbs.report_checks import (
    FaultsReport,
    KeptResults,
    faults_report,
    model_of,
    mutants_report,
)
from lockstep.workspace import Workspace, find_workspace

__all__ = ["Report", "ReportRequest", "report"]


@dataclass(frozen=True)
class Claim:
    """A property of a model; `kind` is its kind in words. `caught_first` are faults."""

    name: str
    kind: str
    doc: str
    place: str | None
    """Where it begins, as `FILE:LINE`."""
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
    places: Mapping[str, str]
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
        return verdict_of(self.exit_code)


HISTORY = "history.jsonl"
"""The file of the history among what a workspace keeps."""


def report(request: ReportRequest = ReportRequest(), *, watch: Watch = Watch()) -> Report:
    """Gather what is kept for the texts as they stand, and add it to the history.

    What has no result was not checked, whatever earlier texts gave. `LockstepError` where there is
    no model, a file of `request` cannot be used, or the history cannot be written.
    """
    workspace = request.workspace or find_workspace()
    names = choose((), workspace)
    conformance = _conformance(request.conform)
    history = History.read(request.history or workspace.output / HISTORY)
    revision = revision_of(workspace.root)
    models = []
    with watch.steps("report") as on_step:
        kept, rows = KeptResults(workspace), EarlierRows(workspace)
        for name in names:
            on_step(name)
            models.append(_model(workspace, name, kept, rows))
        on_step("requirements")
        matrix, matrix_error = _matrix(workspace.root, names)
    result = Report(
        workspace=workspace,
        revision=revision,
        models=tuple(models),
        matrix=matrix,
        matrix_error=matrix_error,
        unread=tuple(
            f"{file.file.relative_to(workspace.root).as_posix()} is not read: {file.why}"
            for file in workspace.unused()
            if file.is_mistake
        ),
        conformance=conformance,
        counterexamples=tuple(_counterexamples(workspace, models)),
        history=history,
    )
    _remember(result, revision, request)
    return result


def _conformance(files: Sequence[Path]) -> tuple[Conformance, ...]:
    """What came of logs that were followed; who followed them knows how to read it."""
    if not files:
        return ()
    read: Callable[[Path], Conformance] = extension(LOGS, "read")
    return tuple(map(read, files))


def _remember(result: Report, revision: Revision | None, request: ReportRequest) -> None:
    commit = None if revision is None else revision.commit
    changed = revision is not None and revision.is_changed
    if request.history is None:
        try:
            result.workspace.make_output()
        except OSError as error:
            raise LockstepError(
                f"{result.workspace.output} cannot be written: {error.strerror}",
                cure="name a file for the history by --history",
            ) from None
    result.history.add(history_rows(result.entries, commit, changed=changed))


def _counterexamples(workspace: Workspace, models: Iterable[ModelReport]) -> Iterator[Replay]:
    """The behaviours that violate something, taken again; one that is not there is left out."""
    for model in models:
        for entry in model.entries:
            if entry.is_broken and entry.trace is not None:
                try:
                    again = replay(ReplayRequest(Path(entry.trace), workspace=workspace))
                except LockstepError:
                    continue
                if again.verdict in (Verdict.VIOLATED, Verdict.ERROR):
                    yield again


def _matrix(root: Path, names: list[str]) -> tuple[Matrix | None, str]:
    try:
        matrix = build_matrix(root, names, every_file=True)
    except LockstepError as error:
        return None, str(error)
    return (matrix if matrix.kips else None), ""


def _model(workspace: Workspace, name: str, kept: KeptResults, rows: EarlierRows) -> ModelReport:
    """All of one model; where it cannot be loaded, that alone."""
    try:
        spec = load_model_spec(workspace.root, name)
        model = model_of(workspace, spec)
        faults = faults_report(workspace, spec, rows)
        marks = fault_marks(workspace.root, name)
        return ModelReport(
            spec=spec,
            doc=model.doc,
            claims=tuple(_claims(model, faults)),
            places=dict(_places(workspace, model)),
            fault_docs={fault: doc for fault, (_, doc) in marks.items()},
            sources={fault: mark.source for fault, (mark, _) in marks.items() if mark.source},
            checks=tuple(kept.checks(spec)),
            faults=faults,
            proofs=tuple(kept.proofs(spec)),
            twins=tuple(kept.twins(spec)),
            mutants=mutants_report(workspace, spec, rows),
        )
    except Exception as error:
        return _refused(name, failure_of(error, workspace))


def _refused(name: str, error: LockstepError) -> ModelReport:
    again = f"lockstep check {name}"
    entry = Entry(kind=CHECK, model=name, scope="default", again=again)
    entry = entry.saying(Verdict.ERROR, str(error))
    again = f"lockstep mutants {name}"
    without = Entry(kind=MUTANTS, model=name, scope="default", again=again, wanted=False)
    spec = ModelSpec(None, name)
    return ModelReport(spec, "", (), {}, {}, {}, (entry,), None, (), (), (without, None))


def _claims(model: Model, faults: FaultsReport | None) -> Iterator[Claim]:
    caught = {} if faults is None else faults.faults.invariants
    for prop in model.properties:
        yield Claim(
            name=prop.name,
            kind=prop.kind.name.lower().replace("_", " "),
            doc=prop.doc,
            place=model.universe.place_text(prop.function),
            requirements=prop.requirements,
            caught_first=tuple(caught.get(prop.name, ())),
        )


def _places(workspace: Workspace, model: Model) -> Iterator[tuple[str, str]]:
    """The place of everything that a requirement may refer to by the model's name."""
    kinds: dict[str, Sequence[Property | Action]] = {
        "invariant": model.properties,
        "action": model.actions,
    }
    for kind, declared in kinds.items():
        for one in declared:
            if (place := model.universe.place_text(one.function)) is not None:
                yield f"{kind} {model.name}.{one.name}", place
    for fault, place in fault_definitions(workspace.root, model.name).items():
        yield f"fault {model.name}.{fault}", place
