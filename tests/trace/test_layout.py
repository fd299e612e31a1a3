"""Values on several lines: nothing is lost, and parts stand together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.language.domains import Map, OneOf, Range
from lockstep.language.records import Record
from lockstep.trace.layout import WIDTH, Group, Room, Text, flat, folded, lay_out, show

words = st.from_regex(r"[a-z]{1,12}", fullmatch=True)
heads = st.from_regex(r"[a-z]{0,8}[({]", fullmatch=True)
tails = st.sampled_from((")", "}", ",)"))
texts: st.SearchStrategy[Text] = st.recursive(
    words,
    lambda inner: st.builds(Group, heads, st.lists(inner, max_size=8).map(tuple), tails),
    max_leaves=60,
)


def depth(text: Text) -> int:
    return 0 if isinstance(text, str) else 1 + max(map(depth, text.items), default=0)


@given(text=texts, begin=st.integers(0, 6), taken=st.integers(0, 30))
@settings(deadline=None)
def test_lines_say_what_one_line_would(text: Text, begin: int, taken: int) -> None:
    lines = lay_out([text], Room(begin, begin + 4, taken))
    joined = "".join(lines).replace(" ", "")
    assert joined == flat(text).replace(" ", "")
    if depth(text) < 4:  # deeper ones have heads and tails that alone take more
        assert max(map(len, lines)) <= WIDTH


def test_a_short_text_is_one_line() -> None:
    assert lay_out([Group("f(", ("a", "b"), ")"), " -> c"], Room(3, 7)) == ["   f(a, b) -> c"]


def test_parts_of_a_long_text_stand_below_it() -> None:
    part = Group("wanted={", (Group("p1: Interest(", ("offset=0" * 5, "epoch=1" * 5), ")"),), "}")
    text = Group("send(", ("f=c1", "to=b1", part, "last=True"), ")")
    assert lay_out([text], Room(0, 4)) == [
        "send(",
        "    f=c1, to=b1,",
        "    wanted={p1: Interest(",
        "        offset=0offset=0offset=0offset=0offset=0,",
        "        epoch=1epoch=1epoch=1epoch=1epoch=1)},",
        "    last=True)",
    ]


class Image(Record):
    leader: Range(0, 9)  # type: ignore[valid-type]
    epochs: Map[OneOf(("b1", "b2", "b3")), Range(0, 9)]  # type: ignore[valid-type]


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((1, 1, 1), "Image(leader=2, epochs={all: 1})"),
        ((0, 1, 0), "Image(leader=2, epochs={b2: 1, others: 0})"),
        ((0, 1, 2), "Image(leader=2, epochs={b1: 0, b2: 1, b3: 2})"),
    ],
)
def test_the_usual_value_of_a_map_is_printed_once(values: tuple[int, ...], shown: str) -> None:
    image = Image(2, dict(zip(("b1", "b2", "b3"), values, strict=True)))
    assert flat(folded(image)) == shown
    assert show(image).startswith("Image(leader=2, epochs={b1: ")
