"""The second algorithm for inclusion, against the search that follows every word by itself."""

import pytest
from hypothesis import given

from lockstep.plain.engine import Disagreement
from lockstep.review.observed import ObservedSpace
from tests.review import second_opinion
from tests.review.second_opinion import confirm_inclusion
from tests.review.test_inclusion import LIMITS, observed, spaces
from tests.review.words import shortest_parting


@given(spaces(), spaces())
def test_it_agrees_with_words(one: ObservedSpace, other: ObservedSpace) -> None:
    if shortest_parting(one, other) is None:
        assert confirm_inclusion(one, other, LIMITS)
    else:
        with pytest.raises(Disagreement):
            confirm_inclusion(one, other, LIMITS)


@given(spaces())
def test_a_graph_shows_what_it_shows(one: ObservedSpace) -> None:
    assert confirm_inclusion(one, one, LIMITS)


def test_large_graphs_are_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = observed([[1], []], [0, 1])
    monkeypatch.setattr(second_opinion, "MOST_STATES", 3)
    assert not confirm_inclusion(one, one, LIMITS)


def test_large_sets_are_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = observed([[1], []], [0, 1])
    monkeypatch.setattr(second_opinion, "_MOST_MEMBERS", 2)
    assert not confirm_inclusion(one, one, LIMITS)
