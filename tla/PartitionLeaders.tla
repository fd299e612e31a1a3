-------------------------- MODULE PartitionLeaders --------------------------
(***************************************************************************)
(* KIP-951 where a response has several partitions.                        *)
(*                                                                         *)
(* Each partition that a broker refuses may come with its leader, and the  *)
(* response as a whole with the endpoints of all leaders in it.  The       *)
(* client learns, at once, what is newer than its own metadata.            *)
(***************************************************************************)
EXTENDS Integers, Sequences

CONSTANTS
    None,
    Partitions,
    Brokers

VARIABLES
    registered,     \* where the broker that answers knows brokers to be
    leaders,        \* whom the client knows to lead a partition, and in which epoch
    endpoints,      \* where the client knows brokers to be
    fetchedFrom,    \* whom it fetches an assigned partition from
    requested,      \* the partitions of the request under way
    answers,        \* what the response says of them
    nodeEndpoints   \* and which endpoints it lists

metadata == <<leaders, endpoints, fetchedFrom>>
response == <<answers, nodeEndpoints>>

vars == <<registered, metadata, requested, response>>

Epoch    == Nat
Endpoint == Nat

Leadership   == [leader : Brokers, epoch : Epoch]
NodeEndpoint == [broker : Brokers, endpoint : Endpoint]

Listed == {nodeEndpoints[i] : i \in DOMAIN nodeEndpoints}

TypeOK ==
    /\ registered \in [Brokers -> Endpoint \cup {None}]
    /\ leaders \in [Partitions -> Leadership \cup {None}]
    /\ endpoints \in [Brokers -> Endpoint \cup {None}]
    /\ fetchedFrom \in [Partitions -> Leadership \cup {None}]
    /\ requested \in [Partitions -> BOOLEAN]
    /\ answers \in [Partitions -> [currentLeader : Leadership \cup {None}] \cup {None}]
    /\ Listed \subseteq NodeEndpoint

NoPartition == [p \in Partitions |-> None]

Init ==
    /\ registered = [b \in Brokers |-> 0]
    /\ leaders = NoPartition
    /\ endpoints = [b \in Brokers |-> None]
    /\ fetchedFrom = NoPartition
    /\ requested = [p \in Partitions |-> FALSE]
    /\ answers = NoPartition
    /\ nodeEndpoints = <<>>

