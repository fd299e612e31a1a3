------------------------ MODULE MCFetchSessionDraft ------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/fetch_session_draft.toml. *)
EXTENDS FetchSessionDraft

CONSTANTS
    MaxOffset, MaxBytes, MaxFetcherLogStart, MaxLeaderEpoch, MaxFetchedEpoch, MaxDisturbances

\* TLC's configuration files know no negative numbers.
Minus1 == -1

MCOffset          == 0 .. MaxOffset
MCByteLimit       == 0 .. MaxBytes
MCFetcherLogStart == Unknown .. MaxFetcherLogStart
MCLeaderEpoch     == Unknown .. MaxLeaderEpoch
MCFetchedEpoch    == Unknown .. MaxFetchedEpoch

MCMayDisturb(f) == disturbances[f] < MaxDisturbances
=============================================================================
