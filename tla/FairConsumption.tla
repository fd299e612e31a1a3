-------------------------- MODULE FairConsumption --------------------------
(***************************************************************************)
(* The fetcher of one consumer, KIP-41: what fetches bring waits in line,  *)
(* and a poll returns up to max.poll.records of it, from the head of the   *)
(* line onwards.  KIP-387 would have polls begin elsewhere; see the        *)
(* proposals to the model of the same name.                                *)
(*                                                                         *)
(* A poll is a series of steps, and nothing else happens between them.     *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
    None,
    Partitions,
    Watched,            \* whose waiting is counted
    MaxPollRecords,
    LongestWait,        \* the most polls in a row that may pass it over
    Prefetching,        \* whether fetches come in while something is begun
    Unreadable          \* whether records come in that cannot be parsed

ASSUME
    /\ Watched \in Partitions
    /\ MaxPollRecords \in Nat \ {0}
    /\ Prefetching \in BOOLEAN
    /\ Unreadable \in BOOLEAN

VARIABLES
    status,
    position,           \* the offset to be fetched next
    buffered, line,     \* what was fetched, and in which order it is returned
    polling, returned,  \* the poll under way, and what it has so far
    raised,             \* whose error the last poll raised
    due, waited         \* what really happened

subscription == <<status, position>>
buffer       == <<buffered, line>>
poll         == <<polling, returned>>

vars == <<subscription, buffer, poll, raised, due, waited>>

Offset      == Nat
SomeRecords == Nat \ {0}
Ahead       == {0, 1}

\* Bounds of a model: offsets begin again, and waiting is counted so far.
After(offset, n) == offset + n
Counted(n)       == n

Fetched == [first : Offset, count : SomeRecords \cup {0}, failed : BOOLEAN, begun : BOOLEAN]

TypeOK ==
    /\ status \in [Partitions -> {"REVOKED", "ASSIGNED", "PAUSED"}]
    /\ position \in [Partitions -> Offset]
    /\ buffered \in [Partitions -> Fetched \cup {None}]
    /\ line \in Seq(Partitions)
    /\ polling \in BOOLEAN
    /\ returned \in [Partitions -> 0 .. MaxPollRecords]
    /\ raised \in Partitions \cup {None}
    /\ due \in [Partitions -> Offset]
    /\ waited \in Nat

Nothing == [p \in Partitions |-> 0]

Init ==
    /\ status = [p \in Partitions |-> "ASSIGNED"]
    /\ position = Nothing
    /\ buffered = [p \in Partitions |-> None]
    /\ line = <<>>
    /\ polling = FALSE
    /\ returned = Nothing
    /\ raised = None
    /\ due = Nothing
    /\ waited = 0

Full == {p \in Partitions : buffered[p] # None}

\* What is buffered of these is what the consumer is to see next of them.
Current == {p \in Full : status[p] # "REVOKED" /\ buffered[p].first = position[p]}

Failed     == {p \in Current : buffered[p].failed}
Kept       == {p \in Current \ Failed : status[p] = "PAUSED"}
Returnable == (Current \ Failed) \ Kept

RECURSIVE SumOver(_, _)
SumOver(counts, ps) ==
    IF ps = {} THEN 0
    ELSE LET p == CHOOSE p \in ps : TRUE
         IN  counts[p] + SumOver(counts, ps \ {p})

Total == SumOver(returned, Partitions)

-----------------------------------------------------------------------------
(* Fetches come in. *)

ComeIn(p, count, failed) ==
    /\ ~polling
    /\ status[p] = "ASSIGNED"
    /\ p \notin Full
    /\ IF Prefetching THEN TRUE ELSE {q \in Returnable : buffered[q].begun} = {}
    /\ buffered' = [buffered EXCEPT ![p] =
            [first |-> position[p], count |-> count, failed |-> failed, begun |-> FALSE]]
    /\ line' = Append(line, p)
    /\ UNCHANGED <<subscription, poll, raised, due, waited>>

Fetch(p, count) == p \in Partitions /\ ComeIn(p, count, FALSE)

FetchError(p) == p \in Partitions /\ ComeIn(p, 0, TRUE)

FetchUnreadable(p) == Unreadable /\ ComeIn(p, 1, TRUE)

(* Partitions are paused and resumed, go and come. *)

Turns(p, from, to) ==
    /\ ~polling
    /\ status[p] \in from
    /\ status' = [status EXCEPT ![p] = to]
    /\ waited' = IF p = Watched /\ to # "ASSIGNED" THEN 0 ELSE waited
    /\ UNCHANGED <<buffer, poll, raised>>

Pause(p)  == Turns(p, {"ASSIGNED"}, "PAUSED") /\ UNCHANGED <<position, due>>
Resume(p) == Turns(p, {"PAUSED"}, "ASSIGNED") /\ UNCHANGED <<position, due>>
Revoke(p) == Turns(p, {"ASSIGNED", "PAUSED"}, "REVOKED") /\ UNCHANGED <<position, due>>

\* Another consumer has taken as many of its records.
Assign(p, ahead) ==
    /\ Turns(p, {"REVOKED"}, "ASSIGNED")
    /\ due' = [due EXCEPT ![p] = After(due[p], ahead)]
    /\ position' = [position EXCEPT ![p] = due'[p]]

\* The application skips what cannot be parsed.
SeekPast(p) ==
    /\ ~polling
    /\ raised = p
    /\ p \in Full
    /\ status[p] # "REVOKED"
    /\ buffered[p].failed
    /\ buffered[p].count > 0
    /\ position' = [position EXCEPT ![p] = After(position[p], 1)]
    /\ due' = [due EXCEPT ![p] = After(due[p], 1)]
    /\ raised' = None
    /\ UNCHANGED <<status, buffer, poll, waited>>

-----------------------------------------------------------------------------
(* A poll. *)

StartPoll ==
    /\ ~polling
    /\ polling' = TRUE
    /\ raised' = None
    /\ UNCHANGED <<subscription, buffer, returned, due, waited>>

GoesOn ==
    /\ polling
    /\ Total < MaxPollRecords
    /\ Full \ Kept # {}

First == Head(line)

EndPoll ==
    /\ polling' = FALSE
    /\ returned' = Nothing
    /\ waited' = IF Watched \in Returnable /\ returned[Watched] = 0
                 THEN Counted(waited + 1)
                 ELSE 0
    /\ UNCHANGED <<subscription, due>>

TakeOut ==
    /\ buffered' = [buffered EXCEPT ![First] = None]
    /\ line' = Tail(line)

Discard ==
    /\ GoesOn
    /\ First \notin Current
    /\ TakeOut
    /\ UNCHANGED <<subscription, poll, raised, due, waited>>

SetAside ==
    /\ GoesOn
    /\ First \in Kept
    /\ line' = Append(Tail(line), First)
    /\ buffered' = [buffered EXCEPT ![First].begun = FALSE]
    /\ UNCHANGED <<subscription, poll, raised, due, waited>>

Give(n) ==
    /\ position' = [position EXCEPT ![First] = After(@, n)]
    /\ returned' = [returned EXCEPT ![First] = @ + n]
    /\ due' = [due EXCEPT ![First] = After(buffered[First].first, n)]
    /\ UNCHANGED <<status, polling, raised, waited>>

ReturnAll ==
    /\ GoesOn
    /\ First \in Returnable
    /\ Total + buffered[First].count <= MaxPollRecords
    /\ Give(buffered[First].count)
    /\ TakeOut

\* The rest stays at the head, where the next poll begins.
ReturnPart ==
    /\ GoesOn
    /\ First \in Returnable
    /\ Total + buffered[First].count > MaxPollRecords
    /\ LET n == MaxPollRecords - Total
       IN  /\ Give(n)
           /\ buffered' = [buffered EXCEPT ![First].first = After(@, n),
                                           ![First].count = @ - n,
                                           ![First].begun = TRUE]
    /\ UNCHANGED line

