---------------------------- MODULE SnapshotFetch ----------------------------
(***************************************************************************)
(* Fetching snapshots of a replicated log, KIP-630, over KIP-595.          *)
(*                                                                         *)
(* A leader drops the beginning of its log once a snapshot stands for it.  *)
(* A replica that still needs what was dropped is sent the id of the       *)
(* leader's latest snapshot, downloads its file chunk by chunk, and starts *)
(* its log again at the snapshot's end.                                    *)
(*                                                                         *)
(* A record is known by its epoch and its offset, so that a log is a       *)
(* sequence of epochs.  A snapshot's file has a unit for each record that  *)
(* it stands for, which is the record's epoch, and the footer at its end.  *)
(*                                                                         *)
(* Elections are not modelled but for their outcome.  Fetches of the log   *)
(* are answered at once; answers to FetchSnapshot travel.                  *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    None,
    Replicas,
    Voters,
    Generators,             \* the replicas that generate snapshots
    LaggingStateMachines,   \* whether these may end before the high watermark
    MaxBytes,               \* how many units of a file fit into a response
    CleansByRetention,      \* whether logs are cleaned as their own snapshots grow old
    SnapshotForEmptyLogs,   \* whether who has nothing gets a snapshot, if there is one
    FetchRule,              \* for which fetches a leader has nothing but a snapshot
    FetchesWait,            \* whether a fetch waits for new records
    FirstLeader,            \* leads epoch 1
    Damaged                 \* a unit that is none

ASSUME
    /\ Voters \subseteq Replicas
    /\ Generators \subseteq Replicas
    /\ FirstLeader \in Voters
    /\ FetchRule \in {"offset", "history", "earliest"}

VARIABLES
    elected,        \* for each epoch, who won it
    epoch,          \* the newest epoch that a replica knows
    leading,        \* the replicas that act as leaders, each of its own epoch
    logStart, log,  \* a log's first offset, and the epochs of its records
    highWatermark,
    snapshots,      \* for each offset, the file of the snapshot that ends there
    fetched,        \* what a leader learned last of each replica
    aged,           \* snapshots that end up to here are older than the lag time
    waiting,        \* what a waiting fetch is sent in the end, if nothing comes
    download,       \* what a replica is downloading
    response,       \* the answer to its last request for a chunk
    disturbances,   \* how often something went wrong
    wiped,          \* the replicas that lost their disk once
    committed       \* the records that are committed

leaders == <<elected, leading>>
disks   == <<logStart, log, snapshots>>
vars    == <<leaders, epoch, disks, highWatermark, fetched, aged, waiting, download,
             response, disturbances, wiped, committed>>

Offset == Nat
Epoch  == Nat

\* For the bounds of a model to say.
MayWrite(r) == TRUE
MayElect    == TRUE
MayDisturb  == TRUE
MayWipe     == TRUE

Footer == 0

SnapshotId == [endOffset : Offset, epoch : Epoch]

Errors ==
    {"SNAPSHOT_NOT_FOUND", "FENCED_LEADER_EPOCH", "UNKNOWN_LEADER_EPOCH", "NOT_LEADER_OR_FOLLOWER"}

Units == Epoch \cup {Damaged}

TypeOK ==
    /\ \A e \in Epoch : elected[e] \in Voters \cup {None}
    /\ epoch \in [Replicas -> Epoch]
    /\ leading \subseteq Voters
    /\ logStart \in [Replicas -> Offset]
    /\ \A r \in Replicas : log[r] \in Seq(Epoch)
    /\ highWatermark \in [Replicas -> Offset]
    /\ \A r \in Replicas, x \in Offset :
            snapshots[r][x] # None => snapshots[r][x] \in Seq(Units)
    /\ fetched \in [Replicas -> [offset : Offset, leaderEpoch : Epoch]]
    /\ aged \in Offset
    /\ \A r \in Replicas :
            waiting[r] # None
                => waiting[r] \in [highWatermark : Offset, logStart : Offset]
    /\ \A r \in Replicas :
            download[r] # None
                => download[r].snapshot \in SnapshotId /\ download[r].part \in Seq(Units)
    /\ \A r \in Replicas :
            response[r] # None
                => /\ response[r].error \in Errors \cup {"NONE"}
                   /\ response[r].leaderEpoch \in Epoch
                   /\ response[r].snapshot \in SnapshotId
                   /\ response[r].size \in Nat
                   /\ response[r].position \in Nat
                   /\ response[r].units \in Seq(Units)
    /\ disturbances \in Nat
    /\ wiped \subseteq Replicas
    /\ committed \in Seq(Epoch)

NoSnapshots == [x \in Offset |-> None]

Init ==
    /\ elected = [e \in Epoch |-> IF e = 1 THEN FirstLeader ELSE None]
    /\ epoch = [r \in Replicas |-> 1]
    /\ leading = {FirstLeader}
    /\ logStart = [r \in Replicas |-> 0]
    /\ log = [r \in Replicas |-> << >>]
    /\ highWatermark = [r \in Replicas |-> 0]
    /\ snapshots = [r \in Replicas |-> NoSnapshots]
    /\ fetched = [r \in Replicas |-> [offset |-> 0, leaderEpoch |-> 0]]
    /\ aged = 0
    /\ waiting = [r \in Replicas |-> None]
    /\ download = [r \in Replicas |-> None]
    /\ response = [r \in Replicas |-> None]
    /\ disturbances = 0
    /\ wiped = {}
    /\ committed = << >>

-----------------------------------------------------------------------------
(* What a replica has. *)

Max(ns) == CHOOSE n \in ns : \A m \in ns : m <= n
Min(ns) == CHOOSE n \in ns : \A m \in ns : n <= m

LogEnd(r) == logStart[r] + Len(log[r])

Ends(r)   == {x \in Offset : snapshots[r][x] # None}
Latest(r) == Max({0} \cup Ends(r))

Id(r, x) == [endOffset |-> x, epoch |-> snapshots[r][x][Len(snapshots[r][x]) - 1]]

\* The first snapshot that stands for what the log has dropped.
Covering(r) == Min({x \in Ends(r) : x >= logStart[r]})

\* Everything since offset 0.
Records(r) ==
    IF logStart[r] = 0 THEN log[r]
    ELSE SubSeq(snapshots[r][Covering(r)], 1, logStart[r]) \o log[r]

\* The epoch that goes with the log start.  Not quite that of the record before it if the covering
\* snapshot ends later.
BaseEpoch(r) == IF logStart[r] = 0 THEN 0 ELSE Id(r, Covering(r)).epoch

EpochBefore(r, x) == IF x = logStart[r] THEN BaseEpoch(r) ELSE log[r][x - logStart[r]]

EndId(r) == [endOffset |-> LogEnd(r), epoch |-> EpochBefore(r, LogEnd(r))]

IsNewer(a, b) ==
    \/ a.epoch > b.epoch
    \/ a.epoch = b.epoch /\ a.endOffset > b.endOffset

LatestId(r) ==
    IF Ends(r) = {} THEN EndId(r)
    ELSE IF IsNewer(Id(r, Latest(r)), EndId(r)) THEN Id(r, Latest(r)) ELSE EndId(r)

From(files, start) == [x \in Offset |-> IF x < start THEN None ELSE files[x]]

Drop(list, n) == SubSeq(list, n + 1, Len(list))

-----------------------------------------------------------------------------
(* Epochs. *)

Disturb ==
    /\ MayDisturb
    /\ disturbances' = disturbances + 1

NewestEpoch == Max({e \in Epoch : elected[e] # None})

Elect(r, majority) ==
    /\ MayElect
    /\ r \in majority
    /\ majority \subseteq Voters \ wiped
    /\ Cardinality(majority) = Cardinality(Voters) \div 2 + 1
    /\ {v \in majority : IsNewer(LatestId(v), LatestId(r))} = {}
    /\ LET e == NewestEpoch + 1
       IN  /\ elected' = [elected EXCEPT ![e] = r]
           /\ epoch' = [v \in Replicas |-> IF v \in majority THEN e ELSE epoch[v]]
    /\ leading' = (leading \ majority) \cup {r}
    /\ download' = [v \in Replicas |-> IF v \in majority THEN None ELSE download[v]]
    /\ waiting' = [v \in Replicas |-> IF v \in majority THEN None ELSE waiting[v]]
    /\ UNCHANGED <<disks, highWatermark, fetched, aged, response, disturbances, wiped, committed>>

\* A replica follows in a newer epoch.  It does nothing any more that belongs to the old one.
Join(r, e) ==
    /\ epoch' = [epoch EXCEPT ![r] = e]
    /\ download' = [download EXCEPT ![r] = None]
    /\ waiting' = [waiting EXCEPT ![r] = None]

HearOfEpoch(r, e) ==
    /\ elected[e] # None
    /\ e > epoch[r]
    /\ Join(r, e)
    /\ leading' = leading \ {r}
    /\ UNCHANGED <<elected, disks, highWatermark, fetched, aged, response, disturbances, wiped,
                   committed>>

RestartLeader(r) ==
    /\ r \in leading
    /\ leading' = leading \ {r}
    /\ Disturb
    /\ UNCHANGED <<elected, epoch, disks, highWatermark, fetched, aged, waiting, download, response,
                   wiped, committed>>

WriteRecord(r) ==
    /\ r \in leading
    /\ MayWrite(r)
    /\ log' = [log EXCEPT ![r] = Append(@, epoch[r])]
    /\ UNCHANGED <<leaders, epoch, logStart, snapshots, highWatermark, fetched, aged, waiting,
                   download, response, disturbances, wiped, committed>>

-----------------------------------------------------------------------------
(* Snapshots, and where a leader's log starts. *)

GenerateSnapshot(r, end) ==
    /\ r \in Generators
    /\ end \in (Latest(r) + 1) .. highWatermark[r]
    /\ ~LaggingStateMachines => end = highWatermark[r]
    /\ snapshots' = [snapshots EXCEPT ![r][end] = Append(SubSeq(Records(r), 1, end), Footer)]
    /\ UNCHANGED <<leaders, epoch, logStart, log, highWatermark, fetched, aged, waiting, download,
                   response, disturbances, wiped, committed>>

Age(end) ==
    /\ ~CleansByRetention
    /\ end > aged
    /\ {r \in Replicas : end \in Ends(r)} # {}
    /\ aged' = end
    /\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, waiting, download, response,
                   disturbances, wiped, committed>>

\* How far a leader knows a replica's log to reach.
Reached(leader, r) ==
    IF r = leader THEN LogEnd(r)
    ELSE IF fetched[r].leaderEpoch = epoch[leader] THEN fetched[r].offset
    ELSE 0

\* The replicas that a leader has heard of.
Live(leader) == {r \in Replicas : fetched[r].leaderEpoch = epoch[leader]}

\* Of two snapshots the older one goes, and with it the records up to the end of the other.
IsSecond(r, end) ==
    \E first \in Ends(r) : {x \in Ends(r) : x < end} = {first}

AdvanceLogStart(r, end) ==
    /\ end > logStart[r]
    /\ end \in Ends(r)
    /\ IF CleansByRetention THEN IsSecond(r, end)
       ELSE /\ r \in leading
            /\ end > aged => \A other \in Live(r) : Reached(r, other) >= end
    /\ logStart' = [logStart EXCEPT ![r] = end]
    /\ log' = [log EXCEPT ![r] = Drop(@, end - logStart[r])]
    /\ snapshots' = [snapshots EXCEPT ![r] = From(@, end)]
    /\ UNCHANGED <<leaders, epoch, highWatermark, fetched, aged, waiting, download, response,
                   disturbances, wiped, committed>>

-----------------------------------------------------------------------------
(* Fetching the log. *)

Asks(r) == elected[epoch[r]]

\* The one that a replica asks leads the replica's epoch.
IsLed(r) ==
    /\ Asks(r) \in leading
    /\ epoch[Asks(r)] = epoch[r]

Fetches(r) ==
    /\ r \notin leading
    /\ download[r] = None
    /\ IsLed(r)

\* Where the records up to an epoch end.
EndOf(r, e) == logStart[r] + Cardinality({i \in DOMAIN log[r] : log[r][i] <= e})

\* The leader has dropped what it would have to compare, or has better for who has nothing.
IsBelow(leader, at) ==
    \/ at.endOffset < logStart[leader]
    \/ /\ FetchRule = "earliest"
       /\ \/ at.endOffset = logStart[leader] /\ at.epoch # BaseEpoch(leader)
          \/ at.epoch < BaseEpoch(leader)
    \/ SnapshotForEmptyLogs /\ at.endOffset = 0 /\ Ends(leader) # {}

\* A leader that knows the epochs of all that it ever had finds the end of one below its log, too.
Common(leader, at) ==
    LET upTo == {i \in DOMAIN Records(leader) : Records(leader)[i] <= at.epoch}
        end  == EndOf(leader, at.epoch)
    IN  IF FetchRule # "history" THEN [endOffset |-> end, epoch |-> EpochBefore(leader, end)]
        ELSE IF upTo = {} THEN [endOffset |-> 0, epoch |-> 0]
        ELSE [endOffset |-> Max(upTo), epoch |-> Records(leader)[Max(upTo)]]

Diverges(leader, at) ==
    \/ Common(leader, at).epoch # at.epoch
    \/ Common(leader, at).endOffset < at.endOffset

Agrees(r) ==
    /\ ~IsBelow(Asks(r), EndId(r))
    /\ ~Diverges(Asks(r), EndId(r))

\* What a majority of the voters has, once the leader knows how far r is. A voter that lost its disk
\* is not counted any more.
OnAMajority(leader, r) ==
    LET Has(v, x) == (IF v = r THEN LogEnd(r) ELSE Reached(leader, v)) >= x
        Many(x) == 2 * Cardinality({v \in Voters \ wiped : Has(v, x)}) > Cardinality(Voters)
    IN  Max({x \in Offset : x = 0 \/ Many(x)})

EpochStart(leader) == EndOf(leader, epoch[leader] - 1)

\* Only a record of the leader's own epoch commits those before it.
NextHighWatermark(leader, r) ==
    IF OnAMajority(leader, r) > EpochStart(leader)
    THEN Max({highWatermark[leader], OnAMajority(leader, r)})
    ELSE highWatermark[leader]

Learn(leader, r) ==
    /\ fetched' = [fetched EXCEPT ![r] = [offset |-> LogEnd(r), leaderEpoch |-> epoch[r]]]
    /\ committed' = IF NextHighWatermark(leader, r) > Len(committed)
                    THEN SubSeq(Records(leader), 1, NextHighWatermark(leader, r))
                    ELSE committed

\* What the leader reports of itself: no high watermark, before it committed a record of its epoch.
Reports(leader, r) ==
    LET hw == NextHighWatermark(leader, r)
    IN  [highWatermark |-> IF EpochBefore(leader, hw) = epoch[leader] THEN hw ELSE 0,
         logStart      |-> logStart[leader]]

\* Where a log starts once the leader's start is known.
NextStart(r, leadersStart) ==
    IF CleansByRetention THEN logStart[r]
    ELSE Max({logStart[r], Min({leadersStart, Latest(r)})})

\* The replica has these records in its log, and knows what it was sent.
Believe(r, records, reported, highWatermarks) ==
    LET start == NextStart(r, reported.logStart)
    IN  /\ highWatermark' =
                [highWatermarks EXCEPT
                    ![r] = IF reported.highWatermark = 0 THEN @
                           ELSE Min({reported.highWatermark, logStart[r] + Len(records)})]
        /\ logStart' = [logStart EXCEPT ![r] = start]
        /\ log' = [log EXCEPT ![r] = Drop(records, start - logStart[r])]
        /\ snapshots' = [snapshots EXCEPT ![r] = From(@, start)]
        /\ waiting' = [waiting EXCEPT ![r] = None]

Follow(r, records) ==
    LET leader == Asks(r)
    IN  /\ Learn(leader, r)
        /\ Believe(r, records, Reports(leader, r),
                   [highWatermark EXCEPT ![leader] = NextHighWatermark(leader, r)])
        /\ UNCHANGED <<leaders, epoch, aged, download, response, disturbances, wiped>>

FetchRecord(r) ==
    /\ Fetches(r)
    /\ Agrees(r)
    /\ LogEnd(r) < LogEnd(Asks(r))
    /\ Follow(r, Append(log[r], log[Asks(r)][LogEnd(r) - logStart[Asks(r)] + 1]))

HasAll(r) == Fetches(r) /\ Agrees(r) /\ LogEnd(r) = LogEnd(Asks(r))

FetchNothing(r) ==
    /\ ~FetchesWait
    /\ HasAll(r)
    /\ Follow(r, log[r])

\* The answer to a fetch that waits is made when it comes. Nobody gets it if there is a better one.
WaitForRecords(r) ==
    /\ FetchesWait
    /\ HasAll(r)
    /\ waiting[r] = None
    /\ Learn(Asks(r), r)
    /\ highWatermark' = [highWatermark EXCEPT ![Asks(r)] = NextHighWatermark(Asks(r), r)]
    /\ waiting' = [waiting EXCEPT ![r] = Reports(Asks(r), r)]
    /\ UNCHANGED <<leaders, epoch, disks, aged, download, response, disturbances, wiped>>

WaitInVain(r) ==
    /\ waiting[r] # None
    /\ Believe(r, log[r], waiting[r], highWatermark)
    /\ UNCHANGED <<leaders, epoch, fetched, aged, download, response, disturbances, wiped,
                   committed>>

RefuseWaiting(r) ==
    /\ waiting[r] # None
    /\ ~IsLed(r)
    /\ waiting' = [waiting EXCEPT ![r] = None]
    /\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, download, response,
                   disturbances, wiped, committed>>

LoseFetch(r) ==
    /\ Fetches(r)
    /\ Agrees(r)
    /\ Disturb
    /\ Learn(Asks(r), r)
    /\ highWatermark' = [highWatermark EXCEPT ![Asks(r)] = NextHighWatermark(Asks(r), r)]
    /\ waiting' = [waiting EXCEPT ![r] = None]
    /\ UNCHANGED <<leaders, epoch, disks, aged, download, response, wiped>>

FetchDiverging(r) ==
    /\ Fetches(r)
    /\ ~IsBelow(Asks(r), EndId(r))
    /\ ~Agrees(r)
    /\ LET common == Common(Asks(r), EndId(r))
           end    == Min({common.endOffset, EndOf(r, common.epoch)})
       IN  log' = [log EXCEPT ![r] = SubSeq(@, 1, end - logStart[r])]
    /\ UNCHANGED <<leaders, epoch, logStart, snapshots, highWatermark, fetched, aged, waiting,
                   download, response, disturbances, wiped, committed>>

FetchSnapshotId(r) ==
    /\ Fetches(r)
    /\ ~~IsBelow(Asks(r), EndId(r))
    /\ Latest(Asks(r)) \notin Ends(r)
    /\ download' = [download EXCEPT
            ![r] = [snapshot |-> Id(Asks(r), Latest(Asks(r))), part |-> << >>]]
    /\ waiting' = [waiting EXCEPT ![r] = None]
    /\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, response, disturbances,
                   wiped, committed>>

-----------------------------------------------------------------------------
(* The other side of a FetchSnapshot request. *)

Requests(r) ==
    /\ download[r] # None
    /\ response[r] = None
    /\ Asks(r) \notin {None, r}

Answer(r, error, size, units) ==
    /\ response' = [response EXCEPT
            ![r] = [error       |-> error,
                    leaderEpoch |-> epoch[Asks(r)],
                    snapshot    |-> download[r].snapshot,
                    size        |-> size,
                    position    |-> Len(download[r].part),
                    units       |-> units]]
    /\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, waiting, download,
                   disturbances, wiped, committed>>

Refuse(r, error) == Answer(r, error, 0, << >>)

Wanted(r) == download[r].snapshot

HasWanted(r) ==
    /\ Wanted(r).endOffset \in Ends(Asks(r))
    /\ Id(Asks(r), Wanted(r).endOffset) = Wanted(r)

WantedFile(r) == snapshots[Asks(r)][Wanted(r).endOffset]

AnswerChunk(r) ==
    /\ Requests(r)
    /\ IsLed(r)
    /\ HasWanted(r)
    /\ Len(download[r].part) < Len(WantedFile(r))
    /\ LET from == Len(download[r].part)
           to   == Min({from + MaxBytes, Len(WantedFile(r))})
       IN  Answer(r, "NONE", Len(WantedFile(r)), SubSeq(WantedFile(r), from + 1, to))

AnswerSnapshotNotFound(r) ==
    /\ Requests(r)
    /\ IsLed(r)
    /\ ~HasWanted(r)
    /\ Refuse(r, "SNAPSHOT_NOT_FOUND")

AnswerFenced(r) ==
    /\ Requests(r)
    /\ epoch[Asks(r)] > epoch[r]
    /\ Refuse(r, "FENCED_LEADER_EPOCH")

AnswerUnknownEpoch(r) ==
    /\ Requests(r)
    /\ epoch[Asks(r)] < epoch[r]
    /\ Refuse(r, "UNKNOWN_LEADER_EPOCH")

AnswerNotLeader(r) ==
    /\ Requests(r)
    /\ epoch[Asks(r)] = epoch[r]
    /\ Asks(r) \notin leading
    /\ Refuse(r, "NOT_LEADER_OR_FOLLOWER")

-----------------------------------------------------------------------------
(* The replica has an answer. *)

\* Errors that tell of another epoch are about the moment when it is another.
IsCurrent(r) ==
    CASE response[r].error = "FENCED_LEADER_EPOCH"  -> response[r].leaderEpoch > epoch[r]
      [] response[r].error = "UNKNOWN_LEADER_EPOCH" -> response[r].leaderEpoch < epoch[r]
      [] OTHER                                      -> response[r].leaderEpoch = epoch[r]

IsAwaited(r) ==
    /\ download[r] # None
    /\ response[r].snapshot = download[r].snapshot
    /\ response[r].position = Len(download[r].part)
    /\ IsCurrent(r)

Receives(r) == response[r] # None /\ IsAwaited(r)

\* The network may deliver the same answer again.
Deliver(r, again) ==
    /\ again => MayDisturb
    /\ response' = IF again THEN response ELSE [response EXCEPT ![r] = None]
    /\ disturbances' = IF again THEN disturbances + 1 ELSE disturbances

FileOf(r) == download[r].part \o response[r].units

IsValid(file) ==
    /\ file[Len(file)] = Footer
    /\ Damaged \notin {file[i] : i \in DOMAIN file}

ReceiveChunk(r, again) ==
    /\ Receives(r)
    /\ response[r].error = "NONE"
    /\ Len(FileOf(r)) < response[r].size
    /\ Deliver(r, again)
    /\ download' = [download EXCEPT ![r].part = FileOf(r)]
    /\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, waiting, wiped, committed>>

\* Whatever the log has, it starts again.
ReceiveLastChunk(r, again) ==
    /\ Receives(r)
    /\ response[r].error = "NONE"
    /\ Len(FileOf(r)) = response[r].size
    /\ IsValid(FileOf(r))
    /\ Deliver(r, again)
    /\ LET end == Wanted(r).endOffset
       IN  /\ snapshots' = [snapshots EXCEPT ![r] = From([@ EXCEPT ![end] = FileOf(r)], end)]
           /\ logStart' = [logStart EXCEPT ![r] = end]
           /\ log' = [log EXCEPT ![r] = << >>]
           /\ highWatermark' = [highWatermark EXCEPT ![r] = Max({@, end})]
    /\ download' = [download EXCEPT ![r] = None]
    /\ UNCHANGED <<leaders, epoch, fetched, aged, waiting, wiped, committed>>

Abandon(r) ==
    /\ download' = [download EXCEPT ![r] = None]
    /\ UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, waiting, wiped, committed>>

ReceiveDamaged(r, again) ==
    /\ Receives(r)
    /\ response[r].error = "NONE"
    /\ Len(FileOf(r)) = response[r].size
    /\ ~IsValid(FileOf(r))
    /\ Deliver(r, again)
    /\ Abandon(r)

ReceiveError(r) ==
    /\ Receives(r)
    /\ response[r].error \in Errors \ {"FENCED_LEADER_EPOCH"}
    /\ Deliver(r, FALSE)
    /\ Abandon(r)

ReceiveFenced(r) ==
    /\ Receives(r)
    /\ response[r].error = "FENCED_LEADER_EPOCH"
    /\ Deliver(r, FALSE)
    /\ Join(r, response[r].leaderEpoch)
    /\ UNCHANGED <<leaders, disks, highWatermark, fetched, aged, wiped, committed>>

NothingElse ==
    UNCHANGED <<leaders, epoch, disks, highWatermark, fetched, aged, waiting, wiped, committed>>

IgnoreResponse(r) ==
    /\ response[r] # None
    /\ ~IsAwaited(r)
    /\ response' = [response EXCEPT ![r] = None]
    /\ UNCHANGED <<download, disturbances>>
    /\ NothingElse

-----------------------------------------------------------------------------
(* Disturbances. *)

LoseResponse(r) ==
    /\ response[r] # None
    /\ Disturb
    /\ response' = [response EXCEPT ![r] = None]
    /\ UNCHANGED download
    /\ NothingElse

DamageChunk(r) ==
    /\ response[r] # None
    /\ response[r].units # << >>
    /\ Disturb
    /\ response' = [response EXCEPT ![r].units[1] = Damaged]
    /\ UNCHANGED download
    /\ NothingElse

RestartFollower(r) ==
    /\ download[r] # None
    /\ Disturb
    /\ download' = [download EXCEPT ![r] = None]
    /\ response' = [response EXCEPT ![r] = None]
    /\ NothingElse

LoseDisk(r) ==
    /\ MayWipe
    /\ r \notin wiped
    /\ wiped' = wiped \cup {r}
    /\ leading' = leading \ {r}
    /\ epoch' = [epoch EXCEPT ![r] = 0]
    /\ logStart' = [logStart EXCEPT ![r] = 0]
    /\ log' = [log EXCEPT ![r] = << >>]
    /\ highWatermark' = [highWatermark EXCEPT ![r] = 0]
    /\ snapshots' = [snapshots EXCEPT ![r] = NoSnapshots]
    /\ waiting' = [waiting EXCEPT ![r] = None]
    /\ download' = [download EXCEPT ![r] = None]
    /\ response' = [response EXCEPT ![r] = None]
    /\ UNCHANGED <<elected, fetched, aged, disturbances, committed>>

-----------------------------------------------------------------------------
Next ==
    \/ \E r \in Replicas :
        \/ \E majority \in SUBSET Voters : Elect(r, majority)
        \/ \E e \in Epoch : HearOfEpoch(r, e)
        \/ RestartLeader(r)
        \/ WriteRecord(r)
        \/ \E end \in Offset : GenerateSnapshot(r, end) \/ AdvanceLogStart(r, end)
        \/ FetchRecord(r)
        \/ FetchNothing(r)
        \/ WaitForRecords(r)
        \/ WaitInVain(r)
        \/ RefuseWaiting(r)
        \/ LoseFetch(r)
        \/ FetchDiverging(r)
        \/ FetchSnapshotId(r)
        \/ AnswerChunk(r)
        \/ AnswerSnapshotNotFound(r)
        \/ AnswerFenced(r)
        \/ AnswerUnknownEpoch(r)
        \/ AnswerNotLeader(r)
        \/ \E again \in BOOLEAN :
            \/ ReceiveChunk(r, again)
            \/ ReceiveLastChunk(r, again)
            \/ ReceiveDamaged(r, again)
        \/ ReceiveError(r)
        \/ ReceiveFenced(r)
        \/ IgnoreResponse(r)
        \/ LoseResponse(r)
        \/ DamageChunk(r)
        \/ RestartFollower(r)
        \/ LoseDisk(r)
    \/ \E end \in Offset : Age(end)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Snapshots. *)

Whole(end) == Append(SubSeq(committed, 1, end), Footer)

SnapshotsAreWholeAndCommitted ==
    \A r \in Replicas : \A end \in Ends(r) : snapshots[r][end] = Whole(end)

LogStartIsCoveredByASnapshot ==
    \A r \in Replicas : logStart[r] > 0 => \E end \in Ends(r) : end >= logStart[r]

SnapshotsLieBetweenLogStartAndHighWatermark ==
    \A r \in Replicas : Ends(r) \subseteq logStart[r] .. highWatermark[r]

LogAndSnapshotsAgree ==
    \A r \in Replicas : \A end \in Ends(r) :
        \A x \in logStart[r] .. (Min({end, LogEnd(r)}) - 1) :
            log[r][x - logStart[r] + 1] = snapshots[r][end][x + 1]

GeneratedSnapshotsEndAfterTheLatest ==
    [][\A r \in Replicas : download[r] = None =>
         \A x \in Ends(r)' :
            \/ x > Latest(r)
            \/ x \in Ends(r) /\ snapshots'[r][x] = snapshots[r][x]]_vars

SnapshotsGoOnlyBelowTheLogStart ==
    [][\A r \in Replicas \ (wiped' \ wiped) : \A x \in Ends(r) :
         x >= logStart'[r] => snapshots'[r][x] = snapshots[r][x]]_vars

EpochsNeverGoBack == [][\A r \in Replicas \ (wiped' \ wiped) : epoch'[r] >= epoch[r]]_vars

ALostDiskLeavesNothing ==
    [][\A r \in wiped' \ wiped :
         /\ <<epoch[r], logStart[r], log[r], highWatermark[r]>>' = <<0, 0, << >>, 0>>
         /\ Ends(r)' = {}
         /\ r \notin leading'
         /\ <<waiting[r], download[r], response[r]>>' = <<None, None, None>>]_vars

(* Where logs start. *)

LeaderStartsItsLogWhereASnapshotEnds ==
    [][\A r \in leading :
         logStart'[r] > logStart[r] => logStart'[r] \in Ends(r) /\ logStart'[r] \in Ends(r)']_vars

LeaderDropsWhatOthersHaveOrWhatIsOld ==
    [][CleansByRetention \/ \A r \in leading :
         (logStart'[r] > logStart[r] /\ logStart'[r] > aged)
            => \A other \in Live(r) \ wiped : LogEnd(other) >= logStart'[r]]_vars

FollowerStartsItsLogNoLaterThanLeaderOrSnapshot ==
    [][CleansByRetention \/ \A r \in Replicas \ leading :
         (logStart'[r] > logStart[r] /\ download[r] = None)
            => logStart'[r] = Min({logStart[Asks(r)], Latest(r)})]_vars

\* What is on all live replicas goes, as old as it is.
IsDue(r, end) ==
    /\ ~CleansByRetention
    /\ r \in leading
    /\ end > logStart[r]
    /\ end \in Ends(r)
    /\ \A other \in Live(r) : fetched[other].offset >= end

WhatAllLiveReplicasHaveGoes ==
    (\A r \in Replicas : \A end \in Offset : WF_vars(AdvanceLogStart(r, end)))
        => \A r \in Replicas : \A end \in Offset : IsDue(r, end) ~> ~IsDue(r, end)

CleanedLogStartsWhereItsFirstSnapshotEnds ==
    CleansByRetention =>
        \A r \in Replicas : logStart[r] > 0 => Ends(r) # {} /\ logStart[r] = Min(Ends(r))

CleaningDeletesOneSnapshot ==
    [][CleansByRetention => \A r \in Replicas :
         (download[r] = None /\ logStart'[r] > logStart[r])
            => Cardinality(Ends(r) \ Ends(r)') = 1]_vars

AnOfficeEndsByANewerEpochOrAFailure ==
    [][\A r \in leading \ leading' :
         \/ epoch'[r] > epoch[r]
         \/ r \in wiped' \ wiped
         \/ disturbances' > disturbances /\ leading \ leading' = {r}]_vars

IsPrefix(one, other) ==
    Len(one) <= Len(other) /\ one = SubSeq(other, 1, Len(one))

LastEpoch(r) == IF Records(r) = << >> THEN 0 ELSE Records(r)[Len(Records(r))]

LeadersAreVotedFor ==
    [][\A r \in leading' \ leading :
         LET electors == {v \in Replicas : epoch'[v] = epoch'[r]}
         IN  /\ 2 * Cardinality(electors) > Cardinality(Voters)
             /\ electors \subseteq Voters \ wiped
             /\ leading \ electors \subseteq leading'
             /\ \A v \in electors :
                    \/ LastEpoch(v) < LastEpoch(r)
                    \/ LastEpoch(v) = LastEpoch(r) /\ Len(Records(v)) <= Len(Records(r))]_vars

LeaderOnlyAppends ==
    [][\A r \in leading \cap leading' : IsPrefix(Records(r), Records(r)')]_vars

LeaderLoadsNoSnapshot ==
    [][\A r \in leading \cap leading' :
         Latest(r)' > Latest(r) => UNCHANGED <<logStart[r], log[r]>>]_vars

(* Downloads. *)

NamedSnapshotExists ==
    [][\A r \in Replicas :
         (download[r] = None /\ download'[r] # None)
            => /\ Ends(Asks(r)) # {}
               /\ download'[r].snapshot = Id(Asks(r), Latest(Asks(r)))]_vars

BeginsDownload(r) == download[r] = None /\ download'[r] # None

SnapshotIsNamedOnlyIfTheLogCannotServe ==
    [][\A r \in Replicas :
         (BeginsDownload(r) /\ LogEnd(r) >= logStart[Asks(r)])
            => \/ Records(r) # SubSeq(Records(Asks(r)), 1, LogEnd(r))
               \/ SnapshotForEmptyLogs /\ Records(r) = << >>]_vars

NothingIsFetchedDuringADownload ==
    [][\A r \in Replicas :
         (download[r] # None /\ download'[r] # None)
            => UNCHANGED <<logStart[r], log[r], fetched[r], download[r].snapshot>>]_vars

\* The end of a log goes, and neither the disk nor all of the log for a snapshot.
Truncates(r) ==
    /\ r \notin wiped' \ wiped
    /\ logStart'[r] = logStart[r]
    /\ Len(log'[r]) < Len(log[r])

FetchesAreAnsweredByLeaders ==
    [][\A r \in Replicas :
         (\/ fetched'[r] # fetched[r]
          \/ BeginsDownload(r)
          \/ Truncates(r)
          \/ r \notin leading /\ Len(log'[r]) > Len(log[r]))
            => Asks(r) \in leading \ {r} /\ epoch[Asks(r)] = epoch[r]]_vars

OnlyWhatDivergesIsTruncated ==
    [][\A r \in Replicas :
         Truncates(r)
            => /\ ~IsPrefix(Records(r), Records(Asks(r)))
               /\ \/ IsPrefix(Records(r)', Records(Asks(r)))
                  \/ LastEpoch(r)' < LastEpoch(r) /\ LastEpoch(r)' < LastEpoch(Asks(r))]_vars

OnlyWhatAgreesCounts ==
    [][\A r \in Replicas :
         fetched'[r] # fetched[r]
            => /\ LogEnd(r) <= LogEnd(Asks(r))
               /\ \A x \in (logStart[Asks(r)] + 1) .. LogEnd(r) :
                        Records(r)[x] = Records(Asks(r))[x]
               /\ fetched'[r] = [offset |-> LogEnd(r), leaderEpoch |-> epoch[r]]
               /\ SnapshotForEmptyLogs /\ LogEnd(r) = 0 => Ends(Asks(r)) = {}]_vars

WhatCountsIsAnsweredWithTheNextRecord ==
    [][\A r \in Replicas :
         fetched'[r] # fetched[r]
            => \/ LogEnd(r)' > LogEnd(r)
               \/ LogEnd(r) = LogEnd(Asks(r))
               \/ <<disturbances, wiped>>' # <<disturbances, wiped>>]_vars

OnlyWhatFindsNothingNewWaits ==
    [][\A r \in Replicas :
         waiting'[r] \notin {None, waiting[r]}
            => /\ FetchesWait
               /\ waiting[r] = None
               /\ Records(r) = Records(Asks(r))
               /\ waiting'[r].logStart = logStart[Asks(r)]
               /\ LET before == SubSeq(Records(Asks(r)), 1, highWatermark'[Asks(r)])
                  IN  waiting'[r].highWatermark =
                          IF \E x \in DOMAIN before : before[x] = epoch[r] THEN Len(before)
                          ELSE 0]_vars

WhatLeadersCommittedIsReportedToFollowers ==
    [][\A r \in Replicas \ leading :
         (download[r] = None /\ highWatermark'[r] > highWatermark[r])
            => /\ epoch[r] \in {committed'[x] : x \in DOMAIN committed'}
               /\ \/ LogEnd(r)' > LogEnd(r)
                  \/ LogEnd(r)' >= LogEnd(Asks(r))
                  \/ waiting[r] # None]_vars

Answers(r) == response[r] = None /\ response'[r] # None

ChunksAreOfTheSnapshotAskedFor ==
    [][\A r \in Replicas :
         (Answers(r) /\ response'[r].error = "NONE")
            => LET wanted == download[r].snapshot
                   file   == snapshots[Asks(r)][wanted.endOffset]
                   from   == Len(download[r].part)
                   units  == response'[r].units
               IN  /\ wanted.endOffset \in Ends(Asks(r))
                   /\ Id(Asks(r), wanted.endOffset) = wanted
                   /\ response'[r].snapshot = wanted
                   /\ response'[r].size = Len(file)
                   /\ response'[r].position = from
                   /\ units # << >>
                   /\ units = SubSeq(file, from + 1, Min({from + Len(units), Len(file)}))]_vars

ErrorsSayWhatIsWrong ==
    [][\A r \in Replicas :
         Answers(r)
            => LET asked == Asks(r)
                   error == response'[r].error
                   due   == CASE epoch[asked] > epoch[r] -> "FENCED_LEADER_EPOCH"
                              [] epoch[asked] < epoch[r] -> "UNKNOWN_LEADER_EPOCH"
                              [] asked \notin leading    -> "NOT_LEADER_OR_FOLLOWER"
                              [] download[r].snapshot \in {Id(asked, x) : x \in Ends(asked)} -> "NONE"
                              [] OTHER                   -> "SNAPSHOT_NOT_FOUND"
               IN  /\ error = due
                   /\ error # "NONE" => response'[r].size = 0 /\ response'[r].units = << >>]_vars

BytesAreOfTheLeaderAsked ==
    [][\A r \in Replicas :
         (/\ download[r] # None
          /\ response[r] # None
          /\ response[r].error = "NONE"
          /\ response[r].leaderEpoch # epoch[r])
            => \/ download'[r] = download[r]
               \/ /\ download'[r] = None
                  /\ snapshots'[r][Wanted(r).endOffset] \in {None, snapshots[r][Wanted(r).endOffset]}]_vars

FencedReplicaTakesTheNewerEpoch ==
    [][\A r \in Replicas :
         (/\ download[r] # None
          /\ response[r] # None
          /\ response'[r] = None
          /\ response[r].error = "FENCED_LEADER_EPOCH"
          /\ response[r].leaderEpoch > epoch[r]
          /\ response[r].snapshot = download[r].snapshot
          /\ response[r].position = Len(download[r].part)
          /\ UNCHANGED <<disturbances, wiped>>)
            => epoch'[r] >= response[r].leaderEpoch]_vars

IsToItsRequest(r) ==
    /\ download[r] # None
    /\ response[r] # None
    /\ response[r].snapshot = download[r].snapshot
    /\ response[r].position = Len(download[r].part)

AnErrorEndsTheDownload ==
    [][\A r \in Replicas :
         (/\ IsToItsRequest(r)
          /\ response'[r] = None
          /\ \/ response[r].error \in {"SNAPSHOT_NOT_FOUND", "NOT_LEADER_OR_FOLLOWER"}
                /\ response[r].leaderEpoch = epoch[r]
             \/ response[r].error = "UNKNOWN_LEADER_EPOCH" /\ response[r].leaderEpoch < epoch[r]
          /\ UNCHANGED <<disturbances, wiped>>)
            => download'[r] = None]_vars

\* What is there already may be written again.
IsWrittenAgain(r) ==
    /\ None \notin {download'[r], response[r]}
    /\ response[r].snapshot = download[r].snapshot
    /\ response[r].position < Len(download[r].part)

ADownloadChangesOnlyByItsResponse ==
    [][\A r \in Replicas :
         (download[r] # None /\ download'[r] # download[r])
            => \/ IsToItsRequest(r) \/ IsWrittenAgain(r)
               \/ <<epoch[r], disturbances, wiped>>' # <<epoch[r], disturbances, wiped>>]_vars

AResponseThatIsReadStaysOnlyAsACopy ==
    [][\A r \in Replicas :
         (/\ None \notin {download[r], response[r], response'[r]}
          /\ download'[r] # download[r]
          /\ epoch'[r] = epoch[r])
            => /\ response[r].snapshot = Wanted(r)
               /\ response[r].position <= Len(download[r].part)
               /\ response[r].leaderEpoch = epoch[r]
               /\ response[r].error = "NONE"
               /\ disturbances' = disturbances + 1
               /\ LET read == response[r]
                  IN  download'[r] = None => read.position + Len(read.units) >= read.size]_vars

EveryByteCountsOnce ==
    \A r \in Replicas :
        download[r] # None
            => LET part  == download[r].part
                   whole == Whole(Wanted(r).endOffset)
               IN  /\ Len(part) < Len(whole)
                   /\ \A i \in DOMAIN part : part[i] \in {whole[i], Damaged}

LogGivesWayToWhatWasFetched ==
    [][\A r \in Replicas :
         (/\ download[r] # None
          /\ download'[r] = None
          /\ snapshots[r][Wanted(r).endOffset] = None
          /\ snapshots'[r][Wanted(r).endOffset] # None)
            => EndId(r)' = Wanted(r) /\ logStart'[r] = Wanted(r).endOffset]_vars

ARequestHasOneAnswer ==
    [][\A r \in Replicas :
         None \notin {response[r], response'[r]}
            => /\ [response'[r] EXCEPT !.units = << >>] = [response[r] EXCEPT !.units = << >>]
               /\ Len(response'[r].units) = Len(response[r].units)]_vars

ResponsesKeepWithinMaxBytes ==
    \A r \in Replicas : response[r] # None => Len(response[r].units) <= MaxBytes

(* Committed records. *)

Has(r, x, record) ==
    \/ x \in (logStart[r] + 1) .. LogEnd(r) /\ log[r][x - logStart[r]] = record
    \/ \E end \in Ends(r) : x <= end /\ snapshots[r][end][x] = record

\* If a leader knows that most of the voters have a record of its epoch, that is committed.
ALeaderCommitsWhatAMajorityFetched ==
    \A r \in leading : \A x \in 1 .. LogEnd(r) :
        LET others == {v \in Voters \ (wiped \cup {r}) :
                        fetched[v].leaderEpoch = epoch[r] /\ fetched[v].offset >= x}
        IN  (Records(r)[x] = epoch[r] /\ 2 * (Cardinality(others) + 1) > Cardinality(Voters))
                => x <= highWatermark[r]

AMajorityHasWhatIsCommitted ==
    Voters \cap wiped = {} =>
        \A x \in DOMAIN committed :
            2 * Cardinality({v \in Voters : Has(v, x, committed[x])}) > Cardinality(Voters)

\* Whatever is committed was committed in the newest epoch or before.
LeadersCommitUpToARecordOfTheirEpoch ==
    [][\A r \in leading \cap leading' :
         highWatermark'[r] > highWatermark[r]
            => Records(r)'[highWatermark'[r]] = epoch[r]]_vars

NewestLeaderHasEveryCommittedRecord ==
    \A r \in leading : epoch[r] = NewestEpoch => \A x \in DOMAIN committed : Has(r, x, committed[x])

WhatLiesBelowTheHighWatermarkIsCommitted ==
    \A r \in Replicas :
        SubSeq(Records(r), 1, highWatermark[r]) = SubSeq(committed, 1, highWatermark[r])

HighWatermarkNeverMovesBack ==
    [][\A r \in Replicas :
         highWatermark'[r] < highWatermark[r] => r \in wiped' \ wiped]_vars

HighWatermarkLiesWithinTheLog ==
    \A r \in Replicas : highWatermark[r] \in logStart[r] .. LogEnd(r)

LogsAgree ==
    \A r, s \in Replicas :
        \A x \in 1 .. Min({LogEnd(r), LogEnd(s)}) :
            Records(r)[x] = Records(s)[x] => SubSeq(Records(r), 1, x) = SubSeq(Records(s), 1, x)

(* Nobody is left behind. *)

Fairness ==
    \A r \in Replicas :
        /\ WF_vars(FetchRecord(r))
        /\ WF_vars(FetchDiverging(r))
        /\ WF_vars(FetchSnapshotId(r))
        /\ WF_vars(AnswerChunk(r))
        /\ WF_vars(AnswerSnapshotNotFound(r))
        /\ WF_vars(\E again \in BOOLEAN : ReceiveChunk(r, again))
        /\ WF_vars(\E again \in BOOLEAN : ReceiveLastChunk(r, again))
        /\ WF_vars(\E again \in BOOLEAN : ReceiveDamaged(r, again))
        /\ WF_vars(ReceiveError(r))
        /\ WF_vars(IgnoreResponse(r))

\* Follows the newest leader, and lacks what that one knows to be committed.
Lags(r) ==
    /\ r \notin leading
    /\ epoch[r] = NewestEpoch
    /\ IsLed(r)
    /\ ~IsPrefix(SubSeq(Records(Asks(r)), 1, highWatermark[Asks(r)]), Records(r))

LaggingReplicaCatchesUp ==
    Fairness => \A r \in Replicas : Lags(r) ~> ~Lags(r)

\* The leader has committed a record of its epoch; the replica does not know what of its own log is.
IsIgnorant(r) ==
    /\ r \notin leading
    /\ download[r] = None
    /\ epoch[r] = NewestEpoch
    /\ IsLed(r)
    /\ LET leader == Asks(r)
       IN  /\ highWatermark[r] < Min({highWatermark[leader], LogEnd(r)})
           /\ \E x \in 1 .. highWatermark[leader] : Records(leader)[x] = epoch[r]

FairnessOfTelling ==
    \A r \in Replicas :
        /\ WF_vars(FetchRecord(r))
        /\ WF_vars(FetchDiverging(r))
        /\ WF_vars(FetchSnapshotId(r))
        /\ WF_vars(FetchNothing(r))
        /\ WF_vars(WaitForRecords(r))
        /\ WF_vars(WaitInVain(r))

FollowersLearnTheHighWatermark ==
    FairnessOfTelling => \A r \in Replicas : IsIgnorant(r) ~> ~IsIgnorant(r)

FairnessOfAnswers ==
    \A r \in Replicas :
        /\ WF_vars(AnswerChunk(r))
        /\ WF_vars(AnswerSnapshotNotFound(r))
        /\ WF_vars(AnswerFenced(r))
        /\ WF_vars(AnswerUnknownEpoch(r))
        /\ WF_vars(AnswerNotLeader(r))

IsUnanswered(r) == download[r] # None /\ response[r] = None /\ Asks(r) # r

EveryRequestIsAnswered ==
    FairnessOfAnswers => \A r \in Replicas : IsUnanswered(r) ~> ~IsUnanswered(r)

\* A fetch waits where nobody leads the epoch of the replica any more.
WaitsForNobody(r) == waiting[r] # None /\ ~IsLed(r)

AFetchThatWaitsWhereNobodyLeadsIsRefused ==
    (\A r \in Replicas : WF_vars(RefuseWaiting(r)))
        => \A r \in Replicas : WaitsForNobody(r) ~> ~WaitsForNobody(r)
=============================================================================
