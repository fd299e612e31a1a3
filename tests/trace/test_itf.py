import json
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.trace import Trace
from lockstep.system.text_files import write_text
from lockstep.trace.itf import Origin, constants_of, digest, read, to_json

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


def found(model: Model) -> Trace:
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    return violation.trace


def test_a_behaviour_is_read_back_as_it_was(tmp_path: Path) -> None:
    model = load_model(ROOT, "letters")
    trace = found(model)
    origin = Origin(
        "letters",
        "boxes_hold_one_letter",
        scope="default",
        constants=constants_of(model),
        digest=digest(model),
    )
    file = tmp_path / "new" / "folder" / "x.itf.json"
    write_text(file, to_json(model, trace, origin))
    recording = read(file)
    assert recording.origin == origin
    states = [recording.state(model, index) for index in range(len(recording.states))]
    assert states == list(trace.states)
    for index, step in enumerate(trace.steps, start=1):
        assert recording.steps[index - 1][0] == step.action
        assert recording.parameters(model.action(step.action), index) == step.parameters
    assert [path.name for path in file.parent.iterdir()] == ["x.itf.json"]


def test_the_file_is_itf_as_other_tools_read_it() -> None:
    model = load_model(ROOT, "turnstile", {"GATES": ("east",)}, fault="stays_open")
    text = to_json(model, found(model), Origin("turnstile", "entries_are_paid", fault="stays_open"))
    document = json.loads(text)
    assert document["#meta"]["format"] == "ITF"
    assert document["vars"] == ["arm", "coins", "entries"]
    assert [state["#meta"]["index"] for state in document["states"]] == [0, 1, 2, 3]
    assert document["states"][1] == {
        "#meta": {"index": 1, "action": "coin", "parameters": {"g": "east"}},
        "arm": {"#map": [["east", "OPEN"]]},
        "coins": {"#map": [["east", 1]]},
        "entries": {"#map": [["east", 0]]},
    }
    assert str(ROOT) not in text
    assert text == to_json(
        model, found(model), Origin("turnstile", "entries_are_paid", fault="stays_open")
    )


def test_the_digest_is_of_all_the_text_and_of_nothing_else(tmp_path: Path) -> None:
    for folder in ("models", "invariants"):
        (tmp_path / folder).mkdir()
        text = (ROOT / folder / "turnstile.py").read_text(encoding="utf-8")
        (tmp_path / folder / "turnstile.py").write_text(text, encoding="utf-8")
    same = digest(load_model(ROOT, "turnstile"))
    assert digest(load_model(tmp_path, "turnstile", {"MAX_COINS": 1})) == same
    file = tmp_path / "invariants" / "turnstile.py"
    file.write_text(file.read_text() + "\n", encoding="utf-8")
    assert digest(load_model(tmp_path, "turnstile")) != same


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.itf.json"
    file.write_text("old")

    def full(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(LockstepError, match=r"x.itf.json cannot be written: No space left"):
        write_text(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
