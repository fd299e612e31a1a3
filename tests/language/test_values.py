"""Records, maps and states as values: immutable, checked, and equal as TLA+ has it."""

from collections.abc import Callable

import hypothesis.strategies as st
import pytest

from lockstep.language.domains import Map, OneOf, Range, Sequence, Set
from lockstep.language.notation import State
from lockstep.language.records import Record, replace
from lockstep.language.values import NotInDomain

ITEMS = st.lists(st.sampled_from("abc"), max_size=5)

Node = OneOf(("n1", "n2"))


class Message(Record):
    to: Node  # type: ignore[valid-type]
    number: Range(0, 3)  # type: ignore[valid-type]


class Urgent(Message):
    seen: bool


def test_a_record_knows_its_fields() -> None:
    message = Message("n1", number=2)
    assert (message.to, message.number) == ("n1", 2)
    assert message == Message(number=2, to="n1")
    assert hash(message) == hash(Message("n1", 2))
    assert message != Message("n1", 3)
    assert repr(message) == "Message(to='n1', number=2)"
    assert list(Urgent.fields) == ["to", "number", "seen"]
    assert Urgent("n1", 2, True).seen
    assert len(list(iter(Message))) == 8


@pytest.mark.parametrize(
    ("positional", "named", "message"),
    [
        (("n1",), {}, "lacks number"),
        (("n1", 1, 2), {}, "2 fields, 3 values"),
        (("n1",), {"to": "n2", "number": 1}, "given twice"),
        ((), {"to": "n1", "number": 1, "size": 1}, "no field 'size'"),
    ],
)
def test_a_record_has_each_field_once(
    positional: tuple[object, ...], named: dict[str, object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        Message(*positional, **named)


@pytest.mark.parametrize("number", [-1, 4, True, None, "1", 1.0])
def test_a_field_keeps_to_its_domain(number: object) -> None:
    with pytest.raises(NotInDomain) as raised:
        Message("n1", number)
    assert (raised.value.place, raised.value.value) == ("Message.number", number)
    with pytest.raises(NotInDomain):
        replace(Message("n1", 1), number=number)


def test_replace_changes_what_is_named() -> None:
    urgent = Urgent("n1", 2, False)
    assert replace(urgent, seen=True) == Urgent("n1", 2, True)
    assert type(replace(urgent, to="n2")) is Urgent
    assert urgent == Urgent("n1", 2, False)
    with pytest.raises(TypeError, match="no field 'size'"):
        replace(urgent, size=1)
    with pytest.raises(TypeError, match="takes a record"):
        replace(None, size=1)  # type: ignore[type-var]


def test_records_and_states_refuse_names_and_defaults_that_would_mislead() -> None:
    with pytest.raises(TypeError, match="no default value"):
        type("Bad", (Record,), {"__annotations__": {"f": bool}, "f": True})
    for name in ("fields", "of", "first_values", "_hidden"):
        with pytest.raises(TypeError, match="taken by lockstep"):
            type("Bad", (State,), {"__annotations__": {name: bool}})
    with pytest.raises(TypeError, match=r"Bad\.f: .*int.* is not a domain"):
        type("Bad", (Record,), {"__annotations__": {"f": int}})


def test_values_cannot_be_changed() -> None:
    message = Message("n1", 1)
    with pytest.raises(AttributeError):
        message.to = "n2"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        message.extra = 1  # type: ignore[attr-defined]
    table = Map[Node, bool].coerce({"n1": True, "n2": False}, "table")
    with pytest.raises(TypeError):
        table["n1"] = False


def test_a_total_map_has_every_key_and_no_other() -> None:
    domain = Map[Node, Range(0, 3)]
    table = domain.coerce({"n2": 2, "n1": 1}, "table")
    assert (table["n1"], table["n2"]) == (1, 2)
    assert list(table) == ["n1", "n2"], "in the order of the domain"
    assert table.values() == (1, 2)
    assert dict(table.items()) == {"n1": 1, "n2": 2}
    assert table == {"n1": 1, "n2": 2}
    assert table != {"n1": 1, "n2": 3}
    assert table != {"n1": 1}
    assert hash(table) == hash(domain.coerce({"n1": 1, "n2": 2}, "table"))
    assert repr(table) == "{'n1': 1, 'n2': 2}"
    with pytest.raises(KeyError):
        table["n3"]
    with pytest.raises(TypeError, match="ask for its value"):
        assert "n1" in table
    for partial in ({"n1": 1}, {"n1": 1, "n3": 1}, {"n1": 1, "n2": 1, "n3": 1}, (1, 2)):
        with pytest.raises(NotInDomain):
            domain.coerce(partial, "table")
    with pytest.raises(NotInDomain) as raised:
        domain.coerce({"n1": 1, "n2": 4}, "table")
    assert raised.value.place == "table['n2']"


def test_domains_make_values_canonical() -> None:
    items = Set[Node].coerce({"n1"}, "x")
    assert type(items) is frozenset
    inner = Map[Node, Set[Node]].coerce({"n1": {"n2"}, "n2": set()}, "x")
    assert type(inner["n1"]) is frozenset


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (Set[Node], {"n3"}),
        (Set[Node], ("n1",)),
        (Sequence[Node, 1], ("n1", "n1")),
        (Sequence[Node, 1], ["n1"]),
        (Range(0, 1), True),
        (Node, 1),
        (Node | None, "n3"),
    ],
)
def test_what_is_in_no_domain_is_refused(domain: object, value: object) -> None:
    with pytest.raises(NotInDomain):
        domain.coerce(value, "x")  # type: ignore[attr-defined]


IMPOSSIBLE: dict[str, Callable[[], object]] = {
    "upside down": lambda: Range(3, 0),
    "a boolean end": lambda: Range(0, True),
    "no names": lambda: OneOf(()),
    "a name twice": lambda: OneOf(("a", "a")),
    "a list of names": lambda: OneOf(["a"]),  # type: ignore[arg-type]
    "a boolean name": lambda: OneOf((True,)),
    "sets of sets": lambda: Set[Set[Node]],
    "two kinds of items": lambda: Set[Node, Node],
    "keys with parts": lambda: Map[Set[Node], bool],
    "keys alone": lambda: Map[Node],
    "less than nothing": lambda: Sequence[Node, -1],
    "a boolean capacity": lambda: Sequence[Node, True],
    "optional items": lambda: Sequence[Node | None, 1],
    "optional twice": lambda: Node | None | None,
    "a type of Python": lambda: Set[int],
}


@pytest.mark.parametrize("which", IMPOSSIBLE)
def test_domains_that_cannot_be_are_refused(which: str) -> None:
    with pytest.raises(TypeError):
        IMPOSSIBLE[which]()
