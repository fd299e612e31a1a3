---------------------------- MODULE LeaderBelief ----------------------------
(***************************************************************************)
(* What a client may believe of a partition's leader, and where it may send *)
(* its Produce and Fetch requests, by KIP-951.                              *)
(*                                                                          *)
(* It hears of a leader from a broker that refuses, or from a refresh       *)
(* of the metadata that it asked for, late or not.  It changes its mind     *)
(* only for one that was elected in a greater epoch than it knows, and it   *)
(* then knows where that leader is, or was.  Requests go to the leader that *)
(* it believes in.  One that failed is tried again after the backoff, or at *)
(* once if the client knows a greater epoch than the one that it tried.     *)
(* There are no messages here.                                              *)
(*                                                                          *)
(* Not asked for: that only the refusal of this very request spares the     *)
(* backoff.  The KIP says so, and Apache Kafka's clients and the twin take  *)
(* a refresh as well: 951-D3.  Asked for beyond the text: that a refresh,   *)
(* too, says where a new leader is.  Somebody always leads: 951-D11.        *)
(*                                                                          *)
(* The KIP promises progress, too: current_leader_is_reached and            *)
(* requests_come_to_an_end of the model leader_discovery.                   *)
(*                                                                          *)
(* From the sections "Proposed Changes" and "Compatibility, Deprecation,    *)
(* and Migration Plan" of the KIP.                                          *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    Brokers, FirstLeader,
    Requests,   \* those that the client may have under way at once
    Nothing     \* no epoch is known, no place, or no request

VARIABLES
    elected,        \* who was elected in each epoch so far, from epoch 0 on
    places,         \* of each broker: where it ever was
    leader, epoch,  \* whom the client believes in
    where,          \* of each broker: where the client believes it to be
    refreshing,     \* it asked for a refresh, and has none yet
    request,        \* of each: whom the client tried, where, and in which epoch
    failed          \* of each: the try failed, and is to be made again

world    == <<elected, places>>
belief   == <<leader, epoch>>
requests == <<request, failed>>
vars     == <<world, belief, where, refreshing, requests>>

IsGreater(e, known) == IF e = Nothing THEN FALSE ELSE IF known = Nothing THEN TRUE ELSE e > known

Init ==
    /\ elected = <<FirstLeader>>
    /\ places \in [Brokers -> SUBSET Int]
    /\ leader = FirstLeader
    /\ epoch = Nothing
    /\ \A b \in Brokers : where[b] \in places[b]
    /\ refreshing = FALSE
    /\ request = [r \in Requests |-> Nothing]
    /\ failed = [r \in Requests |-> FALSE]

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

Keep == UNCHANGED belief

Accept ==
    /\ IsGreater(epoch', epoch)
    /\ epoch' + 1 \in DOMAIN elected
    /\ elected[epoch' + 1] = leader'
    /\ where'[leader'] # Nothing

AskForRefresh ==
    /\ refreshing'
    /\ UNCHANGED <<belief, where, requests>>

\* What is reported of places overrides what was known, and may take a place away.  A client that does
\* not know where its leader is asks again.
Refresh ==
    /\ refreshing
    /\ \A b \in Brokers : where'[b] \in places[b] \cup {Nothing}
    /\ where'[leader'] = Nothing => refreshing'
    /\ Keep \/ Accept
    /\ UNCHANGED requests

-----------------------------------------------------------------------------
(* The client's requests, each by itself. *)

Try(r) ==
    /\ where[leader] # Nothing
    /\ request' = [request EXCEPT
           ![r] = [leader |-> leader, epoch |-> epoch, place |-> where[leader]]]
    /\ failed' = [failed EXCEPT ![r] = FALSE]
    /\ UNCHANGED <<belief, where, refreshing>>

Send(r) == request[r] = Nothing /\ Try(r)

RetryAtOnce(r) == failed[r] /\ IsGreater(epoch, request[r].epoch) /\ Try(r)

\* It will be sent again.
EndBackoff(r) ==
    /\ failed[r]
    /\ ~IsGreater(epoch, request[r].epoch)
    /\ request' = [request EXCEPT ![r] = Nothing]
    /\ failed' = [failed EXCEPT ![r] = FALSE]
    /\ UNCHANGED <<belief, where, refreshing>>

Served(r) ==
    /\ request[r] # Nothing
    /\ ~failed[r]
    /\ request' = [request EXCEPT ![r] = Nothing]
    /\ UNCHANGED <<belief, where, refreshing, failed>>

Fail(r) ==
    /\ request[r] # Nothing
    /\ ~failed[r]
    /\ failed' = [failed EXCEPT ![r] = TRUE]
    /\ UNCHANGED request

\* Nobody answers, or somebody else leads, and a broker that refuses may say who and where: of other
\* brokers nothing.  A refresh is asked for all the same.
Refused(r) ==
    /\ Fail(r)
    /\ refreshing'
    /\ \/ Keep /\ UNCHANGED where
       \/ /\ Accept
          /\ where'[leader'] \in places[leader']
          /\ \A b \in Brokers \ {leader'} : where'[b] = where[b]

\* It was no refusal: the broker that was asked has not heard yet of the epoch that the client knows.
TooEarly(r) ==
    /\ Fail(r)
    /\ request[r].epoch # Nothing
    /\ UNCHANGED <<belief, where, refreshing>>

Next ==
    \/ (Elect \/ Move) /\ UNCHANGED <<belief, where, refreshing, requests>>
    \/ /\ \/ AskForRefresh \/ Refresh
          \/ \E r \in Requests :
                \/ Send(r) \/ RetryAtOnce(r) \/ EndBackoff(r)
                \/ Served(r) \/ Refused(r) \/ TooEarly(r)
       /\ UNCHANGED world

Spec == Init /\ [][Next]_vars
=============================================================================
