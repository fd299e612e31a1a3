"""Nothing that was meant to be checked is left out: what is marked is taken up, or refused."""

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_marks
from lockstep.language.model import load_model
from lockstep.language.source import ModelError

LAMP = """\
from enum import Enum, unique

from lockstep import Constant, State, action, invariant, lemma, sometimes

N: Constant = 3


class Lamp(State):
    lit: bool = False


@action
def switch(s, new):
    new.lit = not s.lit
"""
CLAIM = """\
from lockstep import action, invariant, sometimes


@invariant
def never(s):
    return False

"""


def write(root: Path, **files: str) -> Path:
    for name, text in {"models__lamp": LAMP, **files}.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


LEFT_OUT = {
    "assigned": "never = 3",
    "deleted": "del never",
    "another of its name": "if True:\n    @invariant\n    def never(s):\n        return True",
    "imported": "from invariants.other import never",
    "in a class": "class Claims:\n    @invariant\n    def other(s):\n        return False",
    "in a list": "CLAIMS = [invariant(lambda s: False)]",
    "exchanged": "def swap(f):\n    return never\n\n@swap\n@invariant\ndef other(s):\n    return 0",
}
UNREAD = {
    "like a variable": "def lit(s):\n    return False",
    "in an if": "if True:\n    def other(s):\n        return False",
    "a lambda": "other = lambda s: False",
    "no coroutine": "async def other(s):\n    return False",
    "each other": "def one(s):\n    return two(s)\n\ndef two(s):\n    return one(s)",
    "itself": "def other(s):\n    return other(s)",
    "another parameter": "def other(state):\n    return False",
}


@pytest.mark.parametrize("text", LEFT_OUT.values(), ids=list(LEFT_OUT))
def test_a_marked_function_is_taken_up_or_refused(text: str, tmp_path: Path) -> None:
    other = "from lockstep import invariant\n\n@invariant\ndef never(s):\n    return True\n"
    root = write(tmp_path, invariants__lamp=f"{CLAIM}{text}\n", invariants__other=other)
    with pytest.raises(ModelError) as raised:
        load_model(root, "lamp")
    codes = {problem.code for problem in raised.value.diagnostics}
    assert "left-out" in codes or "not-a-function" in codes


@pytest.mark.parametrize("text", UNREAD.values(), ids=list(UNREAD))
def test_a_function_that_nothing_reads_is_refused(text: str, tmp_path: Path) -> None:
    root = write(tmp_path, invariants__lamp=f"{CLAIM}{text}\n")
    with pytest.raises(ModelError) as raised:
        load_model(root, "lamp")
    assert {problem.code for problem in raised.value.diagnostics} == {"unread"}


def test_what_a_part_marks_belongs_to_the_model_that_imports_it(tmp_path: Path) -> None:
    part = f"{CLAIM}\n\ndef fine(s):\n    return s.lit in (True, False)\n"
    takes_one = "from invariants.part import fine\nfrom lockstep import invariant\n\n@invariant\n"
    takes_one += "def lit_or_not(s):\n    return fine(s)\n"
    root = write(tmp_path, invariants__part=part, invariants__lamp=takes_one)
    with pytest.raises(ModelError, match="never is marked, and the model does not have it"):
        load_model(root, "lamp")
    write(tmp_path, invariants__lamp=takes_one.replace("import fine", "import fine, never"))
    names = [prop.name for prop in load_model(root, "lamp").properties]
    assert sorted(names) == ["lit_or_not", "never"]
    act = "from lockstep import action\n\ndef flip(x):\n    return not x\n\n"
    act += "@action\ndef lose(s, new):\n    new.lit = flip(s.lit)\n"
    model = "from models.part import flip\n" + LAMP.replace("not s.lit", "flip(s.lit)")
    root = write(tmp_path, models__part=act, models__lamp=model)
    with pytest.raises(ModelError, match="lose is marked, and the model does not have it"):
        load_model(root, "lamp")


def test_an_action_of_a_part_without_its_mark_is_refused(tmp_path: Path) -> None:
    part = "def lose(s, new):\n    new.lit = False\n"
    root = write(tmp_path, models__part=part, models__lamp=f"from models.part import lose\n{LAMP}")
    with pytest.raises(ModelError, match=r"nothing reads lose(.|\n)*models/part.py:1:1"):
        load_model(root, "lamp")
    calls_it = f"from models.part import lose\n{LAMP}".replace(
        "new.lit = not s.lit", "lose(s, new)"
    )
    write(tmp_path, models__lamp=calls_it)
    assert [action.name for action in load_model(root, "lamp").actions] == ["switch"]


LEMMA = """\
from lockstep import lemma


@lemma
def lit_or_not(s):
    return s.lit or not s.lit
"""


