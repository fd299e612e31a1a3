"""The solver finds the mistakes in `models/faults/` where the search does, and proves none right.

From the first state on, as far as that is affordable: of a large state each step more is two to
three times as dear. What takes more steps is found from any state in which everything holds.

Where a proof's premises contradict each other, anything is proved. So each proof is made once more
with every mistake in place: what a mistake breaks must not be proved then.
"""

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.language.notation import FaultMark, Kind
from lockstep.plain.exploration import Exploration
from lockstep.prove.bounded import Target, check_bounded
from lockstep.prove.relation import Relation
from lockstep.prove.values import NotProvable
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from tests.kafka_models import MODELS, ROOT, kafka_faults, kafka_model
from tests.prove.proofs import make_proof

FAULT_SCOPE = "small"
MOST_STEPS = {"leader_discovery": 8, "snapshot_election": 5, "snapshot_fetch": 5, "snapshot_log": 5}
"""So far behaviours from the first state are searched; of models that are not named, to the end."""

LONG_PROOFS = ("snapshot_election", "snapshot_fetch")
"""Models of which not every mistake is compared with the whole proof."""


def marks() -> dict[tuple[str, str], FaultMark]:
    """The faults that break an invariant of states or steps; a behaviour that ends shows it."""
    breaking = {}
    for name in MODELS:
        kinds = {prop.name: prop.kind for prop in kafka_model(name).properties}
        for fault, mark in kafka_faults(name).items():
            if kinds.get(mark.breaks or "") in (Kind.INVARIANT, Kind.STEP_INVARIANT):
                breaking[name, fault] = mark
    return breaking


MARKS = marks()

QUICK = {
    "any_response_moves_to_tail",
    "list_is_never_rotated",
    "limit_without_exception",
    "change_passed_over",
    "unchanged_partition_reported",
    "marks_pending_after_listener",
    "new_session_expects_epoch_two",
    "sessionless_request_is_cached",
    "touched_only_when_resized",
    "touch_makes_young_again",
    "use_takes_privilege_away",
    "resize_not_remembered",
    "evicts_in_spite_of_room",
    "closed_sessions_still_count",
    "own_close_counts_as_eviction",
}
"""Faults that are found within a second or two."""


def faults_to_find() -> list[object]:
    return [
        pytest.param(
            name, fault, marks=pytest.mark.daily(3) if fault in QUICK else pytest.mark.verify
        )
        for name, fault in MARKS
    ]


def in_scope(name: str, fault: str, mark: FaultMark, *, lemmas: bool = False) -> Model:
    scope = load_model_spec(ROOT, name).scope(mark.scope or FAULT_SCOPE)
    constants = {**scope.constants, **mark.constants}
    return load_model(ROOT, name, constants, fault=fault, lemmas=lemmas)


def test_names_are_those_of_faults() -> None:
    assert {fault for _, fault in MARKS} >= QUICK


@pytest.mark.parametrize(("name", "fault"), faults_to_find())
def test_bounded_search_finds_it_at_the_same_depth(name: str, fault: str) -> None:
    mark = MARKS[name, fault]
    model = in_scope(name, fault, mark)
    deadlock_allowed = load_model_spec(ROOT, name).deadlock_allowed
    violation = explore(model, Exploration(deadlock_allowed=deadlock_allowed)).violation
    assert violation is not None
    depth = len(violation.trace.steps)
    if depth > MOST_STEPS.get(name, depth):
        assert_broken_from_some_state(name, fault, mark, model)
        return
    assert mark.breaks in violation.properties
    # Whatever is broken first, and then the property that is meant, if another is broken as soon.
    for only in (None, mark.breaks):
        result = check_bounded(Relation(model), depth, Target(deadlock_allowed, only))
        assert result.violation is not None
        assert result.verdict is Verdict.VIOLATED
        assert result.depth == depth == len(result.violation.trace.steps)
        if mark.breaks in result.violation.properties:
            return
    raise AssertionError("another property was found than the one that was asked for")


def assert_broken_from_some_state(name: str, fault: str, mark: FaultMark, model: Model) -> None:
    """Some state in which everything holds, lemmas included, leads to where this does not.

    What takes more than three steps breaks a lemma on the way.
    """
    helped = Relation(in_scope(name, fault, mark, lemmas=True))
    result = check_bounded(Relation(model), 3, Target(only=mark.breaks, start=helped.in_order))
    if result.verdict is Verdict.HOLDS:
        result = check_bounded(helped, 3, Target(start=helped.in_order))
    assert result.verdict is Verdict.VIOLATED


@pytest.mark.verify
@pytest.mark.parametrize(("name", "fault"), [mark for mark in MARKS if mark[0] not in LONG_PROOFS])
def test_what_it_breaks_is_not_proved(name: str, fault: str) -> None:
    """At a proof's widths, and with its other constants as the mistake needs them."""
    mark = MARKS[name, fault]
    outcomes = []
    for proof in load_model_spec(ROOT, name).proofs.values():
        try:
            result = make_proof(ROOT, name, proof, fault=fault, constants=mark.constants)
        except NotProvable:
            continue  # the mistake treats one name otherwise than the others
        proofs = {proof.name: proof for proof in result.proofs}
        outcomes.append(proofs[str(mark.breaks)].proved)
        if not all(outcomes):
            return
    pytest.fail(f"{mark.breaks} is proved in spite of {fault}")
