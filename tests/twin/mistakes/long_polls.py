"""Small changes of the twin of long_polls, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

_MODULE = "LongPolls"

MISTAKES = {
    "TypeOK": Mistake(_MODULE, "    /\\ version = 0\n", "    /\\ version = -1\n"),
    "EpochsAgree": Mistake(
        _MODULE,
        "    /\\ Settle(Closing, None)\n",
        "    /\\ Settle([metadata EXCEPT !.epoch = IF IsIncremental(@) THEN NextEpoch(@) ELSE 0],"
        " None)\n",
    ),
    "PendingMeansUnderWay": Mistake(
        _MODULE, "    /\\ pending' = TRUE\n", "    /\\ pending' = (meta.epoch # FinalEpoch)\n"
    ),
    "ASessionMovesOnByAccepting": Mistake(
        _MODULE,
        "![id].sent = version]",
        "![id].sent = version, ![id].epoch = NextEpoch(@)]",
    ),
    "AnAcceptedRequestCountsAtOnce": Mistake(
        _MODULE, "![req.sessionId].epoch = NextEpoch(@)]", "![req.sessionId].epoch = @]"
    ),
    "RefusalsAreDeserved": Mistake(_MODULE, "    /\\ ~Expected(request[v])\n", ""),
    "AFullRequestClosesAtOnce": Mistake(
        _MODULE,
        "    /\\ sessions' = Without(request[v].sessionId)\n",
        "    /\\ UNCHANGED sessions\n",
    ),
    "AnswersEndNoSession": Mistake(
        _MODULE,
        '    /\\ Finish(v, "NONE", NoSession, version)\n    /\\ UNCHANGED sessions\n',
        '    /\\ Finish(v, "NONE", NoSession, version)\n'
        "    /\\ sessions' = [i \\in SessionIds |-> None]\n",
    ),
    "SessionsBeginWithAnAnswer": Mistake(
        _MODULE, "[epoch |-> FirstIncremental, sent", "[epoch |-> NextEpoch(1), sent"
    ),
    "ASessionChangesByItsRequests": Mistake(
        _MODULE,
        "![req.sessionId].epoch = NextEpoch(@)]",
        "![req.sessionId] = [epoch |-> NextEpoch(@.epoch), sent |-> version]]",
    ),
    "PollsTellWhatIsNew": Mistake(
        _MODULE, "IF sessions[id].sent # version THEN version ELSE None", "None"
    ),
    "PollsTellNothingTwice": Mistake(
        _MODULE, "IF sessions[id].sent # version THEN version ELSE None", "version"
    ),
    "FullPollsAreAnsweredInFull": Mistake(
        _MODULE, 'Finish(v, "NONE", i, version)', 'Finish(v, "NONE", i, None)'
    ),
    "AnOvertakenPollGetsAnError": Mistake(
        _MODULE,
        'Finish(v, "NONE", id, IF',
        'Finish(v, "NONE", NoSession, IF',
    ),
    "OnlyItsSessionOvertakesAPoll": Mistake(
        _MODULE, "@ \\/ waiting[w].sessionId = req.sessionId", "TRUE", {"SESSION_IDS": (1, 2)}
    ),
    "RequestsGoOnInOrder": Mistake(
        _MODULE,
        "    /\\ Ask([metadata EXCEPT !.epoch = FinalEpoch])\n",
        "    /\\ Ask([sessionId |-> NoSession, epoch |-> FinalEpoch])\n",
    ),
    "AnswersAreTakenIn": Mistake(
        _MODULE, "THEN Fresh ELSE Closing, None)", "THEN Closing ELSE Closing, None)"
    ),
    "WhatIsGivenUpGoesOn": Mistake(
        _MODULE, "[] Awaited # None -> Awaited\n", "[] Awaited # None -> None\n"
    ),
    "AnOvertakenPollTakesNothing": Mistake(
        _MODULE, "@ \\/ waiting[w].sessionId = req.sessionId", "@", {"RACES": True}
    ),
    "AfterAnErrorEverythingIsAskedAgain": Mistake(
        _MODULE, "THEN Fresh ELSE Closing, None)", "THEN Fresh ELSE Closing, knownVersion)"
    ),
    "WhatThereIsToTellGrowsByItself": Mistake(
        _MODULE,
        "    /\\ version' = version + 1\n    /\\ UNCHANGED <<sessions, ",
        "    /\\ version' = version + 1\n    /\\ sessions' = [i \\in SessionIds |-> None]\n"
        "    /\\ UNCHANGED <<",
    ),
    "AStrayIsACopy": Mistake(
        _MODULE,
        """    /\\ request' = [request EXCEPT !["STRAY"] = request["AWAITED"]]\n""",
        """    /\\ request' = [request EXCEPT !["STRAY"] = Closing]\n""",
    ),
    "EveryPollEnds": Mistake(
        _MODULE,
        "    /\\ Known(waiting[v])\n    /\\ LET id",
        "    /\\ Known(waiting[v])\n    /\\ sessions[waiting[v].sessionId].sent # version\n"
        "    /\\ LET id",
    ),
}
