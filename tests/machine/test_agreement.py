"""The compiled explorer agrees with plain Python: on random models, and on those of this workspace.

A disagreement is shown as the smallest model that Hypothesis finds; `LOCKSTEP_PROFILE=wide` looks
at thousands.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, reject, settings

from lockstep.language.model import load_model, model_names
from lockstep.language.source import ModelError
from lockstep.machine.code.layout import NotCompiled
from lockstep.machine.code.machine import machine_code
from lockstep.machine.code.program import build_program
from lockstep.machine.search.search import ParallelSearch
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.specs.scopes import load_model_spec
from tests.agreement.case import levels_divided
from tests.agreement.judges import Judged, threads, unbroken
from tests.agreement.summary import summary
from tests.random_models.random_models import RandomModel, random_models

ROOT = Path(__file__).parents[2]


# LLVM took this for a machine of the other byte order, when nobody told it which one it was.
OTHER_BYTE_ORDER = RandomModel(
    model="""\
from lockstep import Record, Sequence, State, action


class Message(Record):
    f0: bool


class Sample(State):
    a: Sequence[Message, 2] = ()


@action
def act0(s, new, x: Message, y: Sequence[bool, 1]):
    new.a = (s.a + (x,))[:2]
""",
    invariants="",
)


# One claim is broken where another has no value: its premise was taken for satisfied.
VIOLATION_BESIDE_AN_ERROR = RandomModel(
    model="""\
from lockstep import Range, Sequence, State, action

UpTo1 = Range(0, 1)


class Sample(State):
    a: UpTo1 = 0
    b: Sequence[UpTo1, 1] = ()


@action
def act0(s, new):
    new.a = 1
""",
    invariants="""\
from lockstep import invariant
from models.sample import UpTo1


@invariant()
def claim0(s):
    return s.a == 1


@invariant()
def claim1(s, x: UpTo1):
    return x == 0 or s.b[0] == 0
""",
)


# LLVM 22.1 reads both values of x as True where the processor has BMI2.
TABLE_OF_BITS = RandomModel(
    model="""\
from lockstep import Record, Sequence, State, action


class Message1(Record):
    f0: bool


class Message2(Record):
    f0: bool


class Sample(State):
    c: Sequence[Message2, 2] = ()


@action
def act0(s, new, x: Message1):
    new.c = (
        (tuple(Message2(f0=x.f0) for m in s.c) + (Message2(f0=x.f0),))[:2] if len(s.c) < 2 else ()
    )
""",
    invariants="",
)


# A part of several words took the bits of the parts beside its last one.
WIDE_PART = RandomModel(
    model="""\
from lockstep import Range, Record, Set, State, action

Slot = Range(1, 70)


class Message1(Record):
    f0: Set[Slot]
    f1: bool


class Sample(State):
    b: Message1 = Message1(f0=set(), f1=True)


@action
def act0(s, new, x: Slot):
    new.b.f0 = set() if s.b.f0 == {70} else {70}
""",
    invariants="",
)


@example(text=WIDE_PART)
@example(text=TABLE_OF_BITS)
@example(text=VIOLATION_BESIDE_AN_ERROR)
@example(text=OTHER_BYTE_ORDER)
@settings(suppress_health_check=list(HealthCheck))
@given(text=random_models())
def test_compiled_agrees_on_random_models(
    text: RandomModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    judged = Judged(text, tmp_path_factory.mktemp("random"))
    try:
        threads(judged)
        unbroken(judged)
    except (ModelError, NotCompiled):
        reject()


@pytest.mark.parametrize("name", model_names(ROOT))
def test_compiled_agrees_on_every_model(name: str) -> None:
    scope = load_model_spec(ROOT, name).scope("small")
    model = load_model(ROOT, name, scope.constants)
    program = build_program(model)
    code = machine_code(program.text, None)
    oracle = summary(Search(PlainEngine(model)).run())
    for count in (1, 2, 8):
        with levels_divided():
            assert (
                summary(ParallelSearch(program, code, Exploration(threads=count)).run()) == oracle
            )
