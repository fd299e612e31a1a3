"""Whole comparisons, TLC included."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import Scope, load_model_spec
from lockstep.twin.tlc import TlcTimeout, twin_files
from lockstep.twin.tool_messages import TwinUnusable
from lockstep.twin.twin import ModelBounded
from tests.twin.conftest import Copy, assert_same


@pytest.mark.parametrize("model", ["turnstile", "letters"])
def test_twins_of_another_workspace(turnstile: Copy, model: str) -> None:
    assert_same(turnstile.compare(model))
    assert_same(turnstile.compare(model, "default"))


# A twin that is not equal is reported.


ONE_SLOT = Scope("one slot", constants={"SLOTS": ("slot1",), "MAX_TIME": 2}, compare="graph")


@pytest.mark.parametrize(
    ("old", "new", "because", "steps"),
    [
        pytest.param(
            "now - session.lastUsed > EvictionMs",
            "now - session.lastUsed >= EvictionMs",
            "the twin can take create_by_evicting, and the model cannot",
            ["propose", "create_in_free_slot", "tick", "propose"],
            id="wrong guard",
        ),
        pytest.param(
            "[cache EXCEPT ![x].size = size, ![x].lastUsed = now]",
            "[cache EXCEPT ![x].size = size]",
            "use leads to another state in the twin",
            ["propose", "create_in_free_slot", "tick"],
            id="wrong effect",
        ),
        pytest.param(
            "        \\/ Close(x)\n",
            "",
            "the model can take close, and the twin cannot",
            ["propose", "create_in_free_slot"],
            id="missing action",
        ),
        pytest.param(
            "Init ==\n    /\\ now = 0",
            "Init ==\n    /\\ now = 1",
            "the initial states differ, model -> twin",
            [],
            id="wrong initial state",
        ),
        pytest.param(
            "Spec == Init",
            "SetBack ==\n    /\\ now > 0\n    /\\ now' = 0\n"
            "    /\\ UNCHANGED <<cache, proposal, turn, metrics, truth>>\n"
            "NextOrSetBack == Next \\/ SetBack\n"
            "Spec == Init",
            "the twin takes SetBack, and the model has no action set_back",
            ["tick"],
            id="extra action",
        ),
        pytest.param(
            "CreateInFreeSlot(x) ==\n    /\\ proposal # None",
            "CreateInFreeSlot(x) ==\n    /\\ \\E n \\in {1, 2} : proposal # None",
            "the twin can take create_in_free_slot to the same state in 2 ways, the model in 1",
            ["propose"],
            id="a step taken twice",
        ),
    ],
)
def test_the_first_difference_is_named_with_a_shortest_way_to_it(
    kafka: Copy, old: str, new: str, because: str, steps: list[str]
) -> None:
    kafka.edit("tla/SessionCache.tla", old, new)
    if "NextOrSetBack" in new:
        kafka.edit("tla/SessionCache.tla", "[][Next]_vars", "[][NextOrSetBack]_vars")
    result = kafka.compare("session_cache", ONE_SLOT)
    assert result.verdict is Verdict.VIOLATED
    assert result.because.startswith(because)
    assert result.difference is not None
    assert result.difference.because == because
    assert [step.action for step in result.difference.trace.steps] == steps


def test_a_wrong_effect_is_shown_in_both(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", "coins' = [coins EXCEPT ![g] = @ + 1]", "UNCHANGED coins")
    result = turnstile.compare("turnstile")
    assert result.difference is not None
    assert result.difference.details == (
        "in the model, coin(g=east):",
        "  arm[east]: LOCKED -> OPEN",
        "  coins[east]: 0 -> 1",
        "in the twin:",
        "  arm[east]: LOCKED -> OPEN",
    )
    # The twin's own claim says so as well, and the counts are still those of the whole graphs.
    assert result.refuted == "opens_only_for_a_coin"
    assert result.explored.states == 5


def test_counts_that_differ_are_named(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", "    /\\ CanJam\n", "    /\\ CanJam /\\ coins[g] = 0\n")
    result = turnstile.compare("turnstile", "default")
    assert result.verdict is Verdict.VIOLATED
    assert result.because.startswith("the counts differ: states: 64 in the model, ")
    assert {count.name for count in result.counts} >= {"states", "transitions"}


@pytest.mark.parametrize("compare", ["graph", "counts"])
def test_a_twin_without_end_is_reported_at_once(turnstile: Copy, compare: str) -> None:
    turnstile.edit("tla/Turnstile.tla", "    /\\ coins[g] < MaxCoins\n", "")
    turnstile.edit("tla/MCTurnstile.cfg", "    TypeOK\n", "")
    result = turnstile.compare("turnstile", Scope("wide", compare=compare))
    assert result.verdict is Verdict.VIOLATED
    assert 64 < result.run.distinct < 80
    if compare == "counts":
        assert (
            result.because == "the counts differ: states: 64 in the model, 66 or more in the twin"
        )
    else:
        assert result.difference is not None
        assert result.difference.because == (
            "the twin can take coin to a state to which the model does not take it"
        )


def test_a_claim_that_tlc_refutes_though_the_graphs_are_equal(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", "entries[g] <= coins[g]", "entries[g] < coins[g]")
    result = turnstile.compare("turnstile")
    assert result.verdict is Verdict.VIOLATED
    assert result.because == "TLC refutes what the twin claims: EntriesArePaid"
    assert result.refuted == "entries_are_paid"
    assert result.difference is None
    assert result.run.distinct == result.explored.states == 5


def test_a_twin_that_stops_where_the_model_may_not(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", "Coin(g) \\/ Push(g)", "Coin(g)")
    result = turnstile.compare("turnstile")
    assert result.because == (
        "the model can take push, and the twin cannot; "
        "TLC refutes what the twin claims: that it never stops"
    )
    assert result.refuted == "deadlock"


def test_a_temporal_property_has_no_name(turnstile: Copy) -> None:
    turnstile.edit(
        "tla/Turnstile.tla", "Spec ==", "SomebodyGetsIn == <>(entries # coins)\n\nSpec =="
    )
    turnstile.edit("tla/MCTurnstile.cfg", "OpensOnlyForACoin", "SomebodyGetsIn")
    result = turnstile.compare("turnstile")
    assert result.because.startswith("TLC refutes what the twin claims: a temporal property")
    assert result.refuted is None
    assert result.refuting is not None
    assert result.refuting.loops_to is not None


# What cannot be compared.


def test_a_twin_that_does_not_parse_is_shown(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", 'arm[g] = "OPEN"', 'arm[g] = = "OPEN"')
    with pytest.raises(TwinUnusable, match=r"Turnstile\.tla:\d+:\d+") as raised:
        turnstile.compare("turnstile")
    assert raised.value.exit_code is ExitCode.USAGE
    assert "arm[g] = = " in str(raised.value)


def test_an_expression_without_a_value_is_shown_with_the_way_to_it(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", "![g] = @ + 1]\n    /\\ UNCHANGED coins", "![g] = @.one]\n")
    with pytest.raises(TwinUnusable) as raised:
        turnstile.compare("turnstile")
    text = str(raised.value)
    assert "the steps that lead there:" in text
    assert "1  coin" in text


def test_a_constant_that_the_twin_lacks_is_named(turnstile: Copy) -> None:
    turnstile.edit("tla/Turnstile.tla", "CONSTANTS Gates, MaxCoins, CanJam", "CONSTANTS Gates")
    turnstile.edit("tla/Turnstile.tla", "    /\\ CanJam\n", "")
    with pytest.raises(LockstepError, match=r"CanJam \(CAN_JAM in the model\)"):
        turnstile.compare("turnstile")


def test_other_variables_are_named(turnstile: Copy) -> None:
    file = turnstile.root / "tla" / "Turnstile.tla"
    file.write_text(file.read_text().replace("coins", "money"))
    with pytest.raises(LockstepError, match="coins is missing, money is not one of them"):
        turnstile.compare("turnstile")


@pytest.mark.parametrize("name", ["MCTurnstile.tla", "MCTurnstile.cfg"])
def test_a_file_that_is_missing_is_named(turnstile: Copy, name: str) -> None:
    (turnstile.root / "tla" / name).unlink()
    with pytest.raises(LockstepError, match=name):
        turnstile.compare("turnstile")


def test_a_model_without_a_twin(turnstile: Copy) -> None:
    turnstile.edit("specs/letters.toml", 'twin = "Letters"\n', "")
    with pytest.raises(LockstepError, match="letters has no twin"):
        twin_files(turnstile.root, load_model_spec(turnstile.root, "letters"))


# Bounds.


def test_tlc_is_stopped_when_its_time_is_over(turnstile: Copy) -> None:
    turnstile.edit(
        "tla/Turnstile.tla",
        "Spec == Init",
        "Long == \\A n \\in 1 .. 10^9 : n > 0\nSpec == Init /\\ Long",
    )
    with pytest.raises(TlcTimeout) as raised:
        turnstile.compare("turnstile", max_seconds=2)
    assert raised.value.exit_code is ExitCode.INCONCLUSIVE


def test_a_search_that_is_stopped_is_inconclusive(
    turnstile: Copy,
) -> None:
    with pytest.raises(ModelBounded, match="turnstile stopped after 0 s") as raised:
        turnstile.compare("turnstile", "default", max_seconds=0.0)
    assert raised.value.exit_code is ExitCode.INCONCLUSIVE


def test_files_are_kept_where_they_are_asked_for(turnstile: Copy, tmp_path: Path) -> None:
    kept = tmp_path / "kept" / "here"
    turnstile.compare("turnstile", keep=kept)
    assert sorted(path.name for path in kept.iterdir()) == [
        "MCTurnstile_small.tla",
        "turnstile-small.cfg",
        "turnstile-small.dot",
    ]


def test_a_folder_that_cannot_be_made_is_named(turnstile: Copy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LockstepError, match="file/kept"):
        turnstile.compare("turnstile", keep=tmp_path / "file" / "kept")


def test_each_part_of_the_work_is_announced(turnstile: Copy) -> None:
    titles: list[str] = []

    def watch(title: str) -> nullcontext[None]:
        titles.append(title)
        return nullcontext()

    turnstile.compare("turnstile", watch=watch)
    assert titles == ["turnstile small: model", "turnstile small: TLC"]
