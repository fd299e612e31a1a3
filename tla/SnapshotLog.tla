---------------------------- MODULE SnapshotLog ----------------------------
(***************************************************************************)
(* The log and the snapshots of one replica of the metadata topic on its   *)
(* disk, KIP-630, and what a crash makes of them.                          *)
(*                                                                         *)
(* A record is the epoch in which it was written; with its offset that is  *)
(* all there is to it. Files are written step by step. A process that is   *)
(* killed leaves its files alone; a power failure may take away whatever   *)
(* had not been flushed. Of the quorum there is only what it committed.    *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    None,
    FlushesFirst,           \* whether records are flushed before they count as known
    FollowsLeadersStart,    \* whether the log may start below the latest snapshot's end
    MinNewBytes,            \* a record is one byte
    MinChangedPercent,
    Keys,                   \* records change this many keys, one after the other
    Footer                  \* a batch, unlike any record

ASSUME FlushesFirst \in BOOLEAN /\ FollowsLeadersStart \in BOOLEAN

VARIABLES
    committed, held,                            \* the quorum
    phase, highWatermark, logStart, state,      \* the process
    base, log, flushed, untruncated,            \* the log's files
    snapshots, parts,                           \* the snapshots' files
    crashes, damages

quorum  == <<committed, held>>
memory  == <<highWatermark, logStart, state>>
segments == <<base, log, flushed, untruncated>>
bounds  == <<crashes, damages>>

vars == <<quorum, phase, memory, segments, snapshots, parts, bounds>>

Offset      == Nat
RecordEpoch == Nat \ {0}
Records     == Seq(RecordEpoch)

Header  == 0
Batches == Seq(Nat)
Length  == Nat

Id == [endOffset : Offset, epoch : Nat]

Phase  == {"RUNNING", "KILLED", "DARK", "REFUSING"}
Writer == {"GENERATOR", "FETCHER"}
Stage  == {"CREATED", "HEADER", "RECORDS", "FOOTER", "FLUSHED"}

Part     == [id : Id, records : Records, stage : Stage]
Snapshot == [epoch : Nat, batches : Batches, flushed : BOOLEAN, named : BOOLEAN]
Durable  == [base : Offset, log : Records]

\* Bounds of a model: how often the worst may happen.
MayCrash  == TRUE
MayDamage == TRUE

TypeOK ==
    /\ committed \in Records
    /\ held \in Offset
    /\ phase \in Phase
    /\ highWatermark \in Offset \cup {None}
    /\ logStart \in Offset
    /\ state \in Records
    /\ base \in Offset
    /\ log \in Records
    /\ flushed \in Offset
    /\ untruncated = None \/ untruncated \in Durable
    /\ DOMAIN snapshots = Offset
    /\ \A x \in Offset : snapshots[x] = None \/ snapshots[x] \in Snapshot
    /\ DOMAIN parts = Writer
    /\ \A w \in Writer : parts[w] = None \/ parts[w] \in Part
    /\ crashes \in Nat
    /\ damages \in Nat

Init ==
    /\ committed = <<>>
    /\ held = 0
    /\ phase = "RUNNING"
    /\ highWatermark = None
    /\ logStart = 0
    /\ state = <<>>
    /\ base = 0
    /\ log = <<>>
    /\ flushed = 0
    /\ untruncated = None
    /\ snapshots = [x \in Offset |-> None]
    /\ parts = [w \in Writer |-> None]
    /\ crashes = 0
    /\ damages = 0

-----------------------------------------------------------------------------
Max(S) == CHOOSE n \in S : \A m \in S : n >= m
Lesser(m, n) == IF m < n THEN m ELSE n

Last(records) == records[Len(records)]

First(records, n) == SubSeq(records, 1, n)

Named == {x \in Offset : snapshots[x] # None}

\* The offsets of a log's records, and the record at one of them.
LogEnd == base + Len(log)
InLog  == base .. LogEnd - 1
At(x)  == log[x - base + 1]

\* The part of the log below an offset, and the part from one on.
Below(x) == SubSeq(log, 1, x - base)
From(x)  == SubSeq(log, x - base + 1, Len(log))

IsRunning == phase = "RUNNING"
IsDown    == phase \in {"KILLED", "DARK"}

(* Ids, and which of two goes further. *)

IsNewer(one, other) ==
    IF one.epoch = other.epoch THEN one.endOffset > other.endOffset
    ELSE one.epoch > other.epoch

IdOf(x) ==
    IF snapshots[x] = None THEN [endOffset |-> 0, epoch |-> 0]
    ELSE [endOffset |-> x, epoch |-> snapshots[x].epoch]

Latest == Max(Named \cup {0})

LastEpoch == IF log = <<>> THEN IdOf(base).epoch ELSE Last(log)

EndOfLog == [endOffset |-> LogEnd, epoch |-> LastEpoch]

MustReset == IsNewer(IdOf(Latest), EndOfLog)

IsOpen == IsRunning /\ ~MustReset /\ parts["FETCHER"] = None

\* The offset below which the log has what was committed.
Agreed ==
    LET shared == 0 .. Lesser(LogEnd, Len(committed)) - base
    IN  base + Max({n \in shared \cup {0} :
                      \A i \in 1 .. n : log[i] = committed[base + i]})

-----------------------------------------------------------------------------
(* The log. *)

\* A record of epoch e at x, beside records from offset `start` on: nobody writes into the middle
\* of a log but the leader who wrote that record, or one newer than the whole log.
CanBeBeside(start, records, x, e) ==
    LET i == x - start + 1
    IN  i <= Len(records) => records[IF i < 1 THEN 1 ELSE i] = e \/ Last(records) < e

CanBeWritten(x, e) ==
    /\ CanBeBeside(base, log, x, e)
    /\ untruncated # None => CanBeBeside(untruncated.base, untruncated.log, x, e)

AppendRecord(e) ==
    /\ IsOpen
    /\ LogEnd + 1 \in Offset
    /\ e >= LastEpoch
    /\ Agreed = Lesser(LogEnd, Len(committed))
    /\ LogEnd < Len(committed) => committed[LogEnd + 1] = e
    /\ CanBeWritten(LogEnd, e)
    /\ log' = Append(log, e)
    /\ UNCHANGED <<quorum, phase, memory, base, flushed, untruncated, snapshots, parts, bounds>>

Flush ==
    /\ IsRunning
    /\ <<flushed, untruncated>> # <<LogEnd, None>>
    /\ flushed' = LogEnd
    /\ untruncated' = None
    /\ UNCHANGED <<quorum, phase, memory, base, log, snapshots, parts, bounds>>

HasFlushed(x, e) == x \in InLog /\ x < flushed /\ At(x) = e

Commit(e) ==
    LET x == Len(committed)
    IN  /\ IsRunning
        /\ x + 1 \in Offset
        /\ committed # <<>> => Last(committed) <= e
        /\ CanBeWritten(x, e)
        /\ committed' = Append(committed, e)
        /\ held' = IF HasFlushed(x, e) THEN x + 1 ELSE held
        /\ UNCHANGED <<phase, memory, segments, snapshots, parts, bounds>>

Knowable == Lesser(IF FlushesFirst THEN flushed ELSE LogEnd, Len(committed))

AdvanceHighWatermark ==
    /\ IsOpen
    /\ Agreed >= Knowable
    /\ highWatermark # None => highWatermark < Knowable
    /\ highWatermark' = Knowable
    /\ state' = state \o SubSeq(log, Len(state) - base + 1, Knowable - base)
    /\ held' = Max({held, Lesser(Knowable, flushed)})
    /\ UNCHANGED <<committed, phase, logStart, segments, snapshots, parts, bounds>>

\* What is on the disk until a truncation is flushed.
Kept == IF untruncated = None THEN [base |-> base, log |-> Below(flushed)] ELSE untruncated

Truncate(x) ==
    /\ IsOpen
    /\ x \in Agreed .. LogEnd - 1
    /\ log' = Below(x)
    /\ IF flushed > x
       THEN flushed' = x /\ untruncated' = Kept
       ELSE UNCHANGED <<flushed, untruncated>>
    /\ UNCHANGED <<quorum, phase, memory, base, snapshots, parts, bounds>>

-----------------------------------------------------------------------------
(* A snapshot is written. *)

\* Keys that have been written again, the records below offset Keys being their first.
Changed(since, now) ==
    {k \in 0 .. Keys - 1 : \E x \in since .. now - 1 : x >= Keys /\ x % Keys = k}

ThresholdsMet(since, now) ==
    /\ now > since
    /\ now - since >= MinNewBytes
    /\ 100 * Cardinality(Changed(since, now)) >= MinChangedPercent * Lesser(since, Keys)

NamesAreFlushed == \A x \in Named : snapshots[x].named

Begin(w, end, epoch, records) ==
    parts' = [parts EXCEPT ![w] =
                [id |-> [endOffset |-> end, epoch |-> epoch],
                 records |-> records,
                 stage |-> "CREATED"]]

BeginSnapshot ==
    /\ IsRunning
    /\ ~MustReset
    /\ parts["GENERATOR"] = None
    /\ highWatermark # None
    /\ ThresholdsMet(Latest, highWatermark)
    /\ Begin("GENERATOR", highWatermark, At(highWatermark - 1), state)
    /\ UNCHANGED <<quorum, phase, memory, segments, snapshots, bounds>>

BeginFetch(x) ==
    /\ IsOpen
    /\ x \in 1 .. Len(committed)
    /\ IsNewer([endOffset |-> x, epoch |-> committed[x]], EndOfLog)
    /\ Begin("FETCHER", x, committed[x], First(committed, x))
    /\ UNCHANGED <<quorum, phase, memory, segments, snapshots, bounds>>

\* The file of a snapshot goes from one stage to the next.
IsAt(w, stage) == IsRunning /\ parts[w] # None /\ parts[w].stage = stage

Proceed(w, stage) ==
    /\ parts' = [parts EXCEPT ![w].stage = stage]
    /\ UNCHANGED <<quorum, phase, memory, segments, snapshots, bounds>>

WriteHeader(w)  == IsAt(w, "CREATED") /\ Proceed(w, "HEADER")
WriteRecords(w) == IsAt(w, "HEADER") /\ Proceed(w, "RECORDS")
WriteFooter(w)  == IsAt(w, "RECORDS") /\ Proceed(w, "FOOTER")
FlushPart(w)    == IsAt(w, "FOOTER") /\ Proceed(w, "FLUSHED")

Rename(w) ==
    /\ IsAt(w, "FLUSHED")
    /\ LET part == parts[w]
           end  == part.id.endOffset
       IN  /\ end >= logStart
           /\ snapshots[end] = None
           /\ snapshots' = [snapshots EXCEPT ![end] =
                              [epoch   |-> part.id.epoch,
                               batches |-> <<Header>> \o part.records \o <<Footer>>,
                               flushed |-> TRUE,
                               named   |-> FALSE]]
    /\ parts' = [parts EXCEPT ![w] = None]
    /\ UNCHANGED <<quorum, phase, memory, segments, bounds>>

