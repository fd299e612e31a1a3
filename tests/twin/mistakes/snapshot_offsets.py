"""Small changes of the twin of snapshot_offsets, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
    "TypeOK": Mistake("SnapshotOffsets", "/\\ logEnd = 0", "/\\ logEnd = -1"),
    "OffsetsAreInOrder": Mistake("SnapshotOffsets", "    /\\ to <= logEnd\n", ""),
    "SnapshotsEndByTheHighWatermark": Mistake(
        "SnapshotOffsets", "![p] = highWatermark]", "![p] = logEnd]"
    ),
    "SnapshotsHoldARecord": Mistake(
        "SnapshotOffsets", "    /\\ highWatermark > Latest\n", "    /\\ highWatermark >= Latest\n"
    ),
    "NoTwoSnapshotsEndAtOneOffset": Mistake(
        "SnapshotOffsets",
        "    /\\ highWatermark > Latest\n",
        "    /\\ highWatermark \\in Offset \\ {0}\n",
    ),
    "LogAboveZeroHasASnapshot": Mistake(
        "SnapshotOffsets",
        "IF leaders < Latest THEN leaders ELSE Latest",
        "IF leaders < highWatermark THEN leaders ELSE highWatermark",
    ),
    "FetchedSnapshotReplacesTheLog": Mistake(
        "SnapshotOffsets", "/\\ logStart' = Latest\n", "/\\ UNCHANGED logStart\n"
    ),
    "SnapshotKeepsItsEnd": Mistake(
        "SnapshotOffsets",
        "    /\\ snapshots[p] = None\n    /\\ highWatermark > Latest\n",
        "    /\\ highWatermark > Latest\n",
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
}
