"""Parts of one expression are evaluated in Python's order: where two fail, the same one is named.

Each part stands on a line of its own, so that the line says which of them failed.
"""

from pathlib import Path

import pytest

from lockstep.language.model import load_model
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from tests.interpreter.interpreter import InterpreterEngine

PREAMBLE = """
from lockstep import Map, Range, Record, Sequence, Set, State, action, replace, require

Count = Range(0, 3)


class Message(Record):
    to: Count
    number: Count


class Case(State):
    zero: Count = 0
    queue: Sequence[Count, 2] = ()
    level: Count | None = None
    sent: Message = Message(to=0, number=0)
    received: Message | None = None
    table: Map[Count, Count] = {i: 0 for i in Count}
    other: Map[Count, Count] | None = None
    held: Sequence[Count, 2] | None = None
    seen: Set[Count] | None = None


def added(x, y):
    return x + y
"""
PROCEDURE = """
def put(s, new, x, y):
    new.level = x
    new.zero = y

"""
ACTION = """
@action
def act(s, new):
"""

CASES = {
    "record": "new.sent = Message(\nnumber=s.queue[0],\nto=s.queue[1],\n)",
    "record field outside": "new.sent = Message(\nnumber=s.zero\n- 1,\nto=s.zero,\n)",
    "replace": "new.sent = replace(\ns.sent,\nnumber=s.queue[0],\nto=s.queue[1],\n)",
    "replace of None": "new.sent = replace(\ns.received,\nto=s.queue[0],\n)",
    "sum with None": "new.zero = (\ns.level\n+ s.queue[0]\n)",
    "order with None": "require(\ns.level\n< s.queue[0]\n)",
    "None in the middle": "require(\n0\n< s.level\n< s.queue[0]\n)",
    "chain": "require(\ns.queue[0]\n< s.queue[1]\n< s.queue[2]\n)",
    "larger set": "require(\n{s.queue[0]}\n> {s.queue[1]}\n)",
    "set that is None": "require(\ns.seen\n>= {s.queue[1]}\n)",
    "max": "new.zero = max(\ns.level,\ns.queue[0],\n)",
    "minus": "new.zero = (\n-s.level\n+ s.queue[0]\n)",
    "helper": "new.zero = added(\ny=s.queue[0],\nx=s.queue[1],\n)",
    "helper of None": "new.zero = added(\ns.level,\ns.queue[1],\n)",
    "procedure": "put(\ns,\nnew,\ns.level\n+ 1,\ns.queue[0],\n)",
    "write at a key": "new.table[\ns.queue[0]\n] = (\ns.queue[1]\n)",
    "write at no key": "new.table[\ns.level\n] = (\ns.zero\n)",
    "write into None": "new.received.to = (\ns.queue[0]\n)",
    "write a field of None": "new.received.to = (\ns.zero\n)",
    "value at a key": "new.zero = (\ns.table[\ns.level\n]\n)",
    "key in None": "new.zero = s.other[\ns.queue[0]\n]",
    "no key in None": "new.zero = s.other[\ns.level\n]",
    "item": "new.zero = s.queue[\ns.level\n]",
    "stretch": "new.queue = s.queue[\ns.queue[0]:\ns.queue[1]\n]",
    "joined": "new.queue = (\ns.held\n+ (\ns.queue[0],\n)\n)",
    "membership": "require(\ns.queue[0]\nin (\ns.queue[1],\n2,\n)\n)",
    "connected": "require(\ns.level in s.queue\nand s.queue[0] == 1\nor 1 // s.zero\n== 2\n)",
    "field of None": "new.zero = (\ns.received\n.to\n)",
    "conditional": "new.zero = (\ns.queue[0]\nif 1 // s.zero == 1\nelse s.queue[1]\n)",
    "map": "new.table = {\ni: s.queue[\ni\n]\nfor i in Count\n}",
    "gathered": "new.zero = sum(\ns.queue[i]\nfor i in range(\n0,\ns.level,\n)\n)",
    "largest of nothing": "new.zero = (\nmax(x for x in s.queue)\n+ s.queue[0]\n)",
}


@pytest.mark.parametrize("case", CASES)
def test_the_same_part_fails_first(case: str, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    lines = "".join(f"    {line}\n" for line in CASES[case].splitlines())
    text = PREAMBLE.lstrip() + (PROCEDURE if "put(" in lines else "")
    (tmp_path / "models" / "case.py").write_text(text + ACTION + lines, encoding="utf-8")
    model, places = load_model(tmp_path, "case"), []
    for engine in (PlainEngine(model), InterpreterEngine(model)):
        with pytest.raises(EvaluationError) as raised:
            list(engine.successors(model.initial))
        places.append((raised.value.function, raised.value.file, raised.value.line))
    assert places[0] == places[1]