FlushDirectory ==
    /\ IsRunning
    /\ ~NamesAreFlushed
    /\ snapshots' = [x \in Offset |->
                       IF x \in Named THEN [snapshots[x] EXCEPT !.named = TRUE] ELSE None]
    /\ UNCHANGED <<quorum, phase, memory, segments, parts, bounds>>

GiveUp(w) ==
    /\ IsRunning
    /\ parts[w] # None
    /\ parts' = [parts EXCEPT ![w] = None]
    /\ UNCHANGED <<quorum, phase, memory, segments, snapshots, bounds>>

-----------------------------------------------------------------------------
(* A snapshot takes the place of records. *)

\* The records in a file of which header and footer are there.
Content(x) ==
    IF snapshots[x] = None THEN <<>>
    ELSE LET batches == snapshots[x].batches
         IN  SubSeq(batches, 2, Len(batches) - 1)

ResetToSnapshot ==
    /\ IsRunning
    /\ MustReset
    /\ snapshots[Latest].named
    /\ base' = Latest
    /\ log' = <<>>
    /\ flushed' = Latest
    /\ untruncated' = Kept
    /\ logStart' = Latest
    /\ highWatermark' = Latest
    /\ state' = Content(Latest)
    /\ held' = Max({held, Latest})
    /\ UNCHANGED <<committed, phase, snapshots, parts, bounds>>

