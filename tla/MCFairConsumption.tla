------------------------- MODULE MCFairConsumption -------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/fair_consumption.toml. *)
EXTENDS FairConsumption

CONSTANTS MaxFetchRecords, Offsets

MCOffset      == 0 .. Offsets - 1
MCSomeRecords == 1 .. MaxFetchRecords

MCAfter(offset, n) == (offset + n) % Offsets
MCCounted(n)       == IF n > LongestWait + 1 THEN LongestWait + 1 ELSE n
=============================================================================
