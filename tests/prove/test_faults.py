"""The solver finds the mistakes in `models/faults/` where the search does, and proves none right.

Where a proof's premises contradict each other, anything is proved. So each proof is made once more
with every mistake in place: what a mistake breaks must not be proved then.
"""

from pathlib import Path

import pytest

from lockstep.explore.engine import Verdict
from lockstep.explore.engines import explore
from lockstep.language.model import Model, fault_marks, load_model
from lockstep.language.notation import FaultMark
from lockstep.prove.bounded import check_bounded
from lockstep.prove.relation import Relation
from lockstep.prove.values import NotProvable
from lockstep.specs.scopes import load_model_spec
from tests.prove.proofs import made

ROOT = Path(__file__).parents[2]
FAULT_SCOPE = "small"
MODELS = ("fetch_response", "fetch_session", "session_cache")
MARKS = {
    (name, fault): mark
    for name in MODELS
    for fault, (mark, _) in fault_marks(ROOT, name).items()
    if mark.breaks is not None
}

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
        pytest.param(name, fault, marks=[] if fault in QUICK else [pytest.mark.verify])
        for name, fault in MARKS
    ]


def in_scope(name: str, fault: str, mark: FaultMark) -> Model:
    scope = load_model_spec(ROOT, name).scope(mark.scope or FAULT_SCOPE)
    return load_model(ROOT, name, {**scope.constants, **mark.constants}, fault=fault)


def test_names_are_those_of_faults() -> None:
    assert {fault for _, fault in MARKS} >= QUICK


@pytest.mark.parametrize(("name", "fault"), faults_to_find())
def test_bounded_search_finds_it_at_the_same_depth(name: str, fault: str) -> None:
    mark = MARKS[name, fault]
    model = in_scope(name, fault, mark)
    deadlock_allowed = load_model_spec(ROOT, name).deadlock_allowed
    violation = explore(model, deadlock_allowed=deadlock_allowed).violation
    assert violation is not None
    depth = len(violation.trace.steps)
    found = check_bounded(Relation(model), depth, deadlock_allowed=deadlock_allowed)
    assert found.violation is not None
    assert found.verdict is Verdict.VIOLATED
    assert found.depth == depth == len(found.violation.trace.steps)
    assert mark.breaks in violation.properties
    assert mark.breaks in found.violation.properties


@pytest.mark.verify
@pytest.mark.parametrize(("name", "fault"), MARKS)
def test_what_it_breaks_is_not_proved(name: str, fault: str) -> None:
    """At a proof's widths, and with its other constants as the mistake needs them."""
    mark = MARKS[name, fault]
    outcomes = []
    for proof in load_model_spec(ROOT, name).proofs.values():
        try:
            found = made(ROOT, name, proof, fault=fault, constants=mark.constants)
        except NotProvable:
            continue  # the mistake tells one name from the others
        proofs = {each.name: each for each in found.proofs}
        outcomes.append(proofs[str(mark.breaks)].proved)
        if not all(outcomes):
            return
    pytest.fail(f"{mark.breaks} is proved in spite of {fault}")
