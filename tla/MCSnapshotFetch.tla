--------------------------- MODULE MCSnapshotFetch ---------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/snapshot_fetch.toml. *)
EXTENDS SnapshotFetch

CONSTANTS MaxOffset, MaxEpoch, MaxDisturbances, MaxWiped

MCOffset == 0 .. MaxOffset
MCEpoch  == 0 .. MaxEpoch

MCDamaged     == MaxEpoch + 1
MCFirstLeader == "v1"

MCMayWrite(r) == LogEnd(r) < MaxOffset
MCMayElect    == NewestEpoch < MaxEpoch
MCMayDisturb  == disturbances < MaxDisturbances
MCMayWipe     == Cardinality(wiped) < MaxWiped
=============================================================================
