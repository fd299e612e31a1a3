"""A post office whose letters arrive, are lost, copied, altered and sent again, as text."""

from pathlib import Path

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.results.trace import Step, Trace

MODEL = '''\
"""Letters from clients to an office."""

from lockstep import Constant, Map, OneOf, Range, Record, State, action, present, replace, require

CLIENTS: Constant = ("ann", "bo")

Client = OneOf(CLIENTS)
Number = Range(0, 9)


class Letter(Record):
    number: Number


class Post(State):
    letter: Map[Client, Letter | None] = {c: None for c in Client}
    spare: Map[Client, Letter | None] = {c: None for c in Client}
    receipt: Client | None = None
    written: Map[Client, Number] = {c: 0 for c in Client}
    opened: Number = 0


@action
def write(s, new, c: Client):
    require(s.letter[c] is None and s.written[c] < 3)
    new.letter[c] = Letter(number=s.written[c] + 1)
    new.written[c] = s.written[c] + 1


@action
def write_again(s, new, c: Client):
    require(s.letter[c] is not None)
    new.letter[c] = s.letter[c]
    new.spare[c] = s.spare[c]


@action
def put_aside(s, new, c: Client):
    require(s.letter[c] is not None and s.spare[c] is None)
    new.spare[c] = s.letter[c]
    new.letter[c] = None


@action
def copy(s, new, c: Client):
    require(s.spare[c] is None)
    new.spare[c] = present(s.letter[c])


@action
def smudge(s, new, c: Client):
    new.letter[c] = replace(present(s.letter[c]), number=0)


@action
def open_letter(s, new, c: Client):
    require(s.opened < 9)
    new.opened = s.opened + 1
    require(s.letter[c] is not None)
    new.letter[c] = None
    new.receipt = c


@action
def open_spare(s, new, c: Client):
    require(s.spare[c] is not None)
    new.spare[c] = None


@action
def burn(s, new, c: Client):
    require(s.letter[c] is not None)
    new.letter[c] = None


@action
def take_receipt(s, new, c: Client):
    require(s.receipt == c)
    new.receipt = None


@action
def visit(s, new, c: Client):
    require(s.opened < 9)
    new.opened = s.opened + 1


@action
def close(s, new):
    require(s.opened > 0)
    new.opened = 0
'''
DIAGRAM = """\
[model]
name = "post"

[environment]
"Fire." = ["burn"]

[diagram]
lanes = ["CLIENTS", "office"]

[diagram.at]
office = ["open_*", "close"]
all = ["burn", "copy", "smudge", "put_aside"]

[diagram.messages.letter]
from = "{key}"
to = "office"
text = "letter {number}"
lost = ["write_again"]

[diagram.messages.spare]
copies = "letter"

[diagram.messages.receipt]
from = "office"
to = "{new.receipt}"
text = "receipt"

[diagram.messages.talk]
from = "{c}"
to = "office"
text = "talk of {s.written[c]}"
sent = ["visit"]
received = ["visit"]
"""


def post(root: Path, diagram: str = DIAGRAM, model: str = MODEL) -> Model:
    """The model, from files that are written below `root`."""
    for folder, name, text in (("models", "post.py", model), ("specs", "post.toml", diagram)):
        (root / folder).mkdir(exist_ok=True)
        (root / folder / name).write_text(text, encoding="utf-8")
    return load_model(root, "post")


def walk(model: Model, *steps: str | tuple[str, object], loop: int | None = None) -> Trace:
    """A behaviour: the actions by name, each with its first parameter if it is not the first."""
    engine, state, taken = PlainEngine(model), model.initial, []
    for wanted in steps:
        name, first = (wanted, None) if isinstance(wanted, str) else wanted
        step = next(
            step
            for step in engine.successors(state)
            if step.action == name and (first is None or step.parameters[0] == first)
        )
        taken.append(Step(name, step.parameters, step.state))
        state = step.state
    return Trace(model.initial, tuple(taken), loop)
