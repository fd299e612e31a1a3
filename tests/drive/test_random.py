"""Random behaviours come where few steps lead."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lockstep.drive.driver import NOT_DONE
from lockstep.drive.driving import Course, Limits, drive
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded
from lockstep.drive.randomly import MOST_KINDS, Kinds, drive_randomly
from lockstep.language.model import Model, load_model
from lockstep.language.notation import State
from lockstep.plain.exploration import Walks
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.workspace import find_workspace
from tests.drive.test_random_models import Execution


class Counting(Execution):
    """Software that counts what it did."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self.done: Counter[str] = Counter()
        self.log: list[tuple[str, Mapping[str, Any]]] = []

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        came = super().do(action, arguments)
        self.done[action] += came is not NOT_DONE
        self.log.append((action, arguments))
        return came


def test_sessions_live_until_incremental_requests_are_answered() -> None:
    """By even chances alone 7 to 11 responses arrived, by turns 17 to 27."""
    root = find_workspace().root
    small = load_model_spec(root, "fetch_session").scope("small").constants
    model = load_model(root, "fetch_session", {**small, "MAX_EPOCH": 2**31 - 1})
    software = Counting(model)
    drive_randomly(Following(model, Guarded(software)), Walks(count=60, steps=100, seed=0))
    assert software.done["receive_incremental"] > 14, software.done


def test_wide_actions_take_records_of_the_state() -> None:
    """A fetcher asks again for what it asked for, though it might ask for 2**63 offsets."""
    root = find_workspace().root
    constants = load_model_spec(root, "fetch_session").proofs["real"].constants
    model = load_model(root, "fetch_session", {**constants, "MAX_DISTURBANCES": 0})
    software = Counting(model)
    drive_randomly(Following(model, Guarded(software)), Walks(count=5, steps=60, seed=0))
    assert software.done["send_incremental"] > 0, software.done


IMPORTS = """
from enum import Enum
from lockstep import Range, Record, Set, State, action, require
"""
GUESSED = """
class Safe(State):
    opened: Range(0, 1) = 0

@action
def guess(s, new, a: Range(0, 49), b: Range(0, 49)):
    require(a == 37 and b == 12)
"""
PICKED = """
class Picked(State):
    even: Range(0, 1) = 0

@action
def pick(s, new, a: Range(0, 9)):
    new.even = 1 - s.even
"""
CHOSEN = """
class Bag(State):
    size: Range(0, 10) = 0

@action
def choose(s, new, items: Set[Range(0, 9)]):
    new.size = len(items)
"""
HELD = """
class Held(State):
    held: Set[Range(0, 49)] = set()

@action
def add(s, new, a: Range(0, 49)):
    require(a not in s.held)
    new.held = s.held | {a}

@action
def clear(s, new):
    require(len(s.held) > 0)
    new.held = set()
"""
SENT = """
class Node(Enum):
    A = "a"
    B = "b"
    C = "c"

class Request(Record):
    node: Node
    number: Range(0, 2**40)
    first: Range(0, 2**40)
    last: Range(0, 2**40)

class Sent(State):
    sent: Set[Request] = set()

@action
def send(s, new, request: Request):
    require(len(s.sent) < 4)
    new.sent = s.sent | {request}

@action
def answer(s, new, request: Request):
    require(request in s.sent)
    new.sent = s.sent - {request}
"""


class Picky(Counting):
    """Software that takes only one parameter."""

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        return super().do(action, arguments) if arguments == {"a": 7} else NOT_DONE


def counted(
    folder: Path, text: str, walks: Walks, kind: Callable[[Model], Counting] = Counting
) -> Counting:
    """What is done of a small model at random."""
    (folder / "models").mkdir(parents=True)
    (folder / "models/small.py").write_text(IMPORTS + text, encoding="utf-8")
    model = load_model(folder, "small")
    software = kind(model)
    result = drive(Following(model, Guarded(software)), Course(walks), Limits())
    assert result.verdict is Verdict.HOLDS, result
    return software


def test_what_few_of_2500_instances_enable_is_found(tmp_path: Path) -> None:
    """64 draws of the parameters would hardly ever be the one that is enabled."""
    software = counted(tmp_path, GUESSED, Walks(count=4, steps=20))
    assert software.done == {"guess": 4 * 20}


def test_a_behaviour_goes_on_where_some_instances_are_refused(tmp_path: Path) -> None:
    """At most 9 of the 10 instances are refused until the other one is drawn."""
    software = counted(tmp_path, PICKED, Walks(count=4, steps=50), Picky)
    assert software.done["pick"] >= 4 * (50 // 10)


def test_sets_of_any_size_are_drawn(tmp_path: Path) -> None:
    software = counted(tmp_path, CHOSEN, Walks(count=1, steps=200))
    assert {len(arguments["items"]) for _, arguments in software.log} == {*range(11)}


def test_sets_of_numbers_are_of_few_kinds(tmp_path: Path) -> None:
    """Were each set a kind of its own, it would hardly ever be emptied."""
    software = counted(tmp_path, HELD, Walks(count=10, steps=100))
    assert software.done["clear"] > 200, software.done


def test_records_are_taken_from_sets_too(tmp_path: Path) -> None:
    software = counted(tmp_path, SENT, Walks(count=2, steps=40))
    assert software.done["answer"] > 10, software.done


def test_a_seed_says_the_same_in_every_process(tmp_path: Path) -> None:
    """The order of Python's own sets of texts differs from process to process."""
    code = (
        "import sys; from pathlib import Path; from tests.drive.test_random import *;"
        "print(counted(Path(sys.argv[1]), SENT, Walks(count=2, steps=40, seed=3)).log)"
    )
    done = {
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / seed)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=find_workspace().root,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(done) == 1


def test_kinds_are_counted_within_bounds() -> None:
    kinds, often = Kinds(), State.of(["often"])
    for number in range(2 * MOST_KINDS):
        kinds.choose(State.of([str(number)]))
        kinds.choose(often)
    assert len(kinds.chosen) <= MOST_KINDS
    assert kinds.weight(often) < kinds.weight(State.of(["new"])) == 1
