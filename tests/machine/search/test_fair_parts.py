"""Machine code finds the parts in which promises are kept that plain Python finds."""

from hypothesis import given
from hypothesis import strategies as st

from lockstep.language.fairness import Fairness
from lockstep.machine.search.numbering_search import compiled_parts
from lockstep.plain.fair_parts import Promises, fair_parts
from lockstep.plain.space import Limits
from tests.plain.networkx_oracle import grouped, mask_of
from tests.plain.test_random_graphs import RandomGraph, nodes_of, random_graphs

LIMITS = Limits(1_000)


@given(random_graphs(), st.data())
def test_the_same_parts_on_random_graphs(random: RandomGraph, data: st.DataObject) -> None:
    space = random.space()
    nodes = nodes_of(len(space.states))
    owing, past = (mask_of(data.draw(nodes), space) for _ in range(2))
    promises = Promises(space, random.fairness)
    parts = compiled_parts(space, promises, owing, past, LIMITS)
    expected = fair_parts(space, promises, owing, past, LIMITS)
    assert grouped(parts.tolist()) == grouped(expected.tolist())


def test_more_promises_than_a_word_has_bits() -> None:
    """Two states lead to each other, and each value is promised for itself."""
    steps = tuple(tuple(("a", value, 1 - node) for value in range(70)) for node in range(2))
    random = RandomGraph(steps, frozenset(), frozenset(), (Fairness("a", True, (0,)),))
    space = random.space()
    promises = Promises(space, random.fairness)
    assert len(promises.is_strong) == 70
    both = mask_of((0, 1), space)
    parts = compiled_parts(space, promises, both, both, LIMITS)
    assert parts.tolist() == [0, 0]
