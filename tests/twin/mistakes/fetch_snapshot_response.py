"""Small changes of the twin of fetch_snapshot_response, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

ANY_REQUEST = {"ANY_REQUEST": True, "MAX_EPOCH": 1, "MAX_SIZE": 1}

MISTAKES = {
    "TypeOK": Mistake(
        "FetchSnapshotResponse",
        "IF Rest[p] = Sent[p] THEN None",
        "IF p \\in Served /\\ Rest[p] = Sent[p] THEN [asked[p] EXCEPT !.size = 0]\n"
        "            ELSE IF p \\notin Served THEN None",
    ),
    "OlderEpochIsFenced": Mistake(
        "FetchSnapshotResponse",
        'CASE r.namedEpoch < r.epoch -> "FENCED_LEADER_EPOCH"',
        'CASE r.namedEpoch < r.epoch -> "UNKNOWN_LEADER_EPOCH"',
        ANY_REQUEST,
    ),
    "NewerEpochIsUnknown": Mistake(
        "FetchSnapshotResponse",
        '[] r.namedEpoch > r.epoch -> "UNKNOWN_LEADER_EPOCH"',
        '[] r.namedEpoch > r.epoch -> "NOT_LEADER_OR_FOLLOWER"',
        ANY_REQUEST,
    ),
    "OnlyTheLeaderServes": Mistake(
        "FetchSnapshotResponse",
        '~r.leads -> "NOT_LEADER_OR_FOLLOWER"',
        '~r.leads -> "SNAPSHOT_NOT_FOUND"',
        ANY_REQUEST,
    ),
    "MissingSnapshotIsNotFound": Mistake(
        "FetchSnapshotResponse",
        'r.size = None -> "SNAPSHOT_NOT_FOUND"',
        'r.size = None -> "POSITION_OUT_OF_RANGE"',
        ANY_REQUEST,
    ),
    "PositionOutsideTheSnapshotIsRefused": Mistake(
        "FetchSnapshotResponse",
        "IF size = None THEN {} ELSE 0 .. size - 1",
        "IF size = None THEN {} ELSE 0 .. size",
        ANY_REQUEST,
    ),
    "AnswersOnlyWhatIsAsked": Mistake(
        "FetchSnapshotResponse",
        "    /\\ building\n    /\\ p \\in Named \\ Answered\n",
        "    /\\ p \\in Named \\ Answered\n",
    ),
    "BytesComeWithoutAnError": Mistake(
        "FetchSnapshotResponse",
        "Min(Rest[p], Limit - Sum(Sent, Answered) - Reserved(p))",
        "Limit - Sum(Sent, Answered) - Reserved(p)",
        {"MAX_SIZE": 2},
    ),
    "KeepsWithinBothLimits": Mistake(
        "FetchSnapshotResponse",
        "Limit == Min(RequestMaxBytes, LeaderMaxBytes)",
        "Limit == RequestMaxBytes",
        {"LEADER_MAX_BYTES": 2},
    ),
    "GivesTheAverageWhileThereIsAsMuch": Mistake(
        "FetchSnapshotResponse",
        "Sum(Sent, Answered) - Reserved(p))",
        "Sum(Sent, Answered))",
    ),
    "NothingIsWithheldThatWouldFit": Mistake(
        "FetchSnapshotResponse",
        "Min(Rest[p], Limit - Sum(Sent, Answered) - Reserved(p))",
        "Min(Rest[p], EvenShare)",
    ),
    "WhatWasNotSentIsAskedFor": Mistake(
        "FetchSnapshotResponse",
        "IF Rest[p] = Sent[p] THEN None",
        "IF Sent[p] > 0 \\/ Rest[p] = 0 THEN None",
    ),
    "OnlyAResponseAnswers": Mistake(
        "FetchSnapshotResponse",
        "    /\\ UNCHANGED <<asked, building>>\n\nRefuse(p)",
        "    /\\ asked' = [asked EXCEPT ![p].leads = FALSE]\n"
        "    /\\ UNCHANGED building\n\nRefuse(p)",
    ),
}
