-------------------------- MODULE LeaderDiscovery --------------------------
(***************************************************************************)
(* KIP-951: the leader of a partition changes, brokers tell the client so  *)
(* in their Produce and Fetch responses, and the client believes what is   *)
(* newer than what it knew.  The topic may be deleted and made again.      *)
(*                                                                         *)
(* The metadata of the cluster reaches each broker in its own time.  The   *)
(* client has so many requests under way, answered in any order, and one   *)
(* refresh of its metadata.                                                *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    None,
    Brokers,
    FirstLeader,
    InFlight,   \* how many requests the client may have under way
    TopicIds    \* where topics are known by their ids: brokers do, and the client

ASSUME FirstLeader \in Brokers
ASSUME TopicIds \in {"nowhere", "requests", "everywhere"}

VARIABLES
    cluster,                            \* the metadata as it is
    heard,                              \* and as each broker has it
    topic,                              \* and as the client has it: of the topic with this id,
    leader, leaderEpoch, endpoints,
    refreshWanted, refresh,             \* a refresh to be asked for; an answer under way
    attempt,                            \* the requests that are not served yet
    response,                           \* the answers to them, under way
    backingOff,                         \* no answer is expected: one will be tried again
    disturbances,
    witnessed                           \* some election, whichever

client  == <<topic, leader, leaderEpoch, endpoints>>
request == <<attempt, response, backingOff>>
world   == <<cluster, heard, witnessed>>

vars == <<world, client, refreshWanted, refresh, request, disturbances>>

Epoch    == Nat
Endpoint == Nat
Topic    == Nat
Slots    == 1 .. InFlight

\* Bounds of a model.
MayElect    == TRUE
MayDisturb  == TRUE
MayRecreate == TRUE

Places == [Brokers -> Endpoint \cup {None}]
Image  == [topic : Topic, leader : Brokers, epoch : Epoch, endpoints : Places]

Leadership == [leader : Brokers, epoch : Epoch, endpoint : Endpoint \cup {None}]

Attempt == [to : Brokers, endpoint : Endpoint, topic : Topic, epoch : Epoch \cup {None}]

Error == {"NONE", "NOT_LEADER_OR_FOLLOWER", "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH",
          "UNKNOWN_TOPIC_ID"}

TypeOK ==
    /\ cluster \in Image
    /\ heard \in [Brokers -> Image]
    /\ topic \in Topic
    /\ leader \in Brokers
    /\ leaderEpoch \in Epoch \cup {None}
    /\ endpoints \in Places
    /\ refreshWanted \in BOOLEAN
    /\ refresh \in Image \cup {None}
    /\ attempt \in [Slots -> Attempt \cup {None}]
    /\ response \in [Slots -> [error : Error, currentLeader : Leadership \cup {None}] \cup {None}]
    /\ backingOff \in [Slots -> BOOLEAN]
    /\ disturbances \in Nat
    /\ witnessed \in [topic : Topic, leader : Brokers, epoch : Epoch]

AtFirst == [topic |-> 0, leader |-> FirstLeader, epoch |-> 0, endpoints |-> [b \in Brokers |-> 0]]

Init ==
    /\ cluster = AtFirst
    /\ heard = [b \in Brokers |-> AtFirst]
    /\ topic = 0
    /\ leader = FirstLeader
    /\ leaderEpoch = None
    /\ endpoints = AtFirst.endpoints
    /\ refreshWanted = FALSE
    /\ refresh = None
    /\ attempt = [r \in Slots |-> None]
    /\ response = [r \in Slots |-> None]
    /\ backingOff = [r \in Slots |-> FALSE]
    /\ disturbances = 0
    /\ witnessed = [topic |-> 0, leader |-> FirstLeader, epoch |-> 0]

Running == {b \in Brokers : cluster.endpoints[b] # None}

\* An epoch against one that may not be known.
Exceeds(epoch, known) == IF known = None THEN TRUE ELSE epoch > known

-----------------------------------------------------------------------------
(* The cluster. *)

Elect(b, seen) ==
    /\ MayElect
    /\ b \in Running
    /\ LET next == cluster.epoch + 1
       IN  /\ cluster' = [cluster EXCEPT !.leader = b, !.epoch = next]
           /\ witnessed' = IF seen THEN [topic |-> cluster.topic, leader |-> b, epoch |-> next]
                           ELSE witnessed
    /\ UNCHANGED <<heard, client, refreshWanted, refresh, request, disturbances>>

Recreate(b, seen) ==
    /\ MayRecreate
    /\ b \in Running
    /\ LET remade == [topic |-> cluster.topic + 1, leader |-> b, epoch |-> 0]
       IN  /\ cluster' = [endpoints |-> cluster.endpoints, topic |-> remade.topic,
                          leader |-> remade.leader, epoch |-> remade.epoch]
           /\ witnessed' = IF seen THEN remade ELSE witnessed
    /\ UNCHANGED <<heard, client, refreshWanted, refresh, request, disturbances>>

Disturb ==
    /\ MayDisturb
    /\ disturbances' = disturbances + 1

Stop(b) ==
    /\ b \in Running \ {cluster.leader}
    /\ Disturb
    /\ cluster' = [cluster EXCEPT !.endpoints[b] = None]
    /\ UNCHANGED <<heard, witnessed, client, refreshWanted, refresh, request>>

\* No broker was ever at the endpoint of that number: it counts the disturbances.
Start(b) ==
    /\ b \in Brokers \ Running
    /\ cluster' = [cluster EXCEPT !.endpoints[b] = disturbances]
    /\ heard' = [heard EXCEPT ![b] = cluster']
    /\ UNCHANGED <<witnessed, client, refreshWanted, refresh, request, disturbances>>

