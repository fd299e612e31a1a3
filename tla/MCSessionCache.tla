--------------------------- MODULE MCSessionCache ---------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/session_cache.toml. *)
EXTENDS SessionCache

CONSTANTS MaxTime, MaxSize, Meter

MCTime == 0 .. MaxTime
MCSize == 1 .. MaxSize

MCMayTick    == now < MaxTime
MCMetered(n) == n % Meter
=============================================================================
