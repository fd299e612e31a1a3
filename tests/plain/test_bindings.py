from itertools import islice, product

from hypothesis import given
from hypothesis import strategies as st

from lockstep.language.domains import Bool, RangeDomain, SetDomain
from lockstep.plain.engine import Bindings, Parameters

SIZES = st.lists(st.integers(1, 4), max_size=4)


@given(SIZES)
def test_they_come_in_the_order_of_the_product(sizes: list[int]) -> None:
    domains = [RangeDomain(0, size - 1) for size in sizes]
    assert list(Bindings(Parameters(domains))) == list(product(*domains))


@given(SIZES, st.data())
def test_those_with_the_same_beginning_are_passed_over(
    sizes: list[int], data: st.DataObject
) -> None:
    domains = [RangeDomain(0, size - 1) for size in sizes]
    bindings = Bindings(Parameters(domains))
    expected = list(product(*domains))
    for binding in bindings:
        assert binding == expected[0]
        bindings.depth = data.draw(st.integers(0, len(sizes)))
        beginning = binding[: bindings.depth]
        expected = [one for one in expected[1:] if one[: len(beginning)] != beginning]
    assert not expected


def test_nothing_is_listed_beforehand() -> None:
    wide = SetDomain(RangeDomain(1, 60))
    first = list(islice(Parameters([Bool, wide, RangeDomain(1, 4_000_000)]), 2))
    assert first == [(False, frozenset(), 1), (False, frozenset(), 2)]
