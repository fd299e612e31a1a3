from enum import Enum
from typing import Any

import pytest

from lockstep.language.domains import Map, OneOf, Range, Sequence, Set
from lockstep.language.notation import State
from lockstep.language.records import Record
from lockstep.trace.changes import changes
from lockstep.trace.layout import show


class Wire(Enum):
    IDLE = 0
    SENT = 1


class Session(Record):
    epoch: Range(0, 9)  # type: ignore[valid-type]
    wire: Wire


class Broker(State):
    cached: Map[OneOf(("p1", "p 2")), Session | None] = None  # type: ignore[valid-type]
    queue: Sequence[Range(0, 9), 12] = ()  # type: ignore[valid-type]
    seen: Set[Range(0, 20)] = frozenset()  # type: ignore[valid-type]


def broker(**parts: Any) -> Broker:
    values = {"cached": {"p1": None, "p 2": None}, "queue": (), "seen": set()}
    return Broker.of(
        domain.coerce({**values, **parts}[name], name) for name, domain in Broker.fields.items()
    )


LONG = (1, 2, 3, 4, 5, 6, 7, 8)
OLD, NEW = Session(1, Wire.IDLE), Session(2, Wire.IDLE)


@pytest.mark.parametrize(
    ("before", "after", "reported"),
    [
        ({}, {}, []),
        (
            {"cached": {"p1": OLD, "p 2": None}},
            {"cached": {"p1": NEW, "p 2": OLD}},
            ["cached[p1].epoch: 1 -> 2", "cached['p 2']: None -> Session(epoch=1, wire=IDLE)"],
        ),
        (
            {"cached": {"p1": OLD, "p 2": None}},
            {"cached": {"p1": None, "p 2": None}},
            ["cached[p1]: Session(epoch=1, wire=IDLE) -> None"],
        ),
        ({"queue": (1,)}, {"queue": (1, 2, 3)}, ["queue: (1,) -> (1, 2, 3)"]),
        ({"queue": (1, 2, 1)}, {"queue": (2, 1)}, ["queue: (1, 2, 1) -> (2, 1)"]),
        ({"queue": LONG}, {"queue": (*LONG, 2, 3)}, ["queue: +2, 3 at the end"]),
        ({"queue": (9, 2, *LONG)}, {"queue": LONG}, ["queue: -9, 2 at the front"]),
        ({"queue": (1, 2)}, {"queue": ()}, ["queue: (1, 2) -> ()"]),
        ({"queue": (1, 2)}, {"queue": (2, 2)}, ["queue: (1, 2) -> (2, 2)"]),
        ({"seen": {1, 9, 10}}, {"seen": {2, 9, 20}}, ["seen: +2 +20 -1 -10"]),
        (
            {"queue": (), "seen": set()},
            {"queue": (4,), "seen": {4}},
            ["queue: () -> (4,)", "seen: +4"],
        ),
    ],
)
def test_only_what_changed_is_reported(
    before: dict[str, Any], after: dict[str, Any], reported: list[str]
) -> None:
    assert [str(change) for change in changes(broker(**before), broker(**after))] == reported


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Wire.SENT, "SENT"),
        ("p1", "p1"),
        ("p 2", "'p 2'"),
        ("", "''"),
        (None, "None"),
        (True, "True"),
        (-3, "-3"),
        ((1,), "(1,)"),
        (frozenset({10, 9, 100}), "{9, 10, 100}"),
        (broker(cached={"p1": OLD, "p 2": None}).of, None),
    ],
)
def test_values_are_shown_as_models_write_them(value: object, shown: str | None) -> None:
    if shown is not None:
        assert show(value) == shown
    else:
        cached = broker(cached={"p1": OLD, "p 2": None})[0]
        assert show(cached) == "{p1: Session(epoch=1, wire=IDLE), 'p 2': None}"
