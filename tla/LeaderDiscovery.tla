-------------------------- MODULE LeaderDiscovery --------------------------
(***************************************************************************)
(* KIP-951: the leader of a partition changes, brokers tell the client so  *)
(* in their Produce and Fetch responses, and the client believes what is   *)
(* newer than what it knew.  The topic may be deleted and made again.      *)
(*                                                                         *)
(* The metadata of the cluster reaches each broker in its own time.  The   *)
(* client has one request and one refresh of its metadata under way.       *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    None,
    Brokers,
    FirstLeader,
    TopicIds    \* where topics are told apart by their ids: brokers do, and the client

ASSUME FirstLeader \in Brokers
ASSUME TopicIds \in {"nowhere", "requests", "everywhere"}

VARIABLES
    cluster,                            \* the metadata as it is
    heard,                              \* and as each broker has it
    topic,                              \* and as the client has it: of the topic with this id,
    leader, leaderEpoch, endpoints,
    refreshWanted, refresh,             \* a refresh to be asked for; an answer under way
    attempt,                            \* the request that is not served yet
    response,                           \* the answer to it, under way
    backingOff,                         \* no answer is expected: it will be tried again
    disturbances,
    witnessed                           \* some election, whichever

client  == <<topic, leader, leaderEpoch, endpoints>>
request == <<attempt, response, backingOff>>
world   == <<cluster, heard, witnessed>>

vars == <<world, client, refreshWanted, refresh, request, disturbances>>

Epoch    == Nat
Endpoint == Nat
Topic    == Nat

\* Bounds of a model.
MayElect    == TRUE
MayDisturb  == TRUE
MayRecreate == TRUE

Places == [Brokers -> Endpoint \cup {None}]
Image  == [topic : Topic, leader : Brokers, epoch : Epoch, endpoints : Places]

Leadership == [leader : Brokers, epoch : Epoch, endpoint : Endpoint \cup {None}]

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
    /\ attempt \in [to : Brokers, endpoint : Endpoint, topic : Topic, epoch : Epoch \cup {None}]
                   \cup {None}
    /\ response \in [error : Error, currentLeader : Leadership \cup {None}] \cup {None}
    /\ backingOff \in BOOLEAN
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
    /\ attempt = None
    /\ response = None
    /\ backingOff = FALSE
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

Ask ==
    /\ endpoints[leader] # None
    /\ attempt' = [to |-> leader, endpoint |-> endpoints[leader],
                   topic |-> topic, epoch |-> leaderEpoch]
    /\ backingOff' = FALSE
    /\ UNCHANGED <<world, client, refreshWanted, refresh, response, disturbances>>

Send == attempt = None /\ Ask

KnowsNewer == IF leaderEpoch = None THEN FALSE ELSE Exceeds(leaderEpoch, attempt.epoch)

RetryAtOnce == backingOff /\ KnowsNewer /\ Ask

EndBackoff ==
    /\ backingOff
    /\ ~KnowsNewer
    /\ attempt' = None
    /\ backingOff' = FALSE
    /\ UNCHANGED <<world, client, refreshWanted, refresh, response, disturbances>>

-----------------------------------------------------------------------------
(* The broker answers, by what it has heard. *)

UnderWay == attempt # None /\ response = None /\ ~backingOff
Arrived  == UnderWay /\ cluster.endpoints[attempt.to] = attempt.endpoint

Has     == heard[attempt.to]
IsOther == attempt.topic # Has.topic /\ TopicIds \in {"requests", "everywhere"}
Legible == Arrived /\ ~IsOther
IsLed   == Has.leader = attempt.to
Known   == [leader |-> Has.leader, epoch |-> Has.epoch, endpoint |-> Has.endpoints[Has.leader]]

Answer(error, told) ==
    /\ response' = [error |-> error, currentLeader |-> told]
    /\ UNCHANGED <<world, client, refreshWanted, refresh, attempt, backingOff, disturbances>>

AnswerServed ==
    /\ Legible
    /\ IsLed
    /\ Answer("NONE", None)

AnswerNotLeader ==
    /\ Legible
    /\ ~IsLed
    /\ Answer("NOT_LEADER_OR_FOLLOWER", Known)

\* The broker does not know the KIP.
AnswerNotLeaderUntold ==
    /\ Legible
    /\ ~IsLed
    /\ Answer("NOT_LEADER_OR_FOLLOWER", None)

\* Only a Fetch request names an epoch.
AnswerFenced ==
    /\ Legible
    /\ attempt.epoch # None
    /\ Has.epoch > attempt.epoch
    /\ Answer("FENCED_LEADER_EPOCH", Known)

AnswerUnknownEpoch ==
    /\ Legible
    /\ attempt.epoch # None
    /\ Has.epoch < attempt.epoch
    /\ Answer("UNKNOWN_LEADER_EPOCH", None)

AnswerUnknownTopic ==
    /\ Arrived
    /\ IsOther
    /\ Answer("UNKNOWN_TOPIC_ID", None)

-----------------------------------------------------------------------------
(* The client reads the answer. *)

