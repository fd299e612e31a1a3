-------------------------- MODULE SnapshotElection --------------------------
(***************************************************************************)
(* Elections and replication in a KRaft quorum whose voters replace the    *)
(* beginning of their logs by snapshots, KIP-595 and KIP-630.              *)
(*                                                                         *)
(* Two replicas exchange request and response in one step.  A record is    *)
(* known by the epoch of its leader, and by a value where one leader may   *)
(* write two at an offset; a snapshot by the records that it replaces: the *)
(* empty sequence is no snapshot.                                          *)
(*                                                                         *)
(* A follower that has downloaded a snapshot resets its log in a later     *)
(* step.  Until then it does not fetch, but it takes part in elections.    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    None,
    Voters,
    Reset,  \* which downloaded snapshots the log gives way to
    FetchRule, \* for which fetches a leader has nothing but a snapshot
    Stalls, \* whether a follower may fetch and not get on
    CheckQuorum, \* what keeps a leader in office of those that do not get on
    PreVote, \* whether a replica stands only if a majority said that it would vote for it
    Notices, \* whether a state machine writes only once it was notified that its replica leads
    Values  \* whether what is written before and after a crash differs

ASSUME FetchRule \in {"offset", "history", "earliest"}
ASSUME CheckQuorum \in {"fetch", "served", "progress"} /\ Stalls \in BOOLEAN /\ PreVote \in BOOLEAN
ASSUME Reset \in {"always", "newer"} /\ Notices \in BOOLEAN /\ Values \in BOOLEAN

VARIABLES
    epoch, voted, logStart, log, snapshot,                \* on disk
    role, unapplied, highWatermark, granted, fetched,     \* in memory
    notice,                                               \* 1: its state machine has it for leader
    stalled,                                              \* 1: it fetches and does not get on
    cut,                                                  \* whom the network has cut off
    committed, committedIn,                               \* seen from outside
    restarts, wipes, snapshots, cuts                      \* how often

disk   == <<epoch, voted, logStart, log, snapshot>>
memory == <<role, unapplied, highWatermark, granted, fetched, notice, stalled>>
network == <<cut, cuts>>
counts  == <<restarts, wipes, snapshots, network>>

seen   == <<committed, committedIn>>    \* what is committed, and in whose epoch the last of it was

vars == <<disk, memory, seen, counts>>

Epoch  == Nat
Offset == Nat

LogRecord == [epoch : Epoch, value : Nat]

\* What bounds a model: epochs, offsets, and how often things happen.
MayTimeOut(v)  == TRUE
HasRoom(v)     == TRUE
MayGenerate    == TRUE
MayRestart     == TRUE
MayWipe        == TRUE
MayCut         == TRUE

TypeOK ==
    /\ epoch \in [Voters -> Epoch]
    /\ voted \in [Voters -> Voters \cup {None}]
    /\ logStart \in [Voters -> Offset]
    /\ \A v \in Voters : \A i \in DOMAIN log[v] : log[v][i] \in LogRecord
    /\ \A v \in Voters : \A i \in DOMAIN snapshot[v] : snapshot[v][i] \in LogRecord
    /\ role \in [Voters -> {"FOLLOWER", "CANDIDATE", "LEADER"}]
    /\ unapplied \in [Voters -> BOOLEAN]
    /\ highWatermark \in [Voters -> Offset]
    /\ granted \in [Voters -> SUBSET Voters]
    /\ fetched \in [Voters -> [Voters -> Offset]]
    /\ notice \in [Voters -> {0, 1}]
    /\ stalled \in [Voters -> {0, 1}]
    /\ cut \in Voters \cup {None}
    /\ restarts \in Nat /\ wipes \in Nat /\ snapshots \in Nat /\ cuts \in Nat

Nothing == [v \in Voters |-> 0]

Init ==
    /\ epoch = Nothing
    /\ voted = [v \in Voters |-> None]
    /\ logStart = Nothing
    /\ log = [v \in Voters |-> <<>>]
    /\ snapshot = [v \in Voters |-> <<>>]
    /\ role = [v \in Voters |-> "FOLLOWER"]
    /\ unapplied = [v \in Voters |-> FALSE]
    /\ highWatermark = Nothing
    /\ granted = [v \in Voters |-> {}]
    /\ fetched = [v \in Voters |-> Nothing]
    /\ committed = <<>> /\ committedIn = 0
    /\ notice = Nothing
    /\ stalled = Nothing
    /\ cut = None
    /\ restarts = 0 /\ wipes = 0 /\ snapshots = 0 /\ cuts = 0

-----------------------------------------------------------------------------
Min(a, b) == IF a < b THEN a ELSE b
Max(a, b) == IF a > b THEN a ELSE b

Majorities == {Q \in SUBSET Voters : 2 * Cardinality(Q) > Cardinality(Voters)}

First(records, n) == SubSeq(records, 1, n)
After(records, n) == SubSeq(records, n + 1, Len(records))

IsPrefix(p, q) == Len(p) <= Len(q) /\ First(q, Len(p)) = p

LastEpoch(records) == IF records = <<>> THEN 0 ELSE records[Len(records)].epoch

NextRecord(l) == [epoch |-> epoch[l], value |-> IF Values THEN restarts ELSE 0]

\* Where some records end, and how two such ends compare: the epoch counts first.
End(records) == [offset |-> Len(records), epoch |-> LastEpoch(records)]

Newer(a, b) == \/ a.epoch > b.epoch
               \/ a.epoch = b.epoch /\ a.offset > b.offset

LogEnd(v) == logStart[v] + Len(log[v])

\* Everything before a log's end; what the log does not have is in the snapshot.
Records(v) == First(snapshot[v], logStart[v]) \o log[v]

Latest(v) == IF Newer(End(snapshot[v]), End(Records(v)))
             THEN End(snapshot[v])
             ELSE End(Records(v))

-----------------------------------------------------------------------------
(* Elections *)

Take(v, newRole, newEpoch, vote) ==
    /\ role' = [role EXCEPT ![v] = newRole]
    /\ epoch' = [epoch EXCEPT ![v] = newEpoch]
    /\ voted' = [voted EXCEPT ![v] = vote]
    /\ stalled' = [stalled EXCEPT ![v] = 0]
    /\ fetched' = [fetched EXCEPT ![v] = Nothing]
    /\ notice' = [notice EXCEPT ![v] = 0]

\* What one sends arrives at the other.
Hears(v, w) == cut \notin {v, w}

\* Whom a replica leads or could fetch from.
Leading(v) == {l \in Voters : role[l] = "LEADER" /\ epoch[l] = epoch[v] /\ Hears(l, v)}

GrantsPreVote(v, c) ==
    /\ Hears(v, c)
    /\ epoch[v] = epoch[c]
    /\ Leading(v) = {}
    /\ Newer(Latest(c), Latest(v)) \/ Latest(c) = Latest(v)

TimeOut(v) ==
    /\ MayTimeOut(v)
    /\ PreVote => {v} \cup {w \in Voters : GrantsPreVote(w, v)} \in Majorities
    /\ Take(v, "CANDIDATE", epoch[v] + 1, v)
    /\ granted' = [granted EXCEPT ![v] = {v}]
    /\ UNCHANGED <<logStart, log, snapshot, unapplied, highWatermark, seen, counts>>

Grant(v, c) ==
    /\ Hears(v, c)
    /\ role[c] = "CANDIDATE"
    /\ \/ epoch[v] < epoch[c]
       \/ epoch[v] = epoch[c] /\ voted[v] = None
    /\ ~Newer(Latest(v), Latest(c))
    /\ Take(v, "FOLLOWER", epoch[c], c)
    /\ granted' = [granted EXCEPT ![v] = {}, ![c] = @ \cup {v}]
    /\ UNCHANGED <<logStart, log, snapshot, unapplied, highWatermark, seen, counts>>

LearnEpoch(v, w) ==
    /\ Hears(v, w)
    /\ epoch[v] < epoch[w]
    /\ Take(v, "FOLLOWER", epoch[w], None)
    /\ granted' = [granted EXCEPT ![v] = {}]
    /\ UNCHANGED <<logStart, log, snapshot, unapplied, highWatermark, seen, counts>>

\* A leader begins without a high watermark, which 0 stands for.
BecomeLeader(c) ==
    /\ role[c] = "CANDIDATE"
    /\ granted[c] \in Majorities
    /\ ~unapplied[c]
    /\ HasRoom(c)
    /\ Take(c, "LEADER", epoch[c], c)
    /\ granted' = [granted EXCEPT ![c] = {}]
    /\ log' = [log EXCEPT ![c] = Append(@, NextRecord(c))]
    /\ highWatermark' = [highWatermark EXCEPT ![c] = 0]
    /\ UNCHANGED <<logStart, snapshot, unapplied, seen, counts>>

\* Another won the votes of the epoch.
Lose(c, l) ==
    /\ Hears(c, l)
    /\ role[c] = "CANDIDATE"
    /\ role[l] = "LEADER"
    /\ epoch[c] = epoch[l]
    /\ Take(c, "FOLLOWER", epoch[c], c)
    /\ granted' = [granted EXCEPT ![c] = {}]
    /\ UNCHANGED <<logStart, log, snapshot, unapplied, highWatermark, seen, counts>>

CutOff(v) ==
    /\ MayCut
    /\ cut = None
    /\ cut' = v
    /\ cuts' = cuts + 1
    /\ UNCHANGED <<disk, memory, seen, restarts, wipes, snapshots>>

Heal ==
    /\ cut # None
    /\ cut' = None
    /\ UNCHANGED <<disk, memory, seen, restarts, wipes, snapshots, cuts>>

-----------------------------------------------------------------------------
(* Replication *)

\* The module Sequences has an Append of its own.
AppendRecord(l) ==
    /\ role[l] = "LEADER"
    /\ HasRoom(l)
    /\ Notices => notice[l] = 1
    /\ log' = [log EXCEPT ![l] = Append(@, NextRecord(l))]
    /\ UNCHANGED <<epoch, voted, logStart, snapshot, memory, seen, counts>>

Fetches(v, l) ==
    /\ Hears(v, l)
    /\ role[l] = "LEADER"
    /\ role[v] = "FOLLOWER"
    /\ epoch[v] = epoch[l]
    /\ ~unapplied[v]
    /\ stalled[v] = 0

\* How many of a replica's records belong to an epoch or to those before it.  A log that
\* begins later has nothing to say of what is before.
EndOfEpoch(v, e) ==
    CHOOSE n \in logStart[v] .. LogEnd(v) :
        /\ \A i \in 1 .. LogEnd(v) : (i > n => Records(v)[i].epoch > e)
        /\ n > logStart[v] => Records(v)[n].epoch <= e

\* The leader can compare only what is at or past the start of its log.
CanCompare(v, l) ==
    LET start == End(First(Records(l), logStart[l]))
        own   == End(Records(v))
    IN  /\ own.offset >= start.offset
        /\ FetchRule = "earliest" =>
              /\ own.epoch >= start.epoch
              /\ own.offset = start.offset => own.epoch = start.epoch

\* Where the leader says that the logs part: it has the epochs of what its log still has, or of all.
Diverging(v, l) ==
    LET e == LastEpoch(Records(v))
    IN  IF FetchRule = "history" THEN End(SelectSeq(Records(l), LAMBDA record : record.epoch <= e))
        ELSE End(First(Records(l), EndOfEpoch(l, e)))

Agrees(v, l) ==
    /\ Diverging(v, l).epoch = LastEpoch(Records(v))
    /\ Diverging(v, l).offset >= LogEnd(v)

\* A record of the leader's own epoch commits itself and all before it.
HighWatermarkAfter(l, offsets) ==
    LET has(o)   == {v \in Voters : (IF v = l THEN LogEnd(l) ELSE offsets[v]) >= o}
        common   == {o \in 1 .. LogEnd(l) : has(o) \in Majorities /\ Records(l)[o].epoch = epoch[l]}
        greatest == CHOOSE o \in common : \A p \in common : p <= o
    IN  IF common = {} THEN highWatermark[l] ELSE Max(highWatermark[l], greatest)

\* The leader has seen a fetch; who does not get on sees nothing of the answer.
IsServed(v, l, end) ==
    /\ CanCompare(v, l)
    /\ Agrees(v, l)
    /\ end \in LogEnd(v) .. LogEnd(l)
    /\ LET offsets == [fetched[l] EXCEPT ![v] = LogEnd(v)]
           hw      == HighWatermarkAfter(l, offsets)
           seenHw  == IF stalled[v] = 1 THEN 0 ELSE hw
       IN  /\ fetched' = [fetched EXCEPT ![l] = offsets]
           /\ highWatermark' = [highWatermark EXCEPT ![l] = hw, ![v] = Max(@, Min(seenHw, end))]
           /\ IF hw > Len(committed)
              THEN /\ committed' = committed \o After(First(Records(l), hw), Len(committed))
                   /\ committedIn' = epoch[l]
              ELSE UNCHANGED seen

Fetch(v, l, end) ==
    /\ Fetches(v, l)
    /\ IsServed(v, l, end)
    /\ log' = [log EXCEPT ![v] = @ \o After(First(Records(l), end), LogEnd(v))]
    /\ UNCHANGED <<epoch, voted, logStart, snapshot, role, unapplied, granted, notice, stalled>>
    /\ UNCHANGED counts

Stall(v, l) ==
    /\ Stalls
    /\ Fetches(v, l)
    /\ stalled' = [stalled EXCEPT ![v] = 1]
    /\ UNCHANGED <<disk, role, unapplied, highWatermark, granted, fetched, notice, seen, counts>>

Recover(v) ==
    /\ stalled[v] = 1
    /\ stalled' = [stalled EXCEPT ![v] = 0]
    /\ UNCHANGED <<disk, role, unapplied, highWatermark, granted, fetched, notice, seen, counts>>

InVain(v, l) ==
    /\ Hears(v, l)
    /\ stalled[v] = 1
    /\ <<role[v], role[l]>> = <<"FOLLOWER", "LEADER">>
    /\ epoch[v] = epoch[l]

FetchInVain(v, l) ==
    /\ InVain(v, l)
    /\ IsServed(v, l, LogEnd(v))
    /\ UNCHANGED <<disk, role, unapplied, granted, notice, stalled, counts>>

\* Who lacks the leader's snapshot and needs it asks for that and for no records.
AsksForSnapshot(v, l) == ~CanCompare(v, l) /\ snapshot[v] # snapshot[l]

\* Whom a leader has heard from in time.
Counts(v, l) ==
    /\ Hears(v, l)
    /\ InVain(v, l) =>
          CASE CheckQuorum = "fetch"    -> ~AsksForSnapshot(v, l)
            [] OTHER ->
                  \/ AsksForSnapshot(v, l)
                  \/ /\ CanCompare(v, l) /\ Agrees(v, l)
                     /\ CheckQuorum = "progress" => LogEnd(v) = LogEnd(l)

Resign(l) ==
    /\ role[l] = "LEADER"
    /\ {l} \cup {v \in Voters : Counts(v, l)} \notin Majorities
    /\ Take(l, "FOLLOWER", epoch[l], l)
    /\ granted' = [granted EXCEPT ![l] = {}]
    /\ UNCHANGED <<logStart, log, snapshot, unapplied, highWatermark, seen, counts>>

Truncate(v, l) ==
    /\ Fetches(v, l)
    /\ CanCompare(v, l)
    /\ ~Agrees(v, l)
    /\ LET reported == Diverging(v, l)
           own  == End(First(Records(v), EndOfEpoch(v, reported.epoch)))
           end  == IF own.epoch = reported.epoch THEN Min(own.offset, reported.offset) ELSE own.offset
       IN  log' = [log EXCEPT ![v] = First(@, end - logStart[v])]
    /\ UNCHANGED <<epoch, voted, logStart, snapshot, memory, seen, counts>>

\* A leader's state machine has read up to the high watermark, and into the leader's epoch.
Notify(l) ==
    /\ Notices
    /\ role[l] = "LEADER"
    /\ notice[l] = 0
    /\ LastEpoch(First(Records(l), highWatermark[l])) = epoch[l]
    /\ notice' = [notice EXCEPT ![l] = 1]
    /\ UNCHANGED <<disk, role, unapplied, highWatermark, granted, fetched, stalled, seen, counts>>

-----------------------------------------------------------------------------
(* Snapshots *)

ReceiveSnapshot(v, l) ==
    /\ Fetches(v, l)
    /\ ~CanCompare(v, l)
    /\ snapshot' = [snapshot EXCEPT ![v] = snapshot[l]]
    /\ unapplied' = [unapplied EXCEPT ![v] = TRUE]
    /\ UNCHANGED <<epoch, voted, logStart, log, role, highWatermark, granted, fetched>>
    /\ UNCHANGED <<notice, stalled, seen, counts>>

GivesWay(v) == Reset = "newer" => Newer(End(snapshot[v]), End(Records(v)))

ResetLog(v) ==
    /\ unapplied[v]
    /\ GivesWay(v)
    /\ unapplied' = [unapplied EXCEPT ![v] = FALSE]
    /\ logStart' = [logStart EXCEPT ![v] = Len(snapshot[v])]
    /\ log' = [log EXCEPT ![v] = <<>>]
    /\ highWatermark' = [highWatermark EXCEPT ![v] = Max(@, Len(snapshot[v]))]
    /\ UNCHANGED <<epoch, voted, snapshot, role, granted, fetched, notice, stalled, seen, counts>>

KeepLog(v) ==
    /\ unapplied[v]
    /\ ~GivesWay(v)
    /\ unapplied' = [unapplied EXCEPT ![v] = FALSE]
    /\ UNCHANGED <<disk, role, highWatermark, granted, fetched, notice, stalled, seen, counts>>

GenerateSnapshot(v, end) ==
    /\ MayGenerate
    /\ end \in (Len(snapshot[v]) + 1) .. highWatermark[v]
    /\ snapshot' = [snapshot EXCEPT ![v] = First(Records(v), end)]
    /\ snapshots' = snapshots + 1
    /\ UNCHANGED <<epoch, voted, logStart, log, memory, seen, restarts, wipes, network>>

AdvanceLogStart(v) ==
    /\ ~unapplied[v]
    /\ Len(snapshot[v]) \in (logStart[v] + 1) .. highWatermark[v]
    /\ logStart' = [logStart EXCEPT ![v] = Len(snapshot[v])]
    /\ log' = [log EXCEPT ![v] = After(Records(v), Len(snapshot[v]))]
    /\ UNCHANGED <<epoch, voted, snapshot, memory, seen, counts>>

-----------------------------------------------------------------------------
(* Failures *)

\* Only a leader has records that are not on its disk: of its epoch, and not committed.
FlushedEnd(v) ==
    IF role[v] = "LEADER"
    THEN Max(Max(highWatermark[v], logStart[v]), EndOfEpoch(v, epoch[v] - 1))
    ELSE LogEnd(v)

Restart(v, end) ==
    /\ MayRestart
    /\ end \in FlushedEnd(v) .. LogEnd(v)
    /\ role' = [role EXCEPT ![v] = IF @ = "CANDIDATE" THEN @ ELSE "FOLLOWER"]
    /\ log' = [log EXCEPT ![v] = First(@, end - logStart[v])]
    /\ highWatermark' = [highWatermark EXCEPT ![v] = logStart[v]]
    /\ fetched' = [fetched EXCEPT ![v] = Nothing]
    /\ unapplied' = [unapplied EXCEPT ![v] =
                        Newer(End(snapshot[v]), End(First(Records(v), end)))]
    /\ restarts' = restarts + 1
    /\ notice' = [notice EXCEPT ![v] = 0]
    /\ stalled' = [stalled EXCEPT ![v] = 0]
    /\ UNCHANGED <<epoch, voted, logStart, snapshot, granted, seen, wipes, snapshots, network>>