RaiseError ==
    /\ GoesOn
    /\ First \in Failed
    /\ buffered[First].count = 0
    /\ Total = 0
    /\ TakeOut
    /\ EndPoll
    /\ raised' = First

RaiseUnreadable ==
    /\ GoesOn
    /\ First \in Failed
    /\ buffered[First].count > 0
    /\ Total = 0
    /\ EndPoll
    /\ raised' = First
    /\ UNCHANGED buffer

ReturnBeforeError ==
    /\ GoesOn
    /\ First \in Failed
    /\ Total > 0
    /\ EndPoll
    /\ raised' = None
    /\ UNCHANGED buffer

Finish ==
    /\ polling
    /\ ~GoesOn
    /\ EndPoll
    /\ raised' = None
    /\ UNCHANGED buffer

-----------------------------------------------------------------------------
Next ==
    \/ \E p \in Partitions :
        \/ \E count \in SomeRecords : Fetch(p, count)
        \/ FetchError(p)
        \/ FetchUnreadable(p)
        \/ Pause(p)
        \/ Resume(p)
        \/ Revoke(p)
        \/ \E ahead \in Ahead : Assign(p, ahead)
        \/ SeekPast(p)
    \/ StartPoll
    \/ Discard
    \/ SetAside
    \/ ReturnAll
    \/ ReturnPart
    \/ RaiseError
    \/ RaiseUnreadable
    \/ ReturnBeforeError
    \/ Finish

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
PositionIsAfterWhatWasReturned ==
    \A p \in Partitions : status[p] # "REVOKED" => position[p] = due[p]

PollReturnsAtMostMaxPollRecords == Total <= MaxPollRecords

