"""Kept decisions: what makes one useless, and what cannot pass for one."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lockstep.language.model import load_model
from lockstep.system.sealed import write_document
from lockstep.verbs import decided
from lockstep.verbs.decided import LOADED, Decisions, Dependencies, Question, texts_of
from lockstep.workspace import Workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
QUESTION = Dependencies({"models/m.py": "x = 1"}, {"constants": {"N": 3}, "k": 1}, ("z3-solver",))
ANSWER = {"proved": ["a", "b"], "seconds": 1.5}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, "desk")


def only_file(workspace: Workspace) -> Path:
    (file,) = (workspace.output / "decided" / "prove").iterdir()
    return file


def test_a_decision_is_found_again_with_its_date(workspace: Workspace) -> None:
    decisions = Decisions(workspace, "prove")
    assert decisions.find(QUESTION.digest) is None
    assert decisions.keep(QUESTION.digest, ANSWER) is None
    decision = Decisions(workspace, "prove").find(QUESTION.digest)
    assert decision is not None
    assert decision.document == ANSWER
    assert decision.since.utcoffset() is not None
    assert (workspace.output / ".gitignore").read_text() == "*\n"


def test_a_result_is_found_again_with_one_digest(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests: list[str] = []
    digest_of = decided._digest_of_lockstep

    def counted() -> str:
        digests.append(digest_of())
        return digests[-1]

    def question() -> Question[list[str]]:
        return Question(
            workspace,
            "prove",
            QUESTION,
            write=lambda names: {"names": names} if names else None,
            read=lambda document: document.get("names"),
        )

    monkeypatch.setattr(decided, "_digest_of_lockstep", counted)
    first = question()
    assert first.find() is None
    assert first.keep([]) is None
    assert first.find() is None, "what has no document is not kept"
    assert first.keep(["a"]) is None
    assert len(digests) == 1
    kept = question().find()
    assert kept is not None
    assert (kept[0], kept[1].utcoffset() is not None) == (["a"], True)


def test_a_document_that_describes_no_result_is_none(workspace: Workspace) -> None:
    question = Question[str](workspace, "prove", QUESTION, lambda _: {}, lambda _: None)
    assert question.keep("a result") is None
    assert Decisions(workspace, "prove").find(QUESTION.digest) is not None
    assert question.find() is None


@pytest.mark.parametrize(
    "changed",
    [
        replace(QUESTION, texts={"models/m.py": "x = 2"}),
        replace(QUESTION, texts={"models/n.py": "x = 1"}),
        replace(QUESTION, texts={**QUESTION.texts, "invariants/m.py": ""}),
        replace(QUESTION, options={"constants": {"N": 4}, "k": 1}),
        replace(QUESTION, options={"constants": {"N": 3}, "k": True}),
        replace(QUESTION, packages=()),
    ],
)
def test_whatever_is_changed_is_another_question(
    workspace: Workspace, changed: Dependencies
) -> None:
    Decisions(workspace, "prove").keep(QUESTION.digest, ANSWER)
    assert Decisions(workspace, "prove").find(changed.digest) is None


@pytest.mark.parametrize("part", ["version", "platform.python_version", "_digest_of_lockstep"])
def test_another_program_decides_anew(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = QUESTION.digest
    monkeypatch.setattr(f"lockstep.verbs.decided.{part}", lambda *_: "0.0.0")
    assert QUESTION.digest != before


def test_lockstep_itself_is_read_file_by_file(tmp_path: Path) -> None:
    """A working copy of lockstep changes without a new version."""
    file = tmp_path / "language" / "domains.py"
    file.parent.mkdir()
    digests = set()
    for text in ("x = 1", "x = 2"):
        file.write_text(text)
        digests.add(decided._digest_of_folder(tmp_path))
    file.rename(tmp_path / "domains.py")
    digests.add(decided._digest_of_folder(tmp_path))
    assert len(digests) == 3
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "domains.pyc").write_bytes(b"1")
    assert decided._digest_of_folder(tmp_path) in digests


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


def test_a_moved_workspace_keeps_its_decisions(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "other"):
        shutil.copytree(TURNSTILE, tmp_path / name)
        texts.append(texts_of(load_model(tmp_path / name, "turnstile")))
    assert texts[0] == texts[1]
    assert set(texts[0]) == {"models/turnstile.py", "invariants/turnstile.py", LOADED}


def test_another_verb_has_decisions_of_its_own(workspace: Workspace) -> None:
    Decisions(workspace, "prove").keep(QUESTION.digest, ANSWER)
    assert Decisions(workspace, "check").find(QUESTION.digest) is None
    folder = workspace.output / "decided"
    (folder / "prove").rename(folder / "check")
    assert Decisions(workspace, "check").find(QUESTION.digest) is None


def test_a_file_under_another_name_is_no_decision(workspace: Workspace) -> None:
    decisions = Decisions(workspace, "prove")
    decisions.keep(QUESTION.digest, ANSWER)
    other = "0" * 64
    only_file(workspace).rename(only_file(workspace).with_name(f"{other}.json"))
    assert decisions.find(other) is None


def _edited(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """A change to the decision, under a seal that is right for it."""

    def edit(file: Path) -> None:
        kept = json.loads(file.read_text())["document"]
        change(kept)
        write_document(file, kept, f"{decided._VERSION} prove {file.stem}")
        file.chmod(0o644)

    return edit


def _of_version_2(file: Path) -> None:
    """The same decision as an older lockstep kept it."""
    kept = json.loads(file.read_text())["document"]
    decision = {"version": 2, "verb": "prove", "digest": file.stem, **kept}
    text = json.dumps(decision, sort_keys=True)
    seal = hashlib.sha256(text.encode()).hexdigest()
    file.write_text(json.dumps({"seal": seal, "decision": decision}, indent=1))


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
    "large": lambda file: file.write_text(file.read_text() + " " * decided._MOST_BYTES),
    "open to all": lambda file: file.chmod(0o666),
    "a link": lambda file: file.symlink_to(file.rename(file.with_name("moved"))),
    "a folder": lambda file: file.rename(file.with_name("moved")).with_name(file.name).mkdir(),
    "version": _of_version_2,
    "no date": _edited(lambda decision: decision.update(since="yesterday")),
    "no zone": _edited(lambda decision: decision.update(since="2026-01-01T00:00:00")),
    "no document": _edited(lambda decision: decision.update(document=[])),
    "one key more": _edited(lambda decision: decision.update(more=1)),
    "one key less": _edited(lambda decision: decision.pop("document")),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_or_foreign_file_is_none(
    workspace: Workspace, damage: Callable[[Path], object]
) -> None:
    decisions = Decisions(workspace, "prove")
    decisions.keep(QUESTION.digest, ANSWER)
    assert decisions.find(QUESTION.digest) is not None
    damage(only_file(workspace))
    assert decisions.find(QUESTION.digest) is None


def test_a_damaged_file_is_written_anew(workspace: Workspace) -> None:
    decisions = Decisions(workspace, "prove")
    decisions.keep(QUESTION.digest, ANSWER)
    only_file(workspace).write_text("damaged")
    assert decisions.keep(QUESTION.digest, ANSWER) is None
    assert decisions.find(QUESTION.digest) is not None


@pytest.mark.parametrize("taken", [".lockstep", ".lockstep/decided", ".lockstep/decided/prove"])
def test_a_folder_that_cannot_be_written_is_no_error(workspace: Workspace, taken: str) -> None:
    file = workspace.root / taken
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("a file, not a folder")
    decisions = Decisions(workspace, "prove")
    because = decisions.keep(QUESTION.digest, ANSWER)
    assert because is not None
    assert "cannot be written" in because
    assert decisions.find(QUESTION.digest) is None


def _keep_many(root: Path, number: int) -> int:
    """Keep the same decision again and again; how often it could be read meanwhile."""
    decisions = Decisions(Workspace(root, "desk"), "prove")
    intact = 0
    for _ in range(50):
        assert decisions.keep(QUESTION.digest, {**ANSWER, "by": number}) is None
        intact += decisions.find(QUESTION.digest) is not None
    return intact


def test_two_processes_keep_the_same_decision(workspace: Workspace) -> None:
    with ProcessPoolExecutor(2) as processes:
        counts = processes.map(_keep_many, [workspace.root] * 2, [1, 2])
        assert list(counts) == [50, 50]
    assert only_file(workspace).name == f"{QUESTION.digest}.json"


def test_the_oldest_decisions_make_room(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decided, "_MOST_FILES", 2)
    decisions = Decisions(workspace, "prove")
    digests = [Dependencies({}, {"k": k}).digest for k in range(4)]
    for number, digest in enumerate(digests):
        decisions.keep(digest, ANSWER)
        os.utime(workspace.output / "decided" / "prove" / f"{digest}.json", (number, number))
    kept = [digest for digest in digests if decisions.find(digest) is not None]
    assert kept == digests[2:]
