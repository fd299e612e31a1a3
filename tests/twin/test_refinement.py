"""Twins and the abstract modules that they refine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import load_model, model_names
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from lockstep.twin.names import render_tlc_trace
from lockstep.twin.refinement import MOST_REFINED, check_refinement, refinement_files
from lockstep.twin.tlc import TlcOptions, twin_files
from lockstep.verbs.twin import Compared, TwinRequest, twin
from lockstep.workspace import find_workspace
from tests.twin.conftest import KAFKA, Copy

DOOR = """\
-------------------------------- MODULE Door --------------------------------
CONSTANT Doors
VARIABLE open, opened

Init == open = {} /\\ opened = {}

Open(d) == open' = open \\cup {d} /\\ opened' = opened \\cup {d}
Close(d) == open' = open \\ {d} /\\ UNCHANGED opened

Next == \\E d \\in Doors : Open(d) \\/ Close(d)

Spec == Init /\\ [][Next]_<<open, opened>>
=============================================================================
"""
MAPPING = """\
-------------------------- MODULE TurnstileRefines --------------------------
EXTENDS MCTurnstile

VARIABLE opened

NextWithHistory == Next /\\ opened' = opened \\cup {g \\in Gates : arm'[g] = "OPEN"}

Behaviours == (Init /\\ opened = {}) /\\ [][NextWithHistory]_<<vars, opened>>

Abstract == INSTANCE Door WITH Doors <- Gates, open <- {g \\in Gates : arm[g] = "OPEN"}

Refines == Abstract!Spec
=============================================================================
"""


@pytest.fixture
def door(turnstile: Copy) -> Copy:
    """Gates are doors; of all that ever opened, a history variable is kept."""
    (turnstile.root / "tla" / "abstract").mkdir()
    (turnstile.root / "tla" / "abstract" / "Door.tla").write_text(DOOR, "utf-8")
    (turnstile.root / "tla" / "TurnstileRefines.tla").write_text(MAPPING, "utf-8")
    turnstile.edit("specs/turnstile.toml", '"Turnstile"', '"Turnstile"\nrefines = "Door"')
    return turnstile


def compared(copy: Copy, scope: str = "small", **options: object) -> Compared:
    request = TwinRequest(("turnstile",), find_workspace(copy.root), scope, **options)  # type: ignore[arg-type]
    (result,) = twin(request).results
    assert isinstance(result, Compared)
    return result


def test_a_twin_that_refines(door: Copy) -> None:
    first, again = compared(door), compared(door)
    for result in (first.result, again.result):
        assert result.verdict is Verdict.HOLDS
        assert result.refinement is not None
        assert (result.refinement.abstract, result.refinement.verdict) == ("Door", "holds")
        assert result.refinement.run.distinct == 6  # one more than the twin: it closed again
        assert result.unrefined is None
    assert (first.since is None, again.since is None) == (True, False)


def test_values_that_no_refinement_had_are_listed(door: Copy) -> None:
    run = twin(TwinRequest(("turnstile",), find_workspace(door.root), "small"))
    assert run.unseen == {"turnstile": {"GATES": ("(east, west)",), "CAN_JAM": ("True",)}}
    whole = twin(TwinRequest(("turnstile",), find_workspace(door.root)))
    assert whole.unseen == {}


def test_what_the_abstract_module_says_is_part_of_the_question(door: Copy) -> None:
    compared(door)
    door.edit("tla/abstract/Door.tla", "CONSTANT Doors\n", "CONSTANT Doors\n\\* a remark\n")
    assert compared(door).since is None


def test_a_twin_that_does_not_refine_though_it_is_equal(door: Copy) -> None:
    door.edit("tla/abstract/Door.tla", "Close(d) ==", "Close(d) == d \\notin opened /\\")
    result = compared(door).result
    assert (result.difference, result.counts, result.refuting) == (None, (), None)
    assert (result.verdict, result.because) == (
        Verdict.VIOLATED,
        "the twin does not refine Door",
    )
    assert result.refinement is not None
    lines = list(render_tlc_trace(result.model, result.refinement.run.trace))
    assert [line.strip() for line in lines[-3:]] == [
        "2  NextWithHistory",
        "arm[east]: OPEN -> LOCKED",
        "entries[east]: 0 -> 1",
    ]
    assert compared(door).exit_code == ExitCode.VIOLATED


def test_tlc_is_not_asked_of_a_twin_that_differs(door: Copy) -> None:
    door.edit("tla/Turnstile.tla", "coins' = [coins EXCEPT ![g] = @ + 1]", "UNCHANGED coins")
    result = compared(door).result
    assert (result.refinement, result.unrefined) == (None, "Door")


def test_a_mapping_that_is_not_well_formed_is_shown(door: Copy) -> None:
    door.edit("tla/TurnstileRefines.tla", "Refines == Abstract!Spec", "Refines == Abstract!Spce")
    (result,) = twin(TwinRequest(("turnstile",), find_workspace(door.root), "small")).results
    assert result.exit_code == ExitCode.USAGE
    assert result.verdict is Verdict.ERROR


@pytest.mark.parametrize("file", ["tla/abstract/Door.tla", "tla/TurnstileRefines.tla"])
def test_a_file_that_is_missing_is_named(door: Copy, file: str) -> None:
    (door.root / file).unlink()
    with pytest.raises(LockstepError, match=Path(file).stem):
        compared(door)


def test_refining_needs_a_twin(door: Copy) -> None:
    door.edit("specs/turnstile.toml", 'twin = "Turnstile"\n', "")
    with pytest.raises(LockstepError, match="refines"):
        load_model_spec(door.root, "turnstile")


def test_a_twin_that_claims_nothing_does_not_hold(turnstile: Copy) -> None:
    config = turnstile.root / "tla" / "MCTurnstile.cfg"
    config.write_text("SPECIFICATION Spec\n\nINVARIANTS\n    \\* TypeOK\n", "utf-8")
    result = compared(turnstile)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.result.because == "the twin claims nothing: MCTurnstile.cfg names no property"
    assert result.exit_code == ExitCode.INCONCLUSIVE


# The twins of this workspace.


@dataclass(frozen=True)
class Mistake:
    """A mistake that the twin could share with its model."""

    model: str
    scope: str
    module: str
    right: str
    wrong: str
    constants: Mapping[str, object] = field(default_factory=dict)
    """Where they differ from the scope's."""


