"""What the page is sent is JSON, whatever the model."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lockstep.language.model import load_model
from lockstep.language.source import ModelError
from lockstep.serve.views import drawing_view, here_view
from lockstep.walk.drawing import TooLarge, draw
from lockstep.walk.walk import Walk
from tests.random_models.random_models import RandomModel, random_models


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(text=random_models(), data=st.data())
def test_every_place_of_every_model_can_be_shown(
    folder: Path, text: RandomModel, data: st.DataObject
) -> None:
    try:
        walk = Walk(text.load(folder))
    except ModelError:
        return
    for _ in range(4):
        view = json.loads(json.dumps(here_view(walk)))
        assert view["walk"] == list(walk.names)
        assert [row["name"] for row in view["state"]] == list(walk.model.variables)
        is_changed = walk.before is not None and walk.before != walk.here
        assert any(row["changes"] for row in view["state"]) == is_changed
        assert [prop["name"] for prop in view["properties"]][:-1] == [
            prop.name for prop in walk.model.properties
        ]
        for action in view["actions"]:
            assert len(set(action["labels"])) == len(action["labels"]) == len(action["instances"])
        names = [name for action in view["actions"] for name in action["instances"]]
        if not names:
            break
        walk.take(data.draw(st.sampled_from(names)))
    try:
        drawing = draw(walk.model, most=60)
    except TooLarge:
        return
    shown = json.loads(json.dumps(drawing_view(drawing)))
    assert len(shown["states"]) == len(drawing.space.states)


MODEL = """
from lockstep import OneOf, Range, Record, State, action, require

Client = OneOf(("ann", "bo"))


class Letter(Record):
    sender: Client
    number: Range(0, 2)


class Post(State):
    sent: Range(0, 9) = 0


@action
def send(s, new, letter: Letter, copies: Range(1, 3)):
    require(letter.sender == "ann" and copies == 1 and letter.number > 0)
    new.sent = 1


@action
def read(s, new, c: Client):
    require(c == "bo")
    new.sent = 2


@action
def close(s, new):
    new.sent = 3
"""


def test_buttons_have_what_sets_instances_apart(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "post.py").write_text(MODEL, encoding="utf-8")
    walk = Walk(load_model(tmp_path, "post"))
    labels = {action["name"]: action["labels"] for action in here_view(walk)["actions"]}
    assert labels == {
        "send": ["letter.number=1", "letter.number=2"],
        "read": ["c=bo"],
        "close": ["close()"],
    }
