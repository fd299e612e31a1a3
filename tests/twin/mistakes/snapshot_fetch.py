"""Small changes of the twin of snapshot_fetch, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

VOTERS = ("v1", "v2", "v3")

MISTAKES = {
    "TypeOK": Mistake(
        "SnapshotFetch",
        'Refuse(r, "NOT_LEADER_OR_FOLLOWER")',
        'Refuse(r, "NOT_LEADER_FOR_PARTITION")',
    ),
    "SnapshotsAreWholeAndCommitted": Mistake(
        "SnapshotFetch",
        "    /\\ Damaged \\notin {file[i] : i \\in DOMAIN file}\n",
        "",
    ),
    "LogStartIsCoveredByASnapshot": Mistake(
        "SnapshotFetch",
        "Min({leadersStart, Latest(r)})",
        "Min({leadersStart, LogEnd(r)})",
    ),
    "SnapshotsLieBetweenLogStartAndHighWatermark": Mistake(
        "SnapshotFetch",
        "/\\ snapshots' = [snapshots EXCEPT ![r] = From(@, end)]",
        "/\\ UNCHANGED snapshots",
    ),
    "LogAndSnapshotsAgree": Mistake(
        "SnapshotFetch",
        "Append(SubSeq(Records(r), 1, end), Footer)",
        "Append(SubSeq(log[r], 1, end - logStart[r]), Footer)",
    ),
    "EveryByteCountsOnce": Mistake(
        "SnapshotFetch",
        "WantedFile(r) == snapshots[Asks(r)][Wanted(r).endOffset]",
        "WantedFile(r) == snapshots[Asks(r)][Latest(Asks(r))]",
    ),
    "ResponsesKeepWithinMaxBytes": Mistake(
        "SnapshotFetch",
        "Min({from + MaxBytes, Len(WantedFile(r))})",
        "Len(WantedFile(r))",
    ),
    "NewestLeaderHasEveryCommittedRecord": Mistake(
        "SnapshotFetch",
        "    /\\ {v \\in majority : IsNewer(LatestId(v), LatestId(r))} = {}\n",
        "",
        {"REPLICAS": VOTERS, "VOTERS": VOTERS, "MAX_EPOCH": 2},
    ),
    "WhatLiesBelowTheHighWatermarkIsCommitted": Mistake(
        "SnapshotFetch",
        "    \\/ Common(leader, at).endOffset < at.endOffset\n",
        "",
        {"REPLICAS": VOTERS, "VOTERS": VOTERS, "MAX_EPOCH": 2},
    ),
    "HighWatermarkLiesWithinTheLog": Mistake(
        "SnapshotFetch",
        "Min({reported.highWatermark, logStart[r] + Len(records)})",
        "reported.highWatermark",
    ),
    "LogsAgree": Mistake(
        "SnapshotFetch",
        "    /\\ ~Diverges(Asks(r), EndId(r))\n",
        "",
        {"REPLICAS": VOTERS, "VOTERS": VOTERS, "MAX_EPOCH": 2},
    ),
    "LeaderStartsItsLogWhereASnapshotEnds": Mistake(
        "SnapshotFetch",
        "    /\\ end \\in Ends(r)\n    /\\ IF CleansByRetention",
        "    /\\ IF CleansByRetention",
    ),
    "LeaderDropsWhatOthersHaveOrWhatIsOld": Mistake(
        "SnapshotFetch",
        "/\\ end > aged => \\A other \\in Live(r) : Reached(r, other) >= end",
        "/\\ end > aged => \\A other \\in Live(r) \\cap Voters : Reached(r, other) >= end",
    ),
    "FollowerStartsItsLogNoLaterThanLeaderOrSnapshot": Mistake(
        "SnapshotFetch",
        "Min({leadersStart, Latest(r)})",
        "Latest(r)",
        {"GENERATORS": ("v1", "o1")},
    ),
    "LeaderOnlyAppends": Mistake(
        "SnapshotFetch",
        "Drop(@, end - logStart[r])",
        "Drop(@, end + 1 - logStart[r])",
    ),
    "LeaderLoadsNoSnapshot": Mistake(
        "SnapshotFetch",
        "1, end), Footer)]\n    /\\ UNCHANGED <<leaders, epoch, logStart, log, highWatermark,",
        "1, end), Footer)]\n    /\\ logStart' = [logStart EXCEPT ![r] = end]\n"
        "    /\\ log' = [log EXCEPT ![r] = Drop(@, end - logStart[r])]\n"
        "    /\\ UNCHANGED <<leaders, epoch, highWatermark,",
    ),
    "NamedSnapshotExists": Mistake(
        "SnapshotFetch",
        "[snapshot |-> Id(Asks(r), Latest(Asks(r))), part",
        "[snapshot |-> LatestId(Asks(r)), part",
    ),
    "SnapshotIsNamedOnlyIfTheLogCannotServe": Mistake(
        "SnapshotFetch",
        "    \\/ at.endOffset < logStart[leader]\n",
        "    \\/ at.endOffset < Latest(leader)\n",
    ),
    "NothingIsFetchedDuringADownload": Mistake(
        "SnapshotFetch",
        "    /\\ download[r] = None\n    /\\ IsLed(r)\n",
        "    /\\ IsLed(r)\n",
    ),
    "FetchesAreAnsweredByLeaders": Mistake(
        "SnapshotFetch",
        "    /\\ download[r] = None\n    /\\ IsLed(r)\n",
        "    /\\ download[r] = None\n    /\\ Asks(r) \\notin {None, r}\n",
    ),
    "ChunksAreOfTheSnapshotAskedFor": Mistake(
        "SnapshotFetch",
        "LET from == Len(download[r].part)\n",
        "LET from == 0\n",
    ),
    "ErrorsSayWhatIsWrong": Mistake(
        "SnapshotFetch",
        'Refuse(r, "SNAPSHOT_NOT_FOUND")',
        'Refuse(r, "NOT_LEADER_OR_FOLLOWER")',
    ),
    "LogGivesWayToWhatWasFetched": Mistake(
        "SnapshotFetch",
        "           /\\ log' = [log EXCEPT ![r] = << >>]\n",
        "           /\\ UNCHANGED log\n",
    ),
    "HighWatermarkNeverMovesBack": Mistake(
        "SnapshotFetch",
        "IF reported.highWatermark = 0 THEN @",
        "IF reported.highWatermark = 0 THEN 0",
        {"MAX_EPOCH": 2},
    ),
    "LaggingReplicaCatchesUp": Mistake(
        "SnapshotFetch",
        'Errors \\ {"FENCED_LEADER_EPOCH"}',
        'Errors \\ {"FENCED_LEADER_EPOCH", "SNAPSHOT_NOT_FOUND"}',
    ),
    "CleanedLogStartsWhereItsFirstSnapshotEnds": Mistake(
        "SnapshotFetch",
        "    /\\ logStart' = [logStart EXCEPT ![r] = end]\n    /\\ log' = [log EXCEPT ![r] = Drop(",
        "    /\\ logStart' = [logStart EXCEPT ![r] = end - 1]\n"
        "    /\\ log' = [log EXCEPT ![r] = Drop(",
        {"CLEANS_BY_RETENTION": True, "GENERATORS": ("v1", "v2")},
    ),
    "AMajorityHasWhatIsCommitted": Mistake(
        "SnapshotFetch",
        "Many(x) == 2 * Cardinality({v \\in Voters \\ wiped :",
        "Many(x) == 2 * Cardinality({v \\in Replicas \\ wiped :",
    ),
    "GeneratedSnapshotsEndAfterTheLatest": Mistake(
        "SnapshotFetch",
        "(Latest(r) + 1) .. highWatermark[r]",
        "(logStart[r] + 1) .. highWatermark[r]",
    ),
    "SnapshotsGoOnlyBelowTheLogStart": Mistake(
        "SnapshotFetch",
        "![r][end] = Append(SubSeq(Records(r), 1, end), Footer)]",
        "![r] = From([@ EXCEPT ![end] = Append(SubSeq(Records(r), 1, end), Footer)], end)]",
    ),
    "EpochsNeverGoBack": Mistake(
        "SnapshotFetch",
        "    /\\ e > epoch[r]\n",
        "    /\\ e # epoch[r]\n",
        {"MAX_EPOCH": 2},
    ),
    "AnErrorEndsTheDownload": Mistake(
        "SnapshotFetch",
        'Errors \\ {"FENCED_LEADER_EPOCH"}\n    /\\ Deliver(r, FALSE)\n    /\\ Abandon(r)\n',
        'Errors \\ {"FENCED_LEADER_EPOCH"}\n    /\\ Deliver(r, FALSE)\n'
        "    /\\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, waiting,\n"
        "                   download, wiped, committed>>\n",
    ),
    "ADownloadChangesOnlyByItsResponse": Mistake(
        "SnapshotFetch",
        "    /\\ UNCHANGED <<download, disturbances>>\n",
        "    /\\ download' = [download EXCEPT ![r] = None]\n    /\\ UNCHANGED disturbances\n",
    ),
    "OnlyWhatAgreesCounts": Mistake(
        "SnapshotFetch",
        "fetched' = [fetched EXCEPT ![r] = [offset |-> LogEnd(r),",
        "fetched' = [fetched EXCEPT ![r] = [offset |-> LogEnd(leader),",
    ),
    "WhatLeadersCommittedIsReportedToFollowers": Mistake(
        "SnapshotFetch",
        "IF EpochBefore(leader, hw) = epoch[leader] THEN hw ELSE 0",
        "hw",
        {"MAX_EPOCH": 2},
    ),
    "ARequestHasOneAnswer": Mistake(
        "SnapshotFetch",
        "    /\\ response[r] = None\n    /\\ Asks(r) \\notin {None, r}\n",
        "    /\\ Asks(r) \\notin {None, r}\n",
    ),
    "FollowersLearnTheHighWatermark": Mistake(
        "SnapshotFetch",
        "    /\\ ~FetchesWait\n    /\\ HasAll(r)\n",
        "    /\\ ~FetchesWait\n    /\\ HasAll(r)\n    /\\ r \\in Voters\n",
    ),
    "EveryRequestIsAnswered": Mistake(
        "SnapshotFetch",
        "    /\\ Asks(r) \\notin leading\n    /\\ Refuse(",
        "    /\\ Asks(r) \\notin leading\n    /\\ r \\in Voters\n    /\\ Refuse(",
    ),
    "WhatAllLiveReplicasHaveGoes": Mistake(
        "SnapshotFetch",
        "/\\ end > aged => \\A other \\in Live(r) : Reached(r, other) >= end",
        "/\\ end <= aged",
    ),
    "LeadersAreVotedFor": Mistake(
        "SnapshotFetch",
        "    /\\ Cardinality(majority) = Cardinality(Voters) \\div 2 + 1\n",
        "    /\\ Cardinality(majority) = Cardinality(Voters) \\div 2\n",
        {"MAX_EPOCH": 2},
    ),
    "OnlyWhatDivergesIsTruncated": Mistake(
        "SnapshotFetch",
        "    /\\ ~IsBelow(Asks(r), EndId(r))\n    /\\ ~Agrees(r)\n"
        "    /\\ LET common == Common(Asks(r), EndId(r))\n"
        "           end    == Min({common.endOffset, EndOf(r, common.epoch)})\n",
        "    /\\ LET end == Min({highWatermark[r], LogEnd(r)})\n",
    ),
    "BytesAreOfTheLeaderAsked": Mistake(
        "SnapshotFetch",
        "-> response[r].leaderEpoch = epoch[r]",
        "-> response[r].leaderEpoch <= epoch[r]",
        {"MAX_EPOCH": 2},
    ),
    "FencedReplicaTakesTheNewerEpoch": Mistake(
        "SnapshotFetch",
        "    /\\ Join(r, response[r].leaderEpoch)\n"
        "    /\\ UNCHANGED <<leaders, disks, highWatermark, fetched, aged, wiped, committed>>\n",
        "    /\\ Abandon(r)\n",
        {"MAX_EPOCH": 2},
    ),
    "LeadersCommitUpToARecordOfTheirEpoch": Mistake(
        "SnapshotFetch",
        "EpochStart(leader) == EndOf(leader, epoch[leader] - 1)",
        "EpochStart(leader) == EndOf(leader, epoch[leader] - 2)",
        {"MAX_EPOCH": 2},
    ),
    "ALostDiskLeavesNothing": Mistake(
        "SnapshotFetch",
        "    /\\ waiting' = [waiting EXCEPT ![r] = None]\n"
        "    /\\ download' = [download EXCEPT ![r] = None]\n"
        "    /\\ response' = [response EXCEPT ![r] = None]\n"
        "    /\\ UNCHANGED <<elected, fetched, aged, disturbances, committed>>\n",
        "    /\\ waiting' = [waiting EXCEPT ![r] = None]\n"
        "    /\\ download' = [download EXCEPT ![r] = None]\n"
        "    /\\ UNCHANGED <<elected, fetched, aged, response, disturbances, committed>>\n",
        {"MAX_WIPED": 1},
    ),
    "AnOfficeEndsByANewerEpochOrAFailure": Mistake(
        "SnapshotFetch",
        "    /\\ leading' = leading \\ {r}\n    /\\ Disturb\n",
        "    /\\ leading' = {}\n    /\\ Disturb\n",
        {"REPLICAS": VOTERS, "VOTERS": VOTERS, "MAX_EPOCH": 2},
    ),
    "CleaningDeletesOneSnapshot": Mistake(
        "SnapshotFetch",
        "{x \\in Ends(r) : x < end} = {first}",
        "first < end",
        {"CLEANS_BY_RETENTION": True, "MAX_OFFSET": 3},
    ),
    "WhatCountsIsAnsweredWithTheNextRecord": Mistake(
        "SnapshotFetch",
        "Follow(r, Append(log[r], log[Asks(r)][LogEnd(r) - logStart[Asks(r)] + 1]))",
        "Follow(r, log[r])",
    ),
    "OnlyWhatFindsNothingNewWaits": Mistake(
        "SnapshotFetch",
        "    /\\ FetchesWait\n    /\\ HasAll(r)\n",
        "    /\\ FetchesWait\n    /\\ Fetches(r)\n    /\\ Agrees(r)\n",
        {"FETCHES_WAIT": True},
    ),
    "OnlyWhatFindsNothingNewWaits: with its leader's high watermark": Mistake(
        "SnapshotFetch",
        "IF EpochBefore(leader, hw) = epoch[leader] THEN hw ELSE 0",
        "IF EpochBefore(leader, highWatermark[leader]) = epoch[leader] THEN hw ELSE 0",
        {"FETCHES_WAIT": True},
    ),
    "AFetchThatWaitsWhereNobodyLeadsIsRefused": Mistake(
        "SnapshotFetch",
        "    /\\ ~IsLed(r)\n    /\\ waiting'",
        "    /\\ epoch[Asks(r)] # epoch[r]\n    /\\ waiting'",
        {"FETCHES_WAIT": True},
    ),
    "AResponseThatIsReadStaysOnlyAsACopy": Mistake(
        "SnapshotFetch",
        "    /\\ download' = [download EXCEPT ![r] = None]\n"
        "    /\\ response' = [response EXCEPT ![r] = None]\n"
        "    /\\ NothingElse\n",
        "    /\\ download' = [download EXCEPT ![r] = None]\n"
        "    /\\ UNCHANGED response\n    /\\ NothingElse\n",
    ),
    "ALeaderCommitsWhatAMajorityFetched": Mistake(
        "SnapshotFetch",
        "Many(x) == 2 * Cardinality({v \\in Voters \\ wiped : Has(v, x)}) > Cardinality(Voters)",
        "Many(x) == Voters = {v \\in Voters \\ wiped : Has(v, x)}",
        {"REPLICAS": VOTERS, "VOTERS": VOTERS},
    ),
}
