---------------------------- MODULE LeaderBelief ----------------------------
(***************************************************************************)
(* What a client may believe of a partition's leader, and where it may send *)
(* its Produce and Fetch requests, by KIP-951.                              *)
(*                                                                          *)
(* Whatever tells it, a response or a refresh, late or not: the client      *)
(* changes its mind only for a leader that was elected in a greater epoch   *)
(* than it knows, and it then knows where that leader is, or was.  Requests *)
(* go to the leader that it believes in.  One that failed is tried again    *)
(* after the backoff, or at once if the client knows a greater epoch than   *)
(* the one that it tried.  There are no messages here.                      *)
(*                                                                          *)
(* From the section "Proposed Changes" of the KIP.                          *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    Brokers, FirstLeader,
    Nothing     \* no epoch is known, no place, or no request

VARIABLES
    elected,        \* who was elected in each epoch so far, from epoch 0 on
    places,         \* of each broker: where it ever was
    leader, epoch,  \* whom the client believes in
    where,          \* of each broker: where the client believes it to be
    request,        \* what the client wants to be served: whom it tried, where, in which epoch
    failed          \* the try failed, and is to be made again

world  == <<elected, places>>
belief == <<leader, epoch>>
vars   == <<world, belief, where, request, failed>>

IsGreater(e, known) == IF e = Nothing THEN FALSE ELSE IF known = Nothing THEN TRUE ELSE e > known

Init ==
    /\ elected = <<FirstLeader>>
    /\ places \in [Brokers -> SUBSET Int]
    /\ leader = FirstLeader
    /\ epoch = Nothing
    /\ \A b \in Brokers : where[b] \in places[b]
    /\ request = Nothing
    /\ failed = FALSE

-----------------------------------------------------------------------------
(* The cluster. *)

Elect ==
    /\ Len(elected') = Len(elected) + 1
    /\ SubSeq(elected', 1, Len(elected)) = elected
    /\ UNCHANGED places

Move ==
    /\ \A b \in Brokers : places[b] \subseteq places'[b]
    /\ UNCHANGED elected

-----------------------------------------------------------------------------
(* The client's mind. *)

\* What is told of places overrides what was known, and may take a place away.
Locate == \A b \in Brokers : where'[b] \in places[b] \cup {Nothing}

Keep == UNCHANGED belief /\ Locate

Accept ==
    /\ IsGreater(epoch', epoch)
    /\ elected[epoch' + 1] = leader'
    /\ where'[leader'] # Nothing
    /\ Locate

-----------------------------------------------------------------------------
(* The client's requests. *)

Try ==
    /\ where[leader] # Nothing
    /\ request' = [leader |-> leader, epoch |-> epoch, place |-> where[leader]]
    /\ failed' = FALSE
    /\ UNCHANGED <<belief, where>>

Send == request = Nothing /\ Try

RetryAtOnce == failed /\ IsGreater(epoch, request.epoch) /\ Try

\* It will be sent anew.
EndBackoff ==
    /\ failed
    /\ ~IsGreater(epoch, request.epoch)
    /\ request' = Nothing
    /\ failed' = FALSE
    /\ UNCHANGED <<belief, where>>

Served ==
    /\ request # Nothing
    /\ ~failed
    /\ request' = Nothing
    /\ UNCHANGED <<belief, where, failed>>

\* What refuses the request may tell the leader.
Fail ==
    /\ request # Nothing
    /\ ~failed
    /\ failed' = TRUE
    /\ UNCHANGED request
    /\ Keep \/ Accept

\* Anything else tells it.
Hear ==
    /\ UNCHANGED <<request, failed>>
    /\ Keep \/ Accept

Next ==
    \/ (Elect \/ Move) /\ UNCHANGED <<belief, where, request, failed>>
    \/ (Send \/ RetryAtOnce \/ EndBackoff \/ Served \/ Fail \/ Hear) /\ UNCHANGED world

Spec == Init /\ [][Next]_vars
=============================================================================
