"""What an earlier run decided is printed again as long as nothing of it has changed."""

import json
import re
import shutil
from pathlib import Path

import msgspec
import pytest

from lockstep.results.verdict import Verdict
from lockstep.system.sealed import write_document
from lockstep.verbs.check import Checked, CheckRequest, check
from lockstep.workspace import Workspace, find_workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
FREELY = "s.entries[g] <= s.coins[g]"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    return find_workspace(root)


def checked(workspace: Workspace, **options: object) -> Checked:
    request = CheckRequest(("turnstile",), workspace, **options)  # type: ignore[arg-type]
    (result,) = check(request).results
    assert isinstance(result, Checked)
    return result


def edit(workspace: Workspace, file: str, old: str, new: str) -> None:
    path = workspace.root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_same_is_reported_again(workspace: Workspace) -> None:
    first, again = checked(workspace), checked(workspace)
    assert (first.since, again.since is None) == (None, False)
    assert again.result == first.result
    assert again.judgement == first.judgement
    assert checked(workspace, anew=True).since is None


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("models/turnstile.py", "class ", "# another text\nclass "),
        ("invariants/turnstile.py", FREELY, f"{FREELY} or False"),
        ("specs/turnstile.toml", "[scopes.small]", "# the same\n[scopes.small]"),
    ],
)
def test_a_changed_text_is_explored_again(
    workspace: Workspace, file: str, old: str, new: str
) -> None:
    checked(workspace)
    edit(workspace, file, old, new)
    is_of_the_scope = file.startswith("specs")
    assert (checked(workspace).since is not None) == is_of_the_scope


def test_what_is_pinned_is_judged_again(workspace: Workspace) -> None:
    checked(workspace)
    edit(workspace, "specs/turnstile.toml", "states = 64", "states = 65")
    result = checked(workspace)
    assert result.since is not None
    assert result.verdict is Verdict.DIFFERS


@pytest.mark.parametrize(
    "options",
    [
        {"scope": "small"},
        {"engine": "compiled"},
        {"fault": "stays_open"},
        {"only": ("entries_are_paid",)},
        {"constants": {"MAX_COINS": 1}},
        {"simulate": 5},
    ],
    ids=lambda options: next(iter(options)),
)
def test_another_question_is_another_answer(
    workspace: Workspace, options: dict[str, object]
) -> None:
    checked(workspace)
    assert checked(workspace, **options).since is None


BOUNDS = [{"max_states": 10}, {"max_seconds": 0.0}, {"memory": 1}]


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: next(iter(bound)))
def test_what_was_explored_to_its_end_answers_within_any_bound(
    workspace: Workspace, bound: dict[str, object]
) -> None:
    whole, bounded = checked(workspace), checked(workspace, **bound)
    assert bounded.since is not None
    assert bounded.result == whole.result
    assert bounded.verdict is Verdict.HOLDS


def test_a_bound_that_is_met_keeps_nothing(workspace: Workspace) -> None:
    for _ in range(2):
        result = checked(workspace, max_states=10)
        assert (result.verdict, result.since) == (Verdict.INCONCLUSIVE, None)


def test_a_bound_that_is_not_met_keeps_the_result(workspace: Workspace) -> None:
    checked(workspace, max_states=1_000)
    assert checked(workspace).since is not None


def test_a_violation_is_never_kept(workspace: Workspace) -> None:
    edit(workspace, "invariants/turnstile.py", FREELY, "s.coins[g] < 1")
    for _ in range(2):
        result = checked(workspace)
        assert (result.verdict, result.since) == (Verdict.VIOLATED, None)
        assert result.saved is not None


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"states": 64', '"states": 63'),
        lambda text: "[]",
    ],
    ids=["cut", "changed", "other"],
)
def test_a_damaged_file_is_as_none(workspace: Workspace, damage: object) -> None:
    whole = checked(workspace)
    (file,) = (workspace.output / "decided" / "check").glob("*.json")
    file.write_text(damage(file.read_text("utf-8")), encoding="utf-8")  # type: ignore[operator]
    again = checked(workspace)
    assert again.since is None
    assert again.result.states == whole.result.states


@pytest.mark.parametrize(
    "details", [{}, {"fired": 1}, {"fired": {"enter": 1}}], ids=["none", "kind", "model"]
)
def test_details_that_do_not_fit_are_explored_again(
    workspace: Workspace, details: dict[str, object]
) -> None:
    """As another file that was sealed under the same digest would have them."""
    checked(workspace)
    (file,) = (workspace.output / "decided" / "check").glob("*.json")
    answer = json.loads(file.read_text("utf-8"))["document"]
    assert answer["details"]["fired"]
    text = json.dumps({**answer, "details": details})
    write_document(file, msgspec.Raw(text.encode()), file.stem, 0o644)
    assert checked(workspace).since is None


def test_the_command_says_since_when(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lockstep.cli.main import run

    monkeypatch.chdir(workspace.root)
    assert run(["check", "turnstile"]) == 0
    assert "kept since" not in capsys.readouterr().out
    assert run(["check", "turnstile"]) == 0
    assert re.search(r"\n  kept since \d{4}-\d\d-\d\d \d\d:\d\d\n", capsys.readouterr().out)
    assert run(["check", "turnstile", "--max-states", "10"]) == 0
    said = r"\n  kept since [0-9: -]+; --no-cache explores within the bounds\n"
    assert re.search(said, capsys.readouterr().out)
    assert run(["check", "turnstile", "--max-states", "10", "--no-cache"]) == 3
    assert "kept since" not in capsys.readouterr().out
    assert run(["check", "turnstile", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", row["since"])
    assert run(["check", "turnstile", "--no-cache", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert row["since"] is None


def test_of_several_models_it_is_said_once_since_when(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lockstep.cli.main import run

    monkeypatch.chdir(workspace.root)
    models = ["letters", "turnstile"]
    run(["check", *models])
    assert "kept since" not in capsys.readouterr().out
    run(["check", *models])
    lines = [line for line in capsys.readouterr().out.splitlines() if "kept since" in line]
    kept = sum(row["verdict"] == "holds" for row in results(capsys, models))
    said = rf"{kept} rows?, kept since [0-9: -]+; --no-cache explores again"
    assert len(lines) == 1
    assert re.fullmatch(said, lines[0])


def results(capsys: pytest.CaptureFixture[str], models: list[str]) -> list[dict[str, object]]:
    """The rows of a check as JSON."""
    from lockstep.cli.main import run

    run(["check", *models, "--json"])
    rows: list[dict[str, object]] = json.loads(capsys.readouterr().out)["results"]
    return rows