MISTAKES = {
    "the log's end is reported for the high watermark": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        "highWatermark  |-> highWatermark[p],\n          logStartOffset |-> logStart[p],",
        "highWatermark  |-> logEnd[p],\n          logStartOffset |-> logStart[p],",
    ),
    "consumers read what is not committed": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        "ReadableEnd(f, p) == IF f \\in Followers THEN logEnd[p] ELSE highWatermark[p]",
        "ReadableEnd(f, p) == logEnd[p]",
    ),
    "records of all partitions wait": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        "    /\\ filled = {} => Readable(f, interests) = {}\n",
        "",
    ),
    "a partition just added counts as reported": Mistake(
        "fetch_session",
        "partitions",
        "FetchPartitions",
        "     highWatermark  |-> Unknown,\n     logStartOffset |-> Unknown]",
        "     highWatermark  |-> 0,\n     logStartOffset |-> 0]",
    ),
    "a response that is put off counts as an answer": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        '/\\ Respond(f, via, "NONE", req.sessionId, Nothing, TRUE)',
        '/\\ Respond(f, via, "NONE", req.sessionId, Nothing, FALSE)',
    ),
    "the epoch is not looked at": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        "HasSession(req) /\\ sessions[req.sessionId].epoch = req.epoch",
        "HasSession(req)",
    ),
    "what was reported outlives an error": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        ('    /\\ HasResponse(f, "FETCH_SESSION_ID_NOT_FOUND")\n    /\\ Forget(f)\n'),
        (
            '    /\\ HasResponse(f, "FETCH_SESSION_ID_NOT_FOUND")\n'
            "    /\\ UNCHANGED <<fetching, reported>>\n"
        ),
    ),
    "what was reported outlives a lost answer": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        "![f] = meta]\n    /\\ Forget(f)\n",
        "![f] = meta]\n    /\\ UNCHANGED <<fetching, reported>>\n",
    ),
    "records that come are not kept": Mistake(
        "fetch_session",
        "small",
        "FetchPartitions",
        "     records        |-> answer.records \\/ (reported # None /\\ reported.records)]",
        "     records        |-> reported # None /\\ reported.records]",
    ),
    "a fetcher asks again before it is answered": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        ("    /\\ ~pending[f]\n    /\\ \\A p \\in Empty"),
        "    /\\ \\A p \\in Empty",
    ),
    "an answer reaches a client that no longer asks": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        '    /\\ IF via = "AWAITED"\n',
        '    /\\ IF via = "AWAITED" \\/ response[f] = None\n',
    ),
    "the high watermark passes the log's end": Mistake(
        "fetch_session",
        "small",
        "FetchSession",
        "to \\in (highWatermark[p] + 1) .. logEnd[p]",
        "to \\in (highWatermark[p] + 1) .. (logEnd[p] + 1)",
    ),
    "whatever is reported is believed": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "    ELSE /\\ Exceeds(reported.epoch, leaderEpoch)\n",
        "    ELSE /\\ TRUE\n",
    ),
    "a refresh is never too old": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "IF leaderEpoch = None THEN FALSE ELSE refresh.epoch < leaderEpoch",
        "FALSE",
    ),
    "no backoff": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "Send(r) == attempt[r] = None /\\ Ask(r)",
        "Send(r) == (attempt[r] = None \\/ backingOff[r]) /\\ Ask(r)",
    ),
    "a retry goes where the first try went": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "![r] = [to |-> leader,",
        "![r] = [to |-> IF attempt[r] = None THEN leader ELSE attempt[r].to,",
    ),
    "an election without an epoch": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "!.leader = b, !.epoch = next]",
        '!.leader = b, !.epoch = IF b = "b1" THEN next ELSE @]',
    ),
    "a broker names itself": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "Known(r)   == [leader |-> Has(r).leader,",
        "Known(r)   == [leader |-> attempt[r].to,",
    ),
    "who is sent the leader asks for no refresh": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        (
            "    /\\ IsNews(r, response[r].currentLeader)\n"
            "    /\\ BackOff(r)\n"
            "    /\\ refreshWanted' = TRUE\n"
        ),
        (
            "    /\\ IsNews(r, response[r].currentLeader)\n"
            "    /\\ BackOff(r)\n"
            "    /\\ UNCHANGED refreshWanted\n"
        ),
    ),
    "who is sent nothing asks for no refresh": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        (
            "    /\\ ~IsNews(r, response[r].currentLeader)\n"
            "    /\\ BackOff(r)\n"
            "    /\\ refreshWanted' = TRUE\n"
        ),
        (
            "    /\\ ~IsNews(r, response[r].currentLeader)\n"
            "    /\\ BackOff(r)\n"
            "    /\\ UNCHANGED refreshWanted\n"
        ),
    ),
    "who hears of one broker forgets where the others are": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "ELSE [endpoints EXCEPT ![reported.leader] = reported.endpoint]",
        "ELSE [b \\in Brokers |-> IF b = reported.leader THEN reported.endpoint ELSE None]",
    ),
    "an old leader that is reported takes a place away": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        (
            "    /\\ ~IsNews(r, response[r].currentLeader)\n"
            "    /\\ BackOff(r)\n"
            "    /\\ refreshWanted' = TRUE\n"
            "    /\\ UNCHANGED <<client, disturbances>>\n"
        ),
        (
            "    /\\ ~IsNews(r, response[r].currentLeader)\n"
            "    /\\ BackOff(r)\n"
            "    /\\ refreshWanted' = TRUE\n"
            "    /\\ endpoints' = [endpoints EXCEPT ![attempt[r].to] = None]\n"
            "    /\\ UNCHANGED <<topic, leader, leaderEpoch, disturbances>>\n"
        ),
    ),
    "a refresh comes that was not asked for": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        ("    /\\ refreshWanted\n    /\\ refresh = None\n    /\\ refresh' ="),
        ("    /\\ refresh = None\n    /\\ refresh' ="),
    ),
    "who lost where the leader is does not ask": Mistake(
        "leader_discovery",
        "small",
        "LeaderDiscovery",
        "    /\\ refreshWanted' = (endpoints'[leader'] = None)\n",
        "    /\\ refreshWanted' = FALSE\n",
    ),
    "votes are given without a comparison": Mistake(
        "snapshot_election",
        "small",
        "SnapshotElection",
        "    /\\ ~Newer(Latest(v), Latest(c))\n",
        "",
    ),
    "a snapshot holds what its replica does not know to be committed": Mistake(
        "snapshot_election",
        "small",
        "SnapshotElection",
        "(Len(snapshot[v]) + 1) .. highWatermark[v]",
        "(Len(snapshot[v]) + 1) .. Min(LogEnd(v), Len(committed))",
    ),
    "a snapshot is fetched where the log would do": Mistake(
        "snapshot_election",
        "small",
        "SnapshotElection",
        ("    /\\ ~CanCompare(v, l)\n    /\\ snapshot' ="),
        ("    /\\ Len(snapshot[l]) > Len(snapshot[v])\n    /\\ snapshot' ="),
    ),
    "older epochs commit by count": Mistake(
        "snapshot_election",
        "committing",
        "SnapshotElection",
        "has(o) \\in Majorities /\\ Records(l)[o].epoch = epoch[l]}",
        "has(o) \\in Majorities}",
    ),
    "who has a snapshot to load leads": Mistake(
        "snapshot_election",
        "small",
        "SnapshotElection",
        ("    /\\ granted[c] \\in Majorities\n    /\\ ~unapplied[c]\n"),
        "    /\\ granted[c] \\in Majorities\n",
    ),
    "a follower's high watermark passes its log": Mistake(
        "snapshot_election",
        "small",
        "SnapshotElection",
        "![v] = Max(@, Min(seenHw, end))",
        "![v] = Max(@, seenHw)",
    ),
    "who hears of a newer epoch leads it": Mistake(
        "snapshot_fetch",
        "diverging",
        "SnapshotFetch",
        ("    /\\ leading' = leading \\ {r}\n    /\\ UNCHANGED <<elected, disks, highWatermark"),
        ("    /\\ leading' = leading\n    /\\ UNCHANGED <<elected, disks, highWatermark"),
    ),
    "a follower truncates what its leader has": Mistake(
        "snapshot_fetch",
        "diverging",
        "SnapshotFetch",
        "           end    == Min({common.endOffset, EndOf(r, common.epoch)})\n",
        "           end    == logStart[r]\n",
        {"MAX_OFFSET": 2},
    ),
    "a follower does not wait for its leader's log start": Mistake(
        "snapshot_fetch",
        "small",
        "SnapshotFetch",
        "Max({logStart[r], Min({leadersStart, Latest(r)})})",
        "Max({logStart[r], Latest(r)})",
        {"GENERATORS": ("v1", "v2")},
    ),
    "a leader's old snapshots stay": Mistake(
        "snapshot_fetch",
        "small",
        "SnapshotFetch",
        (
            "    /\\ log' = [log EXCEPT ![r] = Drop(@, end - logStart[r])]\n"
            "    /\\ snapshots' = [snapshots EXCEPT ![r] = From(@, end)]\n"
        ),
        (
            "    /\\ log' = [log EXCEPT ![r] = Drop(@, end - logStart[r])]\n"
            "    /\\ UNCHANGED snapshots\n"
        ),
    ),
    "a new snapshot deletes the one before": Mistake(
        "snapshot_fetch",
        "small",
        "SnapshotFetch",
        "![r][end] = Append(SubSeq(Records(r), 1, end), Footer)]",
        "![r] = From([@ EXCEPT ![end] = Append(SubSeq(Records(r), 1, end), Footer)], end)]",
    ),
    "a snapshot ends before the latest one": Mistake(
        "snapshot_fetch",
        "small",
        "SnapshotFetch",
        "    /\\ end \\in (Latest(r) + 1) .. highWatermark[r]\n",
        "    /\\ end \\in (1 .. highWatermark[r]) \\ Ends(r)\n",
    ),
    "a checksum is not looked at": Mistake(
        "snapshot_fetch",
        "small",
        "SnapshotFetch",
        "    /\\ Damaged \\notin {file[i] : i \\in DOMAIN file}\n",
        "",
    ),
}
REFINING = [name for name in model_names(KAFKA) if load_model_spec(KAFKA, name).refines]


