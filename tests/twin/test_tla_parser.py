from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.twin.tla_parser import (
    LARGEST_INTERVAL,
    ModelValue,
    TlaFunction,
    TlaSyntaxError,
    TlaValue,
    parse_state,
    parse_value,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-12", -12),
        ("TRUE", True),
        ("FALSE", False),
        ('"a \\"b\\" \\\\ \\t\\n\\f\\r"', 'a "b" \\ \t\n\f\r'),
        ("Nobody", ModelValue("Nobody")),
        ("1st", ModelValue("1st")),
        ("{}", frozenset()),
        ("<<>>", ()),
        ("<< >>", ()),
        ("1..3", frozenset({1, 2, 3})),
        ("-2..-1", frozenset({-2, -1})),
        ("2..1", frozenset()),
        ("{1..2, {5}, {}}", frozenset({frozenset({1, 2}), frozenset({5}), frozenset()})),
        ("<<1, <<2, {}>>>>", (1, (2, frozenset()))),
        ("[a |-> 1, b |-> [c |-> TRUE]]", TlaFunction({"a": 1, "b": TlaFunction({"c": True})})),
        ("[IF |-> 1, 1a |-> 2, 7 |-> 3]", TlaFunction({"IF": 1, "1a": 2, "7": 3})),
        ("(0 :> 1 @@ 4 :> {})", TlaFunction({0: 1, 4: frozenset()})),
        (
            "(<<m1, 1>> :> 0 @@ {} :> (2 :> 3))",
            TlaFunction({(ModelValue("m1"), 1): 0, frozenset(): TlaFunction({2: 3})}),
        ),
        ('("a b" :> 1)', TlaFunction({"a b": 1})),
        ("(1 :> TRUE @@ 2 :> FALSE)", (True, False)),
        (" \n{ 1 ,2 } ", frozenset({1, 2})),
    ],
)
def test_each_kind_of_value(text: str, value: TlaValue) -> None:
    read = parse_value(text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "expected a value"),
        ("{1, ", 4, "expected a value"),
        ("{1 2}", 3, "expected }"),
        ("<<1, 2>", 6, "no value has"),
        ("1 2", 2, "expected the end"),
        ('{"abc', 1, "string that does not end"),
        ('<<"a\\q">>', 4, "unknown escape"),
        ("[a -> 1]", 3, "no value has"),
        ("[a |-> 1, a |-> 2]", 10, "a second time"),
        ("[-1 |-> 1]", 1, "expected a field name"),
        ("(1 :> 2 @@ 1 :> 3)", 11, "a second time"),
        ("(1 :> 2", 7, "expected )"),
        ("1..m", 3, "end of an interval"),
        ("[a |-> 1..9000000]", 7, f"more than {LARGEST_INTERVAL:,}"),
        ("<<SUBSET 1..12>>", 2, "not write out"),
        ("[1..2 -> {1}]", 2, "expected |->"),
        ("<<" * 50_000, None, "nested too deeply"),
    ],
)
def test_malformed_text_is_refused_with_its_position(
    text: str, position: int | None, problem: str
) -> None:
    with pytest.raises(TlaSyntaxError, match="Not a TLA") as raised:
        parse_value(text)
    assert problem in raised.value.message
    if position is not None:
        assert raised.value.position == position
        caret = raised.value.message.splitlines()[-1]
        assert caret.index("^") - 2 == min(position, 40)


@given(st.text(alphabet='{}<>[]()|->:@.,"\\ aT1-\n', max_size=30))
def test_any_text_is_a_value_or_a_syntax_error(text: str) -> None:
    position = 0
    try:
        parse_value(text)
    except TlaSyntaxError as error:
        position = error.position
    assert 0 <= position <= len(text)


def test_a_state_of_several_variables() -> None:
    state = parse_state('/\\ x = <<1>>\n/\\ name_2 = "a\\n/\\\\ b = 2"\n/\\ y = {}\n')
    assert state == {"x": (1,), "name_2": "a\n/\\ b = 2", "y": frozenset()}


def test_a_state_of_one_variable() -> None:
    assert parse_state("x = [a |-> 1]\n") == {"x": TlaFunction({"a": 1})}


def test_values_are_read_once_by_their_text() -> None:
    known: dict[str, TlaValue] = {}
    first = parse_state("/\\ x = {1, 2}\n/\\ y = 0", known)
    second = parse_state("/\\ x = 5\n/\\ y = {1, 2}", known)
    assert first["x"] is second["y"]


@pytest.mark.parametrize("text", ["x", "/\\ x = 1\n/\\ y", "= 1", "/\\ x = 1\n /\\ y = 2"])
def test_what_is_not_a_state_is_refused(text: str) -> None:
    with pytest.raises(TlaSyntaxError):
        parse_state(text)
