import json
from typing import TYPE_CHECKING

import pytest

from lockstep.specs.matrix import AnswerKind

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


def test_a_requirement_has_its_answer_and_below_it_what_gives_that(desk: "Desk") -> None:
    ran = desk.run("matrix", "turnstile")
    assert ran.code == 0
    assert ran.out == (
        "KIP-9  Turnstiles: 4 requirements: 2 answered, 1 reached, 1 unanswerable.\n"
        "  9-1  answered\n"
        "       Entering: Every entry shall be paid for.\n"
        "       invariant turnstile.entries_are_paid\n"
        "       fault turnstile.stays_open\n"
        "  9-2  answered\n"
        "       Entering: A gate shall open for a coin only.\n"
        "       step invariant turnstile.opens_only_for_a_coin\n"
        "       action turnstile.coin\n"
        "  9-3  reached\n"
        "       Entering: Whoever pays shall get in.\n"
        "       sometimes turnstile.somebody_gets_in\n"
        "       deviation 9-D1\n"
        "  9-4  unanswerable\n"
        "       Looks: A gate shall be pleasing to the eye.\n"
        "       Taste is not a state.\n"
    )


def test_no_line_is_wider_than_a_terminal(desk: "Desk") -> None:
    text = "Whoever pays shall get in, " + "and in, " * 20 + "and in."
    desk.edit("specs/kip_9.toml", "Whoever pays shall get in.", text)
    lines = desk.run("matrix").out.splitlines()
    assert max(map(len, lines)) <= 80
    shown = " ".join(line.strip() for line in lines)
    assert f"Entering: {text} sometimes turnstile.somebody_gets_in" in shown


def test_markdown_is_printed_where_it_is_asked_for(desk: "Desk") -> None:
    ran = desk.run("matrix", "turnstile", "--markdown")
    assert ran.out == (
        "## lockstep matrix: holds. 4 requirements: 2 answered, 1 reached, 1 unanswerable.\n"
        "\n"
        "### KIP-9 Turnstiles: 4 requirements: 2 answered, 1 reached, 1 unanswerable.\n"
        "\n"
        "| id | answer | requirement | by |\n"
        "| --- | --- | --- | --- |\n"
        "| 9-1 | answered | Entering: Every entry shall be paid for. | "
        "invariant turnstile.entries_are_paid<br>fault turnstile.stays_open |\n"
        "| 9-2 | answered | Entering: A gate shall open for a coin only. | "
        "step invariant turnstile.opens_only_for_a_coin<br>action turnstile.coin |\n"
        "| 9-3 | reached | Entering: Whoever pays shall get in. | "
        "sometimes turnstile.somebody_gets_in<br>deviation 9-D1 |\n"
        "| 9-4 | unanswerable | Looks: A gate shall be pleasing to the eye. | "
        "Taste is not a state. |\n"
    )


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        (
            "specs/kip_9.toml",
            "action turnstile.coin",
            "action turnstile.pay",
            "9-2 refers to action turnstile.pay: turnstile has no action pay",
        ),
        (
            "specs/kip_9.toml",
            "fault turnstile.stays_open",
            "fault turnstile.stays",
            "9-1 refers to fault turnstile.stays: turnstile has no fault stays",
        ),
        (
            "specs/kip_9.toml",
            "fault turnstile.stays_open",
            "fault gate.stays_open",
            "9-1 refers to fault gate.stays_open: there is no model gate",
        ),
        (
            "specs/kip_9.toml",
            "deviation 9-D1",
            "deviation 9-D2",
            "9-3 refers to deviation 9-D2: there is no such deviation",
        ),
        (
            "specs/kip_9.toml",
            "deviation 9-D1",
            "test tests/test_gate.py::test_gate",
            "9-3 refers to test tests/test_gate.py::test_gate: there is no file tests/test_gate.py",
        ),
        (
            "specs/kip_9.toml",
            "action turnstile.coin",
            "proposal turnstile.wide_gate",
            "9-2 refers to proposal turnstile.wide_gate: turnstile has no proposal wide_gate",
        ),
        (
            "specs/kip_9.toml",
            'answered_by = ["action turnstile.coin"]',
            'refuted_by = ["scope turnstile.smaller"]',
            "9-2 refers to scope turnstile.smaller: turnstile has no scope smaller",
        ),
        (
            "specs/kip_9.toml",
            'answered_by = ["action turnstile.coin"]',
            'refuted_by = ["scope turnstile.small"]',
            "9-2 refers to scope turnstile.small: nothing that states 9-2 is pinned as violated "
            "there",
        ),
        (
            "specs/kip_9.toml",
            "action turnstile.coin",
            "invariant turnstile.entries_are_paid",
            "9-2 refers to invariant turnstile.entries_are_paid: it does not state 9-2: "
            'write "9-2" in its decorator',
        ),
        (
            "specs/kip_9.toml",
            "action turnstile.coin",
            "invariant turnstile.opens",
            "9-2 refers to invariant turnstile.opens: turnstile has no invariant opens",
        ),
        (
            "invariants/turnstile.py",
            '"9-2"',
            '"9-2", "9-20"',
            "invariants/turnstile.py:14: opens_only_for_a_coin states 9-20, which has no row in "
            "specs/kip_9.toml: did you mean 9-2?",
        ),
        (
            "invariants/turnstile.py",
            '"9-2"',
            '"9-2", "9-4"',
            "invariant turnstile.opens_only_for_a_coin states 9-4, which is unanswerable: "
            "take away one of the two",
        ),
        (
            "specs/kip_9.toml",
            'unanswerable = "Taste is not a state."\n',
            "",
            "nothing answers 9-4: state it in a property, cite what supports it in answered_by, "
            "or say in `unanswerable` why nothing can",
        ),
    ],
)
def test_a_reference_that_leads_nowhere(
    desk: "Desk", file: str, old: str, new: str, problem: str
) -> None:
    (desk.root / "tests").mkdir()
    desk.edit(file, old, new)
    ran = desk.run("matrix", "turnstile")
    assert ran.code == 1
    assert f"\nwrong  {problem}\n" in ran.out
    document = json.loads(desk.run("matrix", "turnstile", "--json").out)
    assert document["summary"]["problems"] == [problem]


