import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FILE = "kept/turnstile-entries_are_paid-stays_open.itf.json"


@pytest.fixture
def saved(desk: "Desk") -> Path:
    """The trace of the fault that leaves the arm open: coin, push, push."""
    arguments = ["--scope", "small", "--fault", "stays_open", "--save", "kept"]
    assert desk.run("check", "turnstile", *arguments).code == 1
    return desk.root / FILE


def test_replay_shows_what_changed_and_reproduces(desk: "Desk", saved: Path) -> None:
    ran = desk.run("replay", FILE)
    assert ran.code == 1
    assert ran.out == (
        "turnstile (scope small, fault stays_open)\n"
        "\n"
        "0  the initial state\n"
        "     arm = {east: LOCKED}\n"
        "     2 other variables are 0, False, None or empty\n"
        "1  coin(g=east)                                     models/turnstile.py:33\n"
        "     arm[east]: LOCKED -> OPEN\n"
        "     coins[east]: 0 -> 1\n"
        "2  push(g=east)                               models/faults/turnstile.py:9\n"
        "     <- changed by the fault stays_open\n"
        "     entries[east]: 0 -> 1\n"
        "3  push(g=east)                               models/faults/turnstile.py:9\n"
        "     <- changed by the fault stays_open\n"
        "     entries[east]: 1 -> 2\n"
        "entries_are_paid(g=east) is false                invariants/turnstile.py:9\n"
        "     s.entries[g] <= s.coins[g]                 invariants/turnstile.py:11\n"
        "     s.entries[g] = 2\n"
        "     s.coins[g] = 1\n"
        "\n"
        "violated  entries_are_paid is violated again, as recorded\n"
    )


def test_replay_in_json(desk: "Desk", saved: Path) -> None:
    ran = desk.run("replay", FILE, "--json", "--pytest", "test_it.py")
    assert ran.code == 1
    (row,) = ran.json["results"]
    assert (row["kind"], row["verdict"], row["exit_code"]) == ("replay", "violated", 1)
    assert (row["scope"], row["fault"], row["trace"]) == ("small", "stays_open", FILE)
    assert (row["violated"], row["length"]) == ("entries_are_paid", 3)
    details = row["details"]
    assert details["property"] == "entries_are_paid"
    assert (details["requirements"], details["parameters"]) == (["9-1"], {"g": "east"})
    assert [step["action"] for step in details["steps"]] == ["coin", "push", "push"]
    assert 'behaviour.take("push", g="east")' in details["pytest"]
    assert (desk.root / "test_it.py").read_text() == details["pytest"]
    assert details["on"] is None
    assert ran.json["summary"] == {"verdict": "violated", "exit_code": 1}


@pytest.mark.parametrize("place", ["tests/models", "../elsewhere"])
def test_a_written_test_runs_from_any_folder(
    desk: "Desk", saved: Path, tmp_path: Path, place: str
) -> None:
    (desk.root / place).mkdir(parents=True)
    ran = desk.run("replay", FILE, "--pytest", f"{place}/test_turnstile.py")
    assert ran.code == 1
    assert f"test written to {place}/test_turnstile.py\n" in ran.out
    folder = tmp_path / "somewhere"
    folder.mkdir()
    file = (desk.root / place / "test_turnstile.py").resolve()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    failing = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert failing.returncode == 1, failing.stdout
    assert "assert not behaviour.violates" in failing.stdout
    desk.edit("models/faults/turnstile.py", "s.entries[g] < 2", "s.entries[g] < s.coins[g]")
    passing = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert passing.returncode == 0, passing.stdout


def test_no_file_is_overwritten_by_a_test(desk: "Desk", saved: Path) -> None:
    ran = desk.run("replay", FILE, "--pytest", "models/turnstile.py")
    assert ran.code == 2
    assert ran.err.startswith("lockstep: models/turnstile.py is there already\n")
    assert desk.run("check", "turnstile").code == 0