HasCommitted(v) == IsPrefix(committed, Records(v))

Wipe(v) ==
    /\ MayWipe
    /\ role[v] = "FOLLOWER"
    /\ LogEnd(v) > 0
    /\ \A w \in Voters \ {v} : HasCommitted(w)
    /\ logStart' = [logStart EXCEPT ![v] = 0]
    /\ log' = [log EXCEPT ![v] = <<>>]
    /\ snapshot' = [snapshot EXCEPT ![v] = <<>>]
    /\ unapplied' = [unapplied EXCEPT ![v] = FALSE]
    /\ highWatermark' = [highWatermark EXCEPT ![v] = 0]
    /\ wipes' = wipes + 1
    /\ UNCHANGED <<epoch, voted, role, granted, fetched, notice, stalled, seen>>
    /\ UNCHANGED <<restarts, snapshots, network>>

-----------------------------------------------------------------------------
Next ==
    \/ Heal
    \/ \E v \in Voters :
        \/ TimeOut(v)
        \/ BecomeLeader(v)
        \/ AppendRecord(v)
        \/ ResetLog(v)
        \/ KeepLog(v)
        \/ AdvanceLogStart(v)
        \/ Wipe(v)
        \/ Resign(v)
        \/ Notify(v)
        \/ CutOff(v)
        \/ Recover(v)
        \/ \E w \in Voters :
            \/ Grant(v, w)
            \/ LearnEpoch(v, w)
            \/ Lose(v, w)
            \/ Truncate(v, w)
            \/ ReceiveSnapshot(v, w)
            \/ Stall(v, w)
            \/ FetchInVain(v, w)
            \/ \E o \in Offset : Fetch(v, w, o)
        \/ \E o \in Offset :
            \/ GenerateSnapshot(v, o)
            \/ Restart(v, o)