Hear(b) ==
    /\ b \in Running
    /\ heard[b] # cluster
    /\ heard' = [heard EXCEPT ![b] = cluster]
    /\ UNCHANGED <<cluster, witnessed, client, refreshWanted, refresh, request, disturbances>>

-----------------------------------------------------------------------------
(* The client asks whom it believes in. *)

Ask(r) ==
    /\ endpoints[leader] # None
    /\ attempt' = [attempt EXCEPT ![r] = [to |-> leader, endpoint |-> endpoints[leader],
                                         topic |-> topic, epoch |-> leaderEpoch]]
    /\ backingOff' = [backingOff EXCEPT ![r] = FALSE]
    /\ UNCHANGED <<world, client, refreshWanted, refresh, response, disturbances>>

Send(r) == attempt[r] = None /\ Ask(r)

KnowsNewer(r) == IF leaderEpoch = None THEN FALSE ELSE Exceeds(leaderEpoch, attempt[r].epoch)

RetryAtOnce(r) == backingOff[r] /\ KnowsNewer(r) /\ Ask(r)

EndBackoff(r) ==
    /\ backingOff[r]
    /\ ~KnowsNewer(r)
    /\ attempt' = [attempt EXCEPT ![r] = None]
    /\ backingOff' = [backingOff EXCEPT ![r] = FALSE]
    /\ UNCHANGED <<world, client, refreshWanted, refresh, response, disturbances>>

-----------------------------------------------------------------------------
(* The broker answers, by what it has heard. *)

UnderWay(r) == attempt[r] # None /\ response[r] = None /\ ~backingOff[r]
Arrived(r)  == UnderWay(r) /\ cluster.endpoints[attempt[r].to] = attempt[r].endpoint

Has(r)     == heard[attempt[r].to]
IsOther(r) == attempt[r].topic # Has(r).topic /\ TopicIds \in {"requests", "everywhere"}
Legible(r) == Arrived(r) /\ ~IsOther(r)
IsLed(r)   == Has(r).leader = attempt[r].to
Known(r)   == [leader |-> Has(r).leader, epoch |-> Has(r).epoch,
               endpoint |-> Has(r).endpoints[Has(r).leader]]

Answer(r, error, reported) ==
    /\ response' = [response EXCEPT ![r] = [error |-> error, currentLeader |-> reported]]
    /\ UNCHANGED <<world, client, refreshWanted, refresh, attempt, backingOff, disturbances>>

AnswerServed(r) ==
    /\ Legible(r)
    /\ IsLed(r)
    /\ Answer(r, "NONE", None)

AnswerNotLeader(r) ==
    /\ Legible(r)
    /\ ~IsLed(r)
    /\ Answer(r, "NOT_LEADER_OR_FOLLOWER", Known(r))

