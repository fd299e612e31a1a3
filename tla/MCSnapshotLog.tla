--------------------------- MODULE MCSnapshotLog ---------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/snapshot_log.toml. *)
EXTENDS SnapshotLog

CONSTANTS MaxOffset, MaxEpoch, MaxCrashes, MaxDamages

MCOffset      == 0 .. MaxOffset
MCRecordEpoch == 1 .. MaxEpoch
MCRecords     == UNION {[1 .. n -> MCRecordEpoch] : n \in MCOffset}
MCFooter      == MaxEpoch + 1
MCBatches     == UNION {[1 .. n -> 0 .. MCFooter] : n \in 0 .. MaxOffset + 2}
MCLength      == 0 .. MaxOffset + 2

MCMayCrash  == crashes < MaxCrashes
MCMayDamage == damages < MaxDamages
=============================================================================
