"""`lockstep prove`: proofs, violations, questions, and how each ends the process."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import z3

from lockstep.pages import progress
from lockstep.prove.bounded import BoundedResult
from lockstep.results.verdict import Verdict

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

PAID = ".lockstep/counterexamples/turnstile-entries_are_paid"


def test_all_is_proved(proved: "Desk") -> None:
    ran = proved.run("prove")
    assert ran.code == 0
    assert re.search(r"^turnstile wide: holds, \d", ran.out)
    for name in ("entries_are_paid", "opens_only_for_a_coin", "an_open_arm_is_paid_for"):
        assert re.search(rf"\n  {name} +proved, 1-induction, \d+\.\d\d s\n", ran.out)
    assert "not asked, being no invariants: somebody_gets_in, deadlock\n" in ran.out
    assert "4 of 4 properties proved" in ran.out


def test_json_is_all_that_is_printed(proved: "Desk") -> None:
    ran = proved.run("prove", "turnstile", "--k", "2", "--infer", "--json")
    assert ran.code == 0
    assert ran.json["version"] == 2
    (row,) = ran.json["results"]
    details = row["details"]
    assert (row["model"], row["scope"], details["from_scope"]) == ("turnstile", "wide", None)
    assert (row["verdict"], row["because"], row["exit_code"]) == ("holds", "", 0)
    assert (row["judged"], details["k"]) == ("4/4", 2)
    assert [(each["name"], each["lemma"], each["proved"]) for each in details["properties"]] == [
        ("entries_are_paid", False, True),
        ("opens_only_for_a_coin", False, True),
        ("an_open_arm_is_paid_for", True, True),
        ("the text always has a meaning", False, True),
    ]
    assert (details["unasked"], details["inferred"], details["bounded"]) == (
        ["somebody_gets_in", "deadlock"],
        [],
        None,
    )
    assert details["reproduce"] == "lockstep prove turnstile --proof wide --k 2 --infer"
    summary = ran.json["summary"]
    assert (summary["proofs"], summary["properties"], summary["proved"]) == (1, 4, 4)
    assert (summary["holds"], summary["not_asked"], summary["exit_code"]) == (1, [], 0)


def test_for_any_number_of_names(interchangeable: "Desk") -> None:
    """The step is about one gate, and a claim may be about another."""
    ran = interchangeable.run("prove", "turnstile", "--any", "GATES")
    assert ran.code == 0
    reported = "for any number of GATES: proved with 1 to 2, and no more than 2 matter at once\n"
    assert reported in ran.out
    assert "4 of 4 properties proved" in ran.out
    (row,) = interchangeable.run("prove", "--any", "GATES", "--json").json["results"]
    enough = {"constant": "GATES", "names": 2, "left_out": {}, "unread": []}
    assert row["details"]["enough"] == enough
    assert row["details"]["reproduce"] == "lockstep prove turnstile --proof wide --any GATES"


def test_a_proof_of_the_specification_for_any_number(interchangeable: "Desk") -> None:
    with (interchangeable.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('\n[proofs.any]\nlike = "wide"\npurpose = "All."\nany_number = "GATES"\n')
    ran = interchangeable.run("prove", "turnstile", "--proof", "any")
    assert ran.code == 0
    assert "no more than 2 matter at once\n" in ran.out
    refused = interchangeable.run("prove", "turnstile", "--proof", "any", "--k", "2")
    assert refused.code == 2
    assert "a proof for any number of names takes one step at a time" in refused.out
    interchangeable.edit("specs/turnstile.toml", 'like = "wide"', 'like = "wild"')
    refused = interchangeable.run("prove")
    assert "proofs.any.like: there is no 'wild' beside it" in refused.out


def test_what_adds_up_over_all_names_is_left_out(interchangeable: "Desk") -> None:
    with (interchangeable.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(
            "\n\n@invariant()\ndef sums_are_paid(s):\n"
            "    return sum(s.entries[g] for g in Gate) <= sum(s.coins[g] for g in Gate)\n"
        )
    ran = interchangeable.run("prove", "turnstile", "--any", "GATES")
    assert ran.code == 3
    assert "  not proved (something is added up over all names (invariants/turnstile.py:" in ran.out
    assert "4 of 5 properties proved" in ran.out


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("s.arm[g] == Arm.OPEN)\n", "s.arm[g] == Arm.OPEN and g != 'east')\n", "mentions 'east'"),
        ("Range(0, MAX_COINS)", "Range(0, 9 * len(GATES))", "depends on how many there are"),
        ("Range(0, MAX_COINS)", "Range(0, max(99, len(GATES)))", "more than which there are"),
        ("MAX_COINS: Constant = 2", "MAX_COINS: Constant = len(GATES)", "more than which there"),
        ("OneOf(GATES, interchangeable=True)", "OneOf(GATES)", "no domain declares them"),
    ],
)
def test_names_that_are_more_than_names(
    interchangeable: "Desk", old: str, new: str, why: str
) -> None:
    interchangeable.edit("models/turnstile.py", old, new)
    ran = interchangeable.run("prove", "turnstile", "--any", "GATES")
    assert ran.code == 3
    assert "no number of GATES stands for all numbers: " in ran.out
    assert why in ran.out


def test_a_constant_that_lists_no_names(interchangeable: "Desk") -> None:
    ran = interchangeable.run("prove", "turnstile", "--any", "MAX_COINS")
    assert ran.code == 2
    assert "turnstile has no constant MAX_COINS that lists names" in ran.out
    assert "those that do are: GATES" in ran.out


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--proof", "wid"], "no proof 'wid'\n    cure: did you mean wide?"),
        (["--fault", "stays_opn"], "no fault 'stays_opn'\n    cure: did you mean stays_open?"),
        (["--set", "MAX_COIN=3"], "no constant MAX_COIN\n    cure: did you mean MAX_COINS?"),
        (["--any", "GATE"], "no constant GATE that lists names\n    cure: did you mean GATES?"),
    ],
)
def test_an_unknown_name_is_reported_once_for_all_proofs(
    proving: "Desk", arguments: list[str], reported: str
) -> None:
    with (proving.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('[proofs.narrow]\npurpose = "Few coins."\n')
    ran = proving.run("prove", "turnstile", *arguments)
    assert ran.code == 2
    assert ran.out.count(reported) == 1
    assert "properties proved" not in ran.out


def test_what_never_happens_proves_nothing(proved: "Desk") -> None:
    ran = proved.run("prove", "turnstile", "--set", "CAN_JAM=false")
    assert ran.code == 3
    assert "4 of 4 properties proved" in ran.out
    assert "\n  jam: never enabled\n" in ran.out
    with (proved.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('[proofs.wide.idle]\n"It is new." = ["jam"]\n')
    ran = proved.run("prove", "turnstile", "--set", "CAN_JAM=false")
    assert ran.code == 0
    assert "\n  jam: never enabled: It is new.\n" in ran.out
    ran = proved.run("prove", "turnstile")
    assert ran.code == 3
    assert "jam is not silent: take it out of [proofs.wide]" in ran.out


def test_a_premise_that_is_never_true_proves_nothing(proved: "Desk") -> None:
    with (proved.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(
            "\n\n@step_invariant()\ndef nobody_goes_twice(s, new, g: Gate):\n"
            "    when(new.entries[g] > s.entries[g] + 1)\n    return False\n"
        )
    (row,) = proved.run("prove", "turnstile", "--json").json["results"]
    assert (row["details"]["idle"], row["details"]["vacuous"]) == ([], ["nobody_goes_twice"])
    assert (row["verdict"], row["exit_code"]) == ("inconclusive", 3)
    assert row["because"] == "nobody_goes_twice: its premise is never true"


def test_what_is_not_proved_is_said_with_how_far_it_holds(proving: "Desk") -> None:
    """Without the lemma nothing keeps `entries` below its bound: a proof that is open."""
    ran = proving.run("prove", "turnstile", "--examples")
    assert ran.code == 3
    assert re.search(
        r"entries_are_paid +not proved \(it does not keep itself up\); holds up to 4 steps\n"
        r" +It says nothing of the arms\.\n  from a state that a lemma would have to exclude:",
        ran.out,
    )
    assert "reproduce with  lockstep prove turnstile --proof wide" in ran.out
    row = proving.run("prove", "turnstile", "--json").json["results"][0]
    assert row["because"] == "not proved: the text always has a meaning"
    details = row["details"]
    assert details["properties"][0]["excused"] == "It says nothing of the arms."
    found = details["bounded"]["covered"], row["violated"], row["trace"], details["steps"]
    assert found == (4, None, None, None)


def test_an_excuse_that_is_not_needed(proved: "Desk") -> None:
    with (proved.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('[proofs.wide.bounded]\n"hard" = ["entries_are_paid"]\n')
    ran = proved.run("prove", "turnstile")
    assert ran.code == 3
    assert "entries_are_paid is proved: take it out of [proofs.wide.bounded]" in ran.out
    assert proved.run("prove", "turnstile", "--infer").code == 0


@pytest.mark.parametrize("fault", ["stays_open", "kicked_open"])
def test_a_fault_is_refuted_by_a_behaviour_that_replays(proved: "Desk", fault: str) -> None:
    ran = proved.run("prove", "turnstile", "--fault", fault)
    assert ran.code == 1
    broken = {"stays_open": "entries_are_paid", "kicked_open": "opens_only_for_a_coin"}[fault]
    steps = {"stays_open": "3 steps", "kicked_open": "1 step"}[fault]
    assert re.search(rf"{broken} +violated after {steps}\n", ran.out)
    file = f".lockstep/counterexamples/turnstile-{broken}-{fault}.itf.json"
    assert f"see it with  lockstep replay {file}" in ran.out
    again = proved.run("replay", file, "--json")
    assert again.code == 1
    assert again.json["results"][0]["violated"] == broken
    row = proved.run("prove", "turnstile", "--fault", fault, "--json").json["results"][0]
    assert row["verdict"] == "violated"
    assert broken in row["violates"]
    assert row["trace"].endswith(file)
    assert row["length"] == len(row["details"]["steps"]) == int(steps[0])


def test_a_false_invariant_at_real_width(proved: "Desk") -> None:
    """No search gets to the last coin one by one; a payment of many does."""
    proved.edit(
        "models/turnstile.py", "def coin(s, new, g: Gate):", "def coin(s, new, g: Gate, n: Count):"
    )
    proved.edit("models/turnstile.py", "s.coins[g] + 1", "max(s.coins[g] + 1, n)")
    proved.edit("invariants/turnstile.py", "s.entries[g] <= s.coins[g]", "s.coins[g] < 2147483647")
    proved.edit("invariants/turnstile.py", "new.coins[g] == s.coins[g] + 1", "new.coins[g] > 0")
    ran = proved.run("prove", "turnstile")
    assert ran.code == 1
    assert "coins[east]: 0 -> 2147483647" in ran.out or "coins[west]: 0 -> 2147483647" in ran.out
    assert proved.run("replay", f"{PAID}.itf.json").code == 1


def test_a_claim_about_more_numbers_than_can_be_gone_through(proved: "Desk") -> None:
    """`replay` evaluates it for the one that was recorded."""
    proved.edit("invariants/turnstile.py", "import Arm, Gate", "import Arm, Count, Gate")
    with (proved.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(
            "\n\n@invariant()\ndef apart(s, g: Gate, n: Count):\n"
            "    return s.coins[g] == 0 or s.coins[g] + n != 2147483647\n"
        )
    ran = proved.run("prove", "turnstile")
    assert ran.code == 1
    assert re.search(r"\n  apart +violated after 1 step\n", ran.out)
    again = proved.run("replay", ".lockstep/counterexamples/turnstile-apart.itf.json")
    assert again.code == 1
    assert re.search(r"\napart\(g=\w+, n=2147483646\) is false ", again.out)


def test_a_false_lemma_is_shown(proved: "Desk") -> None:
    """It is looked at after what the requirements say."""
    proved.edit("invariants/turnstile.py", "s.entries[g] < s.coins[g]", "s.coins[g] < 2")
    ran = proved.run("prove", "turnstile")
    assert ran.code == 1
    assert re.search(r"an_open_arm_is_paid_for +violated after 3 steps\n", ran.out)
    assert re.search(r"\n      3  coin\(g=\w+\) +models/turnstile.py:\d+\n", ran.out)
    file = ".lockstep/counterexamples/turnstile-an_open_arm_is_paid_for.itf.json"
    assert f"see it with  lockstep replay {file}" in ran.out
    again = proved.run("replay", file, "--json")
    assert (again.code, again.json["results"][0]["violated"]) == (1, "an_open_arm_is_paid_for")


def test_text_without_meaning_is_an_error_with_the_way_to_it(proved: "Desk") -> None:
    proved.edit("models/turnstile.py", " and has_room(s, g))", ")")
    ran = proved.run("prove", "turnstile", "--set", "MAX_COINS=1", "--depth", "5")
    assert ran.code == 2
    assert re.search(r"turnstile .*: error, ", ran.out)
    assert "  error[no-meaning]: coin: coins[" in ran.out
    assert "  37 |     new.coins[g] = s.coins[g] + 1\n     |     ^^^^^^^^^^^^\n" in ran.out
    assert re.search(r"\n    2  push\(g=\w+\) +models/turnstile.py:\d+\n", ran.out)
    row = proved.run("prove", "turnstile", "--set", "MAX_COINS=1", "--json").json["results"][0]
    assert (row["verdict"], row["exit_code"]) == ("error", 2)
    details = row["details"]
    assert details["error"]["function"] == "coin"
    assert (len(details["steps"]), row["trace"]) == (2, None)
    assert details["reproduce"] == "lockstep prove turnstile --proof wide --set MAX_COINS=1"


def test_every_question_is_written(proved: "Desk") -> None:
    stale = proved.root / "smt/turnstile-wide/999-of-an-earlier-proof.smt2"
    stale.parent.mkdir(parents=True)
    stale.write_text("(check-sat)")
    ran = proved.run("prove", "turnstile", "--smt", "smt")
    assert ran.code == 0
    files = sorted(stale.parent.iterdir())
    assert f"{len(files)} questions written to smt/turnstile-wide" in ran.out
    assert files[0].name == "001-entries_are_paid-initial-0.smt2"
    assert stale not in files
    for file in files:
        text = file.read_text()
        assert "(set-logic ALL)" in text
        assert text.rstrip().endswith("(check-sat)")


def test_a_folder_that_cannot_be_written_loses_no_verdict(proved: "Desk") -> None:
    (proved.root / "taken").write_text("a file, not a folder")
    ran = proved.run("prove", "turnstile", "--smt", "taken")
    assert ran.code == 3, "it is a proof, but not all that was asked for is there"
    assert "questions not written: taken/turnstile-wide cannot be written" in ran.out
    assert "4 of 4 properties proved" in ran.out
    row = proved.run("prove", "turnstile", "--smt", "taken", "--json").json["results"][0]
    assert row["details"]["smt"]["folder"] is None
    assert (row["verdict"], row["exit_code"]) == ("holds", 3)
    (proved.root / ".lockstep").write_text("a file, not a folder")
    ran = proved.run("prove", "turnstile", "--fault", "stays_open")
    assert ran.code == 1
    assert "violated after 3 steps" in ran.out
    assert "/.lockstep cannot be written: File exists" in ran.out


def test_a_model_without_proofs_is_asked_about_where_it_is_named(desk: "Desk") -> None:
    ran = desk.run("prove")
    assert ran.code == 2
    assert "no model here has a proof" in ran.err
    ran = desk.run("prove", "turnstile", "--depth", "2")
    assert ran.code == 3
    assert "turnstile default: inconclusive" in ran.out
    assert "reproduce with  lockstep prove turnstile --scope default --depth 2" in ran.out
    assert desk.run("prove", "turnstile", "--scope", "small").code == 3


def test_one_broken_model_does_not_hide_the_others(proved: "Desk") -> None:
    proved.edit("models/letters.py", "new.hand = letter", "new.hand = [letter]")
    ran = proved.run("prove", "letters", "turnstile")
    assert ran.code == 2
    assert "letters default: error\n" in ran.out
    assert "turnstile wide: holds" in ran.out
    (broken, fine) = proved.run("prove", "letters", "turnstile", "--json").json["results"]
    assert (broken["exit_code"], fine["verdict"]) == (2, "holds")
    (one, other) = proved.run("prove", "letters", "turnstile", "--proof", "wide", "--json").json[
        "results"
    ]
    assert "letters has no proof 'wide'" in one["because"]
    assert other["verdict"] == "holds"


def test_the_whole_time_is_said_and_what_was_asked(
    proved: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    """The induction gives up early, and the search for what breaks takes a second more."""

    def silent(solver: z3.Solver, max_seconds: float | None, *assumptions: z3.BoolRef) -> str:
        return f"no answer within {max_seconds:g} s"

    def late(search: object, depth: int, on_depth: object) -> BoundedResult:
        time.sleep(1.0)
        return BoundedResult(Verdict.HOLDS, depth, 1.0)

    monkeypatch.setattr("lockstep.prove.induction.ask", silent)
    monkeypatch.setattr("lockstep.prove.bounded._Search.run", late)
    ran = proved.run("prove", "turnstile", "--max-seconds", "7")
    said = re.findall(r"(?:: \w+|properties proved), (\d+\.\d) s", ran.out)
    times = [float(seconds) for seconds in said]
    assert len(times) == 2, ran.out
    assert min(times) >= 1.0
    asked = r"not proved \(no answer within 7 s, asked of (?:the initial state|a step of \w+)\)"
    assert re.search(rf"entries_are_paid +{asked}", ran.out)
    meaning = r"the text always has a meaning +not proved \(\w+: no answer within 7 s, asked of "
    assert re.search(meaning, ran.out)
    seconds = proved.run("prove", "turnstile", "--max-seconds", "7", "--json").json
    assert seconds["results"][0]["seconds"] >= 1.0
    assert seconds["summary"]["seconds"] >= 1.0


def test_no_time_is_no_verdict(proved: "Desk") -> None:
    ran = proved.run("prove", "turnstile", "--max-seconds", "0")
    assert ran.code == 3
    assert re.search(r"entries_are_paid +not proved \(there is no time left\)\n", ran.out)
    assert "because  no answer within 0 s" in ran.out
    assert "--proof wide --max-seconds 0" in ran.out


@pytest.mark.parametrize("at", ["entries_are_paid: proved", "2 steps"])
def test_ctrl_c_keeps_what_was_found(
    proved: "Desk", monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    @contextmanager
    def interrupting(title: str) -> Iterator[Callable[[str], None]]:
        def interrupt(note: str) -> None:
            if note == at:
                raise KeyboardInterrupt

        yield interrupt

    if at == "2 steps":  # something has to be left for a search
        proved.edit("invariants/turnstile.py", "s.entries[g] < s.coins[g]", "s.coins[g] < 99")
    monkeypatch.setattr(progress, "note_line", interrupting)
    ran = proved.run("prove", "turnstile", "letters")
    assert ran.code == 130
    assert "turnstile wide: inconclusive" in ran.out
    assert "not asked about: letters default" in ran.out
    row = proved.run("prove", "turnstile", "--json").json["results"][0]
    details = row["details"]
    found = row["because"], details["interrupted"], row["exit_code"]
    assert found == ("interrupted", True, 130)
    if at == "2 steps":
        assert details["bounded"]["covered"] == 1
    else:
        assert details["properties"][0]["proved"] is True
        assert details["properties"][1]["because"] == "interrupted"


@pytest.mark.parametrize(
    ("arguments", "code", "reported"),
    [
        (["--equal", "push", "pull"], 2, "turnstile has no action 'pull'"),
        (["--equal", "push", "reset"], 2, "push and reset have other parameters"),
        (["--equal", "push", "jam", "--max-seconds", "0"], 3, "there is no time left"),
        (["--find", "True", "--equal", "push", "jam"], 2, "--find does not go with --equal"),
        (["--from", "True", "--equal", "push", "jam"], 2, "--from does not go with --equal"),
        (["--any", "GATES", "--k", "2"], 2, "--any does not go with --k"),
        (["--find", "True", "--smt", "x"], 2, "--find does not go with --smt"),
        (["--proof", "wide", "--scope", "small"], 2, "--proof does not go with --scope"),
        (["--k", "0"], 2, "Invalid value for '--k'"),
        (["--proof", "tall", "--find", "True"], 2, "its proofs are: wide"),
    ],
)
def test_wrong_use_is_one_clear_line(
    proved: "Desk", arguments: list[str], code: int, reported: str
) -> None:
    with (proved.root / "models/turnstile.py").open("a") as model:
        model.write("\n\n@action\ndef reset(s, new):\n    new.coins = s.coins\n")
    ran = proved.run("prove", "turnstile", *arguments)
    assert ran.code == code
    assert reported in ran.err
    assert ran.out == ""


def test_a_question_is_about_one_model(proved: "Desk") -> None:
    assert (
        "--find, --from and --equal ask about one model"
        in proved.run("prove", "--find", "True").err
    )
    ran = proved.run("prove", "--fault", "stays_open")
    assert ran.code == 2
    assert "--fault is about one model" in ran.err
    with (proved.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('[proofs.narrow]\npurpose = "Few coins."\n')
    ran = proved.run("prove", "turnstile", "--find", "True")
    assert ran.code == 2
    assert "cure: name one by --proof: wide, narrow" in ran.err


def test_a_proof_that_takes_no_step(proved: "Desk") -> None:
    proved.edit("specs/turnstile.toml", "[proofs.wide]\n", "[proofs.wide]\nk = 0\n")
    ran = proved.run("prove", "turnstile")
    assert ran.code == 2
    assert "mend k in [proofs.wide] of" in ran.out


def test_a_model_that_the_solver_has_no_term_for(proved: "Desk") -> None:
    """A set of numbers as many as coins: its items would have to be listed."""
    proved.edit("models/turnstile.py", "import Constant, ", "import Constant, Set, ")
    with (proved.root / "models/turnstile.py").open("a") as model:
        model.write("\n\n@action\ndef note(s, new):\n    new.seen = s.seen\n")
    proved.edit(
        "models/turnstile.py",
        "    arm: Map[Gate, Arm]",
        "    seen: Set[Count] = frozenset()\n    arm: Map[Gate, Arm]",
    )
    ran = proved.run("prove", "turnstile")
    assert ran.code == 3
    assert "has more than 4,096 values" in ran.out


def test_a_counterexample_names_the_file_that_it_was_saved_to(proved: "Desk") -> None:
    ran = proved.run("prove", "turnstile", "--fault", "stays_open", "--json")
    assert Path(ran.json["results"][0]["trace"]).is_file()