\* The broker does not know the KIP.
AnswerNotLeaderUnreported(r) ==
    /\ Legible(r)
    /\ ~IsLed(r)
    /\ Answer(r, "NOT_LEADER_OR_FOLLOWER", None)

\* Only a Fetch request names an epoch.
AnswerFenced(r) ==
    /\ Legible(r)
    /\ attempt[r].epoch # None
    /\ Has(r).epoch > attempt[r].epoch
    /\ Answer(r, "FENCED_LEADER_EPOCH", Known(r))

AnswerUnknownEpoch(r) ==
    /\ Legible(r)
    /\ attempt[r].epoch # None
    /\ Has(r).epoch < attempt[r].epoch
    /\ Answer(r, "UNKNOWN_LEADER_EPOCH", None)

AnswerUnknownTopic(r) ==
    /\ Arrived(r)
    /\ IsOther(r)
    /\ Answer(r, "UNKNOWN_TOPIC_ID", None)

-----------------------------------------------------------------------------
(* The client reads the answer. *)

IsRefusal(error) == error \in {"NOT_LEADER_OR_FOLLOWER", "FENCED_LEADER_EPOCH"}

ReceiveServed(r) ==
    /\ response[r] # None
    /\ response[r].error = "NONE"
    /\ response' = [response EXCEPT ![r] = None]
    /\ attempt' = [attempt EXCEPT ![r] = None]
    /\ UNCHANGED <<world, client, refreshWanted, refresh, backingOff, disturbances>>

\* A newer leader that the client will know where to find.
IsNews(r, reported) ==
    IF reported = None THEN FALSE
    ELSE /\ Exceeds(reported.epoch, leaderEpoch)
         /\ TopicIds = "everywhere" => attempt[r].topic = topic
         /\ {reported.endpoint, endpoints[reported.leader]} # {None}

BackOff(r) ==
    /\ response' = [response EXCEPT ![r] = None]
    /\ backingOff' = [backingOff EXCEPT ![r] = TRUE]
    /\ UNCHANGED <<world, refresh, attempt>>

ReceiveNewerLeader(r) ==
    /\ response[r] # None
    /\ IsRefusal(response[r].error)
    /\ IsNews(r, response[r].currentLeader)
    /\ BackOff(r)
    /\ refreshWanted' = TRUE
    /\ LET reported == response[r].currentLeader
       IN  /\ leader' = reported.leader
           /\ leaderEpoch' = reported.epoch
           /\ endpoints' = IF reported.endpoint = None THEN endpoints
                           ELSE [endpoints EXCEPT ![reported.leader] = reported.endpoint]
    /\ UNCHANGED <<topic, disturbances>>

ReceiveNothingNewer(r) ==
    /\ response[r] # None
    /\ IsRefusal(response[r].error)
    /\ ~IsNews(r, response[r].currentLeader)
    /\ BackOff(r)
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<client, disturbances>>

ReceiveUnknownEpoch(r) ==
    /\ response[r] # None
    /\ response[r].error = "UNKNOWN_LEADER_EPOCH"
    /\ BackOff(r)
    /\ UNCHANGED <<client, refreshWanted, disturbances>>

ReceiveUnknownTopic(r) ==
    /\ response[r] # None
    /\ response[r].error = "UNKNOWN_TOPIC_ID"
    /\ BackOff(r)
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<client, disturbances>>

FindNobody(r) ==
    /\ UnderWay(r)
    /\ cluster.endpoints[attempt[r].to] # attempt[r].endpoint
    /\ BackOff(r)
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<client, disturbances>>

Lose(r) ==
    /\ attempt[r] # None
    /\ ~backingOff[r]
    /\ Disturb
    /\ BackOff(r)
    /\ refreshWanted' = TRUE
    /\ UNCHANGED client

-----------------------------------------------------------------------------
(* The metadata is refreshed. *)

Age ==
    /\ ~refreshWanted
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<world, client, refresh, request, disturbances>>

AnswerRefresh(b) ==
    /\ b \in Running
    /\ refreshWanted
    /\ refresh = None
    /\ refresh' = heard[b]
    /\ UNCHANGED <<world, client, refreshWanted, request, disturbances>>

\* Only epochs of one topic have an order.
IsOutdated ==
    /\ refresh.topic = topic
    /\ IF leaderEpoch = None THEN FALSE ELSE refresh.epoch < leaderEpoch

