"""Kept answers: what makes one useless, and what cannot pass for one."""

import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as replaced

from lockstep.answers import store
from lockstep.answers.answer import Answer
from lockstep.answers.store import LOADED, Dependencies, Question, latest_answers, texts_of
from lockstep.language.model import load_model
from lockstep.system.sealed import write_document
from lockstep.workspace import Workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
ASKED = Dependencies({"models/m.py": "x = 1"}, {"constants": {"N": 3}, "k": 1}, ("z3-solver",))
ANSWER = Answer(
    kind="prove", model="m", scope="wide", verdict="holds", seconds=1.5, details={"proved": ["a"]}
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, "desk")


def question(workspace: Workspace, asked: Dependencies = ASKED, verb: str = "prove") -> Question:
    return Question(workspace, verb, "m", "wide", asked)


def only_file(workspace: Workspace) -> Path:
    (file,) = (workspace.output / "decided" / "prove").iterdir()
    return file


def test_an_answer_is_found_again_with_its_date(workspace: Workspace) -> None:
    assert question(workspace).find() is None
    assert question(workspace).keep(ANSWER) is None
    answer = question(workspace).find()
    assert answer is not None
    assert (answer.verdict, answer.seconds, answer.details) == ("holds", 1.5, {"proved": ["a"]})
    assert answer.key == ASKED.digest
    assert answer.since is not None
    assert (workspace.output / ".gitignore").read_text() == "*\n"


def test_an_answer_is_found_again_with_one_digest(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests: list[str] = []
    digest_of = store._digest_of_lockstep

    def counted() -> str:
        digests.append(digest_of())
        return digests[-1]

    monkeypatch.setattr(store, "_digest_of_lockstep", counted)
    asked = question(workspace)
    assert asked.find() is None
    assert asked.keep(ANSWER) is None
    assert asked.find() is not None
    assert len(digests) == 1


def test_an_answer_keeps_integers_of_any_size(workspace: Workspace) -> None:
    question(workspace).keep(replaced(ANSWER, constants={"MAX": 2**70}))
    answer = question(workspace).find()
    assert answer is not None
    assert answer.constants == {"MAX": 2**70}


@pytest.mark.parametrize(
    ("later", "kept"),
    [("holds", "holds"), ("violated", "violated"), ("inconclusive", "holds"), ("error", "error")],
)
def test_only_what_is_inconclusive_takes_no_other_answers_place(
    workspace: Workspace, later: str, kept: str
) -> None:
    question(workspace).keep(ANSWER)
    assert question(workspace).keep(replaced(ANSWER, verdict=later)) is None
    answer = question(workspace).find()
    assert answer is not None
    assert answer.verdict == kept


def test_what_is_inconclusive_is_kept_where_nothing_is_known(workspace: Workspace) -> None:
    for because in ("time", "memory"):
        question(workspace).keep(replaced(ANSWER, verdict="inconclusive", because=because))
    answer = question(workspace).find()
    assert answer is not None
    assert (answer.verdict, answer.because) == ("inconclusive", "memory")


def test_the_latest_answer_is_known_by_its_subject(workspace: Workspace) -> None:
    assert latest_answers(workspace, "prove") == {}
    question(workspace).keep(ANSWER)
    question(workspace, replace(ASKED, packages=())).keep(ANSWER)
    (latest,) = latest_answers(workspace, "prove").items()
    answer = question(workspace).find()
    assert answer is not None
    assert latest == (("m", "wide"), answer.since)
    assert latest_answers(workspace, "check") == {}


@pytest.mark.parametrize(
    "changed",
    [
        replace(ASKED, texts={"models/m.py": "x = 2"}),
        replace(ASKED, texts={"models/n.py": "x = 1"}),
        replace(ASKED, texts={**ASKED.texts, "invariants/m.py": ""}),
        replace(ASKED, options={"constants": {"N": 4}, "k": 1}),
        replace(ASKED, options={"constants": {"N": 3}, "k": True}),
        replace(ASKED, packages=()),
    ],
)
def test_whatever_is_changed_is_another_question(
    workspace: Workspace, changed: Dependencies
) -> None:
    question(workspace).keep(ANSWER)
    assert question(workspace, changed).find() is None


@pytest.mark.parametrize("part", ["version", "platform.python_version", "_digest_of_lockstep"])
def test_another_program_decides_again(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = ASKED.digest
    monkeypatch.setattr(f"lockstep.answers.store.{part}", lambda *_: "0.0.0")
    assert ASKED.digest != before


def test_lockstep_itself_is_read_file_by_file(tmp_path: Path) -> None:
    """A working copy of lockstep changes without a new version."""
    file = tmp_path / "language" / "domains.py"
    file.parent.mkdir()
    digests = set()
    for text in ("x = 1", "x = 2"):
        file.write_text(text)
        digests.add(store._digest_of_folder(tmp_path))
    file.rename(tmp_path / "domains.py")
    digests.add(store._digest_of_folder(tmp_path))
    assert len(digests) == 3
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "domains.pyc").write_bytes(b"1")
    assert store._digest_of_folder(tmp_path) in digests


@pytest.mark.parametrize(
    "file", ["models/turnstile.py", "invariants/turnstile.py", "models/faults/turnstile.py"]
)
def test_the_texts_of_a_model_are_those_that_it_was_loaded_from(tmp_path: Path, file: str) -> None:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root)

    def digest() -> str:
        model = load_model(root, "turnstile", fault="stays_open", lemmas=True)
        return Dependencies(texts_of(model), {}).digest

    before = digest()
    assert digest() == before
    with (root / file).open("a") as text:
        text.write("\n# A remark.\n")
    assert digest() != before