\* Where the log may start.
Starts ==
    LET ends == {x \in Named : snapshots[x].named}
    IN  IF FollowsLeadersStart THEN UNION {0 .. x : x \in ends} ELSE ends

AdvanceLogStart(x) ==
    /\ IsRunning
    /\ ~MustReset
    /\ highWatermark # None
    /\ x \in Starts
    /\ logStart < x
    /\ x <= highWatermark
    /\ logStart' = x
    /\ UNCHANGED <<quorum, phase, highWatermark, state, segments, snapshots, parts, bounds>>

DeleteSnapshot(x) ==
    /\ IsRunning
    /\ x \in Named
    /\ x < logStart
    /\ snapshots' = [snapshots EXCEPT ![x] = None]
    /\ UNCHANGED <<quorum, phase, memory, segments, parts, bounds>>

DeleteSegments(x) ==
    /\ IsRunning
    /\ ~MustReset
    /\ x \in base + 1 .. logStart
    /\ base' = x
    /\ log' = From(x)
    /\ flushed' = Max({flushed, x})
    /\ UNCHANGED <<quorum, phase, memory, untruncated, snapshots, parts, bounds>>

-----------------------------------------------------------------------------
(* Crashes. *)

Stop(into) ==
    /\ MayCrash
    /\ crashes' = crashes + 1
    /\ phase' = into
    /\ highWatermark' = None
    /\ logStart' = 0
    /\ state' = <<>>
    /\ UNCHANGED <<quorum, segments, snapshots, parts, damages>>

