"""Small changes of the twin of fetch_session_draft, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

_MODULE = "FetchSessionDraft"
_SETTLES = "    /\\ Settle(f, sessionId[f], unanswered[f].sequence)"

MISTAKES = {
    "TypeOK": Mistake(
        _MODULE,
        "    /\\ disturbances = [f \\in Fetchers |-> 0]",
        "    /\\ disturbances = [f \\in Fetchers |-> -1]",
    ),
    "SessionsAreNeverShared": Mistake(
        _MODULE,
        "sessionId[f] # i /\\ \\A m \\in Mentions(f) : m.sessionId # i\n",
        "TRUE\n",
        {"FETCHERS": ("c1", "c2"), "MAX_DISTURBANCES": 0, "MAX_OFFSET": 0},
    ),
    "LeaderIsAtMostOneRequestAhead": Mistake(
        _MODULE, _SETTLES, "    /\\ Settle(f, sessionId[f], sequence[f])"
    ),
    "IncrementalRequestsHaveASessionAndANumber": Mistake(
        _MODULE, "    IN  /\\ sessionId[f] # 0\n        /\\ Mentioned", "    IN  /\\ Mentioned"
    ),
    "ErrorComesOfALostSession": Mistake(
        _MODULE, "    \\/ IsNext(req)\n    \\/ IsRepeated(req)\n", "    \\/ IsNext(req)\n"
    ),
    "LeaderHasWhatIsWanted": Mistake(
        _MODULE,
        "                        ELSE IF req.partitions[p] = None THEN cached[p].interest\n"
        "                        ELSE req.partitions[p]]",
        "                        ELSE cached[p].interest]",
    ),
    "WhatIsNotKnownIsDirty": Mistake(
        _MODULE,
        'atLeast   == IF repeated THEN {"LATEST", "UPCOMING"} ELSE {"UPCOMING"}',
        'atLeast   == {"UPCOMING"}',
    ),
    "NumbersGoUpByOne": Mistake(
        _MODULE,
        "HasSession(req) /\\ req.sequence = NextNumber(SessionOf(req).sequence)",
        "HasSession(req) /\\ req.sequence # SessionOf(req).sequence",
    ),
    "CreatedSessionIsNamed": Mistake(
        _MODULE,
        'Respond(f, via, "NONE", id, FALSE, id # 0,',
        'Respond(f, via, "NONE", 0, FALSE, id # 0,',
    ),
    "SessionIsEnteredByAFullResponse": Mistake(
        _MODULE,
        "StartOver(f) ==\n    /\\ Settle(f, 0, 0)\n",
        "StartOver(f) ==\n    /\\ Settle(f, 1, 0)\n",
    ),
    "FlagEndsIncrementalRequests": Mistake(
        _MODULE,
        "    /\\ ~response[f].incrementalOk\n    /\\ StartOver(f)\n",
        "    /\\ ~response[f].incrementalOk\n    /\\ Settle(f, sessionId[f], sequence[f])\n"
        "    /\\ UNCHANGED <<fetching, reported>>\n",
    ),
    "AllowedSessionIsKept": Mistake(_MODULE, "IF ~goesOn THEN None", "IF goesOn THEN None"),
    "FullRequestsAskForSomething": Mistake(
        _MODULE, "    /\\ wanted # Nothing\n    /\\ Send(f, Full,", "    /\\ Send(f, Full,"
    ),
    "ResponseIsOfTheRequestsType": Mistake(
        _MODULE,
        "error, 0, Came(f, via, Incremental), FALSE, Nothing)",
        "error, 0, FALSE, FALSE, Nothing)",
    ),
    "InvalidSessionErrorIsDeserved": Mistake(
        _MODULE, "    \\/ IsNext(req)\n    \\/ IsRepeated(req)\n", "    \\/ IsNext(req)\n"
    ),
    "DeniedAreIncrementalRequests": Mistake(
        _MODULE,
        "    /\\ sessions' = [sessions EXCEPT ![Incoming(f, via).sessionId] = None]\n",
        "    /\\ UNCHANGED sessions\n",
    ),
    "OnlyItsOwnFetcherLosesASession": Mistake(
        _MODULE,
        "    /\\ sessions' = [sessions EXCEPT ![i] =\n            [client     |-> f,\n"
        "             sequence   |-> 0,\n"
        "             partitions |-> "
        "CachedAfterFull(f, Incoming(f, via).partitions, filled, Clean)]]\n",
        "    /\\ sessions' = [j \\in SessionIds |-> IF j # i THEN None ELSE\n"
        "            [client     |-> f,\n"
        "             sequence   |-> 0,\n"
        "             partitions |-> "
        "CachedAfterFull(f, Incoming(f, via).partitions, filled, Clean)]]\n",
        {"SESSION_IDS": (1, 2), "MAX_OFFSET": 0},
    ),
    "ErrorIsOfAllPartitions": Mistake(
        _MODULE,
        '    /\\ response[f].error # "NONE"\n    /\\ StartOver(f)\n',
        '    /\\ response[f].error # "NONE"\n    /\\ Settle(f, 0, 0)\n'
        "    /\\ UNCHANGED <<fetching, reported>>\n",
    ),
    "ChangesMakePartitionsDirty": Mistake(
        _MODULE,
        '!.partitions[p].lastDirty = "UPCOMING"]]',
        '!.partitions[p].lastDirty = "LATEST"]]',
    ),
    "LastDirtyNumberNeverDecreases": Mistake(
        _MODULE,
        'cached[p].lastDirty = "UPCOMING" THEN "LATEST"',
        'FALSE THEN "LATEST"',
    ),
    "LastDirtyNumberRisesWithChangesOnly": Mistake(
        _MODULE,
        'THEN "LATEST"\n                     ELSE "BEFORE"\n',
        'THEN "LATEST"\n                     ELSE "LATEST"\n',
    ),
    "RepeatedRequestIsTheSame": Mistake(
        _MODULE,
        "    /\\ request' = [request EXCEPT ![f] = unanswered[f]]\n",
        "    /\\ request' = [request EXCEPT ![f] =\n"
        "            [unanswered[f] EXCEPT !.sequence = NextNumber(@)]]\n",
    ),
    "UnchangedPartitionsAreNotRequested": Mistake(
        _MODULE, "wanted, Altered(old, wanted))", "wanted, wanted)"
    ),
    "FullResponseAnswersEveryPartition": Mistake(
        _MODULE, "AnswersOf(Mentioned(interests), filled))", "AnswersOf(filled, filled))"
    ),
    "AnswersAreTheLeaders": Mistake(
        _MODULE,
        "              highWatermark  |-> highWatermark[p],",
        "              highWatermark  |-> logEnd[p],",
    ),
    "OnlyDirtyPartitionsAreAnswered": Mistake(
        _MODULE,
        "{p \\in Mentioned(cached) : cached[p].lastDirty \\in atLeast}",
        "Mentioned(cached)",
    ),
    "DirtyPartitionsMakeWayForRecordsOnly": Mistake(
        _MODULE,
        "        /\\ sent # due => sent \\cap readable # {}\n",
        "        /\\ sent = due \\cap readable\n",
    ),
    "WhatIsAnsweredIsClean": Mistake(
        _MODULE,
        'cached[p].lastDirty = "UPCOMING" THEN "LATEST"',
        'cached[p].lastDirty = "UPCOMING" THEN "UPCOMING"',
    ),
    "RecordsAreNeverWithheldFromAll": Mistake(
        _MODULE, "        /\\ sent # due => sent \\cap readable # {}\n", ""
    ),
    "WhatIsAnsweredIsLearned": Mistake(
        _MODULE,
        "IF answers[p] = None THEN @[p] ELSE Learned(@[p], answers[p])]]\n",
        "IF answers[p] = None THEN None ELSE Learned(@[p], answers[p])]]\n",
    ),
    "OnlyFullRequestsForget": Mistake(_MODULE, "THEN [@[p] EXCEPT !.records = FALSE]", "THEN @[p]"),
    "NumbersBeginWithASession": Mistake(_MODULE, "Settle(f, 0, 0)", "Settle(f, 0, 1)"),
    "FullRequestIsAnsweredWithItsSession": Mistake(
        _MODULE,
        "AnswerInFull(f, via, filled, req.sessionId)",
        "AnswerInFull(f, via, filled, 0)",
    ),
    "LateRequestIsACopy": Mistake(
        _MODULE,
        "stray' = [stray EXCEPT ![f] = request[f]]",
        "stray' = [stray EXCEPT ![f] = [request[f] EXCEPT !.fetchType = Full]]",
    ),
    "FetchOffsetMovesPastRecordsOnly": Mistake(
        _MODULE,
        "reported[f][p] # None /\\ reported[f][p].records\n        /\\ Send",
        "TRUE\n        /\\ Send",
    ),
    "WaitingEnds": Mistake(
        _MODULE,
        "    /\\ unanswered' = [unanswered EXCEPT ![f] = None]\n",
        "    /\\ UNCHANGED unanswered\n",
    ),
    "ChangesComeToBeKnown": Mistake(
        _MODULE,
        'atLeast   == IF repeated THEN {"LATEST", "UPCOMING"} ELSE {"UPCOMING"}',
        "atLeast   == {}",
        {"MAX_DISTURBANCES": 0},
    ),
}
