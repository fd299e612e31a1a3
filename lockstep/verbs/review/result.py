"""What comes of `review` as JSON: an answer for two versions in a scope, and their actions."""

from __future__ import annotations

from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.requests.review_plan import ReviewPlan
from lockstep.requests.run import judged_answer
from lockstep.results.verdict import Verdict
from lockstep.review.action_change import Strength
from lockstep.review.action_example import Example
from lockstep.review.difference import Difference
from lockstep.review.pair import Pair
from lockstep.specs.expected import Expected
from lockstep.trace.claims import RequirementTexts
from lockstep.trace.documents import conjunct_json, parameters_json, steps_json
from lockstep.trace.itf import state_json
from lockstep.verbs.costs import CostChangeDetails, cost_change
from lockstep.verbs.review.actions import ActionsReview, DecidedAction
from lockstep.verbs.review.evidence import Change, PropertyChange, Standing
from lockstep.verbs.review.run import Unreviewed
from lockstep.verbs.review.scope import Direction, GraphSize, ScopeReview


class PropertyReview(msgspec.Struct, kw_only=True):
    """What becomes of a property."""

    name: str
    change: Change
    """`broken`, `silenced`, `lost`, `open`, `mended`, `gained`, `still violated` or `same`."""
    base: Standing | None
    """`holds`, `violated`, `silent` or `unknown`; null where BASE has no such property."""
    head: Standing | None
    """The same of HEAD."""
    is_reworded: bool
    """Whether HEAD was judged by the words of BASE, and its own say otherwise."""
    says: str
    """Its own sentence, where it is violated in one of the versions."""
    requirements: tuple[dict[str, str], ...]
    """`{id, text}` of each requirement that it states, where it is violated."""
    steps: list[Any] | None
    """The counterexample."""
    expected: tuple[Expected, ...]
    """The entries that expect the change."""


class DifferenceDetails(msgspec.Struct, kw_only=True):
    """A behaviour of one version that the other does not show."""

    steps: list[Any]
    """A shortest one."""
    followed: list[Any] | None
    """The steps of the other version as far as it shows the same; null where the initial states
    show something else."""
    refused: bool
    """Whether the other's action is refused there."""
    requires: dict[str, Any] | None
    """The part of its guard that is false, as `requires` of [`replay --on`](#replay)."""
    variables: tuple[str, ...]
    """What its step leaves with other values."""


class DirectionDetails(msgspec.Struct):
    """Whether a version shows nothing but what the other does."""

    verdict: Verdict
    because: str
    """What ended the comparison, where it is `inconclusive`."""
    difference: DifferenceDetails | None


class ReviewDetails(msgspec.Struct, kw_only=True):
    """What only the answer of a review has."""

    base: str
    """`MODEL`, `MODEL.FAULT`, `MODEL@NAME=VALUE` or `REVISION:MODEL`."""
    head: str
    shared: tuple[str, ...]
    """The variables that both versions have."""
    explored: tuple[GraphSize, ...]
    """`{states, depth}` of BASE and of HEAD; empty where one was not explored to its end."""
    properties: tuple[PropertyReview, ...]
    expected_behaviours: tuple[Expected, ...]
    """The entries that expect what HEAD adds."""
    unjudged: str
    """Why HEAD could not be judged by the words of BASE; empty where it could, or they are its
    own."""
    adds: DirectionDetails
    """What HEAD shows that BASE does not."""
    removes: DirectionDetails
    """What BASE shows that HEAD does not."""
    costs: tuple[CostChangeDetails, ...]
    """`{scenario, is_reworded, base, head}` of each scenario that both have. It `is_reworded` where
    the two do not count the same way; `base` and `head` are a cost, as under [`costs`](#costs)."""


def review_answer(plan: ReviewPlan, result: ScopeReview | Unreviewed) -> Answer:
    """The answer about two versions in a scope."""
    base, head = result.versions.base, result.versions.head
    names = {"base": str(base), "head": str(head)}
    asked: dict[str, Any] = {
        "model": head.model,
        "scope": result.scope,
        **head.changes,
        "engine": plan.request.engine,
        "because": result.because,
    }
    if isinstance(result, Unreviewed):
        return judged_answer("review", result, error=result.because, details=names, **asked)
    sizes = result.behaviours.sizes or ()
    violated = [one for one in result.properties if one.head is Standing.VIOLATED]
    shown = next((one for one in violated if one.violation is not None), None)
    if shown is not None and shown.violation is not None and shown.checked is not None:
        saved = shown.checked.saved
        asked["violated"] = shown.name
        asked["length"] = len(shown.violation.trace.steps)
        asked["trace"] = None if saved is None else str(saved)
    pair = result.pair
    return judged_answer(
        "review",
        result,
        violates=tuple(one.name for one in violated),
        states=sizes[1].states if sizes else 0,
        depth=sizes[1].depth if sizes else 0,
        seconds=result.seconds,
        details=ReviewDetails(
            **names,
            shared=pair.shared,
            explored=sizes,
            properties=tuple(_property(one, result) for one in result.properties),
            expected_behaviours=result.expected_behaviours,
            unjudged=result.unjudged,
            adds=_direction(result.behaviours.adds, pair.swapped),
            removes=_direction(result.behaviours.removes, pair),
            costs=tuple(map(cost_change, result.costs)),
        ),
        **asked,
    )