Kill      == IsRunning /\ Stop("KILLED")
LosePower == IsRunning /\ Stop("DARK")

\* The disk ends up with fewer records than were written to it.
ForgetRecords(x) ==
    /\ phase = "DARK"
    /\ x \in flushed .. LogEnd - 1
    /\ log' = Below(x)
    /\ flushed' = x
    /\ untruncated' = None
    /\ UNCHANGED <<quorum, phase, memory, base, snapshots, parts, bounds>>

\* Or with those that were truncated.
ForgetTruncation ==
    /\ phase = "DARK"
    /\ untruncated # None
    /\ base' = untruncated.base
    /\ log' = untruncated.log
    /\ flushed' = untruncated.base + Len(untruncated.log)
    /\ untruncated' = None
    /\ UNCHANGED <<quorum, phase, memory, snapshots, parts, bounds>>

ForgetRename(x) ==
    /\ phase = "DARK"
    /\ x \in Named
    /\ ~snapshots[x].named
    /\ snapshots' = [snapshots EXCEPT ![x] = None]
    /\ UNCHANGED <<quorum, phase, memory, segments, parts, bounds>>

\* Every file under its final name is flushed: it is the disk that breaks it.
Tear(x, length) ==
    /\ phase = "DARK"
    /\ x \in Named
    /\ length < Len(snapshots[x].batches)
    /\ MayDamage
    /\ snapshots' = [snapshots EXCEPT ![x].batches = First(@, length)]
    /\ damages' = damages + 1
    /\ UNCHANGED <<quorum, phase, memory, segments, parts, crashes>>

(* Boots. *)

IsWhole(batches) == Len(batches) >= 2 /\ batches[1] = Header /\ Last(batches) = Footer

Whole  == {x \in Named : IsWhole(snapshots[x].batches)}
Usable == {x \in Whole : x >= base}

Loaded == Max(Usable \cup {0})

\* A file that cannot be read, where nothing else goes as far.
Gone == {x \in Named \ Whole : IsNewer(IdOf(x), EndOfLog) /\ IsNewer(IdOf(x), IdOf(Loaded))}

CanBoot == Gone = {} /\ ~(base > 0 /\ Usable = {})

