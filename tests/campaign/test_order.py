"""The longest task is begun first, and what nobody knows before all others."""

import math
import re

from lockstep.campaign.campaign import TimeLeft, expected_seconds, longest_first


def test_the_time_of_an_earlier_run_says_more_than_a_number_of_states() -> None:
    assert expected_seconds(30.0, 10) > expected_seconds(None, 10**6) > expected_seconds(None, 10)
    assert expected_seconds(2.0, None) < math.inf


def test_what_nobody_knows_may_take_for_ever() -> None:
    assert expected_seconds(None, None) == math.inf


def test_the_longest_comes_first_and_equal_ones_stay_in_order() -> None:
    seconds = {3: 1.0, 5: math.inf, 8: 2.0, 9: 1.0, 11: math.inf}
    assert longest_first(list(seconds), seconds.__getitem__) == [5, 11, 8, 3, 9]


def test_the_time_that_is_left_is_reported_once_it_can_be_known() -> None:
    left = TimeLeft([math.inf, 3.0, 1.0])
    assert left.after(math.inf) == ""
    assert re.fullmatch(r", about \d+ s left", left.after(3.0))
    assert left.after(1.0) == ", about 0 s left"
