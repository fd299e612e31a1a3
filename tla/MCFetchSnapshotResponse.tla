----------------------- MODULE MCFetchSnapshotResponse -----------------------
(* Bounds for TLC. The numbers are those of a scope in specs/fetch_snapshot_response.toml. *)
EXTENDS FetchSnapshotResponse

CONSTANT MaxRemaining

MCRemaining == 1 .. MaxRemaining
=============================================================================
