"""Small changes of the twin of fair_consumption, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

_MODULE = "FairConsumption"
_FORGETS = Mistake(
    _MODULE,
    "/\\ due' = [due EXCEPT ![First] = After(buffered[First].first, n)]",
    "/\\ due' = [due EXCEPT ![First] = buffered[First].first]",
)
_NEWEST_FIRST = Mistake(_MODULE, "/\\ line' = Append(line, p)", "/\\ line' = <<p>> \\o line")
_ERROR_STAYS = Mistake(
    _MODULE,
    "    /\\ TakeOut\n    /\\ EndPoll\n    /\\ raised' = First\n",
    "    /\\ UNCHANGED buffer\n    /\\ EndPoll\n    /\\ raised' = First\n",
)
_DISCARDED = "    /\\ First \\notin Current\n"

MISTAKES = {
    "TypeOK": Mistake(_MODULE, "    /\\ waited = 0\n", "    /\\ waited = -1\n"),
    "PositionIsAfterWhatWasReturned": _FORGETS,
    "PollReturnsAtMostMaxPollRecords": Mistake(
        _MODULE,
        "    /\\ Total + buffered[First].count <= MaxPollRecords\n",
        "    /\\ Total + buffered[First].count <= MaxPollRecords + 1\n",
    ),
    "LineIsWhatIsBuffered": Mistake(
        _MODULE, "    /\\ line' = Tail(line)\n", "    /\\ line' = line\n"
    ),
    "ErrorIsOfTheLastPoll": Mistake(
        _MODULE,
        "    /\\ polling' = TRUE\n    /\\ raised' = None\n",
        "    /\\ polling' = TRUE\n    /\\ UNCHANGED raised\n",
    ),
    "WaitIsBounded": _NEWEST_FIRST,
    "RecordsAreReturnedOnceAndInOrder": _FORGETS,
    "OnlyAssignedPartitionsAreReturned": Mistake(
        _MODULE,
        "    /\\ First \\in Returnable\n    /\\ Total + buffered[First].count <= MaxPollRecords\n",
        "    /\\ First \\in Current \\ Failed\n"
        "    /\\ Total + buffered[First].count <= MaxPollRecords\n",
    ),
    "PollReturnsWhatThereIs": Mistake(
        _MODULE, "    /\\ Full \\ Kept # {}\n", "    /\\ Cardinality(Full \\ Kept) > 1\n"
    ),
    "PausedPartitionKeepsItsRecords": Mistake(
        _MODULE, _DISCARDED, "    /\\ First \\notin Returnable \\cup Failed\n"
    ),
    "RecordsStayBufferedUntilReturned": Mistake(
        _MODULE, _DISCARDED, "    /\\ First \\notin Failed\n"
    ),
    "PartitionIsDrainedBeforeTheNext": Mistake(
        _MODULE,
        "    /\\ Give(buffered[First].count)\n    /\\ TakeOut\n",
        "    /\\ Give(buffered[First].count)\n    /\\ UNCHANGED buffered\n"
        "    /\\ line' = Append(Tail(line), First)\n",
    ),
    "PollBeginsWhereTheLastLeftOff": Mistake(
        _MODULE,
        "![First].begun = TRUE]\n    /\\ UNCHANGED line\n",
        "![First].begun = TRUE]\n    /\\ line' = Append(Tail(line), First)\n",
    ),
    "ErrorBlocksNoOther": _ERROR_STAYS,
    "ErrorWithoutRecordsIsRaisedOnce": _ERROR_STAYS,
    "ErrorsAreRaised": Mistake(_MODULE, _DISCARDED, "    /\\ First \\notin Current \\ Failed\n"),
    "WaitsAreCounted": Mistake(
        _MODULE,
        "                 THEN Counted(waited + 1)\n                 ELSE 0\n"
        "    /\\ UNCHANGED <<subscription, due>>\n",
        "                 THEN waited\n                 ELSE 0\n"
        "    /\\ UNCHANGED <<subscription, due>>\n",
    ),
    "FetchIsOfAPartitionWithoutRecords": Mistake(
        _MODULE,
        "    /\\ p \\notin Full\n    /\\ IF Prefetching",
        "    /\\ IF Prefetching",
    ),
    "NewPartitionIsNotPaused": Mistake(
        _MODULE, 'Turns(p, {"REVOKED"}, "ASSIGNED")', 'Turns(p, {"REVOKED"}, "PAUSED")'
    ),
    "PartitionCanBeReturnedAgain": Mistake(
        _MODULE, '{"PAUSED"}, "ASSIGNED")', '{"PAUSED"}, "PAUSED")'
    ),
    "RecordsComeToBeReturned": _NEWEST_FIRST,
    "PartitionWithoutRecordsIsFetched": Mistake(
        _MODULE,
        "    /\\ p \\notin Full\n    /\\ IF Prefetching",
        "    /\\ Full = {}\n    /\\ IF Prefetching",
    ),
}
