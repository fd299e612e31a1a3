"""Decoding JSON that may be damaged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.system.strict_json import CutShort, NotJson, decode_document, decode_object

WHOLE = (
    r'{"text":"x\u00e9\ud83d\ude00\"\\é","numbers":[1,-2.5e+3,0.25],'
    r'"others":[true,false,null,{},[]], "object" : {"key":"value"} }'
)


def test_an_object_and_where_it_ends() -> None:
    assert decode_object(WHOLE + " (kafka.request.logger)") == (json.loads(WHOLE), len(WHOLE))


@pytest.mark.parametrize("size", range(len(WHOLE)))
def test_cut_anywhere(size: int) -> None:
    with pytest.raises(CutShort):
        decode_object(WHOLE[:size])


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(
    value=st.dictionaries(st.text(), JSON_VALUES, max_size=3),
    ascii_only=st.booleans(),
    data=st.data(),
)
@settings(deadline=None)
def test_any_object_is_read_whole_and_noticed_cut(
    value: dict[str, Any], ascii_only: bool, data: st.DataObject
) -> None:
    encoded = json.dumps(value, ensure_ascii=ascii_only)
    assert decode_object(encoded) == (value, len(encoded))
    with pytest.raises(CutShort):
        decode_object(encoded[: data.draw(st.integers(0, len(encoded) - 1))])


@pytest.mark.parametrize(
    "encoded",
    [
        '{"a":trap',
        '{"a":--',
        '{"a":1..',
        r'{"a":"\u00ex"}',
        r'{"a":"\x"}',
        '{"a"1',
        '{"a":1,}',
        "{'a':1}",
        '{"a":"\x01"}',
        '{"a":01}',
    ],
)
def test_what_no_more_text_could_mend_is_no_json(encoded: str) -> None:
    with pytest.raises(NotJson, match=r"^not JSON: .*, at character \d+ of it$"):
        decode_object(encoded)


@pytest.mark.parametrize(
    "encoded", ["[]", "7", "null", '"x"', "RequestHeader(apiKey=FETCH)", " {}"]
)
def test_something_else_than_an_object(encoded: str) -> None:
    with pytest.raises(NotJson, match=r"^not a JSON object: "):
        decode_object(encoded)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_does_not_have(number: str) -> None:
    with pytest.raises(NotJson, match=f"^not JSON: {number} is no JSON number$"):
        decode_object(f'{{"a":[{number}]}}')


@pytest.mark.parametrize("encoded", ['{"a":1,"a":1}', '{"b":{"a":1,"c":2,"a":3}}'])
def test_a_key_that_an_object_has_twice(encoded: str) -> None:
    with pytest.raises(NotJson, match='the key "a" more than once'):
        decode_object(encoded)


def test_an_integer_of_thousands_of_digits() -> None:
    with pytest.raises(NotJson, match="an integer of thousands of digits"):
        decode_object('{"a":' + "9" * 5000 + "}")


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_recursion_bomb(opening: str, is_closed: bool) -> None:
    closing = {"[": "]", '{"a":': "}"}[opening] if is_closed else ""
    with pytest.raises(NotJson, match="nested too deep"):
        decode_object('{"b":' + opening * 100_000 + "1" + closing * 100_000 + "}")


@pytest.mark.parametrize("document", ["[]", "7", "null", '"x"', WHOLE, f"\n {WHOLE}\n"])
def test_a_document_is_any_value(document: str) -> None:
    assert decode_document(document) == json.loads(document)


@pytest.mark.parametrize(
    ("document", "reason", "place"),
    [
        ("", "not JSON: Expecting value", "line 1, column 1"),
        ('{"a": 1,\n "b" 2}', "not JSON: Expecting ':' delimiter", "line 2, column 6"),
        ("{} {}", "not JSON: Extra data", "line 1, column 4"),
        ('{"a": 1, "a": 2}', 'not followed: one object has the key "a" more than once', ""),
        ("[-Infinity]", "not JSON: -Infinity is no JSON number", ""),
        ("9" * 5000, "not followed: an integer of thousands of digits", ""),
        ("[" * 100_000, "not followed: the JSON is nested too deep", ""),
    ],
)
def test_a_document_that_is_refused(document: str, reason: str, place: str) -> None:
    with pytest.raises(NotJson) as refused:
        decode_document(document)
    assert (refused.value.reason, refused.value.place) == (reason, place)
    assert str(refused.value) == (f"{reason}, at {place}" if place else reason)
