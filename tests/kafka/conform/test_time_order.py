"""Files in order of time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lockstep_kafka.files.log_files import in_order_of_time


@given(st.lists(st.none() | st.integers(0, 5)))
def test_files_without_a_time_keep_their_place(times: list[int | None]) -> None:
    files = list(enumerate(times))
    in_order = in_order_of_time(files, lambda file: file[1])
    assert sorted(in_order, key=lambda file: file[0]) == files
    assert [file for file in in_order if file[1] is None] == [f for f in files if f[1] is None]
    assert [time is None for _, time in in_order] == [time is None for time in times]
    timed = [(time, place) for place, time in in_order if time is not None]
    assert timed == sorted(timed)
