------------------------- MODULE MCPartitionLeaders -------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/partition_leaders.toml. *)
EXTENDS PartitionLeaders

CONSTANTS MaxEpoch, MaxEndpoint

MCEpoch    == 0 .. MaxEpoch
MCEndpoint == 0 .. MaxEndpoint
=============================================================================
