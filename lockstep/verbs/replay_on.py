"""Takes a recorded behaviour on another version of its model, to see whether a change stops it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Action, Model
from lockstep.language.notation import Kind, State
from lockstep.plain.ending import violated_at_the_end
from lockstep.plain.lasso import closes
from lockstep.plain.run import PlainEngine
from lockstep.requests.others import ReplayRequest
from lockstep.requests.version import Version, version_at
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.changes import changes_of
from lockstep.trace.claims import evaluate_all, failing_binding, find_property
from lockstep.trace.itf import Origin, Recording, read
from lockstep.trace.itf_values import Misfit
from lockstep.trace.render import render_instance, render_taken
from lockstep.verbs.replay import Parting, Refusal, ReplayedOn
from lockstep.workspace import find_workspace


class _Unclear(Exception):
    """The recording does not say what the version would have to do."""


@contextmanager
def replay_on(request: ReplayRequest) -> Iterator[ReplayedOn]:
    """Take the behaviour in a file on the version that the request names with `on`.

    The constants are those recorded, as far as the version has them, below those that it sets
    itself; with `scope` they are those of its scope. Files of a git revision are there as long as
    the block runs. `LockstepError` when the file is damaged, or there is no such version.
    """
    workspace = request.workspace or find_workspace()
    recording = read(request.file)
    with version_at(workspace, request.on or "") as version:
        model = _load(version, recording.origin, request.scope)
        result = _Taking(recording, version, model).result()
        result.scope = request.scope or recording.origin.scope
        yield result


def _load(version: Version, origin: Origin, scope: str | None) -> Model:
    """The version in the scope of the recording, or in one of its own."""
    if scope is not None:
        spec = load_model_spec(version.workspace.root, version.model)
        constants = version.over(spec.scope(scope).constants)
    else:
        declared = version.load({}).constants
        recorded = {name: value for name, value in origin.constants.items() if name in declared}
        constants = {**version.fault_constants, **recorded, **version.constants}
    return version.load(constants, origin.property)


class _Taking:
    """One recorded behaviour on one version."""

    def __init__(self, recording: Recording, version: Version, model: Model) -> None:
        self._recording = recording
        self._model = model
        self._engine = PlainEngine(model)
        self._root = version.workspace.root
        recorded = recording.states[0].keys()
        names = model.variables.keys()
        shared = [name for name in names if name in recorded]
        self._compared = [name for name in shared if self._fits(name)]
        self._steps: list[Step] = []
        self._first = model.initial
        self._result = ReplayedOn(
            model,
            recording.origin,
            Trace(model.initial, ()),
            version=version,
            missing=tuple(sorted(recorded - names)),
            added=tuple(name for name in names if name not in recorded),
            uncompared=tuple(name for name in shared if name not in self._compared),
        )

    def _fits(self, name: str) -> bool:
        """Whether a variable can have what was recorded of it at first."""
        try:
            self._recording.variable(self._model, 0, name)
        except Misfit:
            return False
        return True

    def result(self) -> ReplayedOn:
        """What comes of it."""
        result = self._result
        try:
            if self._recording.origin.start is not None:
                self._first = self._recorded_first()
            if not self._compared and not self._result.uncompared:
                raise _Unclear(f"{self._result.version} has none of the variables recorded")
            self._compare(0, self._first)
            if not self._take_all():
                self._judge()
        except EvaluationError as error:
            result.error = error
            self._conclude(Verdict.ERROR, error.seen_from(self._root))
        except _Unclear as unclear:
            self._conclude(Verdict.INCONCLUSIVE, str(unclear))
        result.trace = self._trace(closed=result.verdict is Verdict.VIOLATED)
        return result

    def _trace(self, *, closed: bool = True) -> Trace:
        is_whole = len(self._steps) == len(self._recording.steps)
        loop = self._recording.loop if is_whole and closed else None
        return Trace(self._first, tuple(self._steps), loop)

    def _conclude(self, verdict: Verdict, because: str) -> None:
        self._result.verdict, self._result.because = verdict, because

    def _recorded_first(self) -> State:
        """The recorded first state; variables that it has not are as in the version's own."""
        if names := self._result.uncompared:
            raise _Unclear(
                f"it begins in a state that {self._result.version} does not have: "
                f"{', '.join(names)} cannot be as recorded"
            )
        values = {name: self._recording.variable(self._model, 0, name) for name in self._compared}
        return self._model.state.of(
            values.get(name, old)
            for name, old in zip(self._model.variables, self._model.initial, strict=True)
        )

    def _take_all(self) -> bool:
        """Take every step, up to where something ends it; whether something does."""
        for number in range(1, len(self._recording.steps) + 1):
            if self._is_violated() or not self._take(number):
                return True
        return False

    def _take(self, number: int) -> bool:
        """Take one step, or another that does what was recorded; False where there is none."""
        result, state = self._result, self._steps[-1].state if self._steps else self._first
        name = self._recording.steps[number - 1][0]
        action = self._model.find_action(name)
        parameters = None if action is None else self._parameters(action, number)
        step = None
        if action is not None and parameters is not None:
            after = self._engine.run(action, state, parameters)
            step = None if after is None else Step(name, parameters, after)
        if step is None:
            step = self._other(number, state)
            if step is None and parameters is not None:
                result.refusal = Refusal(number, name, parameters)
                self._conclude(
                    *self._stopped(
                        number,
                        render_instance(name, self._model.action(name).parameters, parameters),
                    )
                )
                return False
            if step is None:
                raise _Unclear(self._why_unclear(number, action))
            result.others[number] = render_taken(self._model, step)
        self._steps.append(step)
        self._compare(number, step.state)
        return True

    def _stopped(self, number: int, instance: str) -> tuple[Verdict, str]:
        """What it comes to that a step is not enabled."""
        version, origin = self._result.version, self._recording.origin
        if origin.goal is not None:
            why = f"step {number}, {instance}, is not enabled: {origin.goal} is not reached so"
            return Verdict.INCONCLUSIVE, why
        return Verdict.HOLDS, f"{version} stops it: step {number}, {instance}, is not enabled"

    def _why_unclear(self, number: int, action: Action | None) -> str:
        version, name = self._result.version, self._recording.steps[number - 1][0]
        if action is None:
            why = f"{version} has no action {name}"
        else:
            try:
                self._recording.parameters(action, number)
                why = f"{version} has another {name}"
            except Misfit as misfit:
                why = f"{version} cannot be given its parameters: {misfit.reason}"
        other = "" if self._result.parting else ", and no other step leads where it led"
        return f"step {number}, {name}: {why}{other}"

    def _parameters(self, action: Action, number: int) -> tuple[Any, ...] | None:
        try:
            return self._recording.parameters(action, number)
        except Misfit:
            return None

    def _other(self, number: int, state: State) -> Step | None:
        """Another step to the recorded state, if what was recorded says which state that is."""
        states = self._recording.states
        changed = [
            name for name in self._compared if states[number - 1][name] != states[number][name]
        ]
        if self._result.parting is not None or not changed:
            return None
        for step in self._engine.successors(state):
            if not self._differences(number, step.state):
                return step
        return None

    def _compare(self, number: int, state: State) -> None:
        """Note where the version is first in another state than recorded."""
        if self._result.parting is None and (found := self._differences(number, state)):
            self._result.parting = Parting(number, tuple(found))

    def _differences(self, number: int, state: State) -> list[str]:
        found = []
        for name in self._compared:
            try:
                recorded = self._recording.variable(self._model, number, name)
            except Misfit as misfit:
                found.append(f"{name}: {misfit.reason}")
                continue
            found += [str(one) for one in changes_of(name, recorded, getattr(state, name))]
        return found

    def _is_violated(self) -> bool:
        """Whether the recorded property is violated before the end; the result then says so."""
        prop = find_property(self._model, self._recording.origin.property or "")
        if prop is None or prop.kind not in (Kind.INVARIANT, Kind.STEP_INVARIANT):
            return False
        trace = self._trace()
        failing = failing_binding(self._engine, prop.name, trace)
        if failing is not None:
            taken = len(trace.steps)
            where = f"after step {taken}" if taken else "in the initial state"
            self._violated(prop.name, failing, trace, f" already {where}")
        return failing is not None

    def _violated(self, name: str, failing: tuple[Any, ...], trace: Trace, where: str) -> None:
        self._result.violation = Violation((name,), failing, trace)
        self._conclude(Verdict.VIOLATED, f"{name} is violated on {self._result.version}{where}")

    def _judge(self) -> None:
        """Say what is violated at the end, all steps being taken."""
        origin, version = self._recording.origin, self._result.version
        trace = self._trace()
        if origin.goal is not None:
            self._conclude(Verdict.HOLDS, f"{version} goes so too; it was found for {origin.goal}")
            return
        if trace.loop is not None and not closes(trace):
            why = f"on {version} the last state is not the one after step {trace.loop}"
            raise _Unclear(f"{why}: whether it can go on so for ever is not known")
        name = origin.property or ""
        if not name:
            evaluate_all(self._engine, trace)
            self._conclude(Verdict.HOLDS, f"on {version} everything has a value at the end")
            return
        if name != DEADLOCK and find_property(self._model, name) is None:
            raise _Unclear(f"{version} goes so too, and claims no {name}: name what it claims")
        try:
            failing = failing_binding(self._engine, name, trace)
        except EvaluationError:
            raise
        except LockstepError as error:  # a claim of another kind
            raise _Unclear(f"on {version} {error.message}") from None
        if failing is not None:
            self._violated(name, failing, trace, ", as recorded")
            return
        others = {} if trace.loop is not None else violated_at_the_end(self._engine, trace)
        if others:
            other, binding = next(iter(others.items()))
            self._violated(other, binding, trace, f" in its stead: {name} holds")
            return
        where = "along" if trace.loop is not None else "at the end of"
        self._conclude(Verdict.HOLDS, f"{name} holds {where} this behaviour on {version}")
