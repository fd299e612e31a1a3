----------------------- MODULE MCFetchSnapshotResponse -----------------------
(* Bounds for TLC. The numbers are those of a scope in specs/fetch_snapshot_response.toml. *)
EXTENDS FetchSnapshotResponse

CONSTANTS MaxSize, MaxEpoch

MCSize  == 1 .. MaxSize
MCEpoch == 0 .. MaxEpoch
=============================================================================