def test_every_twin_that_refines_has_mistakes_that_keep_it_from_doing_so() -> None:
    assert {mistake.model for mistake in MISTAKES.values()} == set(REFINING)


@pytest.mark.verify
@pytest.mark.parametrize("name", MISTAKES)
def test_a_twin_with_a_mistake_does_not_refine(kafka: Copy, tmp_path: Path, name: str) -> None:
    mistake = MISTAKES[name]
    kafka.edit(f"tla/{mistake.module}.tla", mistake.right, mistake.wrong)
    spec = load_model_spec(kafka.root, mistake.model)
    assert spec.twin is not None
    assert spec.refines is not None
    constants = {**spec.scope(mistake.scope).constants, **mistake.constants}
    model = load_model(kafka.root, mistake.model, constants)
    template = twin_files(kafka.root, spec).template.read_text("utf-8")
    module, config = (
        refinement_files(kafka.root, spec.twin, spec.refines),
        tmp_path / "refines.cfg",
    )
    options = TlcOptions(timeout=300)
    run = check_refinement(module, model.constants, template, config, options)
    assert run.verdict == "violated", run.message


REFINED = [
    (name, scope.name)
    for name in REFINING
    for scope in load_model_spec(KAFKA, name).scopes.values()
    if scope.name != "small" and scope.pins.states and scope.pins.states <= MOST_REFINED
    if scope.pins.verdict == Verdict.HOLDS
]


@pytest.mark.verify
@pytest.mark.parametrize(("name", "scope"), REFINED)
def test_a_twin_refines_wherever_tlc_is_asked(name: str, scope: str) -> None:
    (result,) = twin(TwinRequest((name,), find_workspace(KAFKA), scope)).results
    assert isinstance(result, Compared)
    assert result.result.verdict is Verdict.HOLDS
    assert result.result.refinement is not None