IsRefusal(error) == error \in {"NOT_LEADER_OR_FOLLOWER", "FENCED_LEADER_EPOCH"}

ReceiveServed ==
    /\ response # None
    /\ response.error = "NONE"
    /\ response' = None
    /\ attempt' = None
    /\ UNCHANGED <<world, client, refreshWanted, refresh, backingOff, disturbances>>

\* A newer leader that the client will know where to find.
IsNews(told) ==
    IF told = None THEN FALSE
    ELSE /\ Exceeds(told.epoch, leaderEpoch)
         /\ TopicIds = "everywhere" => attempt.topic = topic
         /\ {told.endpoint, endpoints[told.leader]} # {None}

BackOff ==
    /\ response' = None
    /\ backingOff' = TRUE
    /\ UNCHANGED <<world, refresh, attempt>>

ReceiveNewerLeader ==
    /\ response # None
    /\ IsRefusal(response.error)
    /\ IsNews(response.currentLeader)
    /\ BackOff
    /\ refreshWanted' = TRUE
    /\ LET told == response.currentLeader
       IN  /\ leader' = told.leader
           /\ leaderEpoch' = told.epoch
           /\ endpoints' = IF told.endpoint = None THEN endpoints
                           ELSE [endpoints EXCEPT ![told.leader] = told.endpoint]
    /\ UNCHANGED <<topic, disturbances>>

ReceiveNothingNewer ==
    /\ response # None
    /\ IsRefusal(response.error)
    /\ ~IsNews(response.currentLeader)
    /\ BackOff
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<client, disturbances>>

ReceiveUnknownEpoch ==
    /\ response # None
    /\ response.error = "UNKNOWN_LEADER_EPOCH"
    /\ BackOff
    /\ UNCHANGED <<client, refreshWanted, disturbances>>

ReceiveUnknownTopic ==
    /\ response # None
    /\ response.error = "UNKNOWN_TOPIC_ID"
    /\ BackOff
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<client, disturbances>>

FindNobody ==
    /\ UnderWay
    /\ cluster.endpoints[attempt.to] # attempt.endpoint
    /\ BackOff
    /\ refreshWanted' = TRUE
    /\ UNCHANGED <<client, disturbances>>

Lose ==
    /\ attempt # None
    /\ ~backingOff
    /\ Disturb
    /\ BackOff
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
    \/ Send
    \/ RetryAtOnce
    \/ EndBackoff
    \/ AnswerServed
    \/ AnswerNotLeader
    \/ AnswerNotLeaderUntold
    \/ AnswerFenced
    \/ AnswerUnknownEpoch
    \/ AnswerUnknownTopic
    \/ ReceiveServed
    \/ ReceiveNewerLeader
    \/ ReceiveNothingNewer
    \/ ReceiveUnknownEpoch
    \/ ReceiveUnknownTopic
    \/ FindNobody
    \/ Lose
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

OnlyAFailedRequestIsBackedOffFrom == backingOff => attempt # None /\ response = None

LostLeaderIsAskedFor == endpoints[leader] = None => refreshWanted

-----------------------------------------------------------------------------
(* What must hold of the steps. *)

Answered == response = None /\ response' # None