\* A replica does not stop giving its vote, taking office, or following a leader.
Vote(v) == \E c \in Voters : Grant(v, c)

Follow(v) ==
    \/ ResetLog(v) \/ KeepLog(v)
    \/ \E l \in Voters :
        \/ LearnEpoch(v, l) \/ Lose(v, l)
        \/ Truncate(v, l) \/ ReceiveSnapshot(v, l)
        \/ \E o \in Offset : Fetch(v, l, o)

Fairness ==
    \A v \in Voters :
        /\ WF_vars(Vote(v)) /\ WF_vars(BecomeLeader(v)) /\ WF_vars(Follow(v))
        /\ WF_vars(Resign(v)) /\ WF_vars(Notify(v))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* What must hold in every state. *)

Leaders == {v \in Voters : role[v] = "LEADER"}

OneLeaderAnEpoch == \A l, m \in Leaders : epoch[l] = epoch[m] => l = m

LaterLeadersHaveWhatIsCommitted ==
    \A l \in Leaders : epoch[l] >= committedIn => HasCommitted(l)

AMajorityHasWhatIsCommitted == {v \in Voters : HasCommitted(v)} \in Majorities

WhatCountsAsCommittedIs ==
    \A v \in Voters :
        /\ highWatermark[v] <= Min(LogEnd(v), Len(committed))
        /\ First(Records(v), highWatermark[v]) = First(committed, highWatermark[v])

