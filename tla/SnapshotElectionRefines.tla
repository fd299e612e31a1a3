---------------------- MODULE SnapshotElectionRefines ----------------------
(***************************************************************************)
(* The voters of SnapshotElection elect, commit and replace their logs as   *)
(* KIP-630 lets them, while every snapshot that was fetched takes the place *)
(* of the log, and nobody loses its disk.                                   *)
(*                                                                          *)
(* In three ways the twin does otherwise.  A replica has its latest         *)
(* snapshot alone.  It starts its log there whether its leader does or not, *)
(* as in Apache Kafka: 630-D12.  And it does so even if it has forgotten by *)
(* a restart that so much is committed, which Kafka's log refuses: it then  *)
(* starts after the high watermark.                                         *)
(*                                                                          *)
(* A record is its epoch there, whatever its value.                         *)
(*                                                                          *)
(* The twin does not remember who was elected, nor what was committed in    *)
(* which epoch but the last: two history variables do.  Nothing looks at    *)
(* them.                                                                    *)
(***************************************************************************)
EXTENDS MCSnapshotElection

VARIABLES elections, commits

Epochs(records) == [i \in DOMAIN records |-> records[i].epoch]

BeginHistory == elections = {} /\ commits = {}

KeepHistory ==
    /\ elections' = elections \cup {[epoch |-> epoch'[v], leader |-> v] : v \in Leaders'}
    /\ commits' = IF committed' = committed THEN commits
                  ELSE commits \cup {[epoch |-> committedIn', records |-> Epochs(committed')]}

NextWithHistory == Next /\ KeepHistory

Behaviours == (Init /\ BeginHistory) /\ [][NextWithHistory]_<<vars, elections, commits>>

Abstract == INSTANCE CommittedLog WITH
    Replicas <- Voters,
    Deviations <- {"630-D12", "630-D40"},
    leading <- Leaders,
    start <- logStart,
    log <- [v \in Voters |-> Epochs(log[v])],
    snapshots <- [v \in Voters |-> {Epochs(snapshot[v])} \ {<< >>}]

Refines == Abstract!Spec
=============================================================================
