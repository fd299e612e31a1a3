------------------------- MODULE MCLeaderDiscovery -------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/leader_discovery.toml. *)
EXTENDS LeaderDiscovery

CONSTANTS MaxEpoch, MaxDisturbances

MCEpoch    == 0 .. MaxEpoch
MCEndpoint == 0 .. MaxDisturbances

MCMayElect    == cluster.epoch < MaxEpoch
MCMayDisturb  == disturbances < MaxDisturbances
MCFirstLeader == "b1"
=============================================================================
