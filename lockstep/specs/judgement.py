"""Holds what a search found against what the scope is known to give."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lockstep.errors import unknown
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import Kind
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.specs.costs import check_scenarios
from lockstep.specs.diagrams import check_diagram
from lockstep.specs.scopes import ModelSpec, Pins, ProofScope, Scope


@dataclass(frozen=True)
class Difference:
    """A pinned result that was not found; `name` is that of a field of `Pins`."""

    name: str
    expected: str | int | tuple[str, ...]
    found: str | int | tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} expected {_shown(self.expected)}, found {_shown(self.found)}"


@dataclass(frozen=True)
class Judgement:
    """The verdict on one model in one scope, and what it rests on.

    The verdict is the search's own, except that a search that `holds` is

    - `inconclusive` when the model has no property, or when an action never fired (`idle`) or the
      premise of a property never held (`vacuous`) and the scope does not say so, or every scope
      does: silence is not a proof;
    - otherwise `differs` when something is not what `specs/` pins (`differences`), or fired
      although it is declared not to (`stale`).

    `pins` are those that were compared, None when the run was not the scope's own. A violation that
    is pinned is `expected`: with counts that agree it ends with exit code 0, with others it
    `differs`.
    """

    verdict: Verdict
    because: str
    pins: Pins | None
    differences: tuple[Difference, ...] = ()
    idle: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    expected: bool = False


def check_declarations(model: Model, spec: ModelSpec) -> None:
    """Refuse a name in any scope that the model does not have, whichever scope is to be run."""
    actions = {action.name for action in model.actions}
    invariants = {prop.name for prop in model.properties if prop.kind is not Kind.SOMETIMES}
    properties = {prop.name for prop in model.properties} | {DEADLOCK}
    constants = set(model.constants)
    _must_be_in(actions, spec.environment, f"{spec.file}: environment", "action", model.name)
    for scope in spec.scopes.values():
        where = f"{spec.file}: scopes.{scope.name}"
        base = Scope("") if scope.like is None else spec.scopes[scope.like]
        own = _without(scope.constants, base.constants)
        _must_be_in(constants, own, f"{where}.constants", "constant", model.name)
        own = _without(scope.idle, base.idle)
        _must_be_in(actions, own, f"{where}.idle", "action", model.name)
        own = _without(scope.vacuous, base.vacuous)
        _must_be_in(invariants, own, f"{where}.vacuous", "invariant", model.name)
        violates = scope.pins.violates or ()
        _must_be_in(properties, violates, f"{where}.violates", "property", model.name)
    for proof in spec.proofs.values():
        where = f"{spec.file}: proofs.{proof.name}.constants"
        base_of_proof = ProofScope("") if proof.like is None else spec.proofs[proof.like]
        own = _without(proof.constants, base_of_proof.constants)
        _must_be_in(constants, own, where, "constant", model.name)
    check_scenarios(model, spec.costs, spec.file)
    check_diagram(model, spec.diagram, spec.file)


def _without(names: Iterable[str], base: Collection[str]) -> list[str]:
    """The names that do not come from the scope that another is like: they are reported there."""
    return [name for name in names if name not in base]


def _must_be_in(
    declared: Collection[str], names: Iterable[str], where: str, what: str, model: str
) -> None:
    for name in names:
        if name not in declared:
            problem = f"{where}.{name}: {model} has no such {what}"
            raise unknown(problem, name, sorted(declared), "known")


def judge(model: Model, scope: Scope, result: SearchResult, *, pinned: bool) -> Judgement:
    """The verdict on a search of `model`.

    `pinned` says that the search was the scope's own (no constant changed, no fault, no bound), so
    that pins and declarations apply as they stand.
    """
    pins = scope.pins if pinned else None
    if result.error is not None:
        because = result.error.seen_from(model.universe.root)
        return Judgement(result.verdict, because, None)
    if result.verdict is Verdict.INCONCLUSIVE:
        return Judgement(result.verdict, result.because, None)
    is_whole = result.is_finished
    idle = tuple(name for name in result.idle_actions if name not in scope.idle and is_whole)
    never = f"never fired in this scope: {', '.join(idle)}"
    if result.verdict is Verdict.VIOLATED and (pins is None or pins.verdict != Verdict.VIOLATED):
        # The counts of a search that stopped early say nothing of the pinned ones.
        # What never fires may be why a goal is not reached, and comes first.
        cause = f"{never}; " if idle and result.missed else ""
        return Judgement(result.verdict, f"{cause}{result.because}", None)
    differences = _differences(pins, result) if pins is not None else ()
    is_violated = result.verdict is Verdict.VIOLATED
    silent = _silent(model, result)
    excused = scope.vacuous.keys() - scope.unexercised
    vacuous = tuple(name for name in silent if name not in excused and is_whole)
    stale: tuple[str, ...] = ()
    if pinned:
        stale = (
            *(name for name in scope.idle if result.fired[name]),
            *(name for name in scope.vacuous if name in result.applied),
        )
    silence = []
    if not model.properties:
        silence.append(f"nothing is claimed: invariants/{model.name}.py has no property")
    if idle:
        silence.append(never)
    if here := [name for name in vacuous if name not in scope.unexercised]:
        silence.append(f"premise never true in this scope: {', '.join(here)}")
    if nowhere := [name for name in vacuous if name in scope.unexercised]:
        silence.append(f"not exercised, premise never true in any scope: {', '.join(nowhere)}")
    reasons = _as_reasons(differences)
    if stale:
        reasons.append(f"declared silent in this scope, but not so: {', '.join(stale)}")
    verdict = Verdict.VIOLATED if is_violated else Verdict.HOLDS
    if any(difference.name == "violates" for difference in differences):
        verdict = Verdict.VIOLATED
    elif silence:
        verdict = Verdict.INCONCLUSIVE
    elif reasons:
        verdict = Verdict.DIFFERS
    expected = is_violated and not (silence or reasons)
    if is_violated:
        silence.insert(0, result.because)
    because = "; ".join([*silence, *reasons, *["as pinned"] * expected])
    return Judgement(verdict, because, pins, differences, idle, vacuous, stale, expected)


def _differences(pins: Pins, result: SearchResult) -> tuple[Difference, ...]:
    results: dict[str, str | int | tuple[str, ...]] = {
        "verdict": str(result.verdict),
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "violates": result.violated,
    }
    return tuple(
        Difference(name, pin, results[name])
        for name, pin in vars(pins).items()
        if pin is not None and not _agree(pin, results[name])
    )


def _agree(pin: object, result: object) -> bool:
    """Whether a result is the pinned one; the order of properties says nothing."""
    if isinstance(pin, tuple) and isinstance(result, tuple):
        return sorted(pin) == sorted(result)
    return pin == result


def _as_reasons(differences: tuple[Difference, ...]) -> list[str]:
    if not differences:
        return []
    return [f"differs from what is pinned: {', '.join(map(str, differences))}"]


def _silent(model: Model, result: SearchResult) -> list[str]:
    """The properties whose premise no state or step satisfied, of those that were checked."""
    applied = result.applied.union(result.unchecked)
    return [
        prop.name
        for prop in model.properties
        if prop.kind is not Kind.SOMETIMES and prop.name not in applied
    ]


def _shown(value: str | int | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return ", ".join(value) or "nothing"
    return f"{value:,}" if isinstance(value, int) else value
