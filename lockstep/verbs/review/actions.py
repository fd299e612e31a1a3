"""What reading must decide: which actions a change adds, removes, strengthens or weakens.

Two versions are compared once, at the widths of the first proof that both have, or else in the
first scope. Where an action's text changes and the action does not, scopes with other choices are
asked as well: the change may be about one of these.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from lockstep.errors import LockstepError
from lockstep.language.model import Action, Model
from lockstep.language.source import Place
from lockstep.prove.solver import ctrl_c_ends_a_question
from lockstep.requests.review_plan import ReviewPlan
from lockstep.requests.run import Watch
from lockstep.requests.version import VersionPair
from lockstep.review.action_change import ActionChange, Comparison, Strength
from lockstep.review.pair import Pair
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec
from lockstep.specs.tables import Plain
from lockstep.system.crash import failure_of
from lockstep.words import place_text

_DIFFERENT = (Strength.CHANGED, Strength.WEAKENED, Strength.STRENGTHENED)


@dataclass(frozen=True)
class DecidedAction:
    """What becomes of an action, at which constants, in which two models."""

    change: ActionChange
    at: str
    pair: Pair

    @property
    def places(self) -> tuple[str | None, str | None]:
        """Where the texts of BASE and HEAD part, or where the action begins, as `FILE:LINE`."""
        change, pair = self.change, self.pair
        base, head = change.places
        return _place(pair.one, base, change.base), _place(pair.other, head, change.head)


def _place(model: Model, place: Place | None, action: Action | None) -> str | None:
    if place is not None:
        return place_text(place.file, place.line, model.universe.root)
    return None if action is None else model.universe.place_text(action.function)


@dataclass(frozen=True)
class ActionsReview:
    """The actions of two versions.

    `widths` are the names of the constants: the first are those at which all actions were compared,
    and at the others only those were whose text differs and which do the same at the first.
    `omitted` are constants with which a version cannot be read, each with the reason. `error` says
    why nothing was compared.
    """

    versions: VersionPair
    widths: tuple[str, ...] = ()
    actions: tuple[DecidedAction, ...] = ()
    omitted: tuple[str, ...] = ()
    seconds: float = 0.0
    error: LockstepError | None = None

    @property
    def exit_code(self) -> int:
        """0, however the actions differ: what that does to behaviours is judged in the scopes."""
        return 0 if self.error is None else int(self.error.exit_code)


def version_pairs(plan: ReviewPlan) -> tuple[VersionPair, ...]:
    """The versions that are compared in some scope, each pair once."""
    return tuple({str(task.versions): task.versions for task in plan.tasks}.values())


def review_actions(plan: ReviewPlan, versions: VersionPair, watch: Watch) -> ActionsReview:
    """Compare the actions of two versions; what goes wrong is in the result."""
    started = time.perf_counter()
    try:
        with ctrl_c_ends_a_question(), watch.steps(f"{versions}: actions") as on_step:
            review = _Review(plan, versions)
            actions = tuple(_decided(review, on_step))
            is_shown = any(one.change.strength is not Strength.SAME for one in actions)
            if review.constants_of_faults and not is_shown:
                review = _Review(plan, versions, is_apart=True)
                actions = tuple(_decided(review, on_step))
    except Exception as error:
        return ActionsReview(versions, error=failure_of(error, plan.workspace))
    seconds = time.perf_counter() - started
    return ActionsReview(
        versions, tuple(review.widths), actions, tuple(review.omitted), seconds=seconds
    )


class _Review:
    """Comparisons of two versions, each made when it is first asked for.

    A fault's constants are put into both versions, so that its text alone is seen. Where it has no
    other than that of the model, what it changes are the constants: then they are kept apart.
    """

    def __init__(self, plan: ReviewPlan, versions: VersionPair, *, is_apart: bool = False) -> None:
        self._versions = versions
        own = [version.fault_constants for version in (versions.base, versions.head)]
        self.constants_of_faults = {**own[0], **own[1]}
        self._given = own if is_apart else [self.constants_of_faults] * 2
        self.seconds = plan.request.action_seconds
        self._specs = [versions.base.spec, versions.head.spec]
        self._comparisons: dict[str, Comparison] = {}
        self.omitted: list[str] = []
        self.widths = self._names(plan.request.scope)

    def comparison(self, at: str) -> Comparison:
        """The two versions at some constants; LockstepError where one cannot be loaded so."""
        if at not in self._comparisons:
            base, head = self._models(at)
            self._comparisons[at] = Comparison(base, head, self.seconds)
        return self._comparisons[at]

    def leave_out_what_cannot_be_read(self) -> None:
        """Leave out the first constants as long as a version cannot be loaded with them."""
        while len(self.widths) > 1:
            try:
                self.comparison(self.widths[0])
            except LockstepError as error:
                self.omitted.append(f"{self.widths.pop(0)}: {error}")
            else:
                return

    def _names(self, scope: str | None) -> list[str]:
        """The constants that both versions have, the widest first.

        Of scopes that differ in sizes and widths alone the one with most names will do.
        """
        base, head = self._specs
        proofs = [
            name
            for name, proof in base.proofs.items()
            if name in head.proofs and proof.any_number is None
        ]
        of_base, of_head = (list(spec.scopes) or [DEFAULT_SCOPE] for spec in self._specs)
        scopes = [name for name in of_head if name in of_base and scope in (None, name)]
        scopes.sort(key=lambda name: -_count_of_names(head.scope(name).constants))
        names = [f"proof {name}" for name in proofs[:1]]
        kinds = [_kind(head.proofs[name].constants) for name in proofs[:1]]
        for name in scopes:
            kind = _kind(head.scope(name).constants)
            if kind not in kinds or name == scope:
                names.append(f"scope {name}")
                kinds.append(kind)
        return names

    def _models(self, at: str) -> tuple[Model, Model]:
        """Both versions."""
        versions = (self._versions.base, self._versions.head)
        base, head = (
            version.load({**_constants(spec, at, of_faults), **version.constants})
            for version, spec, of_faults in zip(versions, self._specs, self._given, strict=True)
        )
        return base, head


def _kind(constants: Mapping[str, Plain]) -> object:
    """The constants without sizes and widths: an integer is one, and so is the number of names."""
    return {
        name: value if isinstance(value, bool | str) else bool(value)
        for name, value in constants.items()
        if isinstance(value, bool) or not isinstance(value, int)
    }


def _count_of_names(constants: Mapping[str, Plain]) -> int:
    return sum(len(value) for value in constants.values() if isinstance(value, list | tuple))


def _constants(spec: ModelSpec, at: str, of_faults: Mapping[str, object]) -> dict[str, object]:
    """Those of a proof, over a fault's as `prove` has it, or of a scope, below a fault's."""
    kind, _, name = at.partition(" ")
    own = spec.proofs[name].constants if kind == "proof" else spec.scope(name).constants
    return {**of_faults, **own} if kind == "proof" else {**own, **of_faults}


def _decided(review: _Review, on_step: Callable[[str], None]) -> Iterator[DecidedAction]:
    """Every action, at the first constants and, where these show no difference, at the others."""
    review.leave_out_what_cannot_be_read()
    first, *others = review.widths
    comparison = review.comparison(first)
    for name in comparison.names:
        on_step(name)
        change = comparison.change(name)
        yield _elsewhere(review, DecidedAction(change, first, comparison.pair), others)


def _elsewhere(review: _Review, decided: DecidedAction, others: list[str]) -> DecidedAction:
    """The same where other constants show no difference, or else one that they show."""
    change = decided.change
    if change.is_same_text or change.strength not in (Strength.SAME, Strength.UNDECIDED):
        return decided
    reasons = [change.because] if change.because else []
    for at in others if change.strength is Strength.SAME else others[:1]:
        try:
            comparison = review.comparison(at)
        except LockstepError as error:
            reasons.append(f"at {at} it is not compared: {error}")
            continue
        other = comparison.change(change.name)
        if other.strength in _DIFFERENT:
            return DecidedAction(other, at, comparison.pair)
        if other.strength is Strength.UNDECIDED:
            is_other = other.because != change.because
            why = f": {other.because}" if is_other else " either"
            reasons.append(f"at {at} it is not decided{why}")
        elif change.strength is Strength.UNDECIDED:
            reasons.append(f"at {at} it is the same")
    return replace(decided, change=replace(change, because="; ".join(reasons)))