Boot ==
    /\ IsDown
    /\ CanBoot
    /\ phase' = "RUNNING"
    /\ logStart' = base
    /\ state' = Content(Loaded)
    /\ IF phase = "DARK"
       THEN flushed' = LogEnd /\ untruncated' = None
       ELSE UNCHANGED <<flushed, untruncated>>
    /\ snapshots' = [x \in Offset |->
                       IF x \notin Usable THEN None
                       ELSE IF phase = "DARK" THEN [snapshots[x] EXCEPT !.named = TRUE]
                       ELSE snapshots[x]]
    /\ parts' = [w \in Writer |-> None]
    /\ UNCHANGED <<quorum, highWatermark, base, log, bounds>>

RefuseToBoot ==
    /\ IsDown
    /\ ~CanBoot
    /\ phase' = "REFUSING"
    /\ UNCHANGED <<quorum, memory, segments, snapshots, parts, bounds>>

-----------------------------------------------------------------------------
Next ==
    \/ \E e \in RecordEpoch : AppendRecord(e) \/ Commit(e)
    \/ Flush
    \/ AdvanceHighWatermark
    \/ BeginSnapshot
    \/ \E w \in Writer :
        \/ WriteHeader(w)
        \/ WriteRecords(w)
        \/ WriteFooter(w)
        \/ FlushPart(w)
        \/ Rename(w)
        \/ GiveUp(w)
    \/ FlushDirectory
    \/ ResetToSnapshot
    \/ \E x \in Offset :
        \/ Truncate(x)
        \/ BeginFetch(x)
        \/ AdvanceLogStart(x)
        \/ DeleteSnapshot(x)
        \/ DeleteSegments(x)
        \/ ForgetRecords(x)
        \/ ForgetRename(x)
        \/ \E length \in Length : Tear(x, length)
    \/ Kill
    \/ LosePower
    \/ ForgetTruncation
    \/ Boot
    \/ RefuseToBoot

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
\* The latest snapshot that can be loaded, 0 if none can. Snapshots it does not reach are lost.
Reach == Max({x \in Whole : base <= x} \cup {0})

\* Snapshots newer than the last record.
Ahead == {x \in Named : IsNewer(IdOf(x), EndOfLog)}

NothingIsMissing ==
    /\ base # 0 => \E x \in Whole : x >= base
    /\ \A x \in Ahead : \E y \in Whole : x <= y

\* What the replica knows when it boots and applies its whole log.
Found ==
    IF Ahead # {} THEN Content(Reach)
    ELSE Content(Reach) \o SubSeq(log, Max({Reach - base, 0}) + 1, Len(log))

\* Once written, a file is as it should be as long as the disk keeps it.
ANamedFileIsComplete == damages = 0 => Named = Whole

SnapshotsNeverPassTheHighWatermark ==
    IsRunning /\ highWatermark # None /\ Ahead = {}
        => \A x \in Named : x <= highWatermark

SnapshotIsTheLogThatItReplaces ==
    \A x \in Whole :
        /\ x \in 1 .. Len(committed)
        /\ Content(x) = First(committed, x)
        /\ snapshots[x].epoch = committed[x]

LogAboveZeroHasASnapshot ==
    IsRunning /\ logStart > 0 /\ Ahead = {}
        => \E x \in Whole :
              x \in logStart .. (IF highWatermark = None THEN LogEnd ELSE highWatermark)

OffsetsAreInOrder ==
    IsRunning =>
        LET top == IF highWatermark = None THEN logStart ELSE highWatermark
        IN  base <= logStart /\ logStart <= top /\ top <= LogEnd

EverythingHeldIsFound ==
    NothingIsMissing =>
        Len(Found) >= held /\ First(Found, held) = First(committed, held)

EveryCrashLeavesEnoughToBoot == damages = 0 => NothingIsMissing /\ phase # "REFUSING"

RefusesOnlyWhatIsMissing == phase = "REFUSING" => ~NothingIsMissing

StateIsWhatWasCommitted ==
    IsRunning =>
        /\ Len(state) <= Len(committed)
        /\ state = First(committed, Len(state))
        /\ highWatermark # None => Len(state) = highWatermark

-----------------------------------------------------------------------------
RunsOn == phase = "RUNNING" /\ phase' = "RUNNING"
Boots  == phase # "RUNNING" /\ phase' = "RUNNING"