Requested == {p \in Partitions : requested[p]}
Answered  == {p \in Partitions : answers[p] # None}
Assigned  == {p \in Partitions : fetchedFrom[p] # None}
Known     == {p \in Partitions : leaders[p] # None}

-----------------------------------------------------------------------------
(* Brokers move, and partitions come and go. *)

Place(b, place) ==
    /\ registered[b] # place
    /\ registered' = [registered EXCEPT ![b] = place]
    /\ UNCHANGED <<metadata, requested, response>>

Register(b, endpoint) == Requested = {} /\ Place(b, endpoint)

Fence(b) == Requested = {} /\ Place(b, None)

LookUp(p, leadership) ==
    /\ p \notin Known
    /\ registered[leadership.leader] # None
    /\ leaders' = [leaders EXCEPT ![p] = leadership]
    /\ endpoints' = [endpoints EXCEPT ![leadership.leader] = registered[leadership.leader]]
    /\ UNCHANGED <<registered, fetchedFrom, requested, response>>

Drop(p) ==
    /\ p \in Known \ Assigned
    /\ leaders' = [leaders EXCEPT ![p] = None]
    /\ UNCHANGED <<registered, endpoints, fetchedFrom, requested, response>>

Fetch(p, source) ==
    /\ fetchedFrom' = [fetchedFrom EXCEPT ![p] = source]
    /\ UNCHANGED <<registered, leaders, endpoints, requested, response>>

Assign(p) == p \in Known \ Assigned /\ Fetch(p, leaders[p])

Revoke(p) == p \in Assigned /\ Fetch(p, None)

-----------------------------------------------------------------------------
(* A request, and its response. *)

Send ==
    /\ Requested = {}
    /\ requested' = [p \in Partitions |-> p \in Assigned]
    /\ UNCHANGED <<registered, metadata, response>>

Answer(p, reported) ==
    /\ p \in Requested \ Answered
    /\ answers' = [answers EXCEPT ![p] = [currentLeader |-> reported]]
    /\ UNCHANGED <<registered, metadata, requested>>

\* The broker leads the partition, or does not know who does.
AnswerWithoutLeader(p) == Answer(p, None) /\ UNCHANGED nodeEndpoints

AnswerWithLeader(p, leadership) ==
    LET b == leadership.leader
    IN  /\ Answer(p, leadership)
        /\ nodeEndpoints' =
               IF registered[b] = None \/ b \in {node.broker : node \in Listed} THEN nodeEndpoints
               ELSE Append(nodeEndpoints, [broker |-> b, endpoint |-> registered[b]])

\* Endpoints as they are when those of the response have taken the place of others.
Overridden ==
    [b \in Brokers |->
        IF \E node \in Listed : node.broker = b
        THEN (CHOOSE node \in Listed : node.broker = b).endpoint
        ELSE endpoints[b]]

Reported == {p \in Answered : answers[p].currentLeader # None}

\* The partitions of which something is to be learned.
News ==
    {p \in Reported \cap Known : /\ answers[p].currentLeader.epoch > leaders[p].epoch
                                 /\ Overridden[answers[p].currentLeader.leader] # None}

Receive ==
    /\ Requested # {}
    /\ Requested = Answered
    /\ leaders' = [p \in Partitions |-> IF p \in News THEN answers[p].currentLeader ELSE leaders[p]]
    /\ endpoints' = IF News = {} THEN endpoints ELSE Overridden
    /\ fetchedFrom' = [p \in Partitions |-> IF p \in Assigned THEN leaders'[p] ELSE None]
    /\ requested' = [p \in Partitions |-> FALSE]
    /\ answers' = NoPartition
    /\ nodeEndpoints' = <<>>
    /\ UNCHANGED registered

-----------------------------------------------------------------------------
Next ==
    \/ \E b \in Brokers :
        \/ \E endpoint \in Endpoint : Register(b, endpoint)
        \/ Fence(b)
    \/ \E p \in Partitions :
        \/ \E leadership \in Leadership : LookUp(p, leadership) \/ AnswerWithLeader(p, leadership)
        \/ Drop(p)
        \/ Assign(p)
        \/ Revoke(p)
        \/ AnswerWithoutLeader(p)
    \/ Send
    \/ Receive

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
EachBrokerIsListedOnce ==
    \A i, j \in DOMAIN nodeEndpoints :
        nodeEndpoints[i].broker = nodeEndpoints[j].broker => i = j

\* The brokers that lead a partition of the response, as far as it says.
ReportedToLead == {answers[p].currentLeader.leader : p \in Reported}

EveryReportedLeaderIsListed ==
    \A b \in ReportedToLead :
        registered[b] # None => [broker |-> b, endpoint |-> registered[b]] \in Listed

OnlyReportedLeadersAreListed ==
    \A node \in Listed : node.broker \in ReportedToLead /\ node.endpoint = registered[node.broker]

PartitionsAreFetchedFromTheirLeaders == \A p \in Assigned : fetchedFrom[p] = leaders[p]

\* The client has read a response.
Read == \E p \in Requested : ~requested'[p]

ResponseAnswersTheRequest ==
    [][IF Read THEN /\ Requested = Answered
                    /\ \A p \in Partitions : ~requested'[p] /\ answers'[p] = None
                    /\ nodeEndpoints' = <<>>
       ELSE \A p \in Partitions : p \in Requested \ Answered \/ answers'[p] = answers[p]]_vars

AssignedPartitionsAreRequested ==
    [][(\E p \in Partitions \ Requested : requested'[p])
        => {p \in Partitions : requested'[p]} = Assigned]_vars

AResponseAssignsNothing == [][Read => Assigned' = Assigned]_vars

\* It can learn the leader of a partition.
CanLearn(p) ==
    LET reported == answers[p].currentLeader
    IN  /\ reported.epoch > leaders[p].epoch
        /\ \/ \E node \in Listed : node.broker = reported.leader
           \/ endpoints[reported.leader] # None

Learning == {p \in Reported \cap Known : CanLearn(p)}

EachPartitionLearnsItsOwnLeader ==
    [][Read => \A p \in Partitions :
        leaders'[p] = IF p \in Learning THEN answers[p].currentLeader ELSE leaders[p]]_vars

LeadershipChangesByAResponseAlone ==
    [][~Read => \A p \in Known : leaders'[p] \in {None, leaders[p]}]_vars

ReportedEndpointsOverride ==
    [][Read => \A b \in Brokers :
        LET reported == {node.endpoint : node \in {n \in Listed : n.broker = b}}
        IN  IF reported = {} \/ Learning = {} THEN endpoints'[b] = endpoints[b]
            ELSE endpoints'[b] \in reported]_vars

\* The leaders of the partitions that a refresh brings.
Brought == {leaders'[p].leader : p \in {q \in Partitions \ Known : leaders'[q] # None}}

EndpointsComeWithLeaders ==
    [][~Read => \A b \in Brokers :
        endpoints'[b] = IF b \in Brought THEN registered[b] ELSE endpoints[b]]_vars

NewerLeaderIsSomewhere ==
    [][\A p \in Partitions :
        leaders'[p] \notin {None, leaders[p]} => endpoints'[leaders'[p].leader] # None]_vars

-----------------------------------------------------------------------------
(* What `lockstep prove` proves of the model at Kafka's own widths. *)

THEOREM Spec => [](/\ EachBrokerIsListedOnce
                   /\ EveryReportedLeaderIsListed
                   /\ OnlyReportedLeadersAreListed
                   /\ PartitionsAreFetchedFromTheirLeaders)

THEOREM Spec => /\ AssignedPartitionsAreRequested
                /\ AResponseAssignsNothing
                /\ ResponseAnswersTheRequest
                /\ EachPartitionLearnsItsOwnLeader
                /\ LeadershipChangesByAResponseAlone
                /\ ReportedEndpointsOverride
                /\ EndpointsComeWithLeaders
                /\ NewerLeaderIsSomewhere
=============================================================================
