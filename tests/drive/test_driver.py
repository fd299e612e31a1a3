"""The interface that users write against."""

import pytest

from lockstep.drive.driver import NOT_DONE, Driver, Took


def test_what_was_taken_names_what_was_seen_of_it() -> None:
    took = Took("grant", session=5)
    assert (took.action, took.parameters) == ("grant", {"session": 5})
    assert repr(took) == "Took('grant', session=5)"


def test_a_parameter_may_have_any_name() -> None:
    assert Took("grant", action="x").parameters == {"action": "x"}


def test_a_driver_that_says_nothing_observes_nothing_and_does_nothing() -> None:
    driver = Driver()
    assert driver.observe() == {}
    driver.close()
    with pytest.raises(NotImplementedError):
        driver.do("coin", {})
    with pytest.raises(NotImplementedError):
        driver.reset({})


def test_not_done_is_no_outcome() -> None:
    assert repr(NOT_DONE) == "NOT_DONE"
    assert not isinstance(NOT_DONE, Took)
