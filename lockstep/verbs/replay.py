"""`replay`: a recorded behaviour is taken again, by its own model or by another version of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import Kind, State
from lockstep.plain.ending import violated_at_the_end
from lockstep.plain.lasso import closes
from lockstep.plain.run import PlainEngine
from lockstep.requests.others import ReplayRequest
from lockstep.requests.version import Version, version_at
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.system.text_files import write_text
from lockstep.trace.behaviour import to_pytest, workspace_from
from lockstep.trace.changes import changes, changes_of
from lockstep.trace.claims import evaluate_all, failing_binding
from lockstep.trace.itf import Origin, Recording, damaged, digest, read
from lockstep.trace.itf_values import Misfit
from lockstep.trace.render import render_instance, render_taken
from lockstep.verbs.replay_result import Parting, Refusal, Replay
from lockstep.workspace import find_workspace

__all__ = ["Replay", "ReplayRequest", "replay", "replay_on"]


def replay(request: ReplayRequest) -> Replay:
    """Take the behaviour in a file again, as `replay_on` does, with no file left of a revision."""
    with replay_on(request) as result:
        return result


@contextmanager
def replay_on(request: ReplayRequest) -> Iterator[Replay]:
    """Take the behaviour in a file again, by its own model or by the version named with `on`.

    Its own model has the constants recorded. A recorded state that it does not reach counts as
    damage as long as its text is the one recorded, and as a change otherwise. Another version has
    those constants that it declares, below those that it sets itself; with `scope`, those of its
    scope. Files of a git revision are there as long as the block runs. `LockstepError` when the
    file is damaged, the model, its fault or a constant is not there, or the test cannot be written,
    as where its file is there already.
    """
    workspace, test = request.workspace or find_workspace(), request.pytest
    if test is not None and test.exists():
        raise LockstepError(f"{test} is there already", cure="remove it, or name another file")
    recording = read(request.file)
    origin = recording.origin
    own = Version(workspace, origin.model, origin.fault, origin.proposal)
    with nullcontext(own) if request.on is None else version_at(workspace, request.on) as version:
        model = _load(version, origin, request)
        result = _Taking(recording, version, model, is_own=request.on is None).result()
        result.scope = request.scope or origin.scope
        if test is not None and result.violation is not None:
            place = workspace_from(test, workspace.root)
            result.test = to_pytest(model, result.trace, origin, place)
            write_text(test, result.test)
        yield result


def _load(version: Version, origin: Origin, request: ReplayRequest) -> Model:
    """The version in the scope of the recording, or in one of its own."""
    constants = origin.constants
    if request.scope is not None:
        constants = version.over(version.spec.scope(request.scope).constants)
    elif request.on is not None:
        declared = version.load({}).constants
        recorded = {name: value for name, value in constants.items() if name in declared}
        constants = {**version.fault_constants, **recorded, **version.constants}
    return version.load(constants, origin.property)


class _Departs(Exception):
    """The version does not do what was recorded, or the recording does not say what it would do.

    With `refusal` it is that a step is not enabled.
    """

    def __init__(self, because: str, refusal: Refusal | None = None) -> None:
        super().__init__(because)
        self.refusal = refusal


class _Taking:
    """One recorded behaviour on one version; its own has to do just what was recorded."""

    def __init__(
        self, recording: Recording, version: Version, model: Model, *, is_own: bool
    ) -> None:
        self._recording = recording
        self._version = version
        self._model = model
        self._is_own = is_own
        self._engine = PlainEngine(model)
        self._steps: list[Step] = []
        self._first = model.initial
        recorded, names = recording.states[0].keys(), model.variables.keys()
        shared = [name for name in names if name in recorded]
        self._compared = [name for name in shared if self._fits(name)]
        self._result = Replay(
            model,
            recording.origin,
            Trace(model.initial, ()),
            on=None if is_own else version,
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

    def result(self) -> Replay:
        """What comes of it."""
        result = self._result
        try:
            if not self._is_own and not self._compared and not result.uncompared:
                raise _Departs(f"{self._version} has none of the variables recorded")
            if self._recording.origin.start is not None:
                self._first = self._recorded_first()
            self._compare(0, self._first)
            if self._take_all():
                self._judge()
        except EvaluationError as error:
            result.error = error
            self._conclude(Verdict.ERROR, error.seen_from(self._version.workspace.root))
        except (_Departs, Misfit) as departure:
            self._depart(departure)
        result.trace = self._trace(ends=result.verdict not in (Verdict.HOLDS, Verdict.VIOLATED))
        return result

    def _depart(self, departure: _Departs | Misfit) -> None:
        """Conclude where the version does something else; `LockstepError` where it cannot have."""
        origin, because = self._recording.origin, str(departure)
        if self._is_own:
            if digest(self._model) == origin.digest:
                misfit = departure if isinstance(departure, Misfit) else Misfit("", because)
                raise damaged(self._recording.file, misfit) from None
            self._conclude(Verdict.INCONCLUSIVE, f"the model has changed: {because}")
        elif isinstance(departure, Misfit) or departure.refusal is None:
            self._conclude(Verdict.INCONCLUSIVE, because)
        else:
            self._result.refusal = departure.refusal
            if origin.goal is None:
                self._conclude(Verdict.HOLDS, f"{self._version} stops it: {because}")
            else:
                self._conclude(Verdict.INCONCLUSIVE, f"{because}: {origin.goal} is not reached so")

    def _trace(self, *, ends: bool = False) -> Trace:
        is_whole = len(self._steps) == len(self._recording.steps)
        loop = self._recording.loop if is_whole and not ends else None
        return Trace(self._first, tuple(self._steps), loop)

    def _conclude(self, verdict: Verdict, because: str) -> None:
        self._result.verdict, self._result.because = verdict, because

    def _recorded_first(self) -> State:
        """The recorded first state; variables that it has not are as in the version's own."""
        if self._is_own:
            return self._recording.state(self._model, 0)
        if names := self._result.uncompared:
            raise _Departs(
                f"it begins in a state that {self._version} does not have: "
                f"{', '.join(names)} cannot be as recorded"
            )
        values = {name: self._recording.variable(self._model, 0, name) for name in self._compared}
        return self._model.state.of(
            values.get(name, old)
            for name, old in zip(self._model.variables, self._model.initial, strict=True)
        )

    def _take_all(self) -> bool:
        """Take every step; False where another version violates something before the last."""
        for number in range(1, len(self._recording.steps) + 1):
            if not self._is_own and self._is_violated():
                return False
            self._take(number)
        return True

    def _take(self, number: int) -> None:
        """Take one step, or on another version one that does what was recorded."""
        before = self._steps[-1].state if self._steps else self._first
        try:
            step = self._as_recorded(number, before)
        except _Departs as departure:
            step = self._other(number, before, departure)
            self._result.others[number] = render_taken(self._model, step)
        self._steps.append(step)
        self._compare(number, step.state)

    def _as_recorded(self, number: int, before: State) -> Step:
        name, _ = self._recording.steps[number - 1]
        action = self._model.find_action(name)
        if action is None:
            raise _Departs(f"step {number}: {self._version} has no action {name}")
        try:
            parameters = self._recording.parameters(action, number)
        except Misfit as misfit:
            if self._is_own:
                raise
            why = f"{self._version} cannot be given its parameters: {misfit.reason}"
            raise _Departs(f"step {number}, {name}: {why}") from None
        after = self._engine.run(action, before, parameters)
        if after is not None:
            return Step(name, parameters, after)
        instance = render_instance(name, action.parameters, parameters)
        if not self._is_own:
            refusal = Refusal(number, name, parameters)
            raise _Departs(f"step {number}, {instance}, is not enabled", refusal)
        recording = self._recording
        is_last = number == len(recording.steps) and recording.origin.property is not None
        so = ", so that what it broke is not broken so any more" if is_last else ""
        raise _Departs(f"step {number}: {instance} is not enabled{so}")

    def _other(self, number: int, before: State, departure: _Departs) -> Step:
        """Another step to the recorded state, if what was recorded says which state that is."""
        old, new = self._recording.states[number - 1 : number + 1]
        has_parted = self._is_own or self._result.parting is not None
        if not has_parted and any(old[name] != new[name] for name in self._compared):
            for step in self._engine.successors(before):
                if not self._differences(number, step.state):
                    return step
        if has_parted or departure.refusal is not None:
            raise departure
        raise _Departs(f"{departure}, and no other step leads where it led")

    def _compare(self, number: int, state: State) -> None:
        """Note where another version is first in another state than recorded.

        `_Departs` or `Misfit` where its own is.
        """
        if not self._is_own:
            if self._result.parting is None and (found := self._differences(number, state)):
                self._result.parting = Parting(number, tuple(found))
        elif differences := changes(self._recording.state(self._model, number), state):
            step = f"step {number}: {render_taken(self._model, self._steps[-1])}" if number else ""
            where = step or "the initial state"
            raise _Departs(f"{where} leads elsewhere than recorded: {differences[0]}")

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
        prop = self._model.find_property(self._recording.origin.property or "")
        if prop is None or prop.kind not in (Kind.INVARIANT, Kind.STEP_INVARIANT):
            return False
        trace = self._trace()
        failing = failing_binding(self._engine, prop.name, trace)
        if failing is not None:
            taken = len(trace.steps)
            where = f"after step {taken}" if taken else "in the initial state"
            self._violated(prop.name, failing, f" already {where}")
        return failing is not None

    def _violated(self, name: str, failing: tuple[Any, ...], where: str) -> None:
        here = "again" if self._is_own else f"on {self._version}"
        self._result.violation = Violation((name,), failing, self._trace())
        self._conclude(Verdict.VIOLATED, f"{name} is violated {here}{where}")

    def _judge(self) -> None:
        """Say what is violated at the end, all steps being taken."""
        recording, model, trace = self._recording, self._model, self._trace()
        origin, version, is_own = recording.origin, self._version, self._is_own
        name = origin.property
        if origin.goal is not None:
            so = "the model still goes so" if is_own else f"{version} goes so too"
            self._conclude(Verdict.HOLDS, f"{so}; it was found for {origin.goal}")
            return
        if trace.loop is not None and not closes(trace):
            why = f"on {version} the last state is not the one after step {trace.loop}"
            raise _Departs(f"{why}: whether it can go on so for ever is not known")
        if name is None:
            evaluate_all(self._engine, trace)
            if is_own:
                raise _Departs(f"at the end everything has a value again ({origin.error})")
            self._conclude(Verdict.HOLDS, f"on {version} everything has a value at the end")
            return
        prop = model.find_property(name)
        if prop is None and name != DEADLOCK:
            claims_no = f"{version} goes so too, and claims no {name}: name what it claims"
            raise _Departs(f"there is no property {name}" if is_own else claims_no)
        recorded = recording.binding(prop) if is_own and prop is not None else None
        try:
            failing = failing_binding(self._engine, name, trace, recorded)
        except EvaluationError:
            raise
        except LockstepError as error:  # a claim of another kind
            raise _Departs(error.message if is_own else f"on {version} {error.message}") from None
        if failing is not None:
            self._violated(name, failing, ", as recorded")
            return
        others = (
            {} if is_own or trace.loop is not None else violated_at_the_end(self._engine, trace)
        )
        if others:
            other, binding = next(iter(others.items()))
            self._violated(other, binding, f" in its stead: {name} holds")
            return
        where = "along" if trace.loop is not None else "at the end of"
        here = "now" if is_own else f"on {version}"
        self._conclude(Verdict.HOLDS, f"{name} holds {where} this behaviour {here}")