\* Both thresholds are reached.
IsDue ==
    LET old == 0 .. Reach - 1
        new == Reach .. Len(state) - 1
    IN  /\ new # {}
        /\ Cardinality(new) >= MinNewBytes
        /\ 100 * Cardinality({x % Keys : x \in {y \in new : y >= Keys}})
             >= MinChangedPercent * Cardinality({x % Keys : x \in old})

GeneratesOnlyPastBothThresholds ==
    [][parts["GENERATOR"] = None /\ parts'["GENERATOR"] # None =>
         IsDue]_vars

LogStartsWhereASnapshotEnds ==
    [][RunsOn /\ logStart' # logStart =>
         \/ logStart' \in Whole
         \/ FollowsLeadersStart /\ \E x \in Whole : logStart' <= x]_vars

DeletesOnlyBelowLogStart ==
    [][IsRunning => \A x \in Named : snapshots'[x] = None => x < logStart]_vars

NoSnapshotArrivesBelowLogStart ==
    [][\A x \in Offset \ Named : snapshots'[x] # None => logStart <= x]_vars

NewerSnapshotReplacesTheLog ==
    [][RunsOn /\ Ahead # {} =>
         \/ UNCHANGED <<base, log, logStart, highWatermark>>
         \/ /\ logStart' \in Ahead
            /\ base' = logStart'
            /\ log' = <<>>
            /\ highWatermark' = logStart']_vars

ResetComesToAnEnd ==
    [][RunsOn /\ MustReset /\ <<base, log>>' # <<base, log>> => ~MustReset']_vars

OffsetsNeverMoveBack ==
    [][RunsOn =>
         /\ logStart' >= logStart
         /\ highWatermark # None =>
               highWatermark' # None /\ highWatermark' >= highWatermark]_vars

(* Files. *)

FollowingStages ==
    {<<"CREATED", "HEADER">>, <<"HEADER", "RECORDS">>, <<"RECORDS", "FOOTER">>,
     <<"FOOTER", "FLUSHED">>}

APartIsWrittenStepByStep ==
    [][\A w \in Writer :
         parts'[w] \notin {None, parts[w]} =>
            IF parts[w] = None THEN parts'[w].stage = "CREATED"
            ELSE /\ [parts'[w] EXCEPT !.stage = parts[w].stage] = parts[w]
                 /\ <<parts[w].stage, parts'[w].stage>> \in FollowingStages]_vars

AFinishedPartBecomesASnapshot ==
    [][\A x \in Offset \ Named : snapshots'[x] # None =>
         \E w \in Writer :
            /\ parts[w] # None
            /\ parts[w].id = [endOffset |-> x, epoch |-> snapshots'[x].epoch]
            /\ parts'[w] = None]_vars

\* What there is after a loss of power at once.
OnDisk ==
    IF untruncated # None THEN untruncated
    ELSE [base |-> base, log |-> First(log, flushed - base)]

TheDiskHasItsLogUntilAFlush ==
    [][RunsOn =>
         \/ flushed' = LogEnd' /\ untruncated' = None /\ UNCHANGED <<base, log>>
         \/ LET gone == Max({0, OnDisk'.base - OnDisk.base})
            IN  /\ OnDisk'.base \in {OnDisk.base, base'}
                /\ OnDisk'.log = SubSeq(OnDisk.log, gone + 1, Len(OnDisk.log))]_vars

WhatIsNoLongerFlushedIsCutOff == [][RunsOn /\ flushed' < flushed => LogEnd' = flushed']_vars

AnswersForWhatItHasFlushed ==
    [][RunsOn =>
         /\ highWatermark' \notin {None, highWatermark} =>
               held' >= Lesser(highWatermark', flushed')
         /\ committed' # committed =>
               LET x == Len(committed)
               IN  x \in base .. flushed - 1 /\ At(x) = Last(committed') => held' > x]_vars

AnswersForNoLess ==
    [][held' # held => /\ held' > held
                       /\ <<committed, highWatermark>>' # <<committed, highWatermark>>]_vars

IsCutFrom(one, other) == Len(one) <= Len(other) /\ one = First(other, Len(one))

NothingGrowsOnADiskWithoutAProcess ==
    [][phase' # "RUNNING" =>
         /\ <<highWatermark, logStart, state>>' = <<None, 0, <<>>>>
         /\ UNCHANGED <<parts, held>>
         /\ phase = "KILLED" => UNCHANGED <<flushed, log>>
         /\ \/ UNCHANGED <<flushed, log, untruncated>>
            \/ flushed' = LogEnd' /\ untruncated' = None
         /\ \/ base' = base /\ IsCutFrom(log', log)
            \/ untruncated # None /\ base' = untruncated.base /\ log' = untruncated.log
         /\ \A x \in Offset : snapshots'[x] # None =>
               /\ x \in Named
               /\ [snapshots'[x] EXCEPT !.batches = snapshots[x].batches] = snapshots[x]
               /\ IsCutFrom(snapshots'[x].batches, snapshots[x].batches)]_vars

(* Booting. *)

BootKnowsWhatIsOnTheDisk ==
    [][Boots =>
         LET outlasted == phase = "DARK"
         IN  /\ IF outlasted THEN flushed' = LogEnd' ELSE flushed' = flushed
             /\ untruncated' = IF outlasted THEN None ELSE untruncated
             /\ \A x \in Named : snapshots'[x] # None =>
                    /\ snapshots'[x].named = (outlasted \/ snapshots[x].named)
                    /\ snapshots'[x].flushed = (outlasted \/ snapshots[x].flushed)]_vars

BootLoadsTheLatestSnapshot == [][Boots /\ Reach > 0 => state' = Content(Reach)]_vars

BootTakesNoPartForASnapshot ==
    [][Boots =>
         /\ \A w \in Writer : parts'[w] = None
         /\ \A x \in Offset : snapshots'[x] # None => x \in Named]_vars

(* Liveness.           *)

IsFlushed == <<flushed, untruncated>> = <<LogEnd, None>>

TheLogIsFlushedAtLast ==
    WF_vars(Flush) => (IsRunning /\ ~IsFlushed) ~> (~IsRunning \/ IsFlushed)

MayLearn ==
    LET shared == Lesser(LogEnd, Len(committed))
    IN  /\ IsRunning
        /\ parts["FETCHER"] = None
        /\ Ahead = {}
        /\ \A x \in base .. shared - 1 : At(x) = committed[x + 1]
        /\ highWatermark # None => highWatermark < shared

WhatIsCommittedBecomesKnown ==
    WF_vars(Flush) /\ WF_vars(AdvanceHighWatermark) => MayLearn ~> ~MayLearn

MayLearnOfFlushed == MayLearn /\ (highWatermark # None => highWatermark < flushed)

FlushedRecordsAreKnownWithoutAnotherFlush ==
    WF_vars(AdvanceHighWatermark) => MayLearnOfFlushed ~> ~MayLearnOfFlushed

IsAwaited == highWatermark # None /\ parts["GENERATOR"] = None /\ Ahead = {} /\ IsDue

ASnapshotThatIsDueIsBegun == WF_vars(BeginSnapshot) => IsAwaited ~> ~IsAwaited

IsOvertaken ==
    IsRunning /\ parts["GENERATOR"] # None /\ parts["GENERATOR"].id.endOffset < logStart

AnOvertakenSnapshotIsGivenUp ==
    WF_vars(GiveUp("GENERATOR")) => IsOvertaken ~> ~IsOvertaken

IsBelowTheStart(x) == IsRunning /\ x \in Named /\ x < logStart

ASnapshotBelowTheLogStartGoes ==
    (\A x \in Offset : WF_vars(DeleteSnapshot(x)))
        => \A x \in Offset : IsBelowTheStart(x) ~> ~IsBelowTheStart(x)

IsLeftBeside == IsRunning /\ Ahead # {}

ANewerSnapshotReplacesTheLogAtLast ==
    WF_vars(FlushDirectory) /\ WF_vars(ResetToSnapshot) => IsLeftBeside ~> ~IsLeftBeside

AProcessThatHasEndedBootsOrRefuses ==
    WF_vars(Boot) /\ WF_vars(RefuseToBoot) => IsDown ~> ~IsDown
=============================================================================
