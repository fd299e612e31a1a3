from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.twin.tla_parser import (
    ModelValue,
    TlaFunction,
    TlaValue,
    format_value,
    function_value,
    parse_value,
)

model_values = (
    st.from_regex(r"[A-Za-z_][A-Za-z_0-9]{0,6}", fullmatch=True)
    .filter(lambda name: name not in ("TRUE", "FALSE", "SUBSET", "UNION", "DOMAIN"))
    .map(ModelValue)
)
values: st.SearchStrategy[TlaValue] = st.deferred(
    lambda: (
        st.integers(-(2**31), 2**31 - 1)
        | st.booleans()
        | st.text(max_size=8)
        | model_values
        | st.frozensets(values, max_size=4)
        | st.lists(values, max_size=4).map(tuple)
        | st.dictionaries(values | st.text(max_size=4), values, max_size=4).map(function_value)
    )
)


@given(values)
def test_printed_values_are_read_back(value: TlaValue) -> None:
    read = parse_value(format_value(value))
    assert read == value
    assert format_value(read) == format_value(value)
    assert hash(read) == hash(value)


@pytest.mark.parametrize(
    ("items", "value"),
    [
        ({}, ()),
        ({1: "a", 2: "b"}, ("a", "b")),
        ({"x": 1}, TlaFunction({"x": 1})),
        ({0: "a"}, TlaFunction({0: "a"})),
        ({True: "a"}, TlaFunction({True: "a"})),
        ({1: "a", "x": "b"}, TlaFunction({1: "a", "x": "b"})),
    ],
)
def test_a_function_has_one_form(items: dict[TlaValue, TlaValue], value: TlaValue) -> None:
    assert function_value(items) == value


def test_a_second_form_of_a_value_cannot_be_made() -> None:
    for items in ({}, {1: 0, 2: 0}):
        with pytest.raises(ValueError, match="tuple"):
            TlaFunction(items)  # type: ignore[arg-type]


def test_records_and_functions_are_immutable_hashable_mappings() -> None:
    record = TlaFunction({"a": 1, "b": frozenset({2})})
    assert record == TlaFunction({"b": frozenset({2}), "a": 1})
    assert {record: "found"}[TlaFunction({"b": frozenset({2}), "a": 1})] == "found"
    assert record != TlaFunction({"a": 1})
    assert dict(record) == {"a": 1, "b": frozenset({2})}
    assert not hasattr(record, "__setitem__")


def test_true_and_one_are_distinguished_by_their_text() -> None:
    assert format_value((True, 1)) == "<<TRUE, 1>>"