def test_nothing_violated_makes_no_test(desk: "Desk", saved: Path) -> None:
    desk.edit("invariants/turnstile.py", "<= s.coins[g]", "<= s.coins[g] + 1")
    ran = desk.run("replay", FILE, "--pytest", "test_it.py")
    assert ran.code == 0
    assert "no test: nothing is violated\n" in ran.out
    assert not (desk.root / "test_it.py").exists()


def test_a_property_that_holds_now(desk: "Desk", saved: Path) -> None:
    desk.edit("invariants/turnstile.py", "<= s.coins[g]", "<= s.coins[g] + 1")
    ran = desk.run("replay", FILE)
    assert ran.code == 0
    assert "holds  entries_are_paid holds at the end of this behaviour now" in ran.out


@pytest.mark.parametrize(
    ("file", "old", "new", "because"),
    [
        (
            "models/faults/turnstile.py",
            "s.entries[g] < 2",
            "s.entries[g] < 1",
            "step 3: push(g=east) is not enabled",
        ),
        (
            "models/faults/turnstile.py",
            "    new.entries[g] = s.entries[g] + 1",
            "    new.entries[g] = 2",
            "step 2: push(g=east) leads elsewhere than recorded: entries[east]: 1 -> 2",
        ),
        (
            "models/turnstile.py",
            "Map[Gate, Arm] = {g: Arm.LOCKED",
            "Map[Gate, Arm] = {g: Arm.JAMMED",
            "the initial state leads elsewhere than recorded: arm[east]: LOCKED -> JAMMED",
        ),
        (
            "models/turnstile.py",
            "def coin(",
            "def pay(",
            "step 1: turnstile.stays_open has no action coin",
        ),
        (
            "invariants/turnstile.py",
            "entries_are_paid",
            "all_is_paid",
            "there is no property entries_are_paid",
        ),
        (
            "models/turnstile.py",
            "LOCKED",
            "SHUT",
            "states[0].arm[0][1]: not the name of a member of Arm",
        ),
    ],
)
def test_a_model_that_no_longer_behaves_so(
    desk: "Desk", saved: Path, file: str, old: str, new: str, because: str
) -> None:
    desk.edit(file, old, new)
    if old == "LOCKED":
        for other in ("models/faults/turnstile.py", "invariants/turnstile.py"):
            text = (desk.root / other).read_text()
            (desk.root / other).write_text(text.replace(old, new))
    ran = desk.run("replay", FILE)
    assert ran.code == 3
    assert f"inconclusive  the model has changed: {because}" in ran.out


def damage(file: Path, *path: Any, value: Any) -> None:
    document = json.loads(file.read_text())
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    file.write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("path", "value", "reported"),
    [
        (("states", 2, "coins", "#map", 0, 1), 7, "states[2].coins[0][1]: 7 is not in 0..2"),
        (("states", 2, "coins", "#map", 0, 1), 2, "step 2: push(g=east) leads elsewhere"),
        (("states", 1, "#meta", "index"), 3, 'states[1]["#meta"].index: not 1'),
        (("states", 1, "#meta", "action"), "pay", "step 1: turnstile.stays_open has no action pay"),
        (("states", 1, "#meta", "parameters"), {}, "not the parameters of coin"),
        (("states",), [], "states: not an array of one or more states"),
        (("#meta", "model"), "../../etc/passwd", "#meta.model: '../../etc/passwd' is not a name"),
        (("#meta", "constants", "GATES"), {}, "#meta.constants.GATES: not an integer"),
        (("#meta", "digest"), None, "#meta.digest: missing, or not a text"),
    ],
)
def test_a_damaged_file_is_one_line_with_the_place(
    desk: "Desk", saved: Path, path: tuple[Any, ...], value: Any, reported: str
) -> None:
    damage(saved, *path, value=value)
    ran = desk.run("replay", FILE)
    assert ran.code == 2
    assert reported in ran.err
    assert ran.err.startswith(f"lockstep: {FILE} is damaged at ")
    assert "Traceback" not in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (b"", "line 1, column 1: not JSON: Expecting value"),
        (b'{"#meta": {}', "line 1, column 13: not JSON: Expecting ',' delimiter"),
        (b'{"a": 1, "a": 2}', 'its top: not followed: one object has the key "a" more than once'),
        (b'{"a": NaN}', "not JSON: NaN is no JSON number"),
        (b"\xff\xfe", "byte 0: not UTF-8"),
        (b"[" * 100_000, "the JSON is nested too deep"),
        (b"[" + b"9" * 5000 + b"]", "an integer of thousands of digits"),
        (b"[]", "its top: missing, or not an object"),
        (b'{"#meta": {"format": "ITF"}}', "no model is named"),
    ],
)
def test_a_file_that_is_no_trace(desk: "Desk", content: bytes, reported: str) -> None:
    (desk.root / "odd.json").write_bytes(content)
    ran = desk.run("replay", "odd.json")
    assert ran.code == 2
    assert reported in ran.err