ToldLeaderIsWhatTheBrokerKnows ==
    [][Answered =>
        LET told == response'.currentLeader
        IN  told # None => /\ IsRefusal(response'.error)
                           /\ told.leader = Has.leader
                           /\ told.epoch = Has.epoch
                           /\ told.endpoint = Has.endpoints[Has.leader]
                           /\ told.endpoint # None]_vars

BrokerThatLeadsIsNotAskedForTheLeader ==
    [][Answered => /\ response'.error = "NONE" => IsLed
                   /\ response'.error = "NOT_LEADER_OR_FOLLOWER" => ~IsLed]_vars

FencedEpochIsAnOldOne ==
    [][Answered /\ attempt.epoch # None =>
        /\ response'.error = "FENCED_LEADER_EPOCH" => attempt.epoch < Has.epoch
        /\ response'.error = "UNKNOWN_LEADER_EPOCH" => attempt.epoch > Has.epoch]_vars

AnotherTopicIsUnknown ==
    [][Answered => (response'.error = "UNKNOWN_TOPIC_ID" <=>
        TopicIds # "nowhere" /\ attempt.topic # Has.topic)]_vars

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
Read == response # None /\ response' = None /\ UNCHANGED disturbances

NewerLeaderIsTaken ==
    [][Read =>
        LET told == response.currentLeader
        IN  told # None =>
            (told.endpoint # None /\ Exceeds(told.epoch, leaderEpoch)
             /\ (attempt.topic = topic \/ TopicIds # "everywhere") =>
                /\ leader' = told.leader
                /\ leaderEpoch' = told.epoch
                /\ endpoints' = [endpoints EXCEPT ![told.leader] = told.endpoint])]_vars

NothingNewerChangesNothing ==
    [][Read =>
        LET told == response.currentLeader
        IN  (IF told = None THEN TRUE ELSE ~Exceeds(told.epoch, leaderEpoch))
                => UNCHANGED client]_vars

LeaderOfAnotherTopicChangesNothing ==
    [][Read => /\ UNCHANGED topic
               /\ TopicIds = "everywhere" /\ attempt.topic # topic
                   => UNCHANGED <<leader, leaderEpoch>>]_vars

\* The client has read the refresh.
Refreshed == refresh # None /\ refresh' = None /\ UNCHANGED disturbances

RefreshIsTakenUnlessItIsStale ==
    [][Refreshed =>
        ((refresh.topic = topic /\ leaderEpoch # None => refresh.epoch >= leaderEpoch)
            => /\ topic' = refresh.topic
               /\ leader' = refresh.leader
               /\ leaderEpoch' = refresh.epoch)]_vars

RefreshTellsWhereBrokersAre ==
    [][Refreshed => endpoints' = refresh.endpoints]_vars

RefreshIsTakenOnce == [][Refreshed => (refreshWanted' <=> endpoints'[leader'] = None)]_vars

\* A request goes out, for the first time or once more.
Sends == attempt' # None /\ (attempt' # attempt \/ (backingOff /\ ~backingOff'))

RequestsGoToTheLeaderBelievedIn ==
    [][Sends => attempt' = [to |-> leader, endpoint |-> endpoints[leader],
                            topic |-> topic, epoch |-> leaderEpoch]]_vars

OneRequestIsUnderWay == [][Sends => attempt = None \/ backingOff]_vars

OnlyAServedRequestIsOver == [][Read => (attempt' = None <=> response.error = "NONE")]_vars

RetryAtOnceIsToANewerLeader ==
    [][(backingOff /\ ~backingOff' /\ attempt' # None) =>
        /\ attempt'.to = leader
        /\ attempt'.epoch # None
        /\ Exceeds(attempt'.epoch, attempt.epoch)]_vars

BacksOffOnlyWithoutANewerLeader ==
    [][(backingOff /\ attempt' = None) =>
        (leaderEpoch # None => ~Exceeds(leaderEpoch, attempt.epoch))]_vars

ErrorsAreBackedOffFrom ==
    [][(Read /\ response.error # "NONE") => backingOff' /\ UNCHANGED attempt]_vars

WhatIsLostIsMissed ==
    [][(disturbances' # disturbances /\ UNCHANGED cluster) =>
        /\ refreshWanted'
        /\ \/ backingOff' /\ response' = None
           \/ refresh # None /\ refresh' = None]_vars

RefusalAsksForARefresh ==
    [][(Read /\ (IsRefusal(response.error) \/ response.error = "UNKNOWN_TOPIC_ID"))
        => refreshWanted']_vars

-----------------------------------------------------------------------------
(* What must come to pass. *)

Responsive ==
    /\ \A b \in Brokers : WF_vars(Hear(b)) /\ WF_vars(AnswerRefresh(b))
    /\ WF_vars(RetryAtOnce)
    /\ WF_vars(EndBackoff)
    /\ WF_vars(AnswerServed)
    /\ WF_vars(AnswerNotLeader)
    /\ WF_vars(AnswerNotLeaderUntold)
    /\ WF_vars(AnswerFenced)
    /\ WF_vars(AnswerUnknownEpoch)
    /\ WF_vars(AnswerUnknownTopic)
    /\ WF_vars(ReceiveServed)
    /\ WF_vars(ReceiveNewerLeader)
    /\ WF_vars(ReceiveNothingNewer)
    /\ WF_vars(ReceiveUnknownEpoch)
    /\ WF_vars(ReceiveUnknownTopic)
    /\ WF_vars(FindNobody)
    /\ WF_vars(ReceiveRefresh)
    /\ WF_vars(ReceiveStaleRefresh)

ServedByTheLeader ==
    /\ response # None
    /\ response.error = "NONE"
    /\ attempt.to = cluster.leader

CurrentLeaderIsReached ==
    (Responsive /\ WF_vars(Send)) => (leader # cluster.leader ~> ServedByTheLeader)

RequestsComeToAnEnd == Responsive => (attempt # None ~> attempt = None)

-----------------------------------------------------------------------------
(* What `lockstep prove` proves of the model at Kafka's own widths, while the topic is one and the  *)
(* same or ids count everywhere.                                                                   *)

THEOREM Spec => [](LeaderWasElected /\ LostLeaderIsAskedFor /\ OnlyAFailedRequestIsBackedOffFrom)

THEOREM Spec => /\ ToldLeaderIsWhatTheBrokerKnows
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
                /\ RefreshTellsWhereBrokersAre
                /\ RefreshIsTakenUnlessItIsStale
                /\ NewLeaderCanBeReached
                /\ RequestsGoToTheLeaderBelievedIn
                /\ OneRequestIsUnderWay
                /\ OnlyAServedRequestIsOver
                /\ RetryAtOnceIsToANewerLeader
                /\ BacksOffOnlyWithoutANewerLeader
                /\ ErrorsAreBackedOffFrom
                /\ WhatIsLostIsMissed
                /\ RefusalAsksForARefresh
                /\ RefreshIsTakenOnce
=============================================================================
