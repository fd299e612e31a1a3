--------------------------- MODULE FetchPartitions ---------------------------
(***************************************************************************)
(* What is said of one partition, KIP-227: by a request (Interest), by a   *)
(* response (Answer), and what both sides keep of it (Cached, Reported).   *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    None,
    Partitions,
    Empty,             \* the partitions whose logs stay empty
    DivergingEpochs    \* the last fetched epochs that are none of the leader's logs

Unknown == -1

Offset      == Nat
KnownOffset == Offset \cup {Unknown}

\* The fields of a request that do not move in every fetch.
FetcherLogStart == Nat \cup {Unknown}    \* consumers have none
LeaderEpoch     == Nat \cup {Unknown}
FetchedEpoch    == Nat \cup {Unknown}
ByteLimit       == Nat

Interest ==
    [fetchOffset        : Offset,
     logStartOffset     : FetcherLogStart,
     partitionMaxBytes  : ByteLimit,
     currentLeaderEpoch : LeaderEpoch,
     lastFetchedEpoch   : FetchedEpoch]

Answer ==
    [failed         : BOOLEAN,
     highWatermark  : KnownOffset,
     logStartOffset : KnownOffset,
     records        : BOOLEAN]

Cached ==
    [interest       : Interest,
     highWatermark  : KnownOffset,
     logStartOffset : KnownOffset]

Reported ==
    [highWatermark  : KnownOffset,
     logStartOffset : KnownOffset,
     records        : BOOLEAN]

\* Each message, and each side's memory, maps every partition to what it says of it, or to None.
About(content) == [Partitions -> content \cup {None}]

Nothing == [p \in Partitions |-> None]

Mentioned(map) == {p \in Partitions : map[p] # None}

-----------------------------------------------------------------------------
(* What an incremental request says, given what was wanted before. *)

Altered(old, wanted) ==
    [p \in Partitions |-> IF wanted[p] = old[p] THEN None ELSE wanted[p]]

Forgotten(old, wanted) == Mentioned(old) \ Mentioned(wanted)

(* How a session takes in a request. Of a partition just added nothing has been answered, nor of one
   that is both removed and listed: its topic was made again. *)

Added(interest) ==
    [interest       |-> interest,
     highWatermark  |-> Unknown,
     logStartOffset |-> Unknown]

Merge(cached, req) ==
    [p \in Partitions |->
        CASE p \in req.forgotten \ Mentioned(req.partitions) -> None
          [] p \in Mentioned(req.partitions) ->
                IF cached[p] = None \/ p \in req.forgotten
                THEN Added(req.partitions[p])
                ELSE [cached[p] EXCEPT !.interest = req.partitions[p]]
          [] OTHER                         -> cached[p]]

(* What the leader remembers of an answer, and what the fetcher does. *)

Answered(cached, answer) ==
    [cached EXCEPT !.highWatermark  = answer.highWatermark,
                   !.logStartOffset = answer.logStartOffset]

\* Who has records of such an epoch is sent where to truncate, each time, and gets none.
Diverges(interest) == interest.lastFetchedEpoch \in DivergingEpochs

IsNews(cached, answer) ==
    Diverges(cached.interest) \/ answer.failed \/ answer.records \/ Answered(cached, answer) # cached

Learned(reported, answer) ==
    [highWatermark  |-> answer.highWatermark,
     logStartOffset |-> answer.logStartOffset,
     records        |-> answer.records \/ (reported # None /\ reported.records)]
=============================================================================
