"""How a model's behaviours are drawn: what a declaration may say, and that each model's fits it."""

import re
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.domains import Domain
from lockstep.language.model import Action, Model, load_model, model_names
from lockstep.specs.diagrams import DiagramSpec, check_diagram, is_named
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.layout import show
from tests.diagram.post import DIAGRAM, post

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('lanes = ["CLIENTS", "office"]\n', "", "diagram.lanes: names nobody"),
        ('["CLIENTS", "office"]', "[]", "diagram.lanes: names nobody"),
        ('["CLIENTS", "office"]', "3", "diagram.lanes: is 3, not an array of texts"),
        ('lanes = ["C', 'lane = 1\nlanes = ["C', "diagram.lane: is not a key that is known here"),
        ('office = ["open_*"', '"{" = ["open_*"', "diagram.at.{: a brace stands alone"),
        ('from = "{key}"', 'from = "{key"', "diagram.messages.letter.from: a brace stands alone"),
        ('text = "letter {number}"\n', "", "diagram.messages.letter: text is missing"),
        ('copies = "letter"', 'copies = "card"', "there is no message 'card' above this one"),
        ("lost = ", "gone = ", "diagram.messages.letter.gone: is not a key"),
    ],
)
def test_what_is_no_declaration_is_refused(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in DIAGRAM
    post(tmp_path, DIAGRAM.replace(old, new))
    with pytest.raises(LockstepError) as raised:
        load_model_spec(tmp_path, "post")
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"CLIENTS"', '"CLIENT"', "diagram.lanes: post has no constant 'CLIENT'"),
        ('"open_*"', '"shut_*"', "diagram.at.office: post has no action 'shut_*'"),
        ('office = ["open', '"{d}" = ["open', "there is no d here; there are: s, new, c"),
        ("messages.letter]", "messages.card]", "diagram.messages.card: post has no variable"),
        ("messages.receipt]", "messages.opened]", "opened is never None"),
        ("{number}", "{weight}", "diagram.messages.letter.text: there is no weight here"),
        ("{s.written[c]}", "{s.read[c]}", "s has no field 'read'"),
        ('sent = ["visit"]', 'sent = ["visits"]', "messages.talk.sent: post has no action"),
        ('lost = ["write_again"]', 'lost = ["x"]', "messages.letter.lost: post has no action 'x'"),
        (
            'sent = ["visit"]',
            'sent = ["close"]',
            "no c here; there are: s, new (of the action close)",
        ),
    ],
)
def test_what_the_model_does_not_have_is_refused(
    tmp_path: Path, old: str, new: str, problem: str
) -> None:
    assert old in DIAGRAM
    text = DIAGRAM.replace(old, new)
    model = post(
        tmp_path, text.replace('copies = "letter"', 'copies = "card"') if "card" in new else text
    )
    spec = load_model_spec(tmp_path, "post")
    with pytest.raises(LockstepError) as raised:
        check_diagram(model, spec.diagram, spec.file)
    assert problem in str(raised.value)
    assert re.search(r"post.toml:\d+: diagram\.", str(raised.value))


def declared_models() -> list[str]:
    return [name for name in model_names(ROOT) if load_model_spec(ROOT, name).diagram is not None]


def loaded(name: str) -> tuple[Model, DiagramSpec]:
    spec = load_model_spec(ROOT, name)
    model = load_model(ROOT, name, spec.scope("small").constants)
    assert spec.diagram is not None
    return model, spec.diagram


def test_every_model_says_how_it_is_drawn() -> None:
    assert declared_models() == model_names(ROOT)


@pytest.mark.parametrize("name", declared_models())
def test_a_declaration_fits_its_model(name: str) -> None:
    model, declared = loaded(name)
    check_diagram(model, declared, Path("specs"))


@pytest.mark.parametrize("name", declared_models())
def test_every_action_is_said_to_be_something(name: str) -> None:
    """It has a lane, by a line of the declaration or by a parameter that names one."""
    model, declared = loaded(name)
    silent = [action.name for action in model.actions if not has_lane(model, declared, action)]
    assert silent == []


def has_lane(model: Model, declared: DiagramSpec, action: Action) -> bool:
    if any(is_named(action.name, patterns) for _, patterns in declared.at):
        return True
    names = {
        show(name)
        for lane in declared.lanes
        if lane in model.constants and isinstance(model.constants[lane], tuple)
        for name in model.constants[lane]  # type: ignore[attr-defined]
    }
    return any(is_a_lane(parameter.domain, names) for parameter in action.parameters)


def is_a_lane(domain: Domain, names: set[str]) -> bool:
    return domain.is_scalar and {show(value) for value in domain} <= names