def test_lemmas_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    root = write(tmp_path, invariants__lamp=CLAIM, invariants__lemmas__lamp=LEMMA)
    assert [prop.name for prop in load_model(root, "lamp").properties] == ["never"]
    model = load_model(root, "lamp", lemmas=True)
    assert [prop.name for prop in model.properties] == ["never", "lit_or_not"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@lemma\n", "", "nothing reads lit_or_not"),
        ("lit_or_not", "never", "never is marked, and the model does not have it"),
        ("@lemma", "@action", "lit_or_not is an action in the wrong file"),
    ],
)
def test_no_lemma_is_left_out(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = LEMMA.replace("import lemma", "import action, lemma").replace(old, new)
    root = write(tmp_path, invariants__lamp=CLAIM, invariants__lemmas__lamp=text)
    with pytest.raises(ModelError, match=message):
        load_model(root, "lamp")


def test_what_another_model_marks_is_its_own(tmp_path: Path) -> None:
    other = LAMP.replace("Lamp", "Other") + "\n\ndef on(s):\n    return s.lit\n"
    claim = "from models.other import on\nfrom lockstep import invariant\n\n@invariant\n"
    claim += "def on_or_off(s):\n    return on(s) or not on(s)\n"
    root = write(tmp_path, models__other=other, invariants__lamp=claim)
    assert [action.name for action in load_model(root, "lamp").actions] == ["switch"]


def test_fairness_is_promised_to_an_action_of_the_model(tmp_path: Path) -> None:
    claim = "from lockstep import leads_to\nfrom models.{0} import switch\n\n"
    claim += "@leads_to(weak=switch)\ndef gets_lit(s):\n    return not s.lit, s.lit\n"
    root = write(tmp_path, models__other=LAMP, invariants__lamp=claim.format("other"))
    with pytest.raises(ModelError, match="switch is no action of this model"):
        load_model(root, "lamp")
    write(tmp_path, invariants__lamp=claim.format("lamp"))
    assert load_model(root, "lamp").properties[0].fairness[0].action == "switch"


@pytest.mark.parametrize(
    ("first", "second"),
    [("sometimes", "invariant"), ("invariant", "invariant"), ("action", "invariant")],
)
def test_two_marks_are_one_too_many(first: str, second: str, tmp_path: Path) -> None:
    claim = f"from lockstep import action, invariant, sometimes\n\n@{first}\n@{second}\n"
    root = write(tmp_path, invariants__lamp=f"{claim}def both(s):\n    return True\n")
    with pytest.raises(ModelError, match="both is marked twice"):
        load_model(root, "lamp")


def test_a_class_whose_decorator_fails_is_not_made_without_it(tmp_path: Path) -> None:
    phases = "\n\n@unique\nclass Phase(Enum):\n    IDLE = 0\n    SENT = 1\n    LOST = 1\n"
    with pytest.raises(ModelError, match="duplicate values found"):
        load_model(write(tmp_path, models__lamp=LAMP + phases), "lamp")


@pytest.mark.parametrize("how", ["models", "invariants"])
def test_a_constant_keeps_the_value_that_is_set(how: str, tmp_path: Path) -> None:
    if how == "models":
        root = write(tmp_path, models__lamp=f"{LAMP}\n\nN = min(N, 2)\n")
    else:
        root = write(tmp_path, invariants__lamp="import models.lamp as lamp\n\nlamp.N = 2\n")
    with pytest.raises(LockstepError, match="the constant N is given another value"):
        load_model(root, "lamp", {"N": 9})


FAULTS = {
    "a text": ('replaces="switch", ', "replaces='switch' is no function"),
    "nothing": ("", "the fault switch has the name of something in models/lamp.py"),
    "what the model does not use": (
        "replaces=elsewhere, ",
        "the fault switch replaces elsewhere, which lamp does not use",
    ),
}


@pytest.mark.parametrize(("replaces", "why"), FAULTS.values(), ids=list(FAULTS))
def test_a_fault_replaces_something_of_its_model(replaces: str, why: str, tmp_path: Path) -> None:
    fault = "from lockstep import fault\nfrom models.other import elsewhere\n\n"
    fault += f'@fault({replaces}breaks="never")\ndef switch(s, new):\n    new.lit = True\n'
    other = "from lockstep import State\n\nclass Other(State):\n    lit: bool = False\n\n"
    other += "def elsewhere(s, new):\n    new.lit = False\n"
    root = write(tmp_path, invariants__lamp=CLAIM, models__other=other, models__faults__lamp=fault)
    with pytest.raises(LockstepError, match=why):
        load_model(root, "lamp", fault="switch")


def test_a_fault_whose_name_is_taken_is_reported(tmp_path: Path) -> None:
    fault = 'from lockstep import fault\n\n@fault(breaks="never")\ndef dark(s, new):\n'
    fault += "    new.lit = False\n\ndark = 3\n"
    root = write(tmp_path, invariants__lamp=CLAIM, models__faults__lamp=fault)
    with pytest.raises(ModelError, match="dark is marked, and the model does not have it"):
        fault_marks(root, "lamp")
