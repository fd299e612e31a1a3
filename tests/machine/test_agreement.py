"""The compiled explorer agrees with plain Python on random models, and on some that it got wrong.

`LOCKSTEP_PROFILE=wide` looks at thousands.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.agreement.judges import Judged, threads, unbroken
from tests.random_models.pool import MODELS, judge_all
from tests.random_models.random_models import RandomModel

# LLVM took this for a machine of the other byte order, when nothing said which one it was.
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


GOT_WRONG = {
    "other byte order": OTHER_BYTE_ORDER,
    "violation beside an error": VIOLATION_BESIDE_AN_ERROR,
    "table of bits": TABLE_OF_BITS,
    "wide part": WIDE_PART,
}


def judge(judged: Judged) -> None:
    threads(judged)
    unbroken(judged)


@pytest.mark.slow
def test_compiled_agrees_on_random_models() -> None:
    counts = Counter[str]()
    judge_all(lambda sample: judge(Judged.of(sample, counts)), at_least=MODELS // 2)
    for outcome in ("held to the end", "violated", "without a value", "explored past violations"):
        assert counts[outcome] > 0, outcome


@pytest.mark.parametrize("name", GOT_WRONG)
def test_compiled_agrees_where_it_did_not(name: str, tmp_path: Path) -> None:
    judge(Judged(GOT_WRONG[name], tmp_path))
