------------------------ MODULE FetchSnapshotResponse ------------------------
(***************************************************************************)
(* Several partitions in one FetchSnapshot request, KIP-630.               *)
(*                                                                         *)
(* Who cannot serve a partition says why.  A response has room for so many *)
(* units.  Each partition of the request that can be served is sure of an  *)
(* even share, if its snapshot has as much left; what others leave of      *)
(* theirs goes to the first that takes it.  The next request asks for      *)
(* the rest.                                                               *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    None,
    Partitions,
    AnyRequest,         \* whether a request may ask for what cannot be served
    RequestMaxBytes,    \* the request's limit, and
    LeaderMaxBytes      \* the leader's own

VARIABLES
    asked,      \* what the request asks of a partition, and what its receiver is and has
    answers,    \* what the partition gets; None before its turn
    building    \* whether a response is being built

vars == <<asked, answers, building>>

\* How large a snapshot may be, and which leader epochs there are.
Size  == Nat \ {0}
Epoch == Nat

Requests == [namedEpoch : Epoch, epoch : Epoch, leads : BOOLEAN,
             size : Size \cup {None}, position : {-1, 0} \cup Size]

Errors == {"NONE", "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH", "NOT_LEADER_OR_FOLLOWER",
           "SNAPSHOT_NOT_FOUND", "POSITION_OUT_OF_RANGE"}

Named    == {p \in Partitions : asked[p] # None}
Answered == {p \in Partitions : answers[p] # None}

TypeOK ==
    /\ asked \in [Partitions -> Requests \cup {None}]
    /\ answers \in [Partitions -> [error : Errors, units : {0} \cup Size] \cup {None}]
    /\ building \in BOOLEAN
    /\ Answered \subseteq Named

Nothing == [p \in Partitions |-> None]

Init ==
    /\ asked = Nothing
    /\ answers = Nothing
    /\ building = FALSE

Min(m, n) == IF m < n THEN m ELSE n

Limit == Min(RequestMaxBytes, LeaderMaxBytes)

EvenShare == Limit \div Cardinality(Named)

RECURSIVE Sum(_, _)
Sum(f, ps) ==
    IF ps = {} THEN 0
    ELSE LET p == CHOOSE p \in ps : TRUE
         IN  f[p] + Sum(f, ps \ {p})

\* The positions at which a snapshot has a unit.
Positions(size) == IF size = None THEN {} ELSE 0 .. size - 1

\* The first thing that is wrong counts.
Verdict(r) ==
    CASE r.namedEpoch < r.epoch -> "FENCED_LEADER_EPOCH"
      [] r.namedEpoch > r.epoch -> "UNKNOWN_LEADER_EPOCH"
      [] r.namedEpoch = r.epoch /\ ~r.leads -> "NOT_LEADER_OR_FOLLOWER"
      [] r.namedEpoch = r.epoch /\ r.leads /\ r.size = None -> "SNAPSHOT_NOT_FOUND"
      [] OTHER -> IF r.position \in Positions(r.size) THEN "NONE" ELSE "POSITION_OUT_OF_RANGE"

Served == {p \in Named : Verdict(asked[p]) = "NONE"}

Ask(p, r) ==
    /\ ~building
    /\ p \notin Named
    /\ IF AnyRequest THEN TRUE ELSE Verdict(r) = "NONE"
    /\ asked' = [asked EXCEPT ![p] = r]
    /\ UNCHANGED <<answers, building>>

BeginResponse ==
    /\ ~building
    /\ Named # {}
    /\ building' = TRUE
    /\ UNCHANGED <<asked, answers>>

Rest == [p \in Partitions |-> IF p \in Served THEN asked[p].size - asked[p].position ELSE 0]
Sent == [p \in Partitions |-> IF p \in Answered THEN answers[p].units ELSE 0]

\* What those are sure of that still wait, but for one of them.
Reserved(p) ==
    Sum([q \in Partitions |-> Min(Rest[q], EvenShare)], Named \ (Answered \cup {p}))

Answer(p, error, units) ==
    /\ building
    /\ p \in Named \ Answered
    /\ answers' = [answers EXCEPT ![p] = [error |-> error, units |-> units]]

Give(p) ==
    /\ p \in Served
    /\ Answer(p, "NONE", Min(Rest[p], Limit - Sum(Sent, Answered) - Reserved(p)))
    /\ UNCHANGED <<asked, building>>

Refuse(p) ==
    /\ p \notin Served
    /\ Answer(p, Verdict(asked[p]), 0)
    /\ UNCHANGED <<asked, building>>

IsComplete == building /\ Answered = Named

SendResponse ==
    /\ IsComplete
    /\ building' = FALSE
    /\ answers' = Nothing
    /\ asked' = [p \in Partitions |->
            IF Rest[p] = Sent[p] THEN None
            ELSE [asked[p] EXCEPT !.position = @ + Sent[p]]]

Next ==
    \/ \E p \in Partitions :
        \/ \E r \in Requests : Ask(p, r)
        \/ Give(p)
        \/ Refuse(p)
    \/ BeginResponse
    \/ SendResponse

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* What was answered to requests that satisfy a condition.
Reported(Is(_)) == {answers[p].error : p \in {q \in Answered : Is(asked[q])}}

IsOlder(r)   == r.namedEpoch < r.epoch
IsNewer(r)   == r.namedEpoch > r.epoch
IsCurrent(r) == r.namedEpoch = r.epoch
HasLeader(r) == IsCurrent(r) /\ r.leads
IsFound(r)   == HasLeader(r) /\ r.size # None

OlderEpochIsFenced == Reported(IsOlder) \subseteq {"FENCED_LEADER_EPOCH"}

NewerEpochIsUnknown == Reported(IsNewer) \subseteq {"UNKNOWN_LEADER_EPOCH"}

OnlyTheLeaderServes ==
    \A p \in Answered : IsCurrent(asked[p]) =>
        (answers[p].error = "NOT_LEADER_OR_FOLLOWER" <=> ~asked[p].leads)

MissingSnapshotIsNotFound ==
    \A p \in Answered : HasLeader(asked[p]) =>
        (answers[p].error = "SNAPSHOT_NOT_FOUND" <=> asked[p].size = None)

PositionOutsideTheSnapshotIsRefused ==
    \A p \in Answered : IsFound(asked[p]) =>
        (answers[p].error = "POSITION_OUT_OF_RANGE"
            <=> asked[p].position < 0 \/ asked[p].position >= asked[p].size)

\* The positions of the units that a partition gets.
Got(p) == asked[p].position .. asked[p].position + answers[p].units - 1

AnswersOnlyWhatIsAsked == Answered # {} => building /\ Answered \subseteq Named

BytesComeWithoutAnError ==
    \A p \in Answered : answers[p].units > 0 =>
        /\ answers[p].error = "NONE"
        /\ IsFound(asked[p])
        /\ Got(p) \subseteq Positions(asked[p].size)

KeepsWithinBothLimits ==
    Sum(Sent, Answered) <= RequestMaxBytes /\ Sum(Sent, Answered) <= LeaderMaxBytes

GivesTheAverageWhileThereIsAsMuch ==
    \A p \in Answered \cap Served : answers[p].units >= Min(Rest[p], EvenShare)

NothingIsWithheldThatWouldFit ==
    IsComplete => Sum(Sent, Answered) = Min(Limit, Sum(Rest, Named))

WhatWasNotSentIsAskedFor ==
    [][building /\ ~building' => \A p \in Named :
         /\ p \in Answered
         /\ LET next == asked[p].position + answers[p].units
            IN  asked'[p] = IF answers[p].error # "NONE" \/ next = asked[p].size THEN None
                            ELSE [asked[p] EXCEPT !.position = next]]_vars

OnlyAResponseAnswers ==
    [][~building \/ building' =>
         /\ \A p \in Named : asked'[p] = asked[p]
         /\ building \/ building' => asked' = asked
         /\ \A p \in Answered : answers'[p] = answers[p]]_vars
=============================================================================