\* Endpoints bear no epoch: those of the answer count, old or not.
Relocate ==
    /\ refresh' = None
    /\ endpoints' = refresh.endpoints
    /\ refreshWanted' = (endpoints'[leader'] = None)
    /\ UNCHANGED <<world, request, disturbances>>

ReceiveRefresh ==
    /\ refresh # None
    /\ ~IsOutdated
    /\ topic' = refresh.topic
    /\ leader' = refresh.leader
    /\ leaderEpoch' = refresh.epoch
    /\ Relocate

ReceiveStaleRefresh ==
    /\ refresh # None
    /\ IsOutdated
    /\ UNCHANGED <<topic, leader, leaderEpoch>>
    /\ Relocate

LoseRefresh ==
    /\ refresh # None
    /\ Disturb
    /\ refresh' = None
    /\ UNCHANGED <<world, client, refreshWanted, request>>

-----------------------------------------------------------------------------
Next ==
    \/ \E b \in Brokers :
        \/ \E seen \in BOOLEAN : Elect(b, seen) \/ Recreate(b, seen)
        \/ Stop(b)
        \/ Start(b)
        \/ Hear(b)
        \/ AnswerRefresh(b)
    \/ \E r \in Slots :
        \/ Send(r)
        \/ RetryAtOnce(r)
        \/ EndBackoff(r)
        \/ AnswerServed(r)
        \/ AnswerNotLeader(r)
        \/ AnswerNotLeaderUnreported(r)
        \/ AnswerFenced(r)
        \/ AnswerUnknownEpoch(r)
        \/ AnswerUnknownTopic(r)
        \/ ReceiveServed(r)
        \/ ReceiveNewerLeader(r)
        \/ ReceiveNothingNewer(r)
        \/ ReceiveUnknownEpoch(r)
        \/ ReceiveUnknownTopic(r)
        \/ FindNobody(r)
        \/ Lose(r)
    \/ Age
    \/ ReceiveRefresh
    \/ ReceiveStaleRefresh
    \/ LoseRefresh

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold of the states. *)

LeaderWasElected ==
    leaderEpoch # None =>
        /\ topic = cluster.topic => leaderEpoch <= cluster.epoch
        /\ <<topic, leaderEpoch>> = <<witnessed.topic, witnessed.epoch>>
            => leader = witnessed.leader

OnlyAFailedRequestIsBackedOffFrom ==
    \A r \in Slots : backingOff[r] => attempt[r] # None /\ response[r] = None

LostLeaderIsAskedFor == endpoints[leader] = None => refreshWanted

-----------------------------------------------------------------------------
(* What must hold of the steps. *)

Answered(r) == response[r] = None /\ response'[r] # None

