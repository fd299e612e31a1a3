"""The kind of answer follows from what a requirement cites."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from lockstep.language.notation import Kind
from lockstep.specs.kip import Reference, Requirement
from lockstep.specs.matrix import AnswerKind, Matrix, answer_of, build_matrix
from lockstep.specs.scopes import load_model_spec

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
KINDS = {
    Reference(f"invariant gate.{kind.name.lower()}"): kind
    for kind in (Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.LEADS_TO, Kind.SOMETIMES)
}
INVARIANT = Reference("invariant gate.invariant")
SOMETIMES = Reference("invariant gate.sometimes")
TEST = Reference("test tests/test_gate.py::test_gate")
FAULT = Reference("fault gate.kicked")
SUPPORT = (FAULT, Reference("action gate.push"), Reference("deviation 9-D1"), TEST)


def requirement(
    answered_by: Sequence[Reference] = (),
    shown_by: Sequence[Reference] = (),
    refuted_by: Sequence[Reference] = (),
    unanswerable: str | None = None,
) -> Requirement:
    return Requirement(
        "9-1",
        "Entering",
        "Pay.",
        tuple(answered_by),
        tuple(shown_by),
        tuple(refuted_by),
        unanswerable,
    )


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (requirement([INVARIANT]), AnswerKind.ANSWERED),
        (requirement([Reference("invariant gate.step_invariant")]), AnswerKind.ANSWERED),
        (requirement([Reference("invariant gate.leads_to")]), AnswerKind.ANSWERED),
        (requirement([*SUPPORT, SOMETIMES, INVARIANT], [TEST]), AnswerKind.ANSWERED),
        (requirement([INVARIANT], refuted_by=[SOMETIMES]), AnswerKind.REFUTED),
        (requirement(refuted_by=[FAULT]), AnswerKind.REFUTED),
        (requirement([SOMETIMES], [TEST]), AnswerKind.SHOWN),
        (requirement([*SUPPORT, SOMETIMES]), AnswerKind.REACHED),
        (requirement(unanswerable="Taste is not a state."), AnswerKind.UNANSWERABLE),
        (requirement(SUPPORT), AnswerKind.OPEN),
        (requirement([Reference("invariant gate.gone")]), AnswerKind.OPEN),
    ],
)
def test_the_strongest_of_what_is_cited_counts(row: Requirement, answer: AnswerKind) -> None:
    assert answer_of(row, KINDS) is answer


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (requirement([INVARIANT, *SUPPORT]), AnswerKind.NOT_EXERCISED),
        (requirement([INVARIANT, SOMETIMES]), AnswerKind.REACHED),
        (requirement([INVARIANT], [TEST]), AnswerKind.SHOWN),
        (requirement([INVARIANT, Reference("invariant gate.leads_to")]), AnswerKind.ANSWERED),
    ],
)
def test_a_claim_whose_premise_never_holds_answers_nothing(
    row: Requirement, answer: AnswerKind
) -> None:
    assert answer_of(row, KINDS, {INVARIANT}) is answer


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(TURNSTILE, tmp_path / "desk", ignore=shutil.ignore_patterns(".lockstep"))
    return tmp_path / "desk"


def edited(root: Path, old: str, new: str) -> Matrix:
    file = root / "specs" / "kip_9.toml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    return build_matrix(root, ["turnstile"], every_file=False)


def test_kinds_are_those_of_the_models_properties(root: Path) -> None:
    matrix = build_matrix(root, ["turnstile"], every_file=False)
    assert matrix.answers == {
        "9-1": AnswerKind.ANSWERED,
        "9-2": AnswerKind.ANSWERED,
        "9-3": AnswerKind.REACHED,
        "9-4": AnswerKind.UNANSWERABLE,
    }
    assert matrix.counts() == matrix.counts(matrix.kips[0])
    assert {answer: count for answer, count in matrix.counts().items() if count} == {
        AnswerKind.ANSWERED: 2,
        AnswerKind.REACHED: 1,
        AnswerKind.UNANSWERABLE: 1,
    }


def test_a_premise_that_holds_in_no_scope_is_not_exercised(root: Path) -> None:
    spec = root / "specs" / "turnstile.toml"
    stated = Reference("invariant turnstile.opens_only_for_a_coin")
    before = build_matrix(root, ["turnstile"], every_file=False)
    rows = [row.id for row in before.requirements if row.answered_by[:1] == (stated,)]
    names = load_model_spec(root, "turnstile").scopes
    tables = [f'[scopes.{name}.vacuous]\n"No." = ["opens_only_for_a_coin"]\n' for name in names]
    spec.write_text("\n".join([spec.read_text("utf-8"), *tables]), "utf-8")
    after = build_matrix(root, ["turnstile"], every_file=False)
    assert rows
    assert {after.answers[row] for row in rows} == {AnswerKind.NOT_EXERCISED}


def test_a_row_without_its_property_is_open(root: Path) -> None:
    claims = root / "invariants" / "turnstile.py"
    claims.write_text(claims.read_text("utf-8").replace('"9-2"', ""), "utf-8")
    matrix = build_matrix(root, ["turnstile"], every_file=False)
    assert matrix.answers["9-2"] is AnswerKind.OPEN
    assert matrix.problems == []


def test_a_sometimes_or_a_fault_that_breaks_something_refutes(root: Path) -> None:
    witnesses = '"invariant turnstile.somebody_gets_in", "fault turnstile.stays_open"'
    matrix = edited(root, 'answered_by = ["deviation', f"refuted_by = [{witnesses}]\n#")
    assert (matrix.answers["9-3"], matrix.problems) == (AnswerKind.REFUTED, [])


def test_what_always_holds_refutes_nothing(root: Path) -> None:
    matrix = edited(
        root,
        'answered_by = ["action turnstile.coin',
        'refuted_by = ["invariant turnstile.opens_only_for_a_coin"]\n#',
    )
    (problem,) = matrix.problems
    assert problem.startswith(
        "9-2 refers to invariant turnstile.opens_only_for_a_coin: it holds always"
    )


def test_a_harmless_fault_refutes_nothing(root: Path) -> None:
    faults = root / "models" / "faults" / "turnstile.py"
    text = faults.read_text("utf-8")
    faults.write_text(text.replace('breaks="entries_are_paid"', 'harmless="Who cares?"'), "utf-8")
    matrix = edited(
        root,
        'answered_by = ["deviation',
        'refuted_by = ["fault turnstile.stays_open", "invariant turnstile.somebody_gets_in"]\n#',
    )
    assert matrix.problems == [
        "9-3 refers to fault turnstile.stays_open: it is harmless, so it refutes nothing"
    ]


SHOWN = 'shown_by = ["test tests/test_gate.py::test_gate"]\n#'
OF_KAFKA = """
import pytest

