---------------------------- MODULE MCLongPolls ----------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/long_polls.toml. *)
EXTENDS LongPolls

CONSTANTS MaxVersion, MaxDisturbances

MCVersion == 0 .. MaxVersion

MCMayChange  == version < MaxVersion
MCMayDisturb == disturbances < MaxDisturbances
=============================================================================
