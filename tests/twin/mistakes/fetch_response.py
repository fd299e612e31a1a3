"""Small changes of the twin of fetch_response, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
    "TypeOK": Mistake(
        "FetchResponse",
        "    /\\ reported = {}\n",
        '    /\\ reported = {"nobody"}\n',
    ),
    "EveryResponseBeginsEmpty": Mistake(
        "FetchResponse",
        "    /\\ toVisit' = None\n    /\\ taken' = Zero\n",
        "    /\\ toVisit' = None\n    /\\ UNCHANGED taken\n",
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
    "ChangesWaitUntilTheyAreAnswered": Mistake(
        "FetchResponse",
        "    /\\ UNCHANGED <<order, backlog, changed>>\n",
        "    /\\ changed' = {}\n    /\\ UNCHANGED <<order, backlog>>\n",
    ),
    "WhatIsAnsweredIsNewsNoMore": Mistake(
        "FetchResponse",
        "    /\\ changed' = changed \\ {p}\n    /\\ reported'",
        "    /\\ UNCHANGED changed\n    /\\ reported'",
    ),
    "EverybodyHasOneTurn": Mistake(
        "FetchResponse",
        "    /\\ order' = ToTheTail(p)\n    /\\ Visited\n",
        "    /\\ order' = ToTheTail(p)\n    /\\ toVisit' = Lists!Append(Lists!Tail(toVisit), p)\n",
    ),
    "EveryResponseEnds": Mistake(
        "FetchResponse",
        "    /\\ toVisit = << >>\n    /\\ toVisit' = None\n",
        "    /\\ toVisit = << >>\n    /\\ changed = {}\n    /\\ toVisit' = None\n",
    ),
}
