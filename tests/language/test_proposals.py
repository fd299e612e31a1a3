"""Proposals: changes that somebody suggests, put in place while a model is loaded."""

import re
from pathlib import Path
from typing import Protocol

import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.inventory import Inventory
from lockstep.language.model import Model, load_model
from lockstep.language.proposals import proposal_names
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict

MODEL = '''"""A counter that begins again."""

from lockstep import Constant, Range, State, action, require

LIMIT: Constant = 3


class Counter(State):
    count: Range(0, LIMIT) = 0


def may_count(s):
    return s.count < LIMIT


@action
def count(s, new):
    require(may_count(s))
    new.count = s.count + 1


@action
def begin_again(s, new):
    require(not may_count(s))
    new.count = 0
'''

CLAIMS = """from lockstep import invariant, leads_to
from models.counter import LIMIT, begin_again, count


@invariant
def is_counted(s):
    return s.count <= LIMIT


@leads_to(weak=(count, begin_again))
def it_begins_again(s):
    return s.count == LIMIT, s.count == 0
"""


class Propose(Protocol):
    """Writes a workspace with a proposal of the model `counter`; its folder."""

    def __call__(self, text: str, name: str = "other") -> Path: ...


@pytest.fixture
def propose(tmp_path: Path) -> Propose:
    def propose(text: str, name: str = "other") -> Path:
        for folder in ("models/proposals/counter", "invariants"):
            tmp_path.joinpath(folder).mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath("models/counter.py").write_text(MODEL, encoding="utf-8")
        tmp_path.joinpath("invariants/counter.py").write_text(CLAIMS, encoding="utf-8")
        file = tmp_path.joinpath(f"models/proposals/counter/{name}.py")
        file.write_text(text, encoding="utf-8")
        return tmp_path

    return propose


def results(model: Model) -> tuple[SearchResult, ...]:
    """What plain Python and machine code find."""
    return tuple(explore(model, Exploration(engine)) for engine in ("python", "compiled"))


def test_a_helper_is_replaced(propose: Propose) -> None:
    root = propose(
        "from lockstep import replaces\n"
        "from models.counter import may_count\n\n\n"
        "@replaces(may_count)\n"
        "def may_count_to_two(s):\n"
        "    return may_count(s) and s.count < 2\n"
    )
    for result in results(load_model(root, "counter", proposal="other")):
        assert (result.verdict, result.states) == (Verdict.HOLDS, 3)
    assert explore(load_model(root, "counter")).states == 4


def test_an_action_is_replaced_and_keeps_its_name_and_promises(propose: Propose) -> None:
    root = propose(
        "from lockstep import replaces, require\n"
        "from models.counter import begin_again, may_count\n\n\n"
        "@replaces(begin_again)\n"
        "def goes_back(s, new):\n"
        "    require(not may_count(s))\n"
        "    new.count = s.count - 1\n"
    )
    model = load_model(root, "counter", proposal="other")
    assert [action.name for action in model.actions] == ["count", "begin_again"]
    for result in results(model):
        assert result.violated == ("it_begins_again",)


def test_an_action_and_variables_are_added(propose: Propose) -> None:
    root = propose(
        "from lockstep import action, require\n"
        "from models.counter import Counter\n\n\n"
        "class Pausing(Counter):\n"
        "    paused: bool = False\n\n\n"
        "@action\n"
        "def pause(s: Pausing, new: Pausing):\n"
        "    require(not s.paused)\n"
        "    new.paused = True\n"
    )
    model = load_model(root, "counter", proposal="other")
    assert list(model.variables) == ["count", "paused"]
    assert [action.name for action in model.actions] == ["count", "begin_again", "pause"]
    for result in results(model):
        assert (result.verdict, result.states) == (Verdict.HOLDS, 8)


def test_constants_of_a_proposal_are_set_as_any(propose: Propose) -> None:
    root = propose(
        "from lockstep import Constant, replaces\n"
        "from models.counter import may_count\n\n"
        "MOST: Constant = 2\n\n\n"
        "@replaces(may_count)\n"
        "def may_count_to_most(s):\n"
        "    return s.count < MOST\n"
    )
    assert explore(load_model(root, "counter", {"MOST": 1}, proposal="other")).states == 2


def test_names_are_those_of_files(propose: Propose) -> None:
    root = propose("", "later")
    propose("", "earlier")
    assert proposal_names(root, "counter") == ["earlier", "later"]
    assert proposal_names(root, "other") == []
    assert [unused.file.name for unused in Inventory(root).unused] == []


def test_a_proposal_of_no_model_is_not_passed_over(propose: Propose) -> None:
    root = propose("from lockstep import action\n\n\n@action\ndef step(s, new):\n    pass\n")
    root.joinpath("models/proposals/counter").rename(root / "models/proposals/countre")
    (unused,) = Inventory(root).unused
    assert unused.is_mistake
    assert "there is no model countre; did you mean counter?" in unused.why


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "from lockstep import action\n\n\n@action\ndef count(s, new):\n    new.count = 0\n",
            "the proposal other has an action count, and so has counter",
        ),
        (
            "from lockstep import State\n\n\nclass Other(State):\n    more: bool = False\n",
            "declares Other, which is not derived from Counter",
        ),
        (
            "from models.counter import Counter\n\n\n"
            "class One(Counter):\n    one: bool = False\n\n\n"
            "class Two(Counter):\n    two: bool = False\n",
            "declares several state classes",
        ),
        (
            "from lockstep import replaces\n\n\n@replaces(max)\ndef most(s):\n    return 0\n",
            "replaces max, which counter does not use",
        ),
        (
            "from lockstep import replaces\n\n\n@replaces(3)\ndef most(s):\n    return 0\n",
            "@replaces(3)",
        ),
        (
            "from models.counter import may_count\n\n\ndef count_on(s, new):\n    new.count = 0\n",
            "nothing reads count_on",
        ),
    ],
)
def test_what_is_no_proposal_is_refused(propose: Propose, text: str, words: str) -> None:
    root = propose(text)
    with pytest.raises(LockstepError, match=re.escape(words)):
        load_model(root, "counter", proposal="other")


def test_an_unknown_proposal_is_refused(propose: Propose) -> None:
    with pytest.raises(LockstepError, match="did you mean other"):
        load_model(propose(""), "counter", proposal="others")
