"""Symmetry: one state a brute-force orbit, and no claim of it that is not true."""

from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.language.notation import State
from lockstep.language.symmetry import find_symmetry, permuted_state
from lockstep.machine.code.program import build_program
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search

HEAD = """
from lockstep import Map, OneOf, Record, Sequence, Set, State, action, require

Node = OneOf(NODES, interchangeable=True)
Some = OneOf((0, *NODES))

class Note(Record):
    by: Node
    to: Node | None
    loud: bool
"""
LAND = """
class Land(State):
    leader: Node | None = None
    seat: Some = 0
    asleep: Set[Node] = set()
    votes: Map[Node, Map[Node, bool]] = {n: {m: False for m in Node} for n in Node}
    queue: Sequence[Node, 2] = ()
    notes: Sequence[Note, 2] = ()
    read: Set[Note] = set()
    latest: Map[Node, Note | None] = {n: None for n in Node}

@action
def vote(s, new, n: Node, m: Node):
    require(n not in s.asleep and not s.votes[n][m] and s.leader is None)
    new.votes[n][m] = True

@action
def lead(s, new, n: Node):
    require(s.leader is None and sum(1 for m in Node if s.votes[m][n]) * 2 > len(NODES))
    new.leader = n
    new.seat = n

@action
def sleep(s, new, n: Node):
    require(len(s.asleep) < 1 and s.leader != n)
    new.asleep = s.asleep | {n}
    new.queue = s.queue + (n,) if len(s.queue) < 2 else s.queue

@action
def write(s, new, n: Node, to: Node | None):
    require(s.leader is not None and len(s.notes) < 2 and to != n)
    new.notes = s.notes + (Note(by=n, to=to, loud=to is None),)

@action
def read(s, new, note: Note):
    require(note in s.notes[:1] and len(s.read) < 1)
    new.notes = s.notes[1:]
    new.read = s.read | {note}
    new.latest[note.by] = note
"""


def model(folder: Path, nodes: str, text: str = LAND) -> Model:
    (folder / "models").mkdir(exist_ok=True)
    source = f"NODES = {nodes}\n{HEAD}"
    (folder / "models" / "land.py").write_text(f'"""A land."""\n{source}{text}')
    return load_model(folder, "land")


def orbits(land: Model) -> tuple[int, int]:
    """How many states there are, and how many up to the permutations of the nodes."""
    symmetry = find_symmetry(land, lower(land))
    states: list[State] = []
    Search(PlainEngine(land), on_state=lambda state, _: states.append(state)).run()
    classes = {
        frozenset(permuted_state(state, permutation) for permutation in symmetry.permutations())
        for state in states
    }
    return len(states), len(classes)


@pytest.mark.parametrize(
    "nodes", ['("a", "b")', "(1, 2)", '("z", "b")'], ids=["names", "numbers", "unsorted"]
)
def test_counts_are_those_of_the_orbits(tmp_path: Path, nodes: str) -> None:
    land = model(tmp_path, nodes)
    states, classes = orbits(land)
    assert explore(land, Exploration("compiled")).states == states
    for threads in (1, 2):
        result = explore(land, Exploration("compiled", symmetry=True, threads=threads))
        assert result.states == classes
        assert result.remark.startswith("up to exchanging ")
    assert classes < states * 2 / 3


def test_three_names_have_six_permutations(tmp_path: Path) -> None:
    text = LAND.split("@action\ndef write")[0]
    land = model(tmp_path, '("a", "b", "c")', text)
    states, classes = orbits(land)
    result = explore(land, Exploration("compiled", symmetry=True))
    assert (explore(land, Exploration("compiled")).states, result.states) == (states, classes)
    assert states / 6 <= classes < states / 4


def test_the_depth_and_the_verdict_are_the_same(tmp_path: Path) -> None:
    land = model(tmp_path, '("a", "b")')
    (tmp_path / "invariants").mkdir()
    (tmp_path / "invariants" / "land.py").write_text(
        "from lockstep import invariant, step_invariant\nfrom models.land import Node\n\n"
        "@invariant()\ndef nobody_wrote_to_a_sleeper(s, n: Node):\n"
        "    return s.latest[n] is None or s.latest[n].to not in s.asleep\n\n"
        "@step_invariant()\ndef seat_is_kept(s, new):\n"
        "    return s.seat == 0 or new.seat == s.seat\n"
    )
    land = load_model(tmp_path, "land")
    straight = explore(land, Exploration("compiled"))
    reduced = explore(land, Exploration("compiled", symmetry=True))
    assert straight.violation is not None
    assert reduced.violation is not None
    assert reduced.violation.properties == straight.violation.properties
    assert len(reduced.violation.trace.steps) == len(straight.violation.trace.steps)
    plain = PlainEngine(land)
    trace = reduced.violation.trace
    for before, step in zip(trace.states, trace.steps, strict=False):
        assert plain.run(land.action(step.action), before, step.parameters) == step.state


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("require(n not in s.asleep", 'require(n != "a" and n not in s.asleep', "mentions 'a'"),
        (
            "leader: Node | None = None",
            'leader: Node | None = "b"',
            "the initial state distinguishes",
        ),
        ("    seat: Some = 0", '    seat: OneOf(("a", "c")) = "c"', "has only some of them"),
        (
            "new.leader = n\n",
            "new.leader = n\n    new.queue = tuple(m for m in Node if m == n)\n",
            "goes through them in order",
        ),
    ],
)
def test_a_false_claim_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    text = LAND.replace(old, new)
    if "c" in new.split("(")[-1]:
        text = text.replace("    new.seat = n\n", "")
    assert text != LAND
    land = model(tmp_path, '("a", "b")', text)
    symmetry = build_program(land, symmetry=True).symmetry
    assert symmetry is not None
    assert symmetry.groups == ()
    assert why in symmetry.refused[0]
    result = explore(land, Exploration("compiled", symmetry=True))
    assert result.states == explore(land, Exploration("compiled")).states
    assert "no names are interchangeable" in result.remark


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("n != 1", "mentions 1"),
        ("n not in {1}", "mentions 1"),
        ("all(n != x for x in (1,))", "takes them for numbers"),
    ],
)
def test_names_that_are_numbers_are_distinguished(tmp_path: Path, condition: str, why: str) -> None:
    text = LAND.replace("s.leader != n", f"s.leader != n and {condition}")
    land = model(tmp_path, "(1, 2)", text)
    symmetry = build_program(land, symmetry=True).symmetry
    assert symmetry is not None
    assert symmetry.groups == ()
    assert why in str(symmetry)