def test_a_property_that_is_cited_as_well_is_cited_once(desk: "Desk") -> None:
    """As older files have it: the decorator says the same."""
    usual = desk.run("matrix", "turnstile").out
    stated = '"invariant turnstile.entries_are_paid", '
    desk.edit("specs/kip_9.toml", '"fault turnstile', f'{stated}"fault turnstile')
    ran = desk.run("matrix", "turnstile")
    assert (ran.code, ran.out) == (0, usual)


def test_properties_of_all_models_that_refer_to_a_file_answer_its_rows(desk: "Desk") -> None:
    desk.edit(
        "specs/letters.toml", 'name = "letters"', 'name = "letters"\nrequirements = ["kip_9"]'
    )
    file = desk.root / "invariants" / "letters.py"
    claims = file.read_text("utf-8")
    file.write_text(claims.replace("()", '("9-3")', 1), "utf-8")
    rows = json.loads(desk.run("matrix", "turnstile", "--json").out)["results"]
    assert rows[2]["details"]["answered_by"] == [
        "invariant letters.boxes_hold_one_letter",
        "invariant turnstile.somebody_gets_in",
        "deviation 9-D1",
    ]


def test_a_test_is_looked_up_in_its_file(desk: "Desk") -> None:
    desk.edit("specs/kip_9.toml", "deviation 9-D1", "test tests/test_gate.py::test_gate")
    ran = desk.run("matrix", "turnstile")
    assert ran.code == 0
    assert "1 reference to tests or reviews not looked up: this workspace came" in ran.out
    (desk.root / "tests").mkdir()
    (desk.root / "tests/test_gate.py").write_text("def test_gates():\n    pass\n")
    ran = desk.run("matrix", "turnstile")
    assert "tests/test_gate.py has no function test_gate" in ran.out
    (desk.root / "tests/test_gate.py").write_text("def test_gate():\n    pass\n")
    assert desk.run("matrix", "turnstile").code == 0


