from pathlib import Path

from lockstep.twin.config import NO_MORE_STATES, limited_module, limited_name

MODULE = Path("tla/MCFetchSession.tla")


def test_a_scope_may_have_any_name() -> None:
    assert limited_name(MODULE, "two-fetchers, é") == "MCFetchSession_two_fetchers___"


def test_the_module_says_how_many_states_there_may_be() -> None:
    lines = limited_module(MODULE, "small", 9292).splitlines()
    assert lines[0] == "---- MODULE MCFetchSession_small ----"
    assert lines[1] == "EXTENDS MCFetchSession"
    assert lines[-3:-1] == [
        f"{NO_MORE_STATES} ==",
        '    Tool!TLCGet("distinct") <= 9292 \\/ Tool!TLCSet("exit", TRUE)',
    ]