VotesThatCountWereGiven ==
    \A c \in Voters :
        LET gave == {v \in Voters : epoch[v] = epoch[c] /\ voted[v] = c}
            left == {v \in Voters : epoch[v] > epoch[c]}
        IN  IF role[c] = "CANDIDATE"
            THEN gave \subseteq granted[c] /\ granted[c] \subseteq gave \cup left
            ELSE granted[c] = {}

LogsAgree ==
    \A v, w \in Voters :
        \A i \in 1 .. Min(LogEnd(v), LogEnd(w)) :
            Records(v)[i].epoch = Records(w)[i].epoch => First(Records(v), i) = First(Records(w), i)

EpochsNeverFallAlongALog ==
    \A v \in Voters : \A i \in 1 .. LogEnd(v) - 1 : Records(v)[i].epoch <= Records(v)[i + 1].epoch

WhatIsCommittedEndsInARecordOfThatEpoch == LastEpoch(committed) = committedIn

WhatAMajorityAcknowledgedIsCommitted ==
    \A l \in Leaders : \A i \in 1 .. LogEnd(l) :
        (/\ Records(l)[i].epoch = epoch[l]
         /\ {v \in Voters : v = l \/ fetched[l][v] >= i} \in Majorities)
            => highWatermark[l] >= i