@pytest.fixture
def log(kafka_output):
    return kafka_output("gate.log").read_text()

def test_gate(log):
    assert log
"""


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (OF_KAFKA, []),
        (
            OF_KAFKA.replace("def log(kafka_output)", "def log(tmp_path)"),
            [
                "9-3 refers to test tests/test_gate.py::test_gate: it does not take the fixture "
                "kafka_output, so it shows nothing of Kafka"
            ],
        ),
        (
            OF_KAFKA.replace("test_gate", "test_gates"),
            [
                "9-3 refers to test tests/test_gate.py::test_gate: tests/test_gate.py has no "
                "function test_gate"
            ],
        ),
    ],
)
def test_only_a_test_of_what_kafka_wrote_shows(root: Path, text: str, problems: list[str]) -> None:
    (root / "tests").mkdir()
    (root / "tests" / "test_gate.py").write_text(text, "utf-8")
    property_line = '@sometimes("9-3")'
    invariants = root / "invariants" / "turnstile.py"
    invariants.write_text(
        invariants.read_text("utf-8").replace(property_line, "@sometimes()"), "utf-8"
    )
    matrix = edited(root, 'answered_by = ["deviation', SHOWN)
    assert matrix.problems == problems
    assert matrix.answers["9-3"] is AnswerKind.SHOWN
