"""What a guard or a condition says of a number is known after it, and nothing else is."""

from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import load_model
from lockstep.language.source import ModelError
from lockstep.plain.exploration import Exploration
from lockstep.results.verdict import Verdict

TEXT = """
from lockstep import OneOf, Range, Record, Sequence, Set, State, action, require

Node = OneOf(("n1", "n2"))


class Batch(Record):
    log: Sequence[Range(0, 2), 2]
    start: Range(-1, 2)


class Case(State):
    next: Range(-1, 2) = 0
    last: Range(0, 2) = 0
    log: Sequence[Range(0, 2), 2] = ()
    batches: Set[Batch] = set()
    none: Range(0, 0) = 0


def before(log, n):
    return log[n - 1]


def reaches(s, n):
    return 0 < n <= len(s.log)


def checked(state, n):
    require(n > 0)
    require(n <= len(state.log))


@action
def grow(s, new, v: Range(0, 2)):
    require(len(s.log) < 2)
    new.log = s.log + (v,)


@action
def move(s, new, n: Range(-1, 2)):
    new.next = n
    new.last = max(0, n)
    new.batches = {Batch(s.log, n)}


@action
def act(s, new, v: Range(0, 2)):
"""

KNOWN = {
    "a guard": "require(s.next > 0 and s.next <= len(s.log))\nnew.last = s.log[s.next - 1]",
    "two guards": (
        "require(1 <= s.next)\nrequire(len(s.log) >= s.next)\nnew.last = s.log[s.next - 1]"
    ),
    "a chain": "require(0 < s.next <= len(s.log))\nnew.last = s.log[s.next - 1]",
    "not zero": (
        "require(s.next >= 0 and s.next != 0)\nrequire(s.next <= len(s.log))\n"
        "new.last = s.log[s.next - 1]"
    ),
    "not zero, said first": (
        "require(s.next != 0 and s.next != 2)\nrequire(s.next > -1 and len(s.log) == 1)\n"
        "new.last = s.log[s.next - 1]"
    ),
    "a sum": "require(s.next - 1 >= 0 and s.next - 1 < len(s.log))\nnew.last = s.log[s.next - 1]",
    "a chain about a sum": "require(0 <= s.next - 1 < len(s.log))\nnew.last = s.log[s.next - 1]",
    "no disjunction": (
        "require(not (s.next <= 0 or s.next > len(s.log)))\nnew.last = s.log[s.next - 1]"
    ),
    "an equality": "require(s.next == 2 and len(s.log) == 2)\nnew.last = s.log[s.next - 1]",
    "a conditional": "new.last = s.log[s.next - 1] if 0 < s.next <= len(s.log) else 0",
    "its other branch": "new.last = 0 if s.next < 1 or s.next > len(s.log) else s.log[s.next - 1]",
    "a local": "n = s.next\nrequire(0 < n <= len(s.log))\nnew.last = s.log[n - 1]",
    "a local after the guard": (
        "require(0 < s.next <= len(s.log))\nn = s.next - 1\nnew.last = s.log[n]"
    ),
    "a helper": "require(0 < s.next <= len(s.log))\nnew.last = before(s.log, s.next)",
    "a helper that says it": "require(reaches(s, s.next))\nnew.last = s.log[s.next - 1]",
    "a procedure": "n = s.next\nchecked(s, n)\nnew.last = s.log[n - 1]",
    "a length": "require(len(s.log) > 0)\nnew.last = s.log[len(s.log) - 1]",
    "what may be asked first": (
        "require(v < 2 and len(s.log) > 0)\nrequire(s.log[-1] > 0)\nnew.last = s.log[-1] - 1"
    ),
    "what may be asked first, of a number": (
        "require(v < 2 and 0 < s.next <= len(s.log))\nrequire(s.log[s.next - 1] != 1)"
    ),
    "a stretch that may be asked first": (
        "require(v < 2 and s.next > 0)\nrequire(len(s.log[s.next - 1 :]) != 1)"
    ),
    "a stretch": "require(s.next > 0)\nnew.log = s.log[: s.next - 1]",
    "another number": "require(0 < s.last <= s.next)\nnew.log = s.log[: s.next - 1]",
    "the greater": "require(max(s.next, s.last) > 0)\nnew.log = s.log[: max(s.next, 1) - 1]",
    "a comprehension": (
        "bs = s.batches\n"
        "require(all(b.log[b.start] < 2 for b in bs if 0 <= b.start < 1 <= len(b.log)))"
    ),
    "where nothing is evaluated": (
        "require(not (s.next < 0 and s.next > 0 and s.log[s.next - 1] == 0))\n"
        "require(s.none < 1 or s.log[s.none - 1] == 0)"
    ),
    "the last item": "require(all(len(b.log) > 0 and b.log[-1] < 2 for b in s.batches))",
    "the last item, if any": "require(all(b.log[-1] < 2 for b in s.batches if len(b.log) != 0))",
    "the last but one": "require(any(len(b.log) >= 2 and b.log[-2] < b.log[1] for b in s.batches))",
}
UNKNOWN = {
    "nothing": ("new.last = s.log[s.next - 1]", "negative-index"),
    "too little": ("require(s.next >= 0)\nnew.last = s.log[s.next - 1]", "negative-index"),
    "of another": ("require(s.last > 0)\nnew.last = s.log[s.next - 1]", "negative-index"),
    "either": ("require(s.next > 0 or s.last > 0)\nnew.last = s.log[s.next - 1]", "negative-index"),
    "afterwards": ("new.last = s.log[s.next - 1]\nrequire(s.next > 0)", "negative-index"),
    "the other branch": ("new.last = 0 if s.next > 0 else s.log[s.next - 1]", "negative-index"),
    "within a condition": (
        "require(s.last == 0 or s.next > 0)\nnew.last = s.log[s.next - 1]",
        "negative-index",
    ),
    "a helper's guard line": (
        "require(s.last == (1 if s.next > 0 else 0))\nnew.last = s.log[s.next - 1]",
        "negative-index",
    ),
    "an order": ("require(all(b.log[-1] < 2 for b in s.batches))", "order-dependent"),
    "an order, one short": (
        "require(all(b.log[1] < 2 for b in s.batches if len(b.log) > 0))",
        "order-dependent",
    ),
    "an order, of another": (
        "require(all(b.log[-1] < 2 for b in s.batches if len(s.log) > 0))",
        "order-dependent",
    ),
}


def write(root: Path, lines: str) -> Path:
    (root / "models").mkdir()
    body = "".join(f"    {line}\n" for line in lines.split("\n"))
    (root / "models" / "case.py").write_text(TEXT + body, encoding="utf-8")
    return root


@pytest.mark.parametrize("lines", KNOWN.values(), ids=list(KNOWN))
def test_a_guard_narrows_a_number(lines: str, tmp_path: Path) -> None:
    """And the action then has a meaning in every state, to plain Python and to machine code."""
    model = load_model(write(tmp_path, lines), "case")
    found = [explore(model, Exploration(engine)) for engine in ("python", "compiled")]
    assert [result.verdict for result in found] == [Verdict.HOLDS] * 2
    assert found[0].states == found[1].states > 20
    assert found[0].fired == found[1].fired
    assert found[0].fired["act"] > 0


@pytest.mark.parametrize(("lines", "code"), UNKNOWN.values(), ids=list(UNKNOWN))
def test_what_no_guard_says_is_refused(lines: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as raised:
        explore(load_model(write(tmp_path, lines), "case"), Exploration("python"))
    assert {problem.code for problem in raised.value.diagnostics} == {code}
