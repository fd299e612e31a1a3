"""`replay`: a recorded behaviour is taken again, and what comes of it, on other versions too."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.requests.check import CheckRequest
from lockstep.requests.others import ReplayRequest
from lockstep.requests.run import Judged
from lockstep.requests.version import Version
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import Violation
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.system.text_files import write_text
from lockstep.trace.changes import changes
from lockstep.trace.claims import evaluate_all, failing_binding, find_property
from lockstep.trace.itf import Origin, Recording, damaged, digest, read
from lockstep.trace.itf_values import Misfit
from lockstep.trace.pytest_export import to_pytest, workspace_from
from lockstep.trace.render import render_instance
from lockstep.workspace import Workspace, find_workspace

__all__ = ["Replay", "ReplayRequest", "replay"]


@dataclass(frozen=True)
class Replay(Judged, ShownInNotebooks):
    """What came of a recorded behaviour.

    `verdict` is `violated` when the violation is there again, `holds` when the model still behaves
    so but the property now holds, `inconclusive` when the model no longer behaves so, and `error`
    when it has no meaning at the end. `because` says which, and where. `trace` is what was
    taken again, all of it or up to where the model departs; `parameters` is the binding for which
    the property fails, None when it does not.
    """

    model: Model
    origin: Origin
    trace: Trace
    verdict: Verdict
    because: str
    parameters: tuple[Any, ...] | None = None
    error: EvaluationError | None = None
    test: str | None = None
    """The text of the test that was written, None where none was."""


class _Departs(Exception):
    """The model does not do what was recorded."""


def replay(request: ReplayRequest) -> Replay:
    """Take the behaviour in a file again with the model of the workspace.

    `LockstepError` when the file is damaged, the model, its fault or a constant is not there, or
    the test cannot be written, as where its file is there already. A
    recorded state that the model does not reach counts as damage as long as the model's text is the
    one that was recorded, and as a change of the model otherwise.
    """
    workspace = request.workspace or find_workspace()
    if request.pytest is not None and request.pytest.exists():
        raise LockstepError(
            f"{request.pytest} is there already", cure="remove it, or name another file"
        )
    result = _replay(workspace, request.file)
    if request.pytest is None or result.parameters is None:
        return result
    place = workspace_from(request.pytest, workspace.root)
    test = to_pytest(result.model, result.trace, result.origin, place)
    write_text(request.pytest, test)
    return replace(result, test=test)


def _replay(workspace: Workspace, file: Path) -> Replay:
    recording = read(file)
    origin = recording.origin
    version = Version(workspace, origin.model, origin.fault, origin.proposal)
    model = version.load(origin.constants, origin.property)
    first = model.initial
    taken: list[Step] = []

    def ended(
        verdict: Verdict,
        because: str,
        parameters: tuple[Any, ...] | None = None,
        error: EvaluationError | None = None,
    ) -> Replay:
        whole = verdict in (Verdict.HOLDS, Verdict.VIOLATED)
        trace = Trace(first, tuple(taken), recording.loop if whole else None)
        return Replay(model, origin, trace, verdict, because, parameters, error)

    engine = PlainEngine(model)
    try:
        if origin.start is not None:
            first = recording.state(model, 0)
        _take_again(engine, recording, first, taken)
        failing = _finding(engine, recording, Trace(first, tuple(taken), recording.loop))
    except EvaluationError as error:
        return ended(Verdict.ERROR, error.seen_from(workspace.root), error=error)
    except (_Departs, Misfit) as departure:
        if digest(model) == origin.digest:
            misfit = departure if isinstance(departure, Misfit) else Misfit("", str(departure))
            raise damaged(file, misfit) from None
        return ended(Verdict.INCONCLUSIVE, f"the model has changed: {departure}")
    if origin.goal is not None:
        return ended(Verdict.HOLDS, f"the model still goes so; it was found for {origin.goal}")
    if failing is None:
        where = "at the end of" if recording.loop is None else "along"
        return ended(Verdict.HOLDS, f"{origin.property} holds {where} this behaviour now")
    return ended(Verdict.VIOLATED, f"{origin.property} is violated again, as recorded", failing)


def _take_again(engine: PlainEngine, recording: Recording, first: State, taken: list[Step]) -> None:
    """Take every recorded step, adding it to `taken`; `_Departs` where the model does not."""
    model = engine.model
    state = first
    _compare("the initial state", recording, model, 0, state)
    for index, (name, _) in enumerate(recording.steps, start=1):
        action = model.find_action(name)
        if action is None:
            raise _Departs(f"step {index}: there is no action {name}")
        parameters = recording.parameters(action, index)
        instance = render_instance(name, action.parameters, parameters)
        after = engine.run(action, state, parameters)
        if after is None:
            is_last = index == len(recording.steps) and recording.origin.property is not None
            so = ", so that what it broke is not broken so any more" if is_last else ""
            raise _Departs(f"step {index}: {instance} is not enabled{so}")
        taken.append(Step(name, parameters, after))
        _compare(f"step {index}: {instance}", recording, model, index, after)
        state = after


def _compare(what: str, recording: Recording, model: Model, index: int, reached: Any) -> None:
    recorded = recording.state(model, index)
    if found := changes(recorded, reached):
        raise _Departs(f"{what} leads elsewhere than recorded: {found[0]}")


def _finding(engine: PlainEngine, recording: Recording, trace: Trace) -> tuple[Any, ...] | None:
    """The binding for which the recorded property fails at the end, None when it holds."""
    origin = recording.origin
    name = origin.property
    if origin.goal is not None:
        return None
    if name is None:
        evaluate_all(engine, trace)
        raise _Departs(f"at the end everything has a value again ({origin.error})")
    if name == DEADLOCK:
        return failing_binding(engine, name, trace)
    prop = find_property(engine.model, name)
    if prop is None:
        raise _Departs(f"there is no property {name}")
    return failing_binding(engine, name, trace, recording.binding(prop))


@dataclass(frozen=True)
class Parting:
    """After how many steps another version is first in another state than recorded, and how."""

    step: int
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Refusal:
    """The step that another version does not take, and the parameters that it was recorded with."""

    step: int
    action: str
    parameters: tuple[Any, ...]


@dataclass
class ReplayedOn(Judged, ShownInNotebooks):
    """What came of a recorded behaviour on another version.

    `verdict` is `holds` where the version does not go so, or goes so and violates nothing;
    `violated` where something is violated; `inconclusive` where the recording does not say what
    the version would have to do; `error` where that has no meaning. `because` says which, and
    where. `trace` is what was taken, by the version's own states; `parting` is where those are
    first others than recorded, in variables that both have. `missing` and `added` are the variables
    that only the recording or only the version has, `uncompared` those that cannot have the first
    value recorded, as where a map has other keys. `others` are the steps, by number, at which
    another action does what was recorded.
    """

    origin: Origin
    version: Version
    model: Model
    trace: Trace
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    uncompared: tuple[str, ...] = ()
    others: dict[int, str] = field(default_factory=dict)
    parting: Parting | None = None
    refusal: Refusal | None = None
    violation: Violation | None = None
    verdict: Verdict = Verdict.INCONCLUSIVE
    because: str = ""
    error: EvaluationError | None = None
    scope: str | None = None
    """The scope of the version; the one recorded where none was asked for."""

    @property
    def check(self) -> str | None:
        """The command that looks at all behaviours of the version; None of another revision."""
        version = self.version
        if version.revision is not None:
            return None
        request = CheckRequest(
            scope=self.scope,
            fault=version.fault,
            proposal=version.proposal,
            constants=version.constants,
        )
        return request.again(version.model)
