"""Small changes of the twin of fetch_session, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
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
    "IncrementalRequestsNameASession": Mistake(
        "FetchSession",
        "    /\\ Forget(f)\n    /\\ Proceed(f, Fresh)\n\nReceiveIncremental(f) ==",
        "    /\\ Forget(f)\n    /\\ Proceed(f, [Fresh EXCEPT !.epoch = FirstIncremental])\n\n"
        "ReceiveIncremental(f) ==",
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
    "ChangesAreReported": Mistake(
        "FetchPartitions",
        "answer.failed \\/ answer.records \\/ Answered(cached, answer) # cached",
        "answer.failed \\/ answer.records",
    ),
    "ErrorsAreReported": Mistake(
        "FetchPartitions",
        "answer.failed \\/ answer.records \\/ Answered(cached, answer) # cached",
        "answer.records \\/ Answered(cached, answer) # cached",
        {"MAX_FAILURES": 1},
    ),
    "RecordsAreTheLeaders": Mistake(
        "FetchSession",
        "ReadableEnd(f, p) == IF f \\in Followers THEN logEnd[p] ELSE highWatermark[p]",
        "ReadableEnd(f, p) == logEnd[p]",
    ),
    "WhatIsAnsweredIsLearned": Mistake(
        "FetchPartitions",
        "|-> answer.highWatermark,\n     logStartOffset |-> answer.logStartOffset,\n     records ",
        "|-> answer.highWatermark,\n     logStartOffset |-> 0,\n     records ",
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
    "OnlyItsOwnRequestEndsASession": Mistake(
        "FetchSession",
        "Without(sessionId) == [i \\in SessionIds |-> IF i = sessionId THEN None ELSE sessions[i]]",
        "Without(sessionId) == [i \\in SessionIds |-> None]",
        {"SESSION_IDS": (1, 2), "MAX_OFFSET": 0},
    ),
    "NewSessionStartsAtEpochOne": Mistake(
        "FetchSession",
        "epoch      |-> FirstIncremental,\n         partitions",
        "epoch      |-> NextEpoch(FirstIncremental),\n         partitions",
    ),
    "ResponseSaysWhetherTheSessionGoesOn": Mistake(
        "FetchSession",
        "    /\\ Forget(f)\n    /\\ Proceed(f, Fresh)\n\nReceiveUnknownSession(f) ==",
        "    /\\ Forget(f)\n    /\\ Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])\n\n"
        "ReceiveUnknownSession(f) ==",
    ),
    "WaitingEnds": Mistake(
        "FetchSession",
        "    /\\ response[f].sessionId # NoSession\n    /\\ Learn(f)\n"
        "    /\\ Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])\n",
        "    /\\ response[f].sessionId # NoSession\n"
        "    /\\ Mentioned(response[f].partitions) # {}\n    /\\ Learn(f)\n"
        "    /\\ Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])\n",
    ),
    "ChangesComeToBeKnown": Mistake(
        "FetchSession",
        "       IN  /\\ Fits(f, InterestsIn(cached), filled)\n",
        "       IN  /\\ filled # {} \\/ sent = {}\n"
        "           /\\ Fits(f, InterestsIn(cached), filled)\n",
    ),
    "AnsweredWithItsSession": Mistake(
        "FetchSession",
        'Respond(f, via, "NONE", req.sessionId, Nothing, TRUE)',
        'Respond(f, via, "NONE", NoSession, Nothing, TRUE)',
    ),
    "SessionsHavePartitions": Mistake(
        "FetchSession",
        "           /\\ sessions' = Without(req.sessionId)\n",
        "           /\\ Accept(req, Nothing)\n",
    ),
    "RequestsNameTheSessionAtHand": Mistake(
        "FetchSession",
        "    /\\ SendAll(f, [metadata[f] EXCEPT !.epoch = FinalEpoch], wanted)",
        "    /\\ SendAll(f, [sessionId |-> NoSession, epoch |-> FinalEpoch], wanted)",
    ),
    "FullRequestsAskForSomething": Mistake(
        "FetchSession",
        "    /\\ wanted # Nothing\n    /\\ SendAll(f, metadata[f], wanted)",
        "    /\\ SendAll(f, metadata[f], wanted)",
    ),
    "FullFetchStartsFromNothing": Mistake(
        "FetchSession",
        "    /\\ fetching' = [fetching EXCEPT ![f] = wanted]\n"
        "    /\\ reported' = [reported EXCEPT ![f] = Nothing]\n",
        "    /\\ fetching' = [fetching EXCEPT ![f] = wanted]\n    /\\ UNCHANGED reported\n",
    ),
    "AskingChangesNothingThatWasReported": Mistake(
        "FetchSession",
        "ELSE [reported[f][p] EXCEPT !.records = FALSE]]\n\n\\* What was wanted of a topic",
        "ELSE reported[f][p]]\n\n\\* What was wanted of a topic",
    ),
    "FetchOffsetMovesPastRecordsOnly": Mistake(
        "FetchSession",
        "~Seeks /\\ wanted[p].fetchOffset > old[p].fetchOffset\n",
        "FALSE\n",
    ),
    "WithoutASessionNoneIsNamed": Mistake(
        "FetchSession",
        "    /\\ response[f].sessionId = NoSession\n    /\\ Forget(f)\n"
        "    /\\ Proceed(f, Fresh)\n\n"
        "ReceiveUnknownSession",
        "    /\\ response[f].sessionId = NoSession\n    /\\ Forget(f)\n"
        "    /\\ Proceed(f, [metadata[f] EXCEPT !.epoch = InitialEpoch])\n\n"
        "ReceiveUnknownSession",
    ),
    "LateRequestIsACopy": Mistake(
        "FetchSession",
        "    /\\ CanStray(f)\n    /\\ stray' = [stray EXCEPT ![f] = request[f]]\n",
        "    /\\ CanStray(f)\n"
        "    /\\ stray' = [stray EXCEPT ![f] = [request[f] EXCEPT !.epoch = FinalEpoch]]\n",
    ),
    "OnlyRequestsInOrderArePutOff": Mistake(
        "FetchSession",
        "AnswersOf(Mentioned(Incoming(f, via).partitions), filled), FALSE)",
        "AnswersOf(Mentioned(Incoming(f, via).partitions), filled), TRUE)",
    ),
    "OnlyWhatIsWantedIsAnswered": Mistake(
        "FetchSession",
        "AnswersOf(Mentioned(Incoming(f, via).partitions), filled), FALSE)",
        "AnswersOf(Partitions, filled), FALSE)",
        {"PARTITIONS": ("p1", "p2"), "MAX_OFFSET": 0},
    ),
}
