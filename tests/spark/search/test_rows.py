"""States as columns are the same states again, and nothing else is taken for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.spark.search.runs import Unreadable, packed, unpacked

WORDS = st.integers(0, 2**64 - 1)


@given(words=st.integers(1, 4), data=st.data())
def test_states_come_back(words: int, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.lists(WORDS, min_size=words, max_size=words), max_size=20))
    states = np.array(rows, np.uint64).reshape(-1)
    assert unpacked(packed(states, words), words).tolist() == states.tolist()


def test_sorted_states_take_few_bytes() -> None:
    states = np.uint64(2**63) + np.arange(2**17, dtype=np.uint64) * np.uint64(300)
    assert len(packed(states, 1)) < 2 * len(states)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 and some more that is no file PAR1"])
def test_something_else_is_refused(content: bytes) -> None:
    with pytest.raises(Unreadable):
        unpacked(content, 1)


def test_states_of_fewer_words_are_refused() -> None:
    with pytest.raises(Unreadable, match="no column w1"):
        unpacked(packed(np.ones(4, np.uint64), 1), 2)
