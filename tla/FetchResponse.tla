---------------------------- MODULE FetchResponse ----------------------------
(***************************************************************************)
(* Responses of one fetch session under a size limit, KIP-227.             *)
(*                                                                         *)
(* The leader keeps a list of the session's partitions.  For a response it *)
(* visits them in that order, reads records while there is room, and moves *)
(* a partition to the end of the list when it read some.  A partition      *)
(* without records is still reported when its offsets changed.  Logs go on *)
(* growing in the meantime.                                                *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    None,
    Partitions,
    FirstOrder,         \* the list when the session begins
    MessageBytes,       \* every message has this size
    Limit,              \* bytes in a response, and
    PartitionLimit      \* of one partition in it: more only for a first message

\* Under a name of its own, for a message's arrival is an Append too.
Lists == INSTANCE Sequences

ASSUME
    /\ Lists!Len(FirstOrder) = Cardinality(Partitions)
    /\ {FirstOrder[n] : n \in DOMAIN FirstOrder} = Partitions

VARIABLES
    order,      \* the list
    backlog,    \* how many messages wait
    changed,    \* the partitions with offsets to report
    toVisit,    \* what is left of the list for this response; None between responses
    taken,      \* how many messages the response has
    reported,   \* the partitions that it has without records
    due,        \* those with messages waiting when it was begun
    waited      \* how many responses in a row left a partition out that was due

vars == <<order, backlog, changed, toVisit, taken, reported, due, waited>>

Messages == Nat

\* Whether the bounds of a model let another message in.
MayAppend(p) == TRUE

TypeOK ==
    /\ order \in Lists!Seq(Partitions)
    /\ backlog \in [Partitions -> Messages]
    /\ changed \subseteq Partitions
    /\ toVisit # None => toVisit \in Lists!Seq(Partitions)
    /\ taken \in [Partitions -> Messages]
    /\ reported \subseteq Partitions
    /\ due \subseteq Partitions
    /\ waited \in [Partitions -> Nat]

Zero == [p \in Partitions |-> 0]

Init ==
    /\ order = FirstOrder
    /\ backlog = Zero
    /\ changed = {}
    /\ toVisit = None
    /\ taken = Zero
    /\ reported = {}
    /\ due = {}
    /\ waited = Zero

-----------------------------------------------------------------------------
(* The logs. *)

Append(p) ==
    /\ MayAppend(p)
    /\ backlog' = [backlog EXCEPT ![p] = @ + 1]
    /\ UNCHANGED <<order, changed, toVisit, taken, reported, due, waited>>

ChangeOffsets(p) ==
    /\ p \notin changed
    /\ changed' = changed \cup {p}
    /\ UNCHANGED <<order, backlog, toVisit, taken, reported, due, waited>>

-----------------------------------------------------------------------------
(* The leader builds a response. *)

BeginResponse ==
    /\ toVisit = None
    /\ toVisit' = order
    /\ due' = {p \in Partitions : backlog[p] > 0}
    /\ UNCHANGED <<order, backlog, changed, taken, reported, waited>>

RECURSIVE Sum(_, _)
Sum(f, ps) ==
    IF ps = {} THEN 0
    ELSE LET p == CHOOSE p \in ps : TRUE
         IN  f[p] + Sum(f, ps \ {p})

Max(ns) == CHOOSE n \in ns : \A m \in ns : m <= n

InAll == Sum(taken, Partitions)

Fits(n) ==
    /\ n * MessageBytes <= PartitionLimit
    /\ (InAll + n) * MessageBytes <= Limit

\* As many as fit; the first message of a response need not.
Readable(p) ==
    Max({0} \cup {n \in 1 .. backlog[p] : Fits(n) \/ InAll + n = 1})

AtHand(p) ==
    /\ toVisit # None
    /\ toVisit # << >>
    /\ Lists!Head(toVisit) = p

Visited == toVisit' = Lists!Tail(toVisit)

ToTheTail(p) == Lists!Append(Lists!SelectSeq(order, LAMBDA q : q # p), p)

ReadRecords(p) ==
    /\ AtHand(p)
    /\ Readable(p) > 0
    /\ taken' = [taken EXCEPT ![p] = Readable(p)]
    /\ backlog' = [backlog EXCEPT ![p] = @ - Readable(p)]
    /\ changed' = changed \ {p}
    /\ order' = ToTheTail(p)
    /\ Visited
    /\ UNCHANGED <<reported, due, waited>>

ReportChange(p) ==
    /\ AtHand(p)
    /\ Readable(p) = 0
    /\ p \in changed
    /\ changed' = changed \ {p}
    /\ reported' = reported \cup {p}
    /\ Visited
    /\ UNCHANGED <<order, backlog, taken, due, waited>>

PassOver(p) ==
    /\ AtHand(p)
    /\ Readable(p) = 0
    /\ p \notin changed
    /\ Visited
    /\ UNCHANGED <<order, backlog, changed, taken, reported, due, waited>>

FinishResponse ==
    /\ toVisit = << >>
    /\ toVisit' = None
    /\ taken' = Zero
    /\ reported' = {}
    /\ due' = {}
    /\ waited' = [p \in Partitions |->
                     IF p \in due /\ taken[p] = 0 THEN waited[p] + 1 ELSE 0]
    /\ UNCHANGED <<order, backlog, changed>>

-----------------------------------------------------------------------------
Next ==
    \/ \E p \in Partitions :
        \/ Append(p)
        \/ ChangeOffsets(p)
        \/ ReadRecords(p)
        \/ ReportChange(p)
        \/ PassOver(p)
    \/ BeginResponse
    \/ FinishResponse

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
EveryResponseBeginsEmpty ==
    toVisit = None => InAll = 0 /\ reported = {}

ReturnsAtLeastOneMessage ==
    (toVisit = << >> /\ due # {}) => InAll > 0

KeepsWithinTheLimit ==
    InAll > 1 => InAll * MessageBytes <= Limit

KeepsWithinThePartitionLimit ==
    \A p \in Partitions : taken[p] > 1 => taken[p] * MessageBytes <= PartitionLimit

WaitsAtMostAsManyResponsesAsThereAreOthers ==
    \A p \in Partitions : waited[p] < Cardinality(Partitions)

OnlyRecordsMoveToTheTail ==
    [][order' # order
         => \E p \in Partitions : taken'[p] > taken[p] /\ order' = ToTheTail(p)]_vars

RecordsMoveToTheTail ==
    [][\A p \in Partitions :
         taken'[p] > taken[p] => order'[Lists!Len(order')] = p]_vars

ItemsOf(list) == {list[n] : n \in DOMAIN list}

ChangesAreReported ==
    [][(toVisit # None /\ toVisit' # None)
         => \A p \in changed \cap (ItemsOf(toVisit) \ ItemsOf(toVisit')) :
                p \in reported' \/ taken'[p] > 0]_vars

NothingIsReportedNeedlessly == [][reported' \ reported \subseteq changed]_vars

\* Those that get into a response by a step.
Answers(p) == p \in reported' \ reported \/ taken'[p] > taken[p]

ChangesWaitUntilTheyAreAnswered == [][\A p \in changed \ changed' : Answers(p)]_vars

WhatIsAnsweredIsNewsNoMore ==
    [][\A p \in Partitions : Answers(p) => p \notin changed']_vars

EverybodyHasOneTurn ==
    [][\A p \in Partitions :
         Answers(p) => p \in ItemsOf(toVisit) \ ItemsOf(toVisit')]_vars

NoMessageIsSkipped ==
    [][\A p \in Partitions :
         (taken'[p] > taken[p] \/ backlog'[p] < backlog[p])
            => backlog'[p] - backlog[p] = taken[p] - taken'[p]]_vars

-----------------------------------------------------------------------------
(* What must come to pass: visits are made, and what is complete is sent. *)
Goes ==
    /\ \A p \in Partitions :
        /\ WF_vars(ReadRecords(p))
        /\ WF_vars(ReportChange(p))
        /\ WF_vars(PassOver(p))
    /\ WF_vars(FinishResponse)

EveryResponseEnds == Goes => (toVisit # None ~> toVisit = None)
=============================================================================
