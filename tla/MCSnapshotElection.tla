------------------------- MODULE MCSnapshotElection -------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/snapshot_election.toml. *)
EXTENDS SnapshotElection

CONSTANTS MaxEpoch, MaxOffset, MaxSnapshots, MaxRestarts, MaxWipes, MaxCuts

MCEpoch  == 0 .. MaxEpoch
MCOffset == 0 .. MaxOffset

MCMayTimeOut(v) == epoch[v] < MaxEpoch
MCHasRoom(v)    == LogEnd(v) < MaxOffset
MCMayGenerate   == snapshots < MaxSnapshots
MCMayRestart    == restarts < MaxRestarts
MCMayWipe       == wipes < MaxWipes
MCMayCut        == cuts < MaxCuts
=============================================================================
