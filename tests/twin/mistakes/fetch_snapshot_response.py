"""Small changes of the twin of fetch_snapshot_response, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
    "TypeOK": Mistake(
        "FetchSnapshotResponse",
        "IF remaining[p] = given[p] THEN None",
        "IF p \\notin Asked THEN None",
    ),
    "KeepsWithinBothLimits": Mistake(
        "FetchSnapshotResponse",
        "Limit == Min(RequestMaxBytes, LeaderMaxBytes)",
        "Limit == RequestMaxBytes",
        {"LEADER_MAX_BYTES": 2},
    ),
    "GivesNoMoreThanIsLeft": Mistake(
        "FetchSnapshotResponse",
        "            Min(remaining[p], Limit - Sum(given, Given) - Reserved(p))]\n",
        "            Limit - Sum(given, Given) - Reserved(p)]\n",
    ),
    "GivesTheAverageWhileThereIsAsMuch": Mistake(
        "FetchSnapshotResponse",
        "Sum(given, Given) - Reserved(p))]",
        "Sum(given, Given))]",
    ),
    "NothingIsWithheldThatWouldFit": Mistake(
        "FetchSnapshotResponse",
        "Min(remaining[p], Limit - Sum(given, Given) - Reserved(p))]",
        "Min(remaining[p], EvenShare)]",
    ),
}
