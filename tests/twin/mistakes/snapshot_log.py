"""Small changes of the twin of snapshot_log, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
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
    "APartIsWrittenStepByStep": Mistake(
        "SnapshotLog",
        'IsAt(w, "FOOTER") /\\ Proceed(w, "FLUSHED")',
        'IsAt(w, "RECORDS") /\\ Proceed(w, "FLUSHED")',
    ),
    "AFinishedPartBecomesASnapshot": Mistake(
        "SnapshotLog",
        "    /\\ parts' = [parts EXCEPT ![w] = None]\n"
        "    /\\ UNCHANGED <<quorum, phase, memory, segments, bounds>>\n",
        "    /\\ UNCHANGED <<quorum, phase, memory, segments, parts, bounds>>\n",
    ),
    "TheDiskHasItsLogUntilAFlush": Mistake(
        "SnapshotLog",
        "THEN flushed' = x /\\ untruncated' = Kept",
        "THEN flushed' = x /\\ UNCHANGED untruncated",
    ),
    "WhatIsNoLongerFlushedIsCutOff": Mistake(
        "SnapshotLog",
        "    /\\ log' = Below(x)\n    /\\ IF flushed > x\n",
        "    /\\ UNCHANGED log\n    /\\ IF flushed > x\n",
    ),
    "AnswersForWhatItHasFlushed": Mistake(
        "SnapshotLog",
        "held' = Max({held, Lesser(Knowable, flushed)})",
        "UNCHANGED held",
    ),
    "AnswersForNoLess": Mistake(
        "SnapshotLog",
        "THEN x + 1 ELSE held",
        "THEN x + 1 ELSE logStart",
    ),
    "NothingGrowsOnADiskWithoutAProcess": Mistake(
        "SnapshotLog",
        "    /\\ state' = <<>>\n    /\\ UNCHANGED <<quorum, segments,",
        "    /\\ UNCHANGED <<quorum, state, segments,",
    ),
    "BootKnowsWhatIsOnTheDisk": Mistake(
        "SnapshotLog",
        '    /\\ IF phase = "DARK"\n       THEN flushed\' = LogEnd',
        "    /\\ IF IsDown\n       THEN flushed' = LogEnd",
    ),
    "TheLogIsFlushedAtLast": Mistake(
        "SnapshotLog",
        "    /\\ <<flushed, untruncated>> # <<LogEnd, None>>\n",
        "    /\\ flushed # LogEnd\n",
    ),
    "WhatIsCommittedBecomesKnown": Mistake(
        "SnapshotLog",
        "    /\\ highWatermark # None => highWatermark < Knowable\n",
        "    /\\ highWatermark = None\n",
    ),
    "FlushedRecordsAreKnownWithoutAnotherFlush": Mistake(
        "SnapshotLog",
        "    /\\ Agreed >= Knowable\n",
        "    /\\ Agreed = Knowable\n",
    ),
    "ASnapshotThatIsDueIsBegun": Mistake(
        "SnapshotLog",
        "    /\\ now - since >= MinNewBytes\n",
        "    /\\ now - since > MinNewBytes\n",
    ),
    "AnOvertakenSnapshotIsGivenUp": Mistake(
        "SnapshotLog",
        "GiveUp(w) ==\n    /\\ IsRunning\n",
        'GiveUp(w) ==\n    /\\ IsRunning\n    /\\ w = "FETCHER"\n',
    ),
    "ASnapshotBelowTheLogStartGoes": Mistake(
        "SnapshotLog",
        "    /\\ x < logStart\n",
        "    /\\ x < base\n",
    ),
    "ANewerSnapshotReplacesTheLogAtLast": Mistake(
        "SnapshotLog",
        "    /\\ ~NamesAreFlushed\n",
        "    /\\ ~NamesAreFlushed\n    /\\ ~MustReset\n",
    ),
    "AProcessThatHasEndedBootsOrRefuses": Mistake(
        "SnapshotLog",
        "\nBoot ==\n    /\\ IsDown\n",
        '\nBoot ==\n    /\\ phase = "DARK"\n',
    ),
}
