"""The verbs as one item asks them: the exit code, and what a reader is shown.

Nothing here decides anything. The text is that which the command prints.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.errors import ExitCode, LockstepError
from lockstep.report.check import CheckView
from lockstep.report.matrix import matrix_page
from lockstep.report.prove import ProveView
from lockstep.report.twin import TwinView
from lockstep.report.view import text_of
from lockstep.requests.option import choose
from lockstep.results.verdict import INTERRUPTED
from lockstep.system.extensions import LOGS, extension
from lockstep.verbs.check import CheckRequest, check, plan_check
from lockstep.verbs.check_result import Checked
from lockstep.verbs.fault_task import FaultAnswer
from lockstep.verbs.faults import FaultsRequest, faults
from lockstep.verbs.matrix import MatrixRequest, matrix
from lockstep.verbs.prove import ProveRequest, prove
from lockstep.verbs.twin import TwinRequest, plan_twin, twin
from lockstep.words import plural, shown_path
from lockstep.workspace import Workspace, find_workspace


@dataclass(frozen=True)
class Asked:
    """The workspace of an item, its model, and how many threads it may take (None: one a core)."""

    workspace: Workspace
    model: str
    threads: int | None

    @property
    def given(self) -> Workspace | None:
        """The workspace as a command has to name it: not, where it is that of the folder."""
        return _given(self.workspace)


def _given(workspace: Workspace) -> Workspace | None:
    try:
        return None if find_workspace() == workspace else workspace
    except LockstepError:
        return workspace


@dataclass(frozen=True)
class ItemResult:
    """What came of an item: 0 only where all of it was decided, and holds.

    The first line of the text is the gist of it. `numbers` are for reports, such as how many states
    there are.
    """

    exit_code: int
    text: str
    numbers: Mapping[str, object] = field(default_factory=dict)


@contextmanager
def _printed() -> Iterator[io.StringIO]:
    """What is printed meanwhile."""
    with io.StringIO() as text, redirect_stdout(text):
        yield text


def check_scope(asked: Asked, scope: str) -> ItemResult:
    """Check one model in one scope."""
    return _check(CheckRequest((asked.model,), asked.given, scope, threads=asked.threads))


def _check(request: CheckRequest) -> ItemResult:
    plan = plan_check(request)
    run = check(plan)
    text = text_of(CheckView(plan).blocks(run))
    (result,) = run.results or (None,)
    if not isinstance(result, Checked):
        return ItemResult(run.exit_code, text)
    why = ", ".join(result.result.violated) or result.judgement.because
    search = result.result
    numbers = {
        "verdict": str(result.verdict),
        "states": search.states,
        "transitions": search.transitions,
        "depth": search.depth,
    }
    return ItemResult(run.exit_code, f"{result.verdict}: {why}\n{text}", numbers)


def run_fault(asked: Asked, fault: str) -> ItemResult:
    """Run one fault, which must do what it says that it does."""
    run = faults(_of_faults(asked, fault))
    lines = [str(error) for result in run.results for error in result.errors]
    rows = [row for result in run.results for row in result.runs]
    for row in rows:
        lines += [f"wrong: {asked.model}.{fault}: {row.details.problem}"] * bool(
            row.details.problem
        )
        if row.details.problem and row.violated:
            lines.append(_counterexample(asked, row))
    lines.append(f"reproduce with  lockstep faults {asked.model}")
    numbers = {"verdict": rows[0].verdict, "states": rows[0].states} if rows else {}
    return ItemResult(run.exit_code, "\n".join(lines), numbers)


def _counterexample(asked: Asked, row: FaultAnswer) -> str:
    """What a fault breaks, as `check --fault` prints it; a row has no more than its steps."""
    request = CheckRequest((asked.model,), asked.given, fault=row.name, threads=asked.threads)
    return _check(request).text


def catch_every_claim(asked: Asked) -> ItemResult:
    """Ask whether each claim of a model has a fault that breaks it first."""
    run = faults(_of_faults(asked))
    lines = [str(error) for result in run.results for error in result.errors]
    uncaught = [
        claim for result in run.results for claim, rows in result.invariants.items() if not rows
    ]
    lines += [f"wrong: {asked.model}.{claim}: no fault breaks it first" for claim in uncaught]
    lines.append(f"reproduce with  lockstep faults {asked.model}")
    if not lines[:-1]:
        code = INTERRUPTED if run.exit_code == INTERRUPTED else int(ExitCode.HOLDS)
        return ItemResult(code, lines[-1])
    return ItemResult(run.exit_code or int(ExitCode.VIOLATED), "\n".join(lines))


def _of_faults(asked: Asked, *names: str) -> FaultsRequest:
    return FaultsRequest((asked.model,), asked.given, threads=asked.threads, names=names)


def prove_widths(asked: Asked, proof: str) -> ItemResult:
    """Make one proof of one model."""
    request = ProveRequest((asked.model,), asked.given, proof)
    run = prove(request)
    return ItemResult(run.exit_code, text_of(ProveView(asked.workspace.root, request).blocks(run)))


def compare_twin(asked: Asked, scope: str) -> ItemResult:
    """Compare one model with its twin in one scope."""
    plan = plan_twin(TwinRequest((asked.model,), asked.given, scope))
    run = twin(plan)
    verdict = ", ".join(str(one.verdict) for one in run.results)
    text = text_of(TwinView(plan.workspace.root, plan.tasks).blocks(run))
    return ItemResult(run.exit_code, f"{verdict}\n{text}")


def follow_log(workspace: Workspace, log: Path) -> ItemResult:
    """Follow one recorded log through the model."""
    follow: Callable[[Path, Workspace | None], tuple[int, int]] = extension(LOGS, "follow")
    with _printed() as printed:
        exit_code, lines = follow(log, _given(workspace))
        print(f"reproduce with  lockstep conform {shown_path(log)}")
        return ItemResult(exit_code, printed.getvalue(), {"lines": lines})


def answer_requirements(workspace: Workspace) -> ItemResult:
    """Hold requirements against what answers them."""
    result = matrix(MatrixRequest(workspace=_given(workspace)))
    text = text_of(matrix_page(result).blocks)
    return ItemResult(result.exit_code, f"{text}reproduce with  lockstep matrix\n")


def read_every_file(workspace: Workspace) -> ItemResult:
    """Ask whether there are claims, faults or scopes in files that nothing reads."""
    choose((), workspace)  # refuses a workspace without models
    files = [file for file in workspace.unused() if file.is_mistake]
    lines = [f"not read  {shown_path(file.file)}: {file.why}" for file in files]
    lines += [plural(len(files), "file") + " that nothing reads", "reproduce with  lockstep check"]
    return ItemResult(int(ExitCode.USAGE if files else ExitCode.HOLDS), "\n".join(lines))