OnlyLeadersKnowWhatOthersHave == \A v \in Voters \ Leaders : fetched[v] = Nothing

LeadersHaveWritten ==
    \A l \in Leaders : epoch[l] \in {Records(l)[i].epoch : i \in 1 .. LogEnd(l)}

HighWatermarkIsPastTheEpochsStart ==
    \A l \in Leaders :
        highWatermark[l] > 0 => epoch[l] \in {Records(l)[i].epoch : i \in 1 .. highWatermark[l]}

SnapshotsHoldWhatIsCommitted ==
    \A v \in Voters : IsPrefix(snapshot[v], committed) /\ (unapplied[v] => snapshot[v] # <<>>)

LogStartIsInASnapshot == \A v \in Voters : logStart[v] <= Len(snapshot[v])

StateMachinesLeadOnceAllBeforeIsCommitted ==
    \A v \in Voters : notice[v] = 1 =>
        /\ v \in Leaders
        /\ epoch[v] \in {Records(v)[i].epoch : i \in 1 .. highWatermark[v]}

LeadersLoadNoSnapshot == \A l \in Leaders : ~unapplied[l] /\ stalled[l] = 0

LeadersSnapshotsAgreeWithTheirLogs == \A l \in Leaders : IsPrefix(snapshot[l], Records(l))

-----------------------------------------------------------------------------
(* What must hold of every step. *)

EpochsNeverGoBack == [][\A v \in Voters : epoch'[v] >= epoch[v]]_vars

CandidatesStandInTheNextEpoch ==
    [][\A c \in Voters :
         (role'[c] = "CANDIDATE" /\ (role[c] # "CANDIDATE" \/ epoch'[c] # epoch[c]))
            => epoch'[c] = epoch[c] + 1 /\ voted'[c] = c]_vars

ANewerEpochEndsAnOffice ==
    [][\A v \in Voters :
         (epoch'[v] > epoch[v] /\ voted'[v] # v) => role'[v] = "FOLLOWER"]_vars

VotesGoToCandidates ==
    [][\A v, c \in Voters :
         (v # c /\ voted'[v] = c /\ (voted[v] # c \/ epoch'[v] # epoch[v]))
            => role[c] = "CANDIDATE" /\ epoch[c] = epoch'[v]]_vars

\* What a replica has, in log or snapshot, is not passed over when it votes.
GoesAsFar(c, v) ==
    \A mine \in {snapshot[v], Records(v)} :
        \E its \in {snapshot[c], Records(c)} : ~Newer(End(mine), End(its))

VotesGoToWhoGoesAsFar ==
    [][\A c \in Voters : \A v \in granted'[c] \ (granted[c] \cup {c}) : GoesAsFar(c, v)]_vars

CandidatesLoseToLeaders ==
    [][\A c \in Voters :
         (role[c] = "CANDIDATE" /\ role'[c] = "FOLLOWER" /\ epoch'[c] = epoch[c])
            => \E l \in Leaders : epoch[l] = epoch[c]]_vars

\* All that a replica has, on its disk and in its memory.
Has(v) == <<epoch[v], voted[v], logStart[v], log[v], snapshot[v], role[v], unapplied[v],
            highWatermark[v], granted[v], fetched[v], notice[v], stalled[v]>>

AStepIsOfTwoReplicas == [][Cardinality({v \in Voters : Has(v)' # Has(v)}) <= 2]_vars

FailuresAreOfOneReplica ==
    [][<<restarts, wipes>>' # <<restarts, wipes>> =>
         Cardinality({v \in Voters : Has(v)' # Has(v)}) <= 1]_vars

FollowsInItsEpoch(v, l) == l \in Leaders /\ role[v] = "FOLLOWER" /\ epoch[v] = epoch[l]

\* What becomes of the fetches of a voter that does not get on, as far as the logs alone say it.
Stuck(v, l)    == stalled[v] = 1 /\ epoch[v] = epoch[l]
Contains(l, v) == logStart[l] <= LogEnd(v) /\ IsPrefix(Records(v), Records(l))
Lacks(v, l)    == Contains(l, v) /\ Records(v) # Records(l)
Parts(v, l)    == logStart[l] = 0 /\ ~IsPrefix(Records(v), Records(l))
FallsBack(v, l) == logStart[l] > LogEnd(v) /\ Len(snapshot[l]) > Len(snapshot[v])

KeepsInOffice(v, l) ==
    /\ cut \notin {v, l}
    /\ Stuck(v, l) =>
          \/ Contains(l, v) /\ (CheckQuorum = "progress" => Records(v) = Records(l))
          \/ Parts(v, l) /\ CheckQuorum = "fetch"
          \/ FallsBack(v, l) /\ CheckQuorum \in {"served", "progress"}

IsNothingTo(v, l) ==
    \/ cut \in {v, l}
    \/ /\ Stuck(v, l)
       /\ \/ Lacks(v, l) /\ CheckQuorum = "progress"
          \/ Parts(v, l) /\ CheckQuorum \in {"served", "progress"}
          \/ FallsBack(v, l) /\ CheckQuorum = "fetch"

CandidatesCouldWin ==
    [][PreVote =>
         \A c \in Voters :
            (role'[c] = "CANDIDATE" /\ epoch'[c] # epoch[c]) =>
                {c} \cup {v \in Voters \ Leaders :
                             cut \notin {v, c} /\ epoch[v] = epoch[c] /\ GoesAsFar(c, v)}
                    \in Majorities]_vars

EpochsRestWhileALeaderIsFollowed ==
    [][PreVote =>
         \A l \in Leaders :
            (/\ \A v \in Voters : epoch[v] <= epoch[l]
             /\ {l} \cup {v \in Voters : cut \notin {v, l} /\ epoch[v] = epoch[l]} \in Majorities)
                => \A v \in Voters : epoch'[v] <= epoch[l]]_vars

LeadersResignOnlyWithoutAMajority ==
    [][restarts' = restarts =>
         \A l \in Leaders :
            (role'[l] = "FOLLOWER" /\ epoch'[l] = epoch[l]) =>
                {l} \cup {v \in Voters : KeepsInOffice(v, l)} \notin Majorities]_vars

RecordsComeFromTheLogOfALeader ==
    [][\A v \in Voters \ Leaders' :
         (logStart'[v] = logStart[v] /\ LogEnd(v)' > LogEnd(v))
            => /\ ~unapplied[v]
               /\ \E l \in Leaders : FollowsInItsEpoch(v, l) /\ logStart[l] <= LogEnd(v)]_vars

VotesNeverChange ==
    [][\A v \in Voters :
         (epoch'[v] = epoch[v] /\ voted[v] # None) => voted'[v] = voted[v]]_vars

StillLeads(v) == v \in Leaders /\ v \in Leaders' /\ epoch'[v] = epoch[v]

LeadersOnlyAppend ==
    [][\A v \in Voters :
         StillLeads(v) =>
            /\ IsPrefix(Records(v), Records(v)')
            /\ \A i \in LogEnd(v) + 1 .. LogEnd(v)' : Records(v)'[i].epoch = epoch[v]]_vars

OnlyFetchesThatAgreeCount ==
    [][\A l, v \in Voters :
         fetched'[l][v] # fetched[l][v] =>
            IF role'[l] = role[l] /\ epoch'[l] = epoch[l] /\ restarts' = restarts
            THEN /\ FollowsInItsEpoch(v, l)
                 /\ fetched'[l][v] = LogEnd(v)
                 /\ IsPrefix(Records(v), Records(l))
            ELSE fetched'[l][v] = 0]_vars

FollowersLearnTheHighWatermark ==
    [][\A v, l \in Voters :
         (/\ FollowsInItsEpoch(v, l) /\ stalled[v] = 0
          /\ StillLeads(l) /\ fetched'[l][v] # fetched[l][v]) =>
            highWatermark'[v] = Max(highWatermark[v], Min(highWatermark'[l], LogEnd(v)'))]_vars

FollowersDropOnlyWhatTheLeaderLacks ==
    [][(restarts' = restarts /\ wipes' = wipes) =>
         \A v \in Voters :
            (~unapplied[v] /\ LogEnd(v)' < LogEnd(v)) =>
                \E l \in Leaders :
                    /\ FollowsInItsEpoch(v, l) /\ logStart[l] <= LogEnd(v)
                    /\ ~IsPrefix(First(Records(v), LogEnd(v)' + 1), Records(l))]_vars

ALogStartsWithinWhatIsKnownToBeCommitted ==
    [][\A v \in Voters : logStart'[v] > logStart[v] => logStart'[v] <= highWatermark'[v]]_vars

AResetBeginsAtTheSnapshotsEnd ==
    [][wipes' = wipes =>
         \A v \in Voters :
            (unapplied[v] /\ logStart'[v] # logStart[v]) =>
                /\ logStart'[v] = Len(snapshot[v])
                /\ log'[v] = <<>>
                /\ highWatermark'[v] >= Len(snapshot[v])]_vars

\* While a replica runs; one that becomes leader begins without one.
HighWatermarkNeverMovesBack ==
    [][(restarts' = restarts /\ wipes' = wipes) =>
         \A v \in Voters :
            (v \in Leaders \/ v \notin Leaders') => highWatermark'[v] >= highWatermark[v]]_vars

-----------------------------------------------------------------------------
(* Liveness in the last epoch of a model, where nobody times out.           *)

\* What the network keeps from happening need not happen.
Whole == cut = None

InLastEpoch(v, r) == role[v] = r /\ ~MayTimeOut(v)

MightVote(v, c) ==
    /\ \/ epoch[v] < epoch[c]
       \/ epoch[v] = epoch[c] /\ voted[v] = None
    /\ GoesAsFar(c, v)

CouldWin(c) ==
    /\ HasRoom(c)
    /\ granted[c] \cup {v \in Voters : MightVote(v, c)} \in Majorities

Hopeful == {c \in Voters : InLastEpoch(c, "CANDIDATE") /\ CouldWin(c)}

ACandidateThatCouldWinDoes == Hopeful # {} ~> (Hopeful = {} \/ ~Whole)

IsOwedAVote(v, c) == InLastEpoch(c, "CANDIDATE") /\ cut \notin {v, c} /\ MightVote(v, c)

AVoteIsGivenToWhoGoesAsFar ==
    \A v, c \in Voters : IsOwedAVote(v, c) ~> ~IsOwedAVote(v, c)

\* A replica of an earlier epoch hears of the last one, if the network is whole again.
ANewerEpochIsHeardOf ==
    WF_vars(Heal) =>
        \A v \in Voters : (\E w \in Voters : ~MayTimeOut(w)) ~> ~MayTimeOut(v)

AFetchedSnapshotIsApplied == \A v \in Voters : unapplied[v] ~> ~unapplied[v]

WhatASnapshotStandsForIsDropped ==
    (\A v \in Voters : WF_vars(AdvanceLogStart(v))) =>
        \A v \in Voters :
            Len(snapshot[v]) <= highWatermark[v]
                ~> (Len(snapshot[v]) > highWatermark[v] \/ logStart[v] = Len(snapshot[v]))

AFollowerGetsOnAgain ==
    (\A v \in Voters : WF_vars(Recover(v))) => \A v \in Voters : stalled[v] = 1 ~> stalled[v] = 0

\* Be it that what a follower sends is served again and again, or that it is sent in vain.
ALeaderLearnsWhatItsFollowersHave ==
    \A v \in Voters :
        (/\ SF_vars(\E l \in Voters : \E o \in Offset : Fetch(v, l, o))
         /\ SF_vars(\E l \in Voters : FetchInVain(v, l))) =>
            \A l \in Voters \ {v} :
                InLastEpoch(l, "LEADER")
                    ~> \/ ~InLastEpoch(l, "LEADER") \/ fetched[l][v] = LogEnd(v)
                       \/ ~Contains(l, v) \/ cut \in {v, l}

SomebodyStalls == \E v \in Voters : stalled[v] = 1

WhatALeaderWritesIsCommitted ==
    \A l \in Voters :
        InLastEpoch(l, "LEADER")
            ~> \/ ~InLastEpoch(l, "LEADER") \/ highWatermark[l] = LogEnd(l)
               \/ cut = l \/ SomebodyStalls

ALeadersStateMachineIsNotified ==
    \A l \in Voters :
        (Notices /\ InLastEpoch(l, "LEADER"))
            ~> (~InLastEpoch(l, "LEADER") \/ notice[l] = 1 \/ cut = l \/ SomebodyStalls)

ALeaderWithoutAMajorityResigns ==
    \A l \in Voters : role[l] = "LEADER" ~>
        \/ role[l] # "LEADER"
        \/ {l} \cup {v \in Voters : ~IsNothingTo(v, l)} \in Majorities

GetsOn(v, l) == cut \notin {v, l} /\ ~(Stuck(v, l) /\ (Lacks(v, l) \/ Parts(v, l)))

ALeaderWithWhomNoMajorityGetsOnResigns ==
    \A l \in Voters : role[l] = "LEADER" ~>
        \/ role[l] # "LEADER"
        \/ {l} \cup {v \in Voters : GetsOn(v, l)} \in Majorities

FollowersCatchUp ==
    \A v, l \in Voters :
        InLastEpoch(l, "LEADER")
            ~> \/ ~InLastEpoch(l, "LEADER") \/ Records(v) = Records(l)
               \/ cut \in {v, l} \/ stalled[v] = 1
=============================================================================
