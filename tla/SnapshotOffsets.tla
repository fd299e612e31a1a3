-------------------------- MODULE SnapshotOffsets --------------------------
(***************************************************************************)
(* Where the log of one KRaft replica starts and ends, and where its       *)
(* snapshots do: the offsets of KIP-630, and nothing of what they are      *)
(* offsets of.                                                             *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    None,
    Places,     \* for snapshots
    Offset      \* offsets from 0 on

VARIABLES
    logStart, highWatermark, logEnd,
    snapshots,      \* where the snapshot in a place ends
    unapplied       \* a fetched one waits for the log to be reset

vars == <<logStart, highWatermark, logEnd, snapshots, unapplied>>

TypeOK ==
    /\ logStart \in Offset
    /\ highWatermark \in Offset
    /\ logEnd \in Offset
    /\ snapshots \in [Places -> Offset \cup {None}]
    /\ unapplied \in BOOLEAN

Init ==
    /\ logStart = 0
    /\ highWatermark = 0
    /\ logEnd = 0
    /\ snapshots = [p \in Places |-> None]
    /\ unapplied = FALSE

Ends == {snapshots[p] : p \in Places} \ {None}

\* Without a snapshot it is as if one ended where everything begins.
Latest == CHOOSE x \in Ends \cup {0} : \A y \in Ends : y <= x

\* Records come, or those go that the leader lacks, which are not committed.
MoveLogEnd(to) ==
    /\ ~unapplied
    /\ to >= highWatermark
    /\ to # logEnd
    /\ logEnd' = to
    /\ UNCHANGED <<logStart, highWatermark, snapshots, unapplied>>

AdvanceHighWatermark(to) ==
    /\ ~unapplied
    /\ to > highWatermark
    /\ to <= logEnd
    /\ highWatermark' = to
    /\ UNCHANGED <<logStart, logEnd, snapshots, unapplied>>

GenerateSnapshot(p) ==
    /\ ~unapplied
    /\ snapshots[p] = None
    /\ highWatermark > Latest
    /\ snapshots' = [snapshots EXCEPT ![p] = highWatermark]
    /\ UNCHANGED <<logStart, highWatermark, logEnd, unapplied>>

FetchSnapshot(p, end) ==
    /\ ~unapplied
    /\ snapshots[p] = None
    /\ end > logEnd
    /\ snapshots' = [snapshots EXCEPT ![p] = end]
    /\ unapplied' = TRUE
    /\ UNCHANGED <<logStart, highWatermark, logEnd>>

ResetLog ==
    /\ unapplied
    /\ logStart' = Latest
    /\ highWatermark' = Latest
    /\ logEnd' = Latest
    /\ unapplied' = FALSE
    /\ UNCHANGED snapshots

\* As far as the leader, but no farther than the own snapshots go. A leader starts where one of
\* its own ends, which is among these.
AdvanceLogStart(leaders) ==
    LET start == IF leaders < Latest THEN leaders ELSE Latest
    IN  /\ ~unapplied
        /\ start > logStart
        /\ logStart' = start
        /\ UNCHANGED <<highWatermark, logEnd, snapshots, unapplied>>

DeleteSnapshot(p) ==
    /\ snapshots[p] # None
    /\ snapshots[p] < logStart
    /\ snapshots' = [snapshots EXCEPT ![p] = None]
    /\ UNCHANGED <<logStart, highWatermark, logEnd, unapplied>>

Next ==
    \/ ResetLog
    \/ \E x \in Offset :
        \/ MoveLogEnd(x)
        \/ AdvanceHighWatermark(x)
        \/ AdvanceLogStart(x)
    \/ \E p \in Places :
        \/ GenerateSnapshot(p)
        \/ DeleteSnapshot(p)
        \/ \E x \in Offset : FetchSnapshot(p, x)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------

OffsetsAreInOrder == logStart <= highWatermark /\ highWatermark <= logEnd

SnapshotsEndByTheHighWatermark == unapplied \/ \A x \in Ends : x <= highWatermark

SnapshotsHoldARecord == 0 \notin Ends

NoTwoSnapshotsEndAtOneOffset ==
    \A p, q \in Places : p # q /\ snapshots[p] # None => snapshots[p] # snapshots[q]

LogAboveZeroHasASnapshot == logStart = 0 \/ \E x \in Ends : x >= logStart

FetchedSnapshotReplacesTheLog ==
    [][unapplied =>
         \/ UNCHANGED <<logStart, highWatermark, logEnd, unapplied>>
         \/ /\ <<logStart, highWatermark, logEnd>>' = <<Latest, Latest, Latest>>
            /\ ~unapplied']_vars

SnapshotKeepsItsEnd ==
    [][\A p \in Places : snapshots'[p] \in {None, snapshots[p]} \/ snapshots[p] = None]_vars

DeletesOnlyBelowTheLogStart ==
    [][\A p \in Places :
        snapshots[p] # None /\ snapshots'[p] = None => snapshots[p] < logStart]_vars

OffsetsNeverMoveBack ==
    [][logStart' >= logStart /\ highWatermark' >= highWatermark]_vars
=============================================================================