def test_a_file_that_is_not_there(desk: "Desk") -> None:
    ran = desk.run("replay", "none.json")
    assert ran.code == 2
    assert ran.err == "lockstep: none.json cannot be read: No such file or directory\n"


def test_pictures_are_written(desk: "Desk", saved: Path) -> None:
    files = ["--html", "it.html", "--svg", "new/it.svg", "--mermaid", "it.mmd"]
    ran = desk.run("replay", FILE, *files)
    assert ran.code == 1
    assert "written to it.html\nwritten to new/it.svg\nwritten to it.mmd\nviolated" in ran.out
    assert (desk.root / "it.html").read_text().startswith("<!doctype html>")
    assert (desk.root / "new" / "it.svg").read_text().startswith("<svg")
    assert (desk.root / "it.mmd").read_text().startswith("sequenceDiagram\n")
    assert "written" not in desk.run("replay", FILE, "--json", "--svg", "it.svg").out


@pytest.mark.parametrize("kind", ["html", "svg", "mermaid"])
def test_a_picture_is_printed_alone(desk: "Desk", saved: Path, kind: str) -> None:
    ran = desk.run("replay", FILE, f"--{kind}", "-")
    assert ran.code == 1
    assert ran.out.startswith({"html": "<!doctype", "svg": "<svg", "mermaid": "sequence"}[kind])
    assert "violated again" not in ran.out.splitlines()[-1]
    assert not (desk.root / "-").exists()


@pytest.mark.parametrize("others", [["--json"], ["--svg", "-"]])
def test_two_things_are_not_printed_in_one(desk: "Desk", saved: Path, others: list[str]) -> None:
    ran = desk.run("replay", FILE, "--mermaid", "-", *others)
    assert (ran.code, ran.out) == (2, "")
    assert "would be printed in one" in ran.err


@pytest.mark.parametrize("picture", ["--html", "--svg", "--pytest"])
def test_the_counterexample_is_not_written_over(desk: "Desk", saved: Path, picture: str) -> None:
    before = saved.read_bytes()
    ran = desk.run("replay", FILE, picture, f"./{FILE}")
    assert (ran.code, ran.out) == (2, "")
    assert "is the counterexample, and would be written over" in ran.err
    assert saved.read_bytes() == before


def test_a_picture_that_cannot_be_written(desk: "Desk", saved: Path) -> None:
    ran = desk.run("replay", FILE, "--html", "models")
    assert ran.code == 2
    assert "models cannot be written: Is a directory" in ran.err


def test_a_damaged_declaration_is_reported(desk: "Desk", saved: Path) -> None:
    desk.edit("specs/turnstile.toml", "[scopes.small]", "[diagram]\nlanes = []\n\n[scopes.small]")
    ran = desk.run("replay", FILE, "--svg", "it.svg")
    assert ran.code == 2
    assert "diagram.lanes: names nobody" in ran.err


def test_a_declaration_that_does_not_fit_is_reported_by_check(desk: "Desk") -> None:
    lines = '[diagram]\nlanes = ["GATES"]\n\n[diagram.at]\nall = ["jams"]\n\n[scopes.small]'
    desk.edit("specs/turnstile.toml", "[scopes.small]", lines)
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 2
    assert "diagram.at.all: turnstile has no action 'jams'" in ran.out + ran.err
    assert "did you mean jam?" in ran.out + ran.err
