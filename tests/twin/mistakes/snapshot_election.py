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
    "AStepIsOfTwoReplicas": Mistake(
        "SnapshotElection",
        '    /\\ Take(v, "FOLLOWER", epoch[w], None)\n'
        "    /\\ granted' = [granted EXCEPT ![v] = {}]\n",
        '    /\\ Take(v, "FOLLOWER", epoch[w], None)\n    /\\ granted\' = [c \\in Voters |-> {}]\n',
    ),
    "FailuresAreOfOneReplica": Mistake(
        "SnapshotElection",
        "    /\\ fetched' = [fetched EXCEPT ![v] = Nothing]\n    /\\ unapplied' =",
        "    /\\ fetched' = [w \\in Voters |-> Nothing]\n    /\\ unapplied' =",
        {"MAX_RESTARTS": 1},
    ),
    "AVoteIsGivenToWhoGoesAsFar": Mistake(
        "SnapshotElection",
        "    /\\ ~Newer(Latest(v), Latest(c))\n",
        "    /\\ Newer(Latest(c), Latest(v)) \\/ Latest(v).offset = 0\n",
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
        "![v] = Max(@, Min(seenHw, end))]",
        "![v] = Max(@, seenHw)]",
    ),
    "LogsAgree": Mistake(
        "SnapshotElection",
        "    /\\ Agrees(v, l)\n",
        "",
        {"MAX_OFFSET": 2},
    ),
    "LeadersHaveWritten": Mistake(
        "SnapshotElection",
        "    /\\ log' = [log EXCEPT ![c] = Append(@, NextRecord(c))]\n",
        "    /\\ UNCHANGED log\n",
    ),
    "HighWatermarkIsPastTheEpochsStart": Mistake(
        "SnapshotElection",
        "has(o) \\in Majorities /\\ Records(l)[o].epoch = epoch[l]}",
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
    "CandidatesStandInTheNextEpoch": Mistake(
        "SnapshotElection",
        '    /\\ Take(v, "CANDIDATE", epoch[v] + 1, v)\n',
        '    /\\ Take(v, "CANDIDATE", epoch[v], v)\n',
    ),
    "ANewerEpochEndsAnOffice": Mistake(
        "SnapshotElection",
        '    /\\ Take(v, "FOLLOWER", epoch[w], None)\n',
        "    /\\ Take(v, role[v], epoch[w], None)\n",
    ),
    "VotesGoToCandidates": Mistake(
        "SnapshotElection",
        '    /\\ role[c] = "CANDIDATE"\n    /\\ \\/ epoch[v] < epoch[c]\n',
        "    /\\ \\/ epoch[v] < epoch[c]\n",
    ),
    "VotesThatCountWereGiven": Mistake(
        "SnapshotElection",
        "    /\\ granted' = [granted EXCEPT ![v] = {v}]\n",
        "    /\\ granted' = [granted EXCEPT ![v] = @ \\cup {v}]\n",
    ),
    "VotesThatCountWereGiven: and those that were given count": Mistake(
        "SnapshotElection",
        "    /\\ granted' = [granted EXCEPT ![v] = {}, ![c] = @ \\cup {v}]\n",
        "    /\\ granted' = [granted EXCEPT ![v] = {}]\n",
    ),
    "EpochsNeverFallAlongALog": Mistake(
        "SnapshotElection",
        "    /\\ log' = [log EXCEPT ![l] = Append(@, NextRecord(l))]\n",
        "    /\\ log' = [log EXCEPT ![l] = Append(@, [NextRecord(l) EXCEPT !.epoch = @ - 1])]\n",
        {"MAX_OFFSET": 2},
    ),
    "WhatIsCommittedEndsInARecordOfThatEpoch": Mistake(
        "SnapshotElection",
        "                   /\\ committedIn' = epoch[l]\n",
        "                   /\\ committedIn' = committedIn\n",
    ),
    "WhatAMajorityAcknowledgedIsCommitted": Mistake(
        "SnapshotElection",
        "has(o) \\in Majorities /\\ Records(l)[o].epoch = epoch[l]}",
        "has(o) = Voters /\\ Records(l)[o].epoch = epoch[l]}",
    ),
    "OnlyLeadersKnowWhatOthersHave": Mistake(
        "SnapshotElection",
        "![v] = Nothing]\n    /\\ notice' = [notice EXCEPT ![v] = 0]\n\n",
        "![v] = @]\n    /\\ notice' = [notice EXCEPT ![v] = 0]\n\n",
    ),
    "OnlyFetchesThatAgreeCount": Mistake(
        "SnapshotElection",
        "LET offsets == [fetched[l] EXCEPT ![v] = LogEnd(v)]",
        "LET offsets == [fetched[l] EXCEPT ![v] = end]",
    ),
    "FollowersLearnTheHighWatermark": Mistake(
        "SnapshotElection",
        "![v] = Max(@, Min(seenHw, end))]",
        "![v] = @]",
    ),
    "FollowersDropOnlyWhatTheLeaderLacks": Mistake(
        "SnapshotElection",
        "       IN  log' = [log EXCEPT ![v] = First(@, end - logStart[v])]\n",
        "       IN  log' = [log EXCEPT ![v] = <<>>]\n",
        {"MAX_OFFSET": 2},
    ),
    "ALogStartsWithinWhatIsKnownToBeCommitted": Mistake(
        "SnapshotElection",
        "    /\\ Len(snapshot[v]) \\in (logStart[v] + 1) .. highWatermark[v]\n",
        "    /\\ Len(snapshot[v]) \\in (logStart[v] + 1) .. LogEnd(v)\n",
        {"MAX_RESTARTS": 1},
    ),
    "AResetBeginsAtTheSnapshotsEnd": Mistake(
        "SnapshotElection",
        "    /\\ highWatermark' = [highWatermark EXCEPT ![v] = Max(@, Len(snapshot[v]))]\n",
        "    /\\ UNCHANGED highWatermark\n",
    ),
    "ANewerEpochIsHeardOf": Mistake(
        "SnapshotElection",
        "LearnEpoch(v, w) ==\n",
        'LearnEpoch(v, w) ==\n    /\\ role[w] = "LEADER"\n',
    ),
    "WhatALeaderWritesIsCommitted": Mistake(
        "SnapshotElection",
        "    /\\ end \\in LogEnd(v) .. LogEnd(l)\n",
        "    /\\ end \\in LogEnd(v) + 1 .. LogEnd(l)\n",
    ),
    "LeadersResignOnlyWithoutAMajority": Mistake(
        "SnapshotElection",
        "    /\\ {l} \\cup {v \\in Voters : Counts(v, l)} \\notin Majorities\n",
        "    /\\ {v \\in Voters \\ {l} : Counts(v, l)} \\notin Majorities\n",
        {"MAX_CUTS": 1},
    ),
    "StateMachinesLeadOnceAllBeforeIsCommitted": Mistake(
        "SnapshotElection",
        "    /\\ LastEpoch(First(Records(l), highWatermark[l])) = epoch[l]\n",
        "",
        {"NOTICES": True},
    ),
    "ALeadersStateMachineIsNotified": Mistake(
        "SnapshotElection",
        "    /\\ notice[l] = 0\n",
        "    /\\ notice[l] = 1\n",
        {"NOTICES": True},
    ),
    "ALeaderWithoutAMajorityResigns": Mistake(
        "SnapshotElection",
        "    /\\ {l} \\cup {v \\in Voters : Counts(v, l)} \\notin Majorities\n",
        "    /\\ FALSE\n",
        {"MAX_CUTS": 1},
    ),
    "CandidatesCouldWin": Mistake(
        "SnapshotElection",
        "    /\\ Newer(Latest(c), Latest(v)) \\/ Latest(c) = Latest(v)\n",
        "",
        {"MAX_CUTS": 1, "PRE_VOTE": True},
    ),
    "EpochsRestWhileALeaderIsFollowed": Mistake(
        "SnapshotElection",
        "    /\\ Leading(v) = {}\n",
        "    /\\ v \\notin Leading(v)\n",
        {"PRE_VOTE": True},
    ),
    "ALeaderWithWhomNoMajorityGetsOnResigns": Mistake(
        "SnapshotElection",
        '/\\ CheckQuorum = "progress" => LogEnd(v) = LogEnd(l)',
        "/\\ TRUE",
        {"MAX_EPOCH": 1, "MAX_CUTS": 1, "STALLS": True, "CHECK_QUORUM": "progress"},
    ),
    "AFetchedSnapshotIsApplied": Mistake(
        "SnapshotElection",
        "    /\\ GivesWay(v)\n",
        "    /\\ GivesWay(v)\n    /\\ cut # v\n",
        {"MAX_EPOCH": 1, "MAX_CUTS": 1},
    ),
    "WhatASnapshotStandsForIsDropped": Mistake(
        "SnapshotElection",
        "    /\\ Len(snapshot[v]) \\in (logStart[v] + 1) .. highWatermark[v]\n",
        "    /\\ Len(snapshot[v]) \\in (logStart[v] + 1) .. highWatermark[v] - 1\n",
        {"MAX_EPOCH": 1},
    ),
    "AFollowerGetsOnAgain": Mistake(
        "SnapshotElection",
        "    /\\ stalled[v] = 1\n    /\\ stalled' =",
        "    /\\ stalled[v] = 1\n    /\\ cut = None\n    /\\ stalled' =",
        {"MAX_EPOCH": 1, "MAX_CUTS": 1, "STALLS": True},
    ),
    "ALeaderLearnsWhatItsFollowersHave": Mistake(
        "SnapshotElection",
        "    /\\ InVain(v, l)\n    /\\ IsServed(v, l, LogEnd(v))\n",
        "    /\\ InVain(v, l)\n    /\\ LogEnd(v) = 0\n    /\\ IsServed(v, l, LogEnd(v))\n",
        {"MAX_EPOCH": 1, "STALLS": True},
    ),
}
