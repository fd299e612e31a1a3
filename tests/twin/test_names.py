from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.language.domains import (
    Bool,
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.twin.names import (
    NONE,
    NotInTwin,
    decode,
    definition_name,
    encode,
    snake_name,
    variable_name,
)
from lockstep.twin.tla_parser import (
    ModelValue,
    TlaFunction,
    TlaValue,
    format_value,
    parse_state,
)
from tests.trace.domains import Colour, Tagged, domains, values

SMALL = RangeDomain(0, 3)
TAGGED = RecordDomain(Tagged)


@pytest.mark.parametrize(
    ("name", "definition", "variable"),
    [
        ("serve_full_creating", "ServeFullCreating", "serveFullCreating"),
        ("log_start", "LogStart", "logStart"),
        ("MAX_EPOCH", "MaxEpoch", "maxEpoch"),
        ("reported", "Reported", "reported"),
        ("phase_2", "Phase2", "phase2"),
    ],
)
def test_names(name: str, definition: str, variable: str) -> None:
    assert definition_name(name) == definition
    assert variable_name(name) == variable


@pytest.mark.parametrize(
    "name", ["serve_full_creating", "log_start", "reported", "opens_for_a_coin", "learns_a"]
)
def test_names_are_turned_back(name: str) -> None:
    assert snake_name(definition_name(name)) == name
    assert snake_name(variable_name(name)) == name


@pytest.mark.parametrize(
    ("domain", "value", "written"),
    [
        (SMALL, 2, "2"),
        (Bool, True, "TRUE"),
        (NameDomain(("p1", "p2")), "p1", '"p1"'),
        (EnumDomain(Colour), Colour.RED, '"RED"'),
        (OptionDomain(SMALL), None, "None"),
        (OptionDomain(SMALL), 3, "3"),
        (TAGGED, Tagged(tag=Colour.BLUE, value=7), '[tag |-> "BLUE", value |-> 7]'),
        (SetDomain(SMALL), frozenset({1, 0}), "{0, 1}"),
        (SequenceDomain(SMALL, 3), (2, 1), "<<2, 1>>"),
    ],
)
def test_values_in_both_notations(domain: Domain, value: Any, written: str) -> None:
    encoded = encode(domain, value)
    assert format_value(encoded) == written
    assert decode(domain, encoded) == value


def test_a_map_is_a_function_in_the_form_that_its_keys_give_it() -> None:
    by_name = MapDomain(NameDomain(("p1", "p2")), SMALL)
    by_number = MapDomain(RangeDomain(1, 2), SMALL)
    by_bool = MapDomain(Bool, SMALL)
    assert encode(by_name, by_name.of(iter((0, 1)))) == TlaFunction({"p1": 0, "p2": 1})
    assert encode(by_number, by_number.of(iter((0, 1)))) == (0, 1)
    assert encode(by_bool, by_bool.of(iter((0, 1)))) == TlaFunction({False: 0, True: 1})


@given(st.data())
def test_what_tlc_prints_is_read_back(data: st.DataObject) -> None:
    domain = data.draw(domains())
    value = data.draw(values(domain))
    printed = f"/\\ x = {format_value(encode(domain, value))}"
    again = decode(domain, parse_state(printed)["x"])
    assert again == value
    assert domain.contains(again)


@pytest.mark.parametrize(
    ("domain", "value"),
    [
        (SMALL, 4),
        (SMALL, True),
        (SMALL, "1"),
        (SMALL, NONE),
        (Bool, 1),
        (NameDomain(("p1",)), "p2"),
        (NameDomain((1, 2)), True),
        (EnumDomain(Colour), "PINK"),
        (OptionDomain(SMALL), ModelValue("Nothing")),
        (TAGGED, TlaFunction({"tag": "RED"})),
        (TAGGED, TlaFunction({"tag": "RED", "value": 8})),
        (TAGGED, 7),
        (MapDomain(SMALL, SMALL), (0, 1)),
        (MapDomain(RangeDomain(1, 2), SMALL), (0, 9)),
        (MapDomain(SMALL, SMALL), 3),
        (SetDomain(SMALL), (1,)),
        (SetDomain(SMALL), frozenset({9})),
        (SequenceDomain(SMALL, 1), (1, 1)),
        (SequenceDomain(SMALL, 1), frozenset()),
    ],
)
def test_what_is_no_value_of_the_domain_is_refused(domain: Domain, value: TlaValue) -> None:
    with pytest.raises(NotInTwin):
        decode(domain, value)


def test_the_refusal_names_the_smallest_part_that_does_not_fit() -> None:
    with pytest.raises(NotInTwin, match='"PINK" is not in') as raised:
        decode(SetDomain(TAGGED), frozenset({TlaFunction({"tag": "PINK", "value": 7})}))
    assert raised.value.value == "PINK"
    assert raised.value.domain == EnumDomain(Colour)