def test_a_review_is_a_page(desk: "Desk") -> None:
    """It may stand beside the reason why nothing answers a row, which is printed with it."""
    desk.edit("specs/kip_9.toml", "unanswerable", 'answered_by = ["review beauty"]\nunanswerable')
    ran = desk.run("matrix", "turnstile")
    assert ran.code == 0
    assert "1 reference to tests or reviews not looked up" in ran.out
    assert "Taste is not a state.\n       review beauty\n" in ran.out
    (desk.root / "docs/reviews").mkdir(parents=True)
    ran = desk.run("matrix", "turnstile")
    assert "9-4 refers to review beauty: there is no file docs/reviews/beauty.md" in ran.out
    (desk.root / "docs/reviews/beauty.md").write_text("Beautiful.\n")
    assert desk.run("matrix", "turnstile").code == 0


def test_a_scope_that_breaks_a_claim_refutes_its_row(desk: "Desk") -> None:
    desk.edit(
        "specs/turnstile.toml",
        'verdict = "holds"',
        'verdict = "violated"\nviolates = ["opens_only_for_a_coin"]',
    )
    desk.edit(
        "specs/kip_9.toml",
        '[[requirement]]\nid = "9-3"',
        'refuted_by = ["scope turnstile.small"]\n\n[[requirement]]\nid = "9-3"',
    )
    ran = desk.run("matrix", "turnstile")
    assert ran.code == 0
    assert "1 refuted, 1 answered, 1 reached, 1 unanswerable" in ran.out
    assert "refuted by scope turnstile.small" in ran.out


@pytest.mark.parametrize(
    "option",
    [
        ["--faults"],
        ["--pin"],
        ["--except", "entries_are_paid"],
        ["--all"],
        ["--max-states", "5"],
        ["--memory", "8GiB"],
        ["--spill", "folder"],
        ["--threads", "1"],
        ["--engine", "python"],
        ["--liveness"],
        ["--no-cache"],
        ["--save", "folder"],
        ["--verbose"],
    ],
    ids=lambda option: option[0],
)
def test_an_option_of_searches_is_refused(desk: "Desk", option: list[str]) -> None:
    ran = desk.run("matrix", "turnstile", *option)
    assert (ran.code, ran.out) == (2, "")
    assert f"No such option: {option[0]}" in ran.err


def test_counts_are_in_json(desk: "Desk") -> None:
    document = json.loads(desk.run("matrix", "turnstile", "--json").out)
    assert [row["verdict"] for row in document["results"]] == [
        "answered",
        "answered",
        "reached",
        "unanswerable",
    ]
    counts = {answer: 0 for answer in AnswerKind} | {"answered": 2, "reached": 1, "unanswerable": 1}
    assert document["summary"]["answers"] == counts
    assert document["summary"]["kips"] == {"9": counts}


def test_every_file_begins_with_its_counts_and_all_end_with_theirs(desk: "Desk") -> None:
    text = (desk.root / "specs" / "kip_9.toml").read_text("utf-8")
    other = text.replace("number = 9", "number = 10").replace('"9-', '"10-')
    head, _, _ = other.replace("deviation 9-", "deviation 10-").partition("[[requirement]]")
    row = text[text.index('[[requirement]]\nid = "9-4"') : text.index("[[constant]]")]
    (desk.root / "specs" / "kip_10.toml").write_text(head + row.replace("9-4", "10-1"))
    lines = desk.run("matrix").out.splitlines()
    assert [line for line in lines if "requirement" in line] == [
        "KIP-9  Turnstiles: 4 requirements: 2 answered, 1 reached, 1 unanswerable.",
        "KIP-10  Turnstiles: 1 requirement: 1 unanswerable.",
        "In all 5 requirements: 2 answered, 1 reached, 2 unanswerable.",
    ]


def test_models_without_requirements_have_no_matrix(desk: "Desk") -> None:
    ran = desk.run("matrix", "letters")
    assert ran.code == 2
    assert "letters: there are no requirements" in ran.err
    every = desk.run("matrix")
    assert every.code == 0
    assert every.out.startswith("KIP-9  Turnstiles: ")
