import functools
import operator

import pytest
from hypothesis import find, given, settings
from hypothesis import strategies as st

from lockstep.language.domains import (
    Bool,
    Domain,
    EnumDomain,
    Map,
    MapDomain,
    NameDomain,
    OneOf,
    OptionDomain,
    Range,
    RangeDomain,
    RecordDomain,
    Sequence,
    SequenceDomain,
    Set,
    SetDomain,
)
from lockstep.language.notation import State
from lockstep.language.types import plainest
from lockstep.testing.values import integers_near, values
from tests.trace.domains import Colour, Nested, Tagged, domains

NAMES = NameDomain(("a", "b", 3))
SMALL: dict[str, Domain] = {
    "range": RangeDomain(-2, 2),
    "bool": Bool,
    "enum": EnumDomain(Colour),
    "names": NAMES,
    "option": OptionDomain(NAMES),
    "record": RecordDomain(Tagged),
    "set": SetDomain(NAMES),
    "map": MapDomain(Bool, OptionDomain(EnumDomain(Colour))),
    "sequence": SequenceDomain(NAMES, 2),
}
INT64 = RangeDomain(0, 2**63 - 1)
HUGE: list[Domain] = [
    INT64,
    SetDomain(INT64),
    SetDomain(RecordDomain(Nested)),
    MapDomain(RangeDomain(1, 100), OptionDomain(SetDomain(INT64))),
    SequenceDomain(SetDomain(INT64), 10**9),
]


@given(st.data(), domains(), st.lists(st.integers(-(2**70), 2**70)).map(sorted))
def test_a_value_is_in_its_domain_and_canonical(
    data: st.DataObject, domain: Domain, near: list[int]
) -> None:
    value = data.draw(values(domain, near))
    canonical = domain.coerce(value, "it")
    assert (canonical, type(canonical)) == (value, type(value))


@pytest.mark.parametrize("kind", SMALL)
def test_every_value_can_be_drawn(kind: str) -> None:
    domain = SMALL[kind]
    many = settings(max_examples=5_000, derandomize=True, database=None)
    for target in domain:
        assert find(values(domain), functools.partial(operator.eq, target), settings=many) == target


@pytest.mark.parametrize("kind", SMALL)
def test_the_plainest_value_is_the_first_or_0(kind: str) -> None:
    first = next(iter(SMALL[kind]))
    assert plainest(SMALL[kind]) == (0 if isinstance(SMALL[kind], RangeDomain) else first)


@given(domains())
def test_the_plainest_value_is_in_its_domain(domain: Domain) -> None:
    assert domain.contains(plainest(domain))


@pytest.mark.parametrize(
    ("domain", "shrunk"),
    [
        (RangeDomain(-5, 9), 0),
        (OptionDomain(NAMES), None),
        (SetDomain(NAMES), frozenset()),
        (SequenceDomain(NAMES, 3), ()),
        (EnumDomain(Colour), Colour.RED),
    ],
)
def test_values_shrink_towards_little(domain: Domain, shrunk: object) -> None:
    assert find(values(domain), lambda _: True) == shrunk


@pytest.mark.parametrize("domain", HUGE, ids=str)
def test_huge_domains_are_neither_counted_nor_listed(domain: Domain) -> None:
    assert domain.contains(plainest(domain))

    @settings(max_examples=10)
    @given(values(domain, [5]))
    def drawn_values_are_in_it(value: object) -> None:
        assert domain.contains(value)

    drawn_values_are_in_it()


def test_wide_integers_come_from_near_often() -> None:
    drawn: list[int] = []

    @settings(max_examples=50)
    @given(st.lists(values(INT64, [-7, 10**12, 2**63]), min_size=8, max_size=8))
    def draw(some: list[int]) -> None:
        drawn.extend(some)

    draw()
    assert drawn.count(10**12) > 100
    assert len(set(drawn)) > 50


class Held(State):
    count: Range(0, 2**63 - 1)  # type: ignore[valid-type]
    flag: bool
    by_colour: Map[Colour, Range(0, 99)]  # type: ignore[valid-type]
    nested: Tagged | None
    kept: Set[OneOf((20, "name"))]  # type: ignore[valid-type]
    queue: Sequence[Range(0, 99), 2]  # type: ignore[valid-type]


def test_integers_near_a_state_are_those_in_it_and_next_to_it() -> None:
    parts = (10**18, True, {Colour.RED: 30, Colour.GREEN: 30, Colour.BLUE: 31})
    inside = (Tagged(Colour.BLUE, 7), {20, "name"}, (40,))
    state = Held.of(
        domain.coerce(part, name)
        for (name, domain), part in zip(Held.fields.items(), parts + inside, strict=True)
    )
    small = [6, 7, 8, 19, 20, 21, 29, 30, 31, 32, 39, 40, 41]
    assert integers_near(state) == [*small, 10**18 - 1, 10**18, 10**18 + 1]
