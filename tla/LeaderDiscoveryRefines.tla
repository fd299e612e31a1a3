----------------------- MODULE LeaderDiscoveryRefines -----------------------
(***************************************************************************)
(* The client of LeaderDiscovery believes and sends what KIP-951 lets it.   *)
(*                                                                          *)
(* The twin has the latest election only, and where brokers are now: two    *)
(* history variables keep the others.  Nothing looks at them.  The KIP is   *)
(* silent on a topic that is made again: it stays the same here.            *)
(***************************************************************************)
EXTENDS MCLeaderDiscovery, Sequences

VARIABLES elected, places

BeginHistory ==
    /\ elected = <<cluster.leader>>
    /\ places = [b \in Brokers |-> {cluster.endpoints[b]}]

KeepHistory ==
    /\ elected' = IF cluster'.epoch = cluster.epoch THEN elected
                  ELSE Append(elected, cluster'.leader)
    /\ places' = [b \in Brokers |-> places[b] \cup ({cluster'.endpoints[b]} \ {None})]

NextWithHistory == Next /\ KeepHistory

Behaviours == (Init /\ BeginHistory) /\ [][NextWithHistory]_<<vars, elected, places>>

Belief == INSTANCE LeaderBelief WITH
    Nothing <- None,
    epoch <- leaderEpoch,
    where <- endpoints,
    refreshing <- refreshWanted,
    Requests <- Slots,
    request <- [r \in Slots |->
                   IF attempt[r] = None THEN None
                   ELSE [leader |-> attempt[r].to, epoch |-> attempt[r].epoch,
                         place |-> attempt[r].endpoint]],
    failed <- backingOff

Refines == Belief!Spec
=============================================================================