LineIsWhatIsBuffered ==
    /\ {line[i] : i \in DOMAIN line} = Full
    /\ Len(line) = Cardinality(Full)

ErrorIsOfTheLastPoll == polling => raised = None

WaitIsBounded == waited <= LongestWait

-----------------------------------------------------------------------------
Gaining == {p \in Partitions : returned'[p] > returned[p]}

Ends == polling /\ ~polling'

RecordsAreReturnedOnceAndInOrder ==
    [][\A p \in Gaining :
         /\ p \in Full
         /\ buffered[p].first = due[p]
         /\ due'[p] = After(due[p], returned'[p] - returned[p])]_vars

NewPartitionIsNotPaused ==
    [][\A p \in Partitions : status[p] = "REVOKED" => status'[p] # "PAUSED"]_vars

OnlyAssignedPartitionsAreReturned == [][\A p \in Gaining : status[p] = "ASSIGNED"]_vars

PollReturnsWhatThereIs ==
    [][(Ends /\ raised' = None /\ Total < MaxPollRecords) =>
         IF Failed # {} THEN Total > 0 ELSE Returnable = {}]_vars

\* As many records of these are buffered as were before, but for those returned.
KeepRecords(ps) ==
    \A p \in ps :
        LET given == IF p \in Gaining THEN returned'[p] - returned[p] ELSE 0
            left  == buffered[p].count - given
        IN  IF buffered'[p] = None THEN left = 0
            ELSE /\ left > 0
                 /\ buffered'[p].count = left
                 /\ buffered'[p].first = After(buffered[p].first, given)

PausedPartitionKeepsItsRecords ==
    [][\A p \in Kept : buffered'[p] # None
                       /\ buffered'[p].first = buffered[p].first
                       /\ buffered'[p].count = buffered[p].count]_vars

RecordsStayBufferedUntilReturned == [][KeepRecords(Returnable)]_vars

PartitionIsDrainedBeforeTheNext ==
    [][Gaining # {} => \A q \in Full \ Gaining : returned[q] = 0]_vars

PollBeginsWhereTheLastLeftOff ==
    [][Gaining # {} /\ Total = 0 => {q \in Returnable : buffered[q].begun} \subseteq Gaining]_vars

ErrorBlocksNoOther ==
    [][Ends /\ raised' # None =>
         \A i, j \in DOMAIN line' :
            (i < j /\ line'[i] = raised') => line'[j] \notin Returnable]_vars

ErrorWithoutRecordsIsRaisedOnce ==
    [][Ends /\ raised' # None =>
         /\ Total = 0
         /\ raised' \in Failed
         /\ buffered[raised'].count > 0 <=> buffered'[raised'] # None]_vars

ErrorsAreRaised ==
    [][\A p \in Failed : buffered'[p] = None => Ends /\ raised' = p]_vars

WaitsAreCounted ==
    [][waited' = IF Ends
                 THEN IF Watched \in Returnable /\ returned[Watched] = 0
                      THEN Counted(waited + 1)
                      ELSE 0
                 ELSE IF status'[Watched] = "ASSIGNED" THEN waited ELSE 0]_vars

FetchIsOfAPartitionWithoutRecords ==
    [][~polling => \A p \in Partitions :
         buffered'[p] # buffered[p] =>
            /\ p \notin Full
            /\ status[p] = "ASSIGNED"
            /\ buffered'[p].first = position[p]]_vars

-----------------------------------------------------------------------------
(* What must come to pass: a poll that is begun goes on to its end, and another begins. *)
Polls ==
    /\ WF_vars(StartPoll)
    /\ WF_vars(Discard)
    /\ WF_vars(SetAside)
    /\ WF_vars(ReturnAll)
    /\ WF_vars(ReturnPart)
    /\ WF_vars(RaiseError)
    /\ WF_vars(RaiseUnreadable)
    /\ WF_vars(ReturnBeforeError)
    /\ WF_vars(Finish)

Fetches == \A p \in Partitions : SF_vars(\E count \in SomeRecords : Fetch(p, count))

Returns ==
    \A p \in Partitions : SF_vars(Resume(p)) /\ SF_vars(\E ahead \in Ahead : Assign(p, ahead))

PartitionCanBeReturnedAgain ==
    Polls /\ Returns => \A p \in Partitions : status[p] # "ASSIGNED" ~> status[p] = "ASSIGNED"

RecordsComeToBeReturned ==
    Polls => (Watched \in Returnable ~> (returned[Watched] > 0 \/ Watched \notin Returnable))

IsEmpty(p) == status[p] = "ASSIGNED" /\ p \notin Full

PartitionWithoutRecordsIsFetched ==
    Polls /\ Fetches => \A p \in Partitions : IsEmpty(p) ~> ~IsEmpty(p)
=============================================================================
