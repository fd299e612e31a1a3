import contextlib
import json
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
from lockstep.system.strict_json import Json
from lockstep.trace.itf_values import (
    Misfit,
    decode,
    decode_plain,
    encode,
    encode_plain,
)
from tests.trace.domains import INTEGERS, Colour, Tagged, domains, values

SMALL = RangeDomain(0, 3)


@given(st.data())
def test_what_is_written_is_read_back(data: st.DataObject) -> None:
    domain = data.draw(domains())
    value = data.draw(values(domain))
    written = json.loads(json.dumps(encode(domain, value)))
    again = decode(domain, written, "here")
    assert again == value
    assert type(again) is type(domain.coerce(value, "here"))
    assert domain.contains(again)
    assert encode(domain, again) == written


@given(
    st.recursive(st.one_of(INTEGERS, st.booleans(), st.text()), lambda i: st.lists(i).map(tuple))
)
def test_constants_are_read_back(value: Any) -> None:
    assert decode_plain(json.loads(json.dumps(encode_plain(value))), "here") == value


ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-2, 5),
        st.floats(allow_nan=False),
        st.sampled_from(["RED", "Some", "None", "", "x"]),
        st.just({"#bigint": "3"}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["#set", "#map", "#tup", "#bigint", "tag", "value", "x"]),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


@given(domains(), ANYTHING)
def test_other_json_is_a_misfit_or_a_value_never_a_crash(domain: Domain, written: Json) -> None:
    with contextlib.suppress(Misfit):
        assert domain.contains(decode(domain, written, "here"))


@pytest.mark.parametrize(
    ("domain", "value", "written"),
    [
        (RangeDomain(0, 2**60), 2**53, 2**53),
        (RangeDomain(0, 2**60), 2**53 + 1, {"#bigint": "9007199254740993"}),
        (RangeDomain(-(2**60), 0), -(2**53) - 1, {"#bigint": "-9007199254740993"}),
        (EnumDomain(Colour), Colour.GREEN, "GREEN"),
        (NameDomain(("p1", 2)), "p1", "p1"),
        (OptionDomain(SMALL), None, {"tag": "None", "value": {"#tup": []}}),
        (OptionDomain(SMALL), 1, {"tag": "Some", "value": 1}),
        (SetDomain(RangeDomain(0, 20)), frozenset({10, 9}), {"#set": [9, 10]}),
        (MapDomain(Bool, SMALL), None, {"#map": [[False, 1], [True, 2]]}),
        (SequenceDomain(SMALL, 2), (3, 1), [3, 1]),
        (RecordDomain(Tagged), Tagged(Colour.RED, 7), {"tag": "RED", "value": 7}),
    ],
)
def test_the_form_of_each_kind(domain: Domain, value: Any, written: Json) -> None:
    if isinstance(domain, MapDomain):
        value = domain.coerce({False: 1, True: 2}, "")
    assert encode(domain, value) == written
    assert decode(domain, written, "") == value


@pytest.mark.parametrize(
    ("domain", "written", "reported"),
    [
        (SMALL, True, "x: not an integer"),
        (SMALL, 1.0, "x: not an integer"),
        (SMALL, 4, r"x: 4 is not in 0..3"),
        (SMALL, {"#bigint": "٣"}, "x: not the digits of an integer"),
        (SMALL, {"#bigint": "--1"}, "x: not the digits"),
        (SMALL, {"#bigint": "9" * 100_000}, "x: not the digits"),
        (Bool, 1, "x: neither true nor false"),
        (EnumDomain(Colour), "PINK", "x: not the name of a member of Colour"),
        (EnumDomain(Colour), 1, "x: not the name of a member"),
        (NameDomain(("a",)), "b", "x: 'b' is not in"),
        (OptionDomain(SMALL), {"tag": "Nothing", "value": 1}, "x: neither Some nor None"),
        (OptionDomain(SMALL), {"tag": "None", "value": 1}, "x: neither Some nor None"),
        (OptionDomain(SMALL), None, "x: not an object"),
        (OptionDomain(SMALL), {"tag": "Some", "value": 9}, r"x.value: 9 is not in"),
        (SetDomain(SMALL), {"#set": [1, 1]}, "x: an item is in the set twice"),
        (SetDomain(SMALL), {"#set": 1}, r'x\["#set"\]: not an array'),
        (SetDomain(SMALL), [1], "x: not an object"),
        (MapDomain(Bool, SMALL), {"#map": [[True, 1]]}, "x: the key False is missing"),
        (MapDomain(Bool, SMALL), {"#map": [[True, 1], [True, 2]]}, r"x\[1\]: the key True is"),
        (MapDomain(Bool, SMALL), {"#map": [[True]]}, r"x\[0\]: not a pair"),
        (SequenceDomain(SMALL, 1), [1, 2], r"x: \(1, 2\) is not in"),
        (SequenceDomain(SMALL, 1), {"0": 1}, "x: not an array"),
        (RecordDomain(Tagged), {"tag": "RED"}, "x: value is missing"),
        (RecordDomain(Tagged), {"tag": "RED", "value": 7, "a": 1}, "x: 'a' does not belong here"),
        (RecordDomain(Tagged), {"tag": "RED", "value": 8}, r"x.value: 8 is not in"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(
    domain: Domain, written: Json, reported: str
) -> None:
    with pytest.raises(Misfit, match=f"^{reported}"):
        decode(domain, written, "x")
