import pytest
from hypothesis import given

from lockstep.language.domains import Bool, Domain, SetDomain
from lockstep.language.types import capped_product, capped_size
from tests.testing.test_values import HUGE, INT64, NAMES, SMALL
from tests.trace.domains import domains

CAP = 1_000


@pytest.mark.parametrize("kind", SMALL)
@pytest.mark.parametrize("cap", [1, 2, 5, CAP])
def test_capped_sizes_are_the_sizes_up_to_the_cap(kind: str, cap: int) -> None:
    assert capped_size(SMALL[kind], cap) == min(cap, SMALL[kind].size())


@given(domains())
def test_capped_sizes_count_the_values(domain: Domain) -> None:
    size = capped_size(domain, CAP)
    if size < CAP:
        assert size == domain.size()


@pytest.mark.parametrize("domain", HUGE, ids=str)
def test_huge_domains_are_not_counted(domain: Domain) -> None:
    assert capped_size(domain, CAP) == CAP


def test_the_product_of_sizes_is_capped_too() -> None:
    assert capped_product([], CAP) == 1
    assert capped_product([Bool, NAMES], CAP) == 6
    assert capped_product([Bool, SetDomain(INT64), NAMES], CAP) == CAP