ReportedLeaderIsWhatTheBrokerKnows ==
    [][\A r \in Slots : Answered(r) =>
        LET reported == response'[r].currentLeader
        IN  reported # None => /\ IsRefusal(response'[r].error)
                               /\ reported.leader = Has(r).leader
                               /\ reported.epoch = Has(r).epoch
                               /\ reported.endpoint = Has(r).endpoints[Has(r).leader]
                               /\ reported.endpoint # None]_vars

BrokerThatLeadsIsNotAskedForTheLeader ==
    [][\A r \in Slots : Answered(r) =>
        /\ response'[r].error = "NONE" => IsLed(r)
        /\ response'[r].error = "NOT_LEADER_OR_FOLLOWER" => ~IsLed(r)]_vars

FencedEpochIsAnOldOne ==
    [][\A r \in Slots : Answered(r) /\ attempt[r].epoch # None =>
        /\ response'[r].error = "FENCED_LEADER_EPOCH" => attempt[r].epoch < Has(r).epoch
        /\ response'[r].error = "UNKNOWN_LEADER_EPOCH" => attempt[r].epoch > Has(r).epoch]_vars

AnotherTopicIsUnknown ==
    [][\A r \in Slots : Answered(r) =>
        (response'[r].error = "UNKNOWN_TOPIC_ID" <=>
            TopicIds # "nowhere" /\ attempt[r].topic # Has(r).topic)]_vars

BrokerHearsOfAllOrNothing ==
    [][\A b \in Brokers :
        (heard'[b] # heard[b] \/ (b \notin Running /\ b \in Running')) => heard'[b] = cluster']_vars

RefreshIsTheAnswerOfABroker ==
    [][refresh' \notin {None, refresh} =>
        /\ refreshWanted
        /\ refresh = None
        /\ \E b \in Running : refresh' = heard[b]]_vars

LeaderEpochNeverGoesBack ==
    [][leaderEpoch # None /\ UNCHANGED topic =>
        IF leaderEpoch' = None THEN FALSE ELSE leaderEpoch' >= leaderEpoch]_vars

Changes == <<topic, leader, leaderEpoch>>' # <<topic, leader, leaderEpoch>>

LeaderChangesOnlyWithANewerEpoch ==
    [][Changes /\ UNCHANGED topic =>
        IF leaderEpoch' = None THEN FALSE ELSE Exceeds(leaderEpoch', leaderEpoch)]_vars

NewLeaderCanBeReached == [][Changes => endpoints'[leader'] # None]_vars

\* The client has read the response, which a broken connection would not have let it do.
Read(r) == response[r] # None /\ response'[r] = None /\ UNCHANGED disturbances

NewerLeaderIsTaken ==
    [][\A r \in Slots : Read(r) =>
        LET reported == response[r].currentLeader
        IN  reported # None =>
            (reported.endpoint # None /\ Exceeds(reported.epoch, leaderEpoch)
             /\ (attempt[r].topic = topic \/ TopicIds # "everywhere") =>
                /\ leader' = reported.leader
                /\ leaderEpoch' = reported.epoch
                /\ endpoints' = [endpoints EXCEPT ![reported.leader] = reported.endpoint])]_vars

NothingNewerChangesNothing ==
    [][\A r \in Slots : Read(r) =>
        LET reported == response[r].currentLeader
        IN  (IF reported = None THEN TRUE ELSE ~Exceeds(reported.epoch, leaderEpoch))
                => UNCHANGED client]_vars

LeaderOfAnotherTopicChangesNothing ==
    [][\A r \in Slots : Read(r) =>
        /\ UNCHANGED topic
        /\ TopicIds = "everywhere" /\ attempt[r].topic # topic
            => UNCHANGED <<leader, leaderEpoch, endpoints>>]_vars

\* The client has read the refresh.
Refreshed == refresh # None /\ refresh' = None /\ UNCHANGED disturbances

RefreshIsTakenUnlessItIsStale ==
    [][Refreshed =>
        ((refresh.topic = topic /\ leaderEpoch # None => refresh.epoch >= leaderEpoch)
            => /\ topic' = refresh.topic
               /\ leader' = refresh.leader
               /\ leaderEpoch' = refresh.epoch)]_vars

RefreshReportsWhereBrokersAre ==
    [][Refreshed => endpoints' = refresh.endpoints]_vars

RefreshIsTakenOnce == [][Refreshed => (refreshWanted' <=> endpoints'[leader'] = None)]_vars

\* A request goes out, for the first time or once more.
Sends(r) == attempt'[r] # None /\ (attempt'[r] # attempt[r] \/ (backingOff[r] /\ ~backingOff'[r]))

RequestsGoToTheLeaderBelievedIn ==
    [][\A r \in Slots : Sends(r) =>
        attempt'[r] = [to |-> leader, endpoint |-> endpoints[leader],
                       topic |-> topic, epoch |-> leaderEpoch]]_vars

RequestsAreApart ==
    [][\A r, q \in Slots :
        r # q => UNCHANGED <<attempt[r], response[r], backingOff[r]>>
                 \/ UNCHANGED <<attempt[q], response[q], backingOff[q]>>]_vars

OneRequestIsUnderWay == [][\A r \in Slots : Sends(r) => attempt[r] = None \/ backingOff[r]]_vars

OnlyAServedRequestIsOver ==
    [][\A r \in Slots : Read(r) => (attempt'[r] = None <=> response[r].error = "NONE")]_vars

RetryAtOnceIsToANewerLeader ==
    [][\A r \in Slots : (backingOff[r] /\ ~backingOff'[r] /\ attempt'[r] # None) =>
        /\ attempt'[r].to = leader
        /\ attempt'[r].epoch # None
        /\ Exceeds(attempt'[r].epoch, attempt[r].epoch)]_vars

BacksOffOnlyWithoutANewerLeader ==
    [][\A r \in Slots : (backingOff[r] /\ attempt'[r] = None) =>
        (leaderEpoch # None => ~Exceeds(leaderEpoch, attempt[r].epoch))]_vars

ErrorsAreBackedOffFrom ==
    [][\A r \in Slots : (Read(r) /\ response[r].error # "NONE") =>
        backingOff'[r] /\ attempt'[r] = attempt[r]]_vars

WhatIsLostIsMissed ==
    [][(disturbances' # disturbances /\ UNCHANGED cluster) =>
        /\ refreshWanted'
        /\ \/ \E r \in Slots : backingOff'[r] /\ ~backingOff[r] /\ response'[r] = None
           \/ refresh # None /\ refresh' = None]_vars

RefusalAsksForARefresh ==
    [][\A r \in Slots : Read(r) =>
        refreshWanted' =
            (refreshWanted \/ IsRefusal(response[r].error)
             \/ response[r].error = "UNKNOWN_TOPIC_ID")]_vars

-----------------------------------------------------------------------------
(* What must come to pass. *)

Responsive ==
    /\ \A b \in Brokers : WF_vars(Hear(b)) /\ WF_vars(AnswerRefresh(b))
    /\ \A r \in Slots :
        /\ WF_vars(RetryAtOnce(r))
        /\ WF_vars(EndBackoff(r))
        /\ WF_vars(AnswerServed(r))
        /\ WF_vars(AnswerNotLeader(r))
        /\ WF_vars(AnswerNotLeaderUnreported(r))
        /\ WF_vars(AnswerFenced(r))
        /\ WF_vars(AnswerUnknownEpoch(r))
        /\ WF_vars(AnswerUnknownTopic(r))
        /\ WF_vars(ReceiveServed(r))
        /\ WF_vars(ReceiveNewerLeader(r))
        /\ WF_vars(ReceiveNothingNewer(r))
        /\ WF_vars(ReceiveUnknownEpoch(r))
        /\ WF_vars(ReceiveUnknownTopic(r))
        /\ WF_vars(FindNobody(r))
    /\ WF_vars(ReceiveRefresh)
    /\ WF_vars(ReceiveStaleRefresh)

ServedByTheLeader ==
    \E r \in Slots :
        /\ response[r] # None
        /\ response[r].error = "NONE"
        /\ attempt[r].to = cluster.leader

CurrentLeaderIsReached ==
    (Responsive /\ \A r \in Slots : WF_vars(Send(r)))
        => (leader # cluster.leader ~> ServedByTheLeader)

RequestsComeToAnEnd ==
    Responsive => \A r \in Slots : attempt[r] # None ~> attempt[r] = None

-----------------------------------------------------------------------------
(* What `lockstep prove` proves of the model at Kafka's own widths, while the topic is one and the  *)
(* same or ids count everywhere.                                                                   *)

THEOREM Spec => [](LeaderWasElected /\ LostLeaderIsAskedFor /\ OnlyAFailedRequestIsBackedOffFrom)

THEOREM Spec => /\ ReportedLeaderIsWhatTheBrokerKnows
                /\ BrokerThatLeadsIsNotAskedForTheLeader
                /\ FencedEpochIsAnOldOne
                /\ AnotherTopicIsUnknown
                /\ BrokerHearsOfAllOrNothing
                /\ RefreshIsTheAnswerOfABroker
                /\ LeaderEpochNeverGoesBack
                /\ LeaderChangesOnlyWithANewerEpoch
                /\ NewerLeaderIsTaken
                /\ NothingNewerChangesNothing
                /\ LeaderOfAnotherTopicChangesNothing
                /\ RefreshReportsWhereBrokersAre
                /\ RefreshIsTakenUnlessItIsStale
                /\ NewLeaderCanBeReached
                /\ RequestsGoToTheLeaderBelievedIn
                /\ RequestsAreApart
                /\ OneRequestIsUnderWay
                /\ OnlyAServedRequestIsOver
                /\ RetryAtOnceIsToANewerLeader
                /\ BacksOffOnlyWithoutANewerLeader
                /\ ErrorsAreBackedOffFrom
                /\ WhatIsLostIsMissed
                /\ RefusalAsksForARefresh
                /\ RefreshIsTakenOnce
=============================================================================