def _property(prop: PropertyChange, result: ScopeReview) -> PropertyReview:
    values = {**vars(prop), "change": prop.change, "says": "", "requirements": (), "steps": None}
    if prop.checked is not None:
        model = prop.checked.model
        values["says"], requirements = RequirementTexts(model.universe.root).of(model, prop.name)
        values["requirements"] = [{"id": name, "text": text} for name, text in requirements]
        if prop.violation is not None:
            values["steps"] = steps_json(model, prop.violation.trace)
    values["expected"] = result.expected.get(prop.name, ())
    return msgspec.convert(values, PropertyReview, from_attributes=True)


def _direction(direction: Direction, pair: Pair) -> DirectionDetails:
    difference = direction.difference
    details = None if difference is None else _difference(difference, pair)
    return DirectionDetails(direction.verdict, direction.because, details)


def _difference(difference: Difference, pair: Pair) -> DifferenceDetails:
    """A behaviour of `pair.one`."""
    reason, followed = difference.reason, difference.followed
    return DifferenceDetails(
        steps=steps_json(pair.one, difference.trace),
        followed=None if followed is None else steps_json(pair.other, followed),
        refused=reason is not None and reason.refused,
        requires=None if reason is None else conjunct_json(pair.other, reason.conjunct),
        variables=() if reason is None else tuple(reason.others),
    )


class ExampleDetails(msgspec.Struct, kw_only=True):
    """A step that one version takes and the other does not."""

    taken_by: str | None
    """`base` or `head`; null where the steps are the same and one text has no meaning."""
    parameters: dict[str, Any] | None
    is_in_order: bool | None
    """Whether the invariants of BASE hold there; null where that is not known."""
    base: dict[str, Any]
    """The states `before` and `after`, as in ITF; `after` is null where no step is taken."""
    head: dict[str, Any]
    """The same of HEAD."""
    requires: dict[str, Any] | None
    """The part of the other's guard that is false, as `requires` of [`replay --on`](#replay)."""
    meaningless: str
    """What has no meaning, or empty."""


class ActionDetails(msgspec.Struct, kw_only=True):
    """What becomes of an action."""

    name: str
    strength: Strength
    """`added`, `removed`, `changed`, `weakened`, `strengthened`, `not decided` or `same`."""
    in_order: Strength | None
    """The same where the invariants of BASE hold; null where that is not known."""
    at: str
    """Whose constants show it."""
    is_same_text: bool
    """Whether both say the same, with all that they call; else `same` was proved."""
    is_internal: bool
    """Whether an added or removed action writes hidden variables alone."""
    is_idle: bool
    """Whether an action that is proved to be the same is never enabled."""
    base: str | None
    """Where the text of BASE parts from that of HEAD, or begins where HEAD has none, as
    `FILE:LINE`."""
    head: str | None
    """The same of HEAD."""
    because: str
    """Why it is not decided; empty where it is."""
    examples: tuple[ExampleDetails, ...]
    """At most one step of each version that the other does not take."""


class ActionsDetails(msgspec.Struct, kw_only=True):
    """What becomes of the actions of two versions, whatever the scopes."""

    base: str
    head: str
    because: str
    """Why nothing was compared; empty where it was."""
    constants: tuple[str, ...]
    """The names of proofs and scopes whose constants were used, the first for all actions."""
    omitted: tuple[str, ...]
    """Those with which a version cannot be read, each with the reason."""
    seconds: float
    actions: tuple[ActionDetails, ...]


def actions_details(review: ActionsReview) -> ActionsDetails:
    """The actions of two versions."""
    values = {
        **vars(review),
        "base": str(review.versions.base),
        "head": str(review.versions.head),
        "because": "" if review.error is None else str(review.error),
        "constants": review.widths,
        "actions": tuple(map(_action, review.actions)),
    }
    return msgspec.convert(values, ActionsDetails, from_attributes=True)


def _action(decided: DecidedAction) -> ActionDetails:
    change, (base, head) = decided.change, decided.places
    examples = tuple(_example(decided.pair, one) for one in change.examples)
    own = {"in_order": change.in_order, "at": decided.at, "base": base, "head": head}
    values = {**vars(change), **own, "examples": examples}
    return msgspec.convert(values, ActionDetails, from_attributes=True)


def _example(pair: Pair, example: Example) -> ExampleDetails:
    step, reason = example.step, example.reason
    afters: list[State | None] = [None, None]
    parameters = None
    models: tuple[Model, Model] = (pair.one, pair.other)
    if step is not None:
        afters[example.number] = step.state
        afters[1 - example.number] = None if reason is None else reason.after
        action = models[example.number].action(step.action)
        parameters = parameters_json(action.parameters, step.parameters)
    base, head = (
        {"before": state_json(before), "after": None if after is None else state_json(after)}
        for before, after in zip(example.states, afters, strict=True)
    )
    conjunct = None if reason is None else reason.conjunct
    return ExampleDetails(
        taken_by=None if step is None else ("base", "head")[example.number],
        parameters=parameters,
        is_in_order=example.is_in_order,
        base=base,
        head=head,
        requires=conjunct_json(models[1 - example.number], conjunct),
        meaningless=example.failure,
    )
