"""Holds what a search found against what the scope is known to give."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.errors import ExitCode, LockstepError
from lockstep.explore.engine import Verdict
from lockstep.explore.search import SearchResult
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.specs.scopes import ModelSpec, Pins, Scope


@dataclass(frozen=True)
class Difference:
    """A pinned result that was not found; `name` is that of a field of `Pins`."""

    name: str
    expected: str | int
    found: str | int

    def __str__(self) -> str:
        return f"{self.name} expected {_shown(self.expected)}, found {_shown(self.found)}"


@dataclass(frozen=True)
class Judgement:
    """The verdict on one model in one scope, and what it rests on.

    The verdict is the search's own, except that a search that `holds` is

    - `inconclusive` when an action never fired (`idle`) or the premise of a property never held
      (`vacuous`) and the scope does not say so: silence is not a proof;
    - `violated` when something differs from what `specs/` pins (`differences`), or fired although
      it is declared not to (`stale`): the claim that `specs/` makes does not hold.

    `pins` are those that were compared, None when the run was not the scope's own. A violation that
    is pinned, with counts that agree, is `expected` and ends with exit code 0.
    """

    verdict: Verdict
    because: str
    pins: Pins | None
    differences: tuple[Difference, ...] = ()
    idle: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    expected: bool = False
    broken: bool = False
    """The model's text has no meaning in a reachable state."""

    @property
    def exit_code(self) -> ExitCode:
        """What the process says when this is all it was asked."""
        if self.broken:
            return ExitCode.USAGE
        if self.verdict is Verdict.VIOLATED:
            return ExitCode.HOLDS if self.expected else ExitCode.VIOLATED
        return ExitCode.HOLDS if self.verdict is Verdict.HOLDS else ExitCode.INCONCLUSIVE


def check_declarations(model: Model, spec: ModelSpec, scope: Scope) -> None:
    """Refuse a declaration of the scope that names no action or invariant of the model."""
    actions = {action.name for action in model.actions}
    invariants = {prop.name for prop in model.properties if prop.kind is not Kind.SOMETIMES}
    for key, names, known in (
        ("idle", scope.idle, actions),
        ("vacuous", scope.vacuous, invariants),
    ):
        for name in names:
            if name not in known:
                raise LockstepError(
                    f"{spec.file}: scopes.{scope.name}.{key}.{name}: {model.name} has no such "
                    + ("action" if key == "idle" else "invariant"),
                    cure=f"known: {', '.join(sorted(known)) or 'none'}",
                )


def judge(model: Model, scope: Scope, result: SearchResult, *, pinned: bool) -> Judgement:
    """The verdict on a search of `model`.

    `pinned` says that the search was the scope's own (no constant changed, no fault, no bound), so
    that pins and declarations apply as they stand.
    """
    pins = scope.pins if pinned else None
    if result.error is not None:
        because = result.error.seen_from(model.universe.root)
        return Judgement(result.verdict, because, None, broken=True)
    if result.verdict is Verdict.INCONCLUSIVE:
        return Judgement(result.verdict, result.because, None)
    if result.verdict is Verdict.VIOLATED and (pins is None or pins.verdict != Verdict.VIOLATED):
        # The counts of a search that stopped early say nothing of the pinned ones.
        return Judgement(result.verdict, result.because, None)
    differences = _differences(pins, result) if pins is not None else ()
    if result.verdict is Verdict.VIOLATED:
        because = "; ".join([result.because, *(_told(differences) or ["as pinned"])])
        return Judgement(result.verdict, because, pins, differences, expected=not differences)
    idle = tuple(name for name in result.idle_actions if name not in scope.idle)
    silent = _silent(model, result)
    vacuous = tuple(name for name in silent if name not in scope.vacuous)
    stale: tuple[str, ...] = ()
    if pinned:
        stale = (
            *(name for name in scope.idle if result.fired[name]),
            *(name for name in scope.vacuous if name in result.applied),
        )
    reasons = _told(differences)
    if stale:
        reasons.append(f"declared silent in this scope, but not so: {', '.join(stale)}")
    verdict = Verdict.VIOLATED if reasons else Verdict.HOLDS
    if idle:
        reasons.append(f"never fired in this scope: {', '.join(idle)}")
    if vacuous:
        reasons.append(f"premise never true in this scope: {', '.join(vacuous)}")
    if reasons and verdict is Verdict.HOLDS:
        verdict = Verdict.INCONCLUSIVE
    return Judgement(verdict, "; ".join(reasons), pins, differences, idle, vacuous, stale)


def _differences(pins: Pins, result: SearchResult) -> tuple[Difference, ...]:
    found = vars(result)
    return tuple(
        Difference(name, pin, str(found[name]) if name == "verdict" else found[name])
        for name, pin in vars(pins).items()
        if pin is not None and pin != found[name]
    )


def _told(differences: tuple[Difference, ...]) -> list[str]:
    if not differences:
        return []
    return [f"differs from what is pinned: {', '.join(map(str, differences))}"]


def _silent(model: Model, result: SearchResult) -> list[str]:
    """The properties whose premise no state or step satisfied, of those that were checked."""
    known = result.applied.union(result.unchecked)
    return [
        prop.name
        for prop in model.properties
        if prop.kind is not Kind.SOMETIMES and prop.name not in known
    ]


def _shown(value: str | int) -> str:
    return f"{value:,}" if isinstance(value, int) else value
