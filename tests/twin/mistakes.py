"""Small changes of the twins, each with the claim that it breaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Mistake:
    """`right`, which stands once in the module, becomes `wrong`."""

    module: str
    right: str
    wrong: str
    constants: Mapping[str, int | tuple[str | int, ...]] = field(default_factory=dict)
    """Those of the scope `small` that have to be others for the mistake to matter."""


MISTAKES: dict[str, dict[str, Mistake]] = {
    "fetch_response": {
        "TypeOK": Mistake(
            "FetchResponse",
            "    /\\ reported = {}\n",
            '    /\\ reported = {"nobody"}\n',
        ),
        "ReturnsAtLeastOneMessage": Mistake(
            "FetchResponse",
            "Fits(n) \\/ InAll + n = 1",
            "Fits(n)",
            {"LIMIT": 1, "MESSAGE_BYTES": 2},
        ),
        "KeepsWithinTheLimit": Mistake(
            "FetchResponse",
            "    /\\ (InAll + n) * MessageBytes <= Limit\n",
            "",
        ),
        "KeepsWithinThePartitionLimit": Mistake(
            "FetchResponse",
            "    /\\ n * MessageBytes <= PartitionLimit\n",
            "",
            {"PARTITION_LIMIT": 1},
        ),
        "WaitsAtMostAsManyResponsesAsThereAreOthers": Mistake(
            "FetchResponse",
            "    /\\ order' = ToTheTail(p)\n    /\\ Visited\n",
            "    /\\ UNCHANGED order\n    /\\ Visited\n",
            {"LIMIT": 1},
        ),
        "OnlyRecordsMoveToTheTail": Mistake(
            "FetchResponse",
            "UNCHANGED <<order, backlog, taken, due, waited>>",
            "order' = ToTheTail(p) /\\ UNCHANGED <<backlog, taken, due, waited>>",
        ),
        "RecordsMoveToTheTail": Mistake(
            "FetchResponse",
            "    /\\ order' = ToTheTail(p)\n    /\\ Visited\n",
            "    /\\ UNCHANGED order\n    /\\ Visited\n",
        ),
        "ChangesAreReported": Mistake(
            "FetchResponse",
            "    /\\ p \\notin changed\n    /\\ Visited\n",
            "    /\\ Visited\n",
        ),
        "NothingIsReportedNeedlessly": Mistake(
            "FetchResponse",
            "    /\\ p \\in changed\n    /\\ changed'",
            "    /\\ changed'",
        ),
        "NoMessageIsSkipped": Mistake(
            "FetchResponse",
            "backlog' = [backlog EXCEPT ![p] = @ - Readable(p)]",
            "backlog' = [backlog EXCEPT ![p] = 0]",
            {"LIMIT": 1},
        ),
    },
    "fetch_session": {
        "TypeOK": Mistake(
            "FetchSession",
            "    /\\ disturbances = [f \\in Fetchers |-> 0]",
            "    /\\ disturbances = [f \\in Fetchers |-> -1]",
        ),
        "EpochsAgreeWhenIdle": Mistake(
            "FetchSession",
            "Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])",
            "Proceed(f, metadata[f])",
        ),
        "AcceptedRequestLeavesAgreement": Mistake(
            "FetchPartitions",
            "Mentioned(old) \\ Mentioned(wanted)",
            "{}",
        ),
        "UndisturbedFetcherSeesNoEpochError": Mistake(
            "FetchSession",
            "Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])",
            "Proceed(f, metadata[f])",
        ),
        "FullRequestsNeverGetSessionErrors": Mistake(
            "FetchSession",
            "    /\\ IsIncremental(Incoming(f, via).epoch)\n",
            "",
        ),
        "SessionsAreNeverShared": Mistake(
            "FetchSession",
            "    /\\ \\A f \\in Fetchers : \\A m \\in Mentions(f) : m.sessionId # i\n",
            "",
            {"FETCHERS": ("c1", "c2"), "MAX_DISTURBANCES": 0, "MAX_OFFSET": 0},
        ),
        "OneSessionPerUndisturbedFetcher": Mistake(
            "FetchSession",
            "Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])",
            "Proceed(f, Fresh)",
            {"SESSION_IDS": (1, 2), "MAX_OFFSET": 0},
        ),
        "PendingMeansInFlight": Mistake(
            "FetchSession",
            "    /\\ pending' = [pending EXCEPT ![f] = FALSE]\n"
            "    /\\ metadata' = [metadata EXCEPT ![f] = meta]\n"
            "    /\\ Forget(f)\n",
            "    /\\ UNCHANGED pending\n"
            "    /\\ metadata' = [metadata EXCEPT ![f] = meta]\n"
            "    /\\ Forget(f)\n",
        ),
        "SessionChangesOnlyByAcceptingItsEpoch": Mistake(
            "FetchSession",
            "Expected(req) == HasSession(req) /\\ sessions[req.sessionId].epoch = req.epoch",
            "Expected(req) == HasSession(req)",
        ),
        "AcceptedRequestMovesTheEpoch": Mistake(
            "FetchSession",
            "![req.sessionId].epoch      = NextEpoch(req.epoch),",
            "![req.sessionId].epoch      = @,",
        ),
        "LearnsWhatAFullFetchWouldTell": Mistake(
            "FetchPartitions",
            "answer.failed \\/ answer.records \\/ Answered(cached, answer) # cached",
            "answer.failed \\/ answer.records",
        ),
        "RecordsAreNeverWithheldFromAll": Mistake(
            "FetchSession",
            "    /\\ filled = {} => Readable(f, interests) = {}\n",
            "",
        ),
        "FullResponseAnswersEveryPartition": Mistake(
            "FetchSession",
            "AnswersOf(Mentioned(Incoming(f, via).partitions), filled), FALSE)",
            "AnswersOf(filled, filled), FALSE)",
        ),
        "UnchangedPartitionsAreNotRequested": Mistake(
            "FetchPartitions",
            "IF wanted[p] = old[p] THEN None ELSE wanted[p]",
            "wanted[p]",
        ),
        "NothingUnchangedIsSent": Mistake(
            "FetchPartitions",
            "answer.failed \\/ answer.records \\/ Answered(cached, answer) # cached",
            "TRUE",
        ),
        "UnknownSessionErrorIsDeserved": Mistake(
            "FetchSession",
            "    /\\ ~HasSession(Incoming(f, via))\n",
            "",
        ),
        "EpochErrorIsDeserved": Mistake(
            "FetchSession",
            "    /\\ ~Expected(Incoming(f, via))\n",
            "",
        ),
        "AfterAnErrorEverythingIsAskedAgain": Mistake(
            "FetchSession",
            "    /\\ Forget(f)\n    /\\ Proceed(f, [metadata[f] EXCEPT !.epoch = InitialEpoch])",
            "    /\\ Forget(f)\n    /\\ Proceed(f, metadata[f])",
        ),
        "SessionlessRequestCreatesNothing": Mistake(
            "FetchSession",
            "    /\\ ServeFull(f, via, InitialEpoch, filled)\n    /\\ Unused(i)\n",
            "    /\\ ServeFull(f, via, FinalEpoch, filled)\n    /\\ Unused(i)\n",
        ),
        "FullRequestClosesTheSessionItNames": Mistake(
            "FetchSession",
            "    /\\ ServeFull(f, via, FinalEpoch, filled)\n"
            "    /\\ sessions' = Without(Incoming(f, via).sessionId)\n",
            "    /\\ ServeFull(f, via, FinalEpoch, filled)\n    /\\ UNCHANGED sessions\n",
        ),
        "NewSessionStartsAtEpochOne": Mistake(
            "FetchSession",
            "epoch      |-> FirstIncremental,\n         partitions",
            "epoch      |-> NextEpoch(FirstIncremental),\n         partitions",
        ),
        "AnsweredWithItsSession": Mistake(
            "FetchSession",
            'Respond(f, via, "NONE", req.sessionId, Nothing, TRUE)',
            'Respond(f, via, "NONE", NoSession, Nothing, TRUE)',
        ),
    },
    "leader_discovery": {
        "TypeOK": Mistake(
            "LeaderDiscovery", "    /\\ disturbances = 0\n", "    /\\ disturbances = -1\n"
        ),
        "LeaderWasElected": Mistake(
            "LeaderDiscovery", "LET next == cluster.epoch + 1", "LET next == cluster.epoch"
        ),
        "LostLeaderIsAskedFor": Mistake(
            "LeaderDiscovery",
            "refreshWanted' = (endpoints'[leader'] = None)",
            "refreshWanted' = FALSE",
        ),
        "ToldLeaderIsWhatTheBrokerKnows": Mistake(
            "LeaderDiscovery",
            "Known   == [leader |-> Has.leader",
            "Known   == [leader |-> attempt.to",
        ),
        "BrokerThatLeadsIsNotAskedForTheLeader": Mistake(
            "LeaderDiscovery",
            '    /\\ IsLed\n    /\\ Answer("NONE", None)\n',
            '    /\\ Answer("NONE", None)\n',
        ),
        "FencedEpochIsAnOldOne": Mistake(
            "LeaderDiscovery", "Has.epoch > attempt.epoch\n", "Has.epoch >= attempt.epoch\n"
        ),
        "LeaderEpochNeverGoesBack": Mistake(
            "LeaderDiscovery", "FALSE ELSE refresh.epoch < leaderEpoch", "FALSE ELSE FALSE"
        ),
        "LeaderChangesOnlyWithANewerEpoch": Mistake(
            "LeaderDiscovery",
            "ELSE /\\ Exceeds(told.epoch, leaderEpoch)\n",
            "ELSE /\\ told.leader # leader\n",
        ),
        "NewerLeaderIsTaken": Mistake(
            "LeaderDiscovery",
            "IF told.endpoint = None THEN endpoints",
            "IF endpoints[told.leader] # None THEN endpoints",
        ),
        "NothingNewerChangesNothing": Mistake(
            "LeaderDiscovery",
            "    /\\ ~IsNews(response.currentLeader)\n    /\\ BackOff\n"
            "    /\\ refreshWanted' = TRUE\n    /\\ UNCHANGED <<client, disturbances>>\n",
            "    /\\ ~IsNews(response.currentLeader)\n    /\\ BackOff\n"
            "    /\\ refreshWanted' = TRUE\n"
            "    /\\ endpoints' = [endpoints EXCEPT ![attempt.to] = None]\n"
            "    /\\ UNCHANGED <<leader, leaderEpoch, disturbances>>\n",
        ),
        "RefreshIsTakenUnlessItIsStale": Mistake(
            "LeaderDiscovery", "FALSE ELSE refresh.epoch < leaderEpoch", "FALSE ELSE TRUE"
        ),
        "NewLeaderCanBeReached": Mistake(
            "LeaderDiscovery",
            "ELSE [endpoints EXCEPT ![told.leader] = told.endpoint]",
            "ELSE [endpoints EXCEPT ![told.leader] = None]",
        ),
        "RetryAtOnceIsToANewerLeader": Mistake(
            "LeaderDiscovery", "FALSE ELSE Exceeds(leaderEpoch, attempt.epoch)", "FALSE ELSE TRUE"
        ),
        "BacksOffOnlyWithoutANewerLeader": Mistake(
            "LeaderDiscovery",
            "FALSE ELSE Exceeds(leaderEpoch, attempt.epoch)",
            "FALSE ELSE leader # attempt.to",
        ),
        "ErrorsAreBackedOffFrom": Mistake(
            "LeaderDiscovery",
            "    /\\ backingOff' = TRUE\n    /\\ UNCHANGED <<world, refresh, attempt>>\n",
            "    /\\ attempt' = None\n    /\\ UNCHANGED <<world, refresh, backingOff>>\n",
        ),
        "RefusalAsksForARefresh": Mistake(
            "LeaderDiscovery",
            "    /\\ IsNews(response.currentLeader)\n    /\\ BackOff\n"
            "    /\\ refreshWanted' = TRUE\n",
            "    /\\ IsNews(response.currentLeader)\n    /\\ BackOff\n"
            "    /\\ UNCHANGED refreshWanted\n",
        ),
        "CurrentLeaderIsReached": Mistake(
            "LeaderDiscovery",
            "    /\\ b \\in Running\n    /\\ refreshWanted\n",
            "    /\\ b \\in Running \\cap {leader}\n    /\\ refreshWanted\n",
        ),
    },
    "session_cache": {
        "TypeOK": Mistake(
            "SessionCache",
            "    /\\ evictions = 0\n",
            "    /\\ evictions = -1\n",
        ),
        "NeverMoreSessionsThanSlots": Mistake(
            "SessionCache",
            "    /\\ UNCHANGED numSessions\n",
            "    /\\ numSessions' = numSessions + 1\n",
        ),
        "LastUsedIsTheLatestUse": Mistake(
            "SessionCache",
            ", ![x].lastUsed = now]",
            "]",
        ),
        "CreatedNeverChanges": Mistake(
            "SessionCache",
            ", ![x].lastUsed = now]",
            ", ![x].lastUsed = now, ![x].created = now]",
        ),
        "SessionsMetricEqualsCache": Mistake(
            "SessionCache",
            "    /\\ numSessions' = numSessions - 1\n",
            "    /\\ UNCHANGED numSessions\n",
        ),
        "PartitionsMetricEqualsCache": Mistake(
            "SessionCache",
            "numPartitionsCached + (size - cache[x].size)",
            "numPartitionsCached + size",
        ),
        "EvictsOnlyByARule": Mistake(
            "SessionCache",
            "    /\\ proposal.size > session.size\n",
            "",
        ),
        "EvictsOnlyWhenFull": Mistake(
            "SessionCache",
            "    /\\ Free = {}\n",
            "",
        ),
        "RefusesOnlyWhenNoRuleAllows": Mistake(
            "SessionCache",
            "Free \\cup Evictable = {}",
            "Free = {}",
        ),
        "YoungSessionSurvives": Mistake(
            "SessionCache",
            "now - session.created > EvictionMs",
            "now - session.created >= EvictionMs",
        ),
        "ConsumerNeverDisplacesLiveFollower": Mistake(
            "SessionCache",
            "    /\\ IsOutranked(session) => LetterOfRuleThree\n",
            "",
        ),
        "PrivilegeIsTheCreators": Mistake(
            "SessionCache",
            "[privileged |-> proposal.privileged,",
            "[privileged |-> TRUE,",
        ),
        "EvictionsMetricCountsEvictionsOnly": Mistake(
            "SessionCache",
            "UNCHANGED <<now, proposal, evictions>>",
            "UNCHANGED <<now, proposal>> /\\ evictions' = Metered(evictions + 1)",
        ),
    },
    "snapshot_log": {
        "TypeOK": Mistake(
            "SnapshotLog",
            '/\\ phase\' = "REFUSING"',
            '/\\ phase\' = "ENDED"',
        ),
        "ANamedFileIsComplete": Mistake(
            "SnapshotLog",
            "<<Header>> \\o part.records \\o <<Footer>>",
            "<<Header>> \\o part.records",
        ),
        "SnapshotsNeverPassTheHighWatermark": Mistake(
            "SnapshotLog",
            'Begin("GENERATOR", highWatermark, At(highWatermark - 1), state)',
            'Begin("GENERATOR", LogEnd, LastEpoch, log)',
        ),
        "SnapshotIsTheLogThatItReplaces": Mistake(
            "SnapshotLog",
            'Begin("GENERATOR", highWatermark, At(highWatermark - 1), state)',
            'Begin("GENERATOR", highWatermark - 1, At(highWatermark - 1), state)',
        ),
        "LogAboveZeroHasASnapshot": Mistake(
            "SnapshotLog",
            "CanBoot == Gone = {} /\\ ~(base > 0 /\\ Usable = {})",
            "CanBoot == TRUE",
        ),
        "OffsetsAreInOrder": Mistake(
            "SnapshotLog",
            "    /\\ x \\in base + 1 .. logStart\n",
            "    /\\ x \\in base + 1 .. Latest\n",
        ),
        "EverythingHeldIsFound": Mistake(
            "SnapshotLog",
            "HasFlushed(x, e) == x \\in InLog /\\ x < flushed /\\ At(x) = e",
            "HasFlushed(x, e) == x \\in InLog /\\ At(x) = e",
        ),
        "EveryCrashLeavesEnoughToBoot": Mistake(
            "SnapshotLog",
            "    /\\ MustReset\n    /\\ snapshots[Latest].named\n",
            "    /\\ MustReset\n",
        ),
        "RefusesOnlyWhatIsMissing": Mistake(
            "SnapshotLog",
            "CanBoot == Gone = {} /\\ ~(base > 0 /\\ Usable = {})",
            "CanBoot == Whole = Named",
        ),
        "StateIsWhatWasCommitted": Mistake(
            "SnapshotLog",
            "SubSeq(log, Len(state) - base + 1, Knowable - base)",
            "SubSeq(log, 1, Knowable - base)",
        ),
        "GeneratesOnlyPastBothThresholds": Mistake(
            "SnapshotLog",
            "    /\\ now - since >= MinNewBytes\n",
            "",
            {"MIN_NEW_BYTES": 2},
        ),
        "LogStartsWhereASnapshotEnds": Mistake(
            "SnapshotLog",
            "{x \\in Named : snapshots[x].named}",
            "{x \\in Offset : x + 1 \\in Named}",
        ),
        "DeletesOnlyBelowLogStart": Mistake(
            "SnapshotLog",
            "    /\\ x < logStart\n",
            "    /\\ x <= logStart\n",
        ),
        "NoSnapshotArrivesBelowLogStart": Mistake(
            "SnapshotLog",
            "/\\ end >= logStart\n           /\\ snapshots[end] = None\n",
            "/\\ snapshots[end] = None\n",
        ),
        "NewerSnapshotReplacesTheLog": Mistake(
            "SnapshotLog",
            "IsOpen == IsRunning /\\ ~MustReset /\\ parts",
            "IsOpen == IsRunning /\\ parts",
        ),
        "OffsetsNeverMoveBack": Mistake(
            "SnapshotLog",
            "    /\\ logStart < x\n",
            "    /\\ logStart # x\n",
        ),
        "BootLoadsTheLatestSnapshot": Mistake(
            "SnapshotLog",
            "Loaded == Max(Usable \\cup {0})",
            "Loaded == IF Usable = {} THEN 0\n"
            "          ELSE CHOOSE x \\in Usable : \\A y \\in Usable : x <= y",
        ),
        "BootTakesNoPartForASnapshot": Mistake(
            "SnapshotLog",
            "/\\ parts' = [w \\in Writer |-> None]\n"
            "    /\\ UNCHANGED <<quorum, highWatermark, base, log, bounds>>",
            "/\\ UNCHANGED <<quorum, highWatermark, base, log, parts, bounds>>",
        ),
        "ResetComesToAnEnd": Mistake(
            "SnapshotLog",
            "LastEpoch == IF log = <<>> THEN IdOf(base).epoch ELSE Last(log)",
            "LastEpoch == IF log = <<>> THEN 0 ELSE Last(log)",
        ),
    },
    "snapshot_offsets": {
        "TypeOK": Mistake("SnapshotOffsets", "/\\ logEnd = 0", "/\\ logEnd = -1"),
        "OffsetsAreInOrder": Mistake("SnapshotOffsets", "    /\\ to <= logEnd\n", ""),
        "SnapshotsEndByTheHighWatermark": Mistake(
            "SnapshotOffsets", "![p] = highWatermark]", "![p] = logEnd]"
        ),
        "LogAboveZeroHasASnapshot": Mistake(
            "SnapshotOffsets",
            "IF leaders < Latest THEN leaders ELSE Latest",
            "IF leaders < highWatermark THEN leaders ELSE highWatermark",
        ),
        "FetchedSnapshotReplacesTheLog": Mistake(
            "SnapshotOffsets", "/\\ logStart' = Latest\n", "/\\ UNCHANGED logStart\n"
        ),
        "DeletesOnlyBelowTheLogStart": Mistake(
            "SnapshotOffsets",
            "    /\\ snapshots[p] < logStart\n",
            "    /\\ snapshots[p] < highWatermark\n",
        ),
        "OffsetsNeverMoveBack": Mistake(
            "SnapshotOffsets",
            "    /\\ to > highWatermark\n",
            "    /\\ to # highWatermark /\\ to >= logStart /\\ to >= Latest\n",
        ),
    },
}
"""By model and claim."""
