"""`report`: what is kept of a workspace, all in one place. It checks nothing by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_definitions, fault_marks
from lockstep.language.model import Model
from lockstep.results.verdict import Verdict
from lockstep.specs.matrix import Matrix, build_matrix
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.system.extensions import LOGS, extension
from lockstep.system.revision import Revision, revision_of
from lockstep.verbs.campaign import EarlierRows
from lockstep.verbs.models import choose
from lockstep.verbs.replay import Replay, replay
from lockstep.verbs.report_campaigns import FaultsReport, faults_report, mutants_report
from lockstep.verbs.report_checks import KeptResults, model_of
from lockstep.verbs.report_entry import CHECK, MUTANTS, Entry
from lockstep.verbs.report_history import History, history_rows
from lockstep.verbs.report_result import Claim, Conformance, ModelReport, Place, Report
from lockstep.verbs.requests import ReplayRequest, ReportRequest
from lockstep.verbs.run import Unwatched, Watch
from lockstep.workspace import Workspace, find_workspace

__all__ = ["Report", "ReportRequest", "report"]

HISTORY = "history.jsonl"
"""The file of the history among what a workspace keeps."""


def report(request: ReportRequest = ReportRequest(), *, watch: Watch = Unwatched()) -> Report:
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
            if entry.is_broken and entry.answer.trace is not None:
                try:
                    again = replay(ReplayRequest(Path(entry.answer.trace), workspace=workspace))
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
    entry = Entry.of(CHECK, name, "default", again).saying(Verdict.ERROR, str(error))
    without = Entry.of(MUTANTS, name, "default", f"lockstep mutants {name}", wanted=False)
    spec = ModelSpec(None, name)
    return ModelReport(spec, "", (), {}, {}, {}, (entry,), None, (), (), (without, None))


def _claims(model: Model, faults: FaultsReport | None) -> Iterator[Claim]:
    caught = {} if faults is None else faults.faults.invariants
    for prop in model.properties:
        yield Claim(
            name=prop.name,
            kind=prop.kind.name.lower().replace("_", " "),
            doc=prop.doc,
            place=_place(model, prop.function),
            requirements=prop.requirements,
            caught_first=tuple(caught.get(prop.name, ())),
        )


def _places(workspace: Workspace, model: Model) -> Iterator[tuple[str, Place]]:
    """The place of everything that a requirement may refer to by the model's name."""
    kinds: dict[str, Iterable[tuple[str, Callable[..., Any]]]] = {
        "invariant": ((prop.name, prop.function) for prop in model.properties),
        "action": ((action.name, action.function) for action in model.actions),
    }
    for kind, functions in kinds.items():
        for name, function in functions:
            if (place := _place(model, function)) is not None:
                yield f"{kind} {model.name}.{name}", place
    for fault, (file, line) in fault_definitions(workspace.root, model.name).items():
        place = Place(file.relative_to(workspace.root).as_posix(), line)
        yield f"fault {model.name}.{fault}", place


def _place(model: Model, function: Callable[..., Any]) -> Place | None:
    definition = model.universe.definition(function)
    if definition is None:
        return None
    node, file = definition
    root = model.universe.root
    if not file.is_relative_to(root):
        return None
    return Place(file.relative_to(root).as_posix(), node.lineno)
