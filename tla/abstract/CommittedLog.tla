---------------------------- MODULE CommittedLog ----------------------------
(***************************************************************************)
(* What is committed, who may lead, and what a snapshot may hold: KIP-630,  *)
(* with what it takes from KIP-595.                                         *)
(*                                                                          *)
(* A leader of an epoch commits what a majority of the voters has, if that  *)
(* ends in a record of its epoch.  Who is elected later has all of it.  A   *)
(* snapshot stands for committed records, all of them up to its end,        *)
(* wherever it came from, and a log begins where its replica has a snapshot *)
(* that stands for what is missing.  How votes, records and snapshots get   *)
(* from one to the other, and who waits for whom, is not said here.         *)
(*                                                                          *)
(* From the sections "When to Increase the LogStartOffset", "When to Delete *)
(* Snapshots", "Loading Snapshots", "Changes to Leader Election" and        *)
(* "Validation of Snapshot and Log" of KIP-630.                             *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Replicas, Voters

VARIABLES
    elections,  \* who was elected so far: a set of [epoch, leader]
    commits,    \* what was committed so far: a set of [epoch, records]
    epoch,      \* of each replica: the newest that it knows
    start, log, \* of each replica: where its log begins, and the epochs of its records from there on
    snapshots   \* of each replica: for each of its snapshots, the records that it stands for

vars == <<elections, commits, epoch, start, log, snapshots>>

First(records, n) == SubSeq(records, 1, n)
Last(records)     == records[Len(records)]

IsPrefix(one, other) == Len(one) <= Len(other) /\ one = First(other, Len(one))

IsMajority(members) == 2 * Cardinality(members \cap Voters) > Cardinality(Voters)

\* All that a replica has, below its log, too.
Records(r) ==
    IF start[r] = 0 THEN log[r]
    ELSE First(CHOOSE s \in snapshots[r] : Len(s) >= start[r], start[r]) \o log[r]

Leads(r) == [epoch |-> epoch[r], leader |-> r] \in elections

Init ==
    /\ \A won \in elections : epoch[won.leader] = won.epoch
    /\ Cardinality(elections) <= 1
    /\ commits = {}
    /\ \A r \in Replicas : start[r] = 0 /\ log[r] = << >> /\ snapshots[r] = {}

-----------------------------------------------------------------------------
(* Who may lead. *)

Elected(won) ==
    /\ won.leader \in Voters
    /\ \A other \in elections : other.epoch # won.epoch
    /\ epoch'[won.leader] = won.epoch
    /\ IsMajority({v \in Voters : epoch'[v] >= won.epoch})
    /\ \A c \in commits : c.epoch < won.epoch => IsPrefix(c.records, Records(won.leader))

Elections ==
    \/ UNCHANGED elections
    \/ \E r \in Voters :
        LET won == [epoch |-> epoch'[r], leader |-> r]
        IN  elections' = elections \cup {won} /\ Elected(won)

(* What is committed. *)

Committed(c) ==
    /\ Last(c.records) = c.epoch
    /\ \E r \in Voters :
        Leads(r) /\ epoch[r] = c.epoch /\ IsPrefix(c.records, Records(r))
    /\ IsMajority({v \in Voters : IsPrefix(c.records, Records(v))})
    /\ \A other \in commits : IsPrefix(other.records, c.records)
    /\ \A r \in Voters : Leads(r) /\ epoch[r] > c.epoch => IsPrefix(c.records, Records(r))

Commits ==
    \/ UNCHANGED commits
    \/ \E l \in Voters : \E n \in 1 .. Len(Records(l)) :
        LET c == [epoch |-> epoch[l], records |-> First(Records(l), n)]
        IN  commits' = commits \cup {c} /\ Committed(c)

\* Whatever replicas truncate, lose by a crash or reset.
CommittedStays ==
    \A c \in commits' : IsMajority({v \in Voters : IsPrefix(c.records, Records(v)')})

IsCommitted(records) == \E c \in commits' : IsPrefix(records, c.records)

-----------------------------------------------------------------------------
(* What becomes of a replica's records. *)

Write(r) ==
    /\ [epoch |-> epoch'[r], leader |-> r] \in elections'
    /\ Records(r)' = Append(Records(r), epoch'[r])

Replicate(r) ==
    \E l \in Voters \ {r} :
        /\ Leads(l) /\ epoch[l] = epoch[r]
        /\ IsPrefix(Records(r), Records(r)')
        /\ IsPrefix(Records(r)', Records(l))

\* A part that others do not have, or that was not on its disk.
Lose(r) == IsPrefix(Records(r)', Records(r))

\* Once a snapshot was fetched.
Reset(r) ==
    /\ \E s \in snapshots'[r] : Records(r)' = s
    /\ log'[r] = << >>
    /\ ~Leads(r)

Logs == \A r \in Replicas : Write(r) \/ Replicate(r) \/ Lose(r) \/ Reset(r)

-----------------------------------------------------------------------------
(* What a snapshot may hold, and where logs begin. *)

Snapshots ==
    \A r \in Replicas :
        /\ \A s \in snapshots'[r] \ snapshots[r] : s # << >> /\ IsCommitted(s)
        /\ \A s \in snapshots[r] \ snapshots'[r] :
            Len(s) < start'[r] \/ \E t \in snapshots'[r] : Len(t) > Len(s)

Starts ==
    \A r \in Replicas :
        /\ start'[r] > 0 => \E s \in snapshots'[r] : Len(s) >= start'[r]
        /\ start'[r] # start[r] =>
            /\ start'[r] > start[r]
            /\ Leads(r) => \E s \in snapshots[r] : Len(s) = start'[r]

-----------------------------------------------------------------------------
Next ==
    /\ \A r \in Replicas : epoch'[r] >= epoch[r]
    /\ Elections
    /\ Commits
    /\ CommittedStays
    /\ Logs
    /\ Snapshots
    /\ Starts

Spec == Init /\ [][Next]_vars
=============================================================================
