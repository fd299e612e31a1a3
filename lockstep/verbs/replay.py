"""`replay`: a recorded behaviour is taken again, and what comes of it, on other versions too."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.requests.check import CheckRequest
from lockstep.requests.others import ReplayRequest
from lockstep.requests.run import Judged
from lockstep.requests.version import Version
from lockstep.results.notebook import ShownInNotebooks
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.system.text_files import write_text
from lockstep.trace.behaviour import to_pytest, workspace_from
from lockstep.trace.changes import changes
from lockstep.trace.claims import evaluate_all, failing_binding, find_property
from lockstep.trace.conjuncts import false_requirement
from lockstep.trace.documents import (
    claim_json,
    conjunct_json,
    error_json,
    parameters_json,
    steps_json,
)
from lockstep.trace.itf import Origin, Recording, damaged, digest, read
from lockstep.trace.itf_values import Misfit
from lockstep.trace.render import render_instance
from lockstep.workspace import Workspace, find_workspace

__all__ = ["Replay", "ReplayRequest", "replay"]


@dataclass
class Replay(Judged, ShownInNotebooks):
    """What came of a recorded behaviour.

    `verdict` is `violated` when the violation is there again, `holds` when the model still behaves
    so but the property now holds, `inconclusive` when the model no longer behaves so, and `error`
    when it has no meaning at the end. `because` says which, and where. `trace` is what was
    taken again, all of it or up to where the model departs.
    """

    model: Model
    origin: Origin
    trace: Trace
    verdict: Verdict = Verdict.INCONCLUSIVE
    because: str = ""
    violation: Violation | None = None
    error: EvaluationError | None = None
    test: str | None = None
    """The text of the test that was written, None where none was."""

    @property
    def shown(self) -> Violation | Trace:
        """The behaviour, with what it violates where it does."""
        return self.violation or self.trace

    @property
    def fault(self) -> str | None:
        """The fault that is in place."""
        return self.origin.fault


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


@dataclass(kw_only=True)
class ReplayedOn(Replay):
    """What came of a recorded behaviour on another version.

    `verdict` is `holds` where the version does not go so, or goes so and violates nothing;
    `violated` where something is violated; `inconclusive` where the recording does not say what
    the version would have to do; `error` where that has no meaning. `trace` is what was taken, by
    the version's own states.
    """

    version: Version
    missing: tuple[str, ...] = ()
    """The variables that only the recording has."""
    added: tuple[str, ...] = ()
    """The variables that only the version has."""
    uncompared: tuple[str, ...] = ()
    """The variables that cannot have the first value recorded, as where a map has other keys."""
    others: dict[int, str] = field(default_factory=dict)
    """By the number of a step, the other action that does what was recorded."""
    parting: Parting | None = None
    """Where the states are first others than recorded, in variables that both have."""
    refusal: Refusal | None = None
    scope: str | None = None
    """The scope of the version; the one recorded where none was asked for."""

    @property
    def fault(self) -> str | None:
        """The version's own fault."""
        return self.version.fault

    @property
    def check(self) -> str | None:
        """The command that says whether another behaviour violates what this one does not.

        None where that is not open, and of another revision.
        """
        version = self.version
        is_open = self.verdict is Verdict.HOLDS and self.origin.goal is None
        if version.revision is not None or not is_open:
            return None
        return CheckRequest(scope=self.scope, **version.changes).again(version.model)


class OnDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a replay on another version has."""

    version: str
    """`MODEL`, `MODEL.FAULT`, `MODEL@NAME=VALUE` or `REVISION:MODEL`."""
    refused: dict[str, Any] | None
    """The step that is not enabled: `{step, action, parameters, requires}`. `requires` is the part
    of the guard that is false, `{text, file, line, values}`, or null."""
    parting: Parting | None
    """After which step the state is first another than recorded, and how: `{step, changes}`."""
    others: dict[int, str]
    """By the number of a step, the other action that leads to the recorded state."""
    missing: tuple[str, ...]
    """The variables that only the recording has."""
    added: tuple[str, ...]
    """The variables that only the version has."""
    uncompared: tuple[str, ...]
    """The variables that cannot have the values recorded at first."""


class ReplayDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a replay has."""

    property: str | None
    """The property that was recorded; null for a behaviour to where the text has no meaning, or to
    a goal."""
    goal: str | None
    """What was looked for, as by `prove --find`."""
    start: str | None
    """What is true at first, as by `prove --from`."""
    requirements: tuple[str, ...]
    """The requirements that the property `violated` states."""
    parameters: dict[str, Any]
    """The parameters for which that property fails."""
    steps: list[dict[str, Any]]
    """The steps that could be taken."""
    loop: int | None
    """As in the `details` of `check`."""
    error: dict[str, Any] | None
    """Where the text has no meaning, as under [`check`](#check)."""
    pytest: str | None
    """With `--pytest FILE`, the text of the test that was written."""
    on: OnDetails | None
    """With `--on VERSION`, what that is and where it parts; `steps`, `parameters` and the property
    `violated` are then the version's. Else null."""


def replay_answer(file: Path, result: Replay) -> Answer:
    """The answer to the replay of the behaviour in a file."""
    origin, model, trace = result.origin, result.model, result.trace
    violates = () if result.violation is None else result.violation.properties
    values = {
        **vars(origin),
        **claim_json(model, result.violation),
        "steps": steps_json(model, trace),
        "loop": trace.loop,
        "error": None if result.error is None else error_json(model, result.error),
        "pytest": result.test,
        "on": _on(result) if isinstance(result, ReplayedOn) else None,
    }
    return Answer(
        kind="replay",
        model=origin.model,
        scope=origin.scope or "",
        fault=origin.fault,
        proposal=origin.proposal,
        engine="python",
        verdict=str(result.verdict),
        violated=next(iter(violates), None),
        violates=violates,
        length=len(trace.steps),
        trace=str(file),
        because=result.because,
        exit_code=result.exit_code,
        details=msgspec.convert(values, ReplayDetails),
    )


def _on(result: ReplayedOn) -> OnDetails:
    refusal, refused = result.refusal, None
    if refusal is not None:
        model, action = result.model, result.model.action(refusal.action)
        state, parameters = result.trace.last, refusal.parameters
        conjunct = false_requirement(model.universe, action, state, parameters)
        refused = {
            "step": refusal.step,
            "action": refusal.action,
            "parameters": parameters_json(action.parameters, parameters),
            "requires": conjunct_json(model, conjunct),
        }
    values = {**vars(result), "version": str(result.version), "refused": refused}
    return msgspec.convert(values, OnDetails)


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
    if request.pytest is None or result.violation is None:
        return result
    place = workspace_from(request.pytest, workspace.root)
    result.test = to_pytest(result.model, result.trace, result.origin, place)
    write_text(request.pytest, result.test)
    return result


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
        failing: tuple[Any, ...] | None = None,
        error: EvaluationError | None = None,
    ) -> Replay:
        whole = verdict in (Verdict.HOLDS, Verdict.VIOLATED)
        trace = Trace(first, tuple(taken), recording.loop if whole else None)
        names = (origin.property or "",)
        violation = None if failing is None else Violation(names, failing, trace)
        return Replay(model, origin, trace, verdict, because, violation, error)

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
