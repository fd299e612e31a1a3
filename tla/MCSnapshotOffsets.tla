------------------------- MODULE MCSnapshotOffsets -------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/snapshot_offsets.toml. *)
EXTENDS SnapshotOffsets

CONSTANT MaxOffset

MCOffset == 0 .. MaxOffset
=============================================================================
