"""The oracle: a model's own functions, run by Python.

Nothing is interpreted here. `s` is the state itself (an immutable tuple with named fields) and
`new` a recorder of writes; each action instance is one call. The only liberty taken is to skip
instances that must fail the same `require`: when one is false, and nothing up to it reads a
parameter past the k-th, the later parameters are not varied (`guard_depths`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any

from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.model import Action, Model, Parameter, Property
from lockstep.language.notation import Disabled, Kind, NotApplicable, State
from lockstep.language.protocol import Shown
from lockstep.language.source import place_in
from lockstep.language.totality import guard_depths
from lockstep.language.values import NotInDomain, TooManyValues
from lockstep.plain.engine import (
    Bindings,
    Disagreement,
    Outcome,
    Parameters,
    Pledge,
    owed,
    unwatched,
)
from lockstep.plain.supervision import advice
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step, Trace


class NextState:
    """The state after, as an action sees it: it can be written, never read."""

    __slots__ = ("_before", "_written")
    _before: State
    _written: dict[str, object]

    def __init__(self, before: State) -> None:
        object.__setattr__(self, "_before", before)
        object.__setattr__(self, "_written", {})

    def __setattr__(self, name: str, value: object) -> None:
        try:
            domain = self._before.fields[name]
        except KeyError:
            raise AttributeError(f"there is no variable {name}") from None
        self._written[name] = domain.coerce(value, name)

    def __getattr__(self, name: str) -> _Part:
        if name not in self._before.fields:
            raise AttributeError(f"there is no variable {name}")
        return _Part(self, name, ())

    def _write_part(self, name: str, path: tuple[_Key | str, ...], value: object) -> None:
        old = self._written.get(name, getattr(self._before, name))
        domain = self._before.fields[name]
        self._written[name] = _updated(domain, old, path, value, name)

    def _finish(self) -> State:
        before, written = self._before, self._written
        return before.of(
            written.get(name, old) for name, old in zip(before.fields, before, strict=True)
        )


class _Key:
    """A key in a path of writes; a field is there by its name."""

    __slots__ = ("key",)

    def __init__(self, key: object) -> None:
        self.key = key


class _Part:
    """A part about to be written: `new.cached[i]` in `new.cached[i].epoch = 1`."""

    __slots__ = ("_name", "_next", "_path")
    _name: str
    _next: NextState
    _path: tuple[_Key | str, ...]

    def __init__(self, owner: NextState, name: str, path: tuple[_Key | str, ...]) -> None:
        object.__setattr__(self, "_next", owner)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_path", path)

    def __getitem__(self, key: object) -> _Part:
        return _Part(self._next, self._name, (*self._path, _Key(key)))

    def __setitem__(self, key: object, value: object) -> None:
        self._next._write_part(self._name, (*self._path, _Key(key)), value)

    def __getattr__(self, field: str) -> _Part:
        return _Part(self._next, self._name, (*self._path, field))

    def __setattr__(self, field: str, value: object) -> None:
        self._next._write_part(self._name, (*self._path, field), value)


def _updated(
    domain: Domain, old: Any, path: tuple[_Key | str, ...], value: object, place: str
) -> Any:
    """`old` with the part at `path` replaced, each level checked against its domain."""
    if not path:
        return domain.coerce(value, place)
    if isinstance(domain, OptionDomain):
        if old is None:
            raise TypeError(f"{place} is None: it has no part to write")
        return _updated(domain.some, old, path, value, place)
    step, rest = path[0], path[1:]
    if isinstance(step, _Key) and isinstance(domain, MapDomain):
        inner = _updated(domain.value, old[step.key], rest, value, f"{place}[{step.key!r}]")
        return domain.updated(old, step.key, inner)
    if isinstance(step, str) and isinstance(domain, RecordDomain):
        fields = domain.record.fields
        if step not in fields:
            raise AttributeError(f"{domain} has no field {step}")
        inner = _updated(fields[step], getattr(old, step), rest, value, f"{place}.{step}")
        return domain.record.of(
            inner if name == step else kept for name, kept in zip(fields, old, strict=True)
        )
    raise TypeError(f"{place} is {domain}: only maps and records are written in part")


class PlainEngine:
    """Execute a model by calling its functions.

    Whatever they raise is an error of the model's text, `exit(0)` included: only Ctrl-C is not.
    """

    name = "python"

    def __init__(self, model: Model, *, skips: bool = True) -> None:
        """Without `skips` every instance is tried; the steps are the same."""
        self.model = model
        self.watch: Callable[[], None] = unwatched
        self._guards: Mapping[str, Mapping[int, int]] = guard_depths(model) if skips else {}
        self._known: dict[str, tuple[tuple[Parameter, ...], Parameters]] = {}

    def successors(self, state: State) -> Iterator[Step]:
        for action in self.model.actions:
            yield from self.instances(action, state)

    def run(self, action: Action, state: State, arguments: tuple[Any, ...]) -> State | None:
        """Where one action instance leads, or None when it is not enabled."""
        new = NextState(state)
        try:
            action.function(state, new, *arguments)
        except Disabled:
            return None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._located(error, action.name, "require(...)") from error
        return new._finish()

    def instances(self, action: Action, state: State) -> Iterator[Step]:
        """Every enabled instance of one action in `state`."""
        depths = self._guards.get(action.name, {})
        function, watch = action.function, self.watch
        bindings = Bindings(self._parameters_of(action))
        for arguments in bindings:
            watch()
            new = NextState(state)
            try:
                function(state, new, *arguments)
            except Disabled as disabled:
                line = line_in(disabled.__traceback__)
                bindings.depth = depths.get(line, len(arguments))
                continue
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise self._located(error, action.name, "require(...)") from error
            yield Step(action.name, arguments, new._finish())

    def pledges(self, prop: Property, state: State) -> Iterator[Pledge]:
        """What a `leads_to` says of a state, for every binding of its parameters."""
        for arguments in self._parameters_of(prop):
            self.watch()
            try:
                premise, goal = prop.function(state, *arguments)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise self._located(error, prop.name, "premise and ...") from error
            yield Pledge(arguments, premise, goal)

    def show(self, shown: Shown, state: State) -> object:
        """What a state shows under a name."""
        try:
            return shown.function(state)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise self._located(error, shown.name, "value if ... else another") from error

    def evaluate(self, prop: Property, before: State, after: State | None) -> Outcome:
        if prop.kind is Kind.LEADS_TO:
            return owed(self.pledges(prop, before))
        states = (before, after) if prop.kind is Kind.STEP_INVARIANT else (before,)
        wanted = prop.kind is Kind.SOMETIMES
        applied = False
        for arguments in self._parameters_of(prop):
            self.watch()
            try:
                holds = prop.function(*states, *arguments)
            except NotApplicable:
                continue
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise self._located(error, prop.name, "when(...)") from error
            applied = True
            if wanted and holds:
                return Outcome(None, True)
            if not wanted and not holds:
                return Outcome(arguments, True)
        return Outcome(() if wanted else None, applied)

    def _parameters_of(self, function: Action | Property) -> Parameters:
        declared, known = self._known.get(function.name, (None, None))
        if known is None or declared is not function.parameters:
            known = Parameters([parameter.domain for parameter in function.parameters])
            self._known[function.name] = function.parameters, known
        return known

    def _located(self, error: BaseException, function: str, guard: str) -> EvaluationError:
        universe = self.model.universe
        place = place_in(error.__traceback__, universe.files, universe.edited_places)
        plain = isinstance(error, NotInDomain | TooManyValues)
        reason = str(error) if plain else f"{type(error).__name__}: {error}"
        return EvaluationError(function, place, reason, *advice(error, guard))


def walked(engine: PlainEngine, trace: Trace) -> Trace:
    """The same behaviour, each step taken by plain Python; `Disagreement` where it takes none."""
    for before, step in zip(trace.states, trace.steps, strict=False):
        try:
            after = engine.run(engine.model.action(step.action), before, step.parameters)
        except EvaluationError as error:
            raise Disagreement(f"plain Python finds no meaning: {error}") from None
        if after != step.state:
            raise Disagreement(f"plain Python does not take {step} in {before}")
    return trace


def line_in(trace: TracebackType | None) -> int:
    """The line of the action's own body (one frame below ours) where a `require` was false."""
    assert trace is not None
    assert trace.tb_next is not None
    return trace.tb_next.tb_lineno
