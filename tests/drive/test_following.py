"""What is not observed stays open, until something that is observed settles it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from lockstep.drive import NOT_DONE, Driver, Took
from lockstep.drive.departure import Departed
from lockstep.drive.driving import Course, Limits, drive
from lockstep.drive.following import Following
from lockstep.drive.guarded import Guarded
from lockstep.language.model import Model, load_model
from lockstep.results.verdict import Verdict

CACHE = '''
"""A cache of two places: what is put in may evict any other, and entries go stale by themselves."""

from lockstep import OneOf, Set, State, action, require

Key = OneOf(("a", "b", "c"))


class Cache(State):
    kept: Set[Key] = set()


@action
def put(s, new, k: Key):
    require(k not in s.kept and len(s.kept) < 2)
    new.kept = s.kept | {k}


@action
def evict(s, new, k: Key, victim: Key):
    require(k not in s.kept and len(s.kept) == 2 and victim in s.kept)
    new.kept = (s.kept - {victim}) | {k}


@action
def go_stale(s, new, k: Key):
    require(k in s.kept)
    new.kept = s.kept - {k}
'''


class Places(Driver):
    """A cache that evicts what it has had longest, and says how much it has."""

    outcomes: ClassVar = {"store": ("put", "evict")}
    never: ClassVar = {"go_stale": "Nothing goes stale here."}
    evicted: str | None = None

    def reset(self, constants: Mapping[str, object]) -> None:
        self.kept: list[str] = []

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        if arguments["k"] in self.kept:
            return NOT_DONE
        self.evicted = self.kept.pop(0) if len(self.kept) == 2 else None
        self.kept.append(arguments["k"])
        return None

    def observe(self) -> Mapping[str, object]:
        return {}


class Seen(Places):
    """The same, and one sees what is evicted."""

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        answer = super().do(action, arguments)
        if answer is NOT_DONE:
            return answer
        return Took("put") if self.evicted is None else Took("evict", victim=self.evicted)


class Whole(Places):
    def observe(self) -> Mapping[str, object]:
        return {"kept": self.kept}


class Timed(Whole):
    """Each entry is gone after some more were put in, which nobody sees."""

    never: ClassVar = {}
    by_itself: ClassVar = ("go_stale",)

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        answer = super().do(action, arguments)
        if len(self.kept) == 2:
            self.kept.pop(0)
        return answer


@pytest.fixture
def model(tmp_path: Path) -> Model:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "cache.py").write_text(CACHE, encoding="utf-8")
    return load_model(tmp_path, "cache")


def following(model: Model, driver: Driver) -> Following:
    made = Following(model, Guarded(driver))
    made.reset()
    return made


def test_what_the_software_decides_stays_open(model: Model) -> None:
    cache = following(model, Places())
    for key, explained in (("a", {"a"}), ("b", {"ab"}), ("c", {"bc", "ac"})):
        cache.do(("store", (key,)))
        assert {"".join(sorted(kept)) for (kept,) in cache.candidates} == explained


def test_what_is_seen_of_a_step_settles_it(model: Model) -> None:
    cache = following(model, Seen())
    for key in "abc":
        cache.do(("store", (key,)))
    assert [set(kept) for (kept,) in cache.candidates] == [{"b", "c"}]


def test_what_is_observed_later_settles_what_was_open(model: Model) -> None:
    driver = Whole()
    cache = following(model, driver)
    for key in "abc":
        cache.do(("store", (key,)))
    assert len(cache.candidates) == 1
    driver.kept = ["a"]
    with pytest.raises(Departed, match="the state gives kept = "):
        cache.do(("store", ("a",)))  # it is there, the software says


def test_what_happens_unseen_is_followed(model: Model) -> None:
    """It never has two entries for long: what is left then is not looked for again and again."""
    result = drive(Following(model, Guarded(Timed())), Course(), Limits())
    assert result.departed is None
    assert result.verdict is Verdict.HOLDS
    assert result.not_done["from states that were not reached"] > 0
    assert result.resets < 10
    driver = Timed()
    vars(driver)["by_itself"] = ()
    result = drive(Following(model, Guarded(driver)), Course(), Limits())
    assert result.verdict is Verdict.VIOLATED


def test_a_step_that_another_explains_as_well_is_not_counted_as_done(model: Model) -> None:
    result = drive(Following(model, Guarded(Places())), Course(), Limits())
    assert result.graph is not None
    assert 0 < len(result.covered.done) < result.graph.chosen
    assert result.not_done["perhaps done: another step explains the same"] > 0
    seen = drive(Following(model, Guarded(Seen())), Course(), Limits())
    assert len(seen.covered.done) > len(result.covered.done)
