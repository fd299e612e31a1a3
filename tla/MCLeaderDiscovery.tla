------------------------- MODULE MCLeaderDiscovery -------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/leader_discovery.toml. *)
EXTENDS LeaderDiscovery

CONSTANTS MaxEpoch, MaxDisturbances, MaxRecreations

MCEpoch    == 0 .. MaxEpoch
MCEndpoint == 0 .. MaxDisturbances
MCTopic    == 0 .. MaxRecreations

MCMayElect    == cluster.epoch < MaxEpoch
MCMayDisturb  == disturbances < MaxDisturbances
MCMayRecreate == cluster.topic < MaxRecreations
MCFirstLeader == "b1"
=============================================================================
