"""Small changes of the twin of snapshot_election, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
    "TypeOK": Mistake(
        "SnapshotElection",
        "    /\\ highWatermark' = [highWatermark EXCEPT ![c] = 0]",
        "    /\\ highWatermark' = [highWatermark EXCEPT ![c] = -1]",
    ),
    "OneLeaderAnEpoch": Mistake(
        "SnapshotElection",
        '    /\\ role[c] = "CANDIDATE"\n'
        "    /\\ \\/ epoch[v] < epoch[c]\n"
        "       \\/ epoch[v] = epoch[c] /\\ voted[v] = None\n",
        '    /\\ role[c] = "CANDIDATE"\n    /\\ epoch[v] <= epoch[c]\n',
    ),
    "LaterLeadersHaveWhatIsCommitted": Mistake(
        "SnapshotElection",
        "    /\\ ~GivesWay(v)\n",
        "",
    ),
    "VotesGoToWhoGoesAsFar": Mistake(
        "SnapshotElection",
        "ELSE End(Records(v))\n",
        "ELSE End(log[v])\n",
    ),
    "CandidatesLoseToLeaders": Mistake(
        "SnapshotElection",
        '    /\\ role[l] = "LEADER"\n    /\\ epoch[c] = epoch[l]\n    /\\ Take',
        "    /\\ epoch[c] = epoch[l]\n    /\\ Take",
    ),
    "RecordsComeFromTheLogOfALeader": Mistake(
        "SnapshotElection",
        '    /\\ role[l] = "LEADER"\n    /\\ role[v] = "FOLLOWER"\n',
        '    /\\ role[v] = "FOLLOWER"\n',
    ),
    "AMajorityHasWhatIsCommitted": Mistake(
        "SnapshotElection",
        "LET offsets == [fetched[l] EXCEPT ![v] = LogEnd(v)]",
        "LET offsets == [fetched[l] EXCEPT ![v] = LogEnd(l)]",
    ),
    "WhatCountsAsCommittedIs": Mistake(
        "SnapshotElection",
        "![v] = Max(@, Min(hw, end))]",
        "![v] = Max(@, hw)]",
    ),
    "LogsAgree": Mistake(
        "SnapshotElection",
        "    /\\ Agrees(v, l)\n",
        "",
        {"MAX_OFFSET": 2},
    ),
    "LeadersHaveWritten": Mistake(
        "SnapshotElection",
        "    /\\ log' = [log EXCEPT ![c] = Append(@, epoch[c])]\n",
        "    /\\ UNCHANGED log\n",
    ),
    "HighWatermarkIsPastTheEpochsStart": Mistake(
        "SnapshotElection",
        "has(o) \\in Majorities /\\ Records(l)[o] = epoch[l]}",
        "has(o) \\in Majorities}",
        {"MAX_OFFSET": 2},
    ),
    "SnapshotsHoldWhatIsCommitted": Mistake(
        "SnapshotElection",
        "end \\in (Len(snapshot[v]) + 1) .. highWatermark[v]",
        "end \\in (Len(snapshot[v]) + 1) .. LogEnd(v)",
    ),
    "LogStartIsInASnapshot": Mistake(
        "SnapshotElection",
        "![v] = Len(snapshot[v])]\n    /\\ log' = [log EXCEPT ![v] = After(",
        "![v] = Len(snapshot[v]) + 1]\n    /\\ log' = [log EXCEPT ![v] = After(",
    ),
    "LeadersLoadNoSnapshot": Mistake(
        "SnapshotElection",
        "    /\\ ~unapplied[c]\n",
        "",
    ),
    "LeadersSnapshotsAgreeWithTheirLogs": Mistake(
        "SnapshotElection",
        "    /\\ ~GivesWay(v)\n",
        "",
    ),
    "EpochsNeverGoBack": Mistake(
        "SnapshotElection",
        "    /\\ epoch[v] < epoch[w]\n",
        "    /\\ epoch[v] # epoch[w]\n",
    ),
    "VotesNeverChange": Mistake(
        "SnapshotElection",
        'Take(c, "FOLLOWER", epoch[c], c)',
        'Take(c, "FOLLOWER", epoch[c], None)',
    ),
    "LeadersOnlyAppend": Mistake(
        "SnapshotElection",
        '    /\\ role\' = [role EXCEPT ![v] = IF @ = "CANDIDATE" THEN @ ELSE "FOLLOWER"]\n',
        "    /\\ UNCHANGED role\n",
        {"MAX_RESTARTS": 1},
    ),
    "HighWatermarkNeverMovesBack": Mistake(
        "SnapshotElection",
        "IF common = {} THEN highWatermark[l] ELSE",
        "IF common = {} THEN 0 ELSE",
        {"MAX_WIPES": 1},
    ),
    "ACandidateThatCouldWinDoes": Mistake(
        "SnapshotElection",
        "    /\\ granted[c] \\in Majorities\n",
        "    /\\ granted[c] = Voters\n",
    ),
    "FollowersCatchUp": Mistake(
        "SnapshotElection",
        "    /\\ epoch[c] = epoch[l]\n",
        "    /\\ epoch[c] < epoch[l]\n",
    ),
}