def test_a_moved_workspace_keeps_its_answers(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "other"):
        shutil.copytree(TURNSTILE, tmp_path / name)
        texts.append(texts_of(load_model(tmp_path / name, "turnstile")))
    assert texts[0] == texts[1]
    assert set(texts[0]) == {"models/turnstile.py", "invariants/turnstile.py", LOADED}


def test_another_verb_has_answers_of_its_own(workspace: Workspace) -> None:
    question(workspace).keep(ANSWER)
    assert question(workspace, verb="check").find() is None
    folder = workspace.output / "decided"
    (folder / "prove").rename(folder / "check")
    assert question(workspace, verb="check").find() is None


def test_a_file_under_another_name_is_no_answer(workspace: Workspace) -> None:
    question(workspace).keep(ANSWER)
    other = replace(ASKED, packages=())
    only_file(workspace).rename(only_file(workspace).with_name(f"{other.digest}.json"))
    assert question(workspace, other).find() is None
    assert latest_answers(workspace, "prove") == {}


def _edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """A change to the answer, under a seal that is right for it."""

    def edit(file: Path) -> None:
        answer = json.loads(file.read_text())["document"]
        change(answer)
        written = msgspec.Raw(json.dumps(answer).encode())
        write_document(file, written, file.stem, 0o644)

    return edit


DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_text(""),
    "cut short": lambda file: file.write_text(file.read_text()[:-5]),
    "another answer": lambda file: file.write_text(file.read_text().replace('"a"', '"c"')),
    "no text": lambda file: file.write_bytes(b"\xff" + file.read_bytes()),
    "nested": lambda file: file.write_text("[" * 100_000),
    "a key twice": lambda file: file.write_text(
        file.read_text().replace('{"seal"', '{"seal":"","seal"', 1)
    ),
    "null": lambda file: file.write_text("null"),
    "of somebody else": lambda file: file.write_text('{"proved": true}'),
    "large": lambda file: file.write_text(file.read_text() + " " * store._MOST_BYTES),
    "open to all": lambda file: file.chmod(0o666),
    "a link": lambda file: file.symlink_to(file.rename(file.with_name("moved"))),
    "a folder": lambda file: file.rename(file.with_name("moved")).with_name(file.name).mkdir(),
    "a word for a number": _edited(lambda answer: answer.update(states="many")),
    "no date": _edited(lambda answer: answer.update(since="yesterday")),
    "no zone": _edited(lambda answer: answer.update(since="2026-01-01T00:00:00")),
    "no text for a date": _edited(lambda answer: answer.update(since="")),
    "no date at all": _edited(lambda answer: answer.update(since=None)),
    "no details": _edited(lambda answer: answer.update(details=[])),
    "one key more": _edited(lambda answer: answer.update(more=1)),
    "one key less": _edited(lambda answer: answer.pop("details")),
}


def test_a_change_that_changes_nothing_is_no_damage(workspace: Workspace) -> None:
    """So that it is the change that each of the others is refused for."""
    question(workspace).keep(ANSWER)
    _edited(lambda answer: None)(only_file(workspace))
    assert question(workspace).find() is not None


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_or_foreign_file_is_none(
    workspace: Workspace, damage: Callable[[Path], object]
) -> None:
    question(workspace).keep(ANSWER)
    assert question(workspace).find() is not None
    damage(only_file(workspace))
    assert question(workspace).find() is None


def test_a_damaged_file_is_rewritten(workspace: Workspace) -> None:
    question(workspace).keep(ANSWER)
    only_file(workspace).write_text("damaged")
    assert question(workspace).keep(ANSWER) is None
    assert question(workspace).find() is not None


@pytest.mark.parametrize("taken", [".lockstep", ".lockstep/decided", ".lockstep/decided/prove"])
def test_a_folder_that_cannot_be_written_is_no_error(workspace: Workspace, taken: str) -> None:
    file = workspace.root / taken
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a file, not a folder")
    because = question(workspace).keep(ANSWER)
    assert because is not None
    assert "cannot be written" in because
    assert question(workspace).find() is None


def _keep_many(root: Path, number: int) -> int:
    """Keep the same answer again and again; how often it could be read meanwhile."""
    asked = question(Workspace(root, "desk"))
    intact = 0
    for _ in range(50):
        assert asked.keep(replaced(ANSWER, details={"by": number})) is None
        intact += asked.find() is not None
    return intact


def test_two_processes_keep_the_same_answer(workspace: Workspace) -> None:
    with ProcessPoolExecutor(2) as processes:
        counts = processes.map(_keep_many, [workspace.root] * 2, [1, 2])
        assert list(counts) == [50, 50]
    assert only_file(workspace).name == f"{ASKED.digest}.json"


def test_the_oldest_answers_make_room(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_MOST_FILES", 2)
    asked = [Dependencies({}, {"k": k}) for k in range(4)]
    for number, one in enumerate(asked):
        question(workspace, one).keep(ANSWER)
        os.utime(workspace.output / "decided" / "prove" / f"{one.digest}.json", (number, number))
    kept = [one for one in asked if question(workspace, one).find() is not None]
    assert kept == asked[2:]
