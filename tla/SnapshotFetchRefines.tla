------------------------ MODULE SnapshotFetchRefines ------------------------
(***************************************************************************)
(* The replicas of SnapshotFetch elect, commit and replace their logs as    *)
(* KIP-630 lets them, as long as none loses its disk, and one alone         *)
(* generates snapshots: else logs may be given a snapshot that the leader's *)
(* log could serve, 630-D20.                                                *)
(*                                                                          *)
(* The twin does not remember in which epochs it committed: a history       *)
(* variable does.  Nothing looks at it.                                     *)
(***************************************************************************)
EXTENDS MCSnapshotFetch

VARIABLE commits

BeginHistory == commits = {}

\* The leader whose high watermark has come so far.
Committer == CHOOSE r \in leading :
    highWatermark'[r] = Len(committed') /\ highWatermark[r] < Len(committed')

KeepHistory ==
    commits' = IF committed' = committed THEN commits
               ELSE commits \cup {[epoch |-> epoch[Committer], records |-> committed']}

NextWithHistory == Next /\ KeepHistory

Behaviours == (Init /\ BeginHistory) /\ [][NextWithHistory]_<<vars, commits>>

Abstract == INSTANCE CommittedLog WITH
    Deviations <- (IF CleansByRetention THEN {"630-D12"} ELSE {})
                  \cup (IF SnapshotForEmptyLogs THEN {"630-D21"} ELSE {}),
    elections <- {[epoch |-> e, leader |-> elected[e]] : e \in {x \in Epoch : elected[x] # None}},
    start <- logStart,
    snapshots <- [r \in Replicas |-> {SubSeq(snapshots[r][x], 1, x) : x \in Ends(r)}]

Refines == Abstract!Spec
=============================================================================
