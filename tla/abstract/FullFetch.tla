----------------------------- MODULE FullFetch -----------------------------
(***************************************************************************)
(* Fetching as it was before KIP-227, and as the KIP promises that it       *)
(* stays: a session saves what is sent, and what a fetcher learns through   *)
(* it is what a full fetch would have told.                                 *)
(*                                                                          *)
(* A fetcher wants some partitions, each from an offset.  The leader        *)
(* answers all of them at one moment: their offsets, or that they cannot be *)
(* read, and records of some, if there are any to read.  There are no       *)
(* sessions here, no epochs, and no message is lost unnoticed.              *)
(*                                                                          *)
(* From the sections "Fetch Sessions", "Cached data about each partition",  *)
(* "Incremental Fetch Requests", "Incremental Fetch Responses" and          *)
(* "Handling Partition Size Limits" of the KIP.                             *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    Partitions, Fetchers,
    Followers,       \* those that read up to the log's end
    Nothing          \* not wanted, not known, or not under way

VARIABLES
    logStart, highWatermark, logEnd, failing,    \* the leader's logs
    wanted,     \* of each fetcher and partition: the offset to read from
    answer,     \* on its way to a fetcher: what it is told of each partition that it wants
    known       \* of each fetcher and partition: what it was told last

logs == <<logStart, highWatermark, logEnd, failing>>
vars == <<logs, wanted, answer, known>>

Nobody == [p \in Partitions |-> Nothing]

\* How a partition is.  One that cannot be read is told so, and nothing else of it.
Condition(p) ==
    IF p \in failing
    THEN [failed |-> TRUE, highWatermark |-> -1, logStart |-> -1]
    ELSE [failed |-> FALSE, highWatermark |-> highWatermark[p], logStart |-> logStart[p]]

\* Consumers see what is committed, followers all.
EndFor(f, p) == IF f \in Followers THEN logEnd[p] ELSE highWatermark[p]

Wanted(f) == {p \in Partitions : wanted[f][p] # Nothing}

Readable(f) ==
    {p \in Wanted(f) \ failing : logStart[p] <= wanted[f][p] /\ wanted[f][p] < EndFor(f, p)}

Init ==
    /\ logStart = [p \in Partitions |-> 0]
    /\ highWatermark = [p \in Partitions |-> 0]
    /\ logEnd = [p \in Partitions |-> 0]
    /\ failing = {}
    /\ wanted = [f \in Fetchers |-> Nobody]
    /\ answer = [f \in Fetchers |-> Nothing]
    /\ known = [f \in Fetchers |-> Nobody]

\* Whatever happens to the logs.
Change ==
    /\ \A p \in Partitions : logStart'[p] >= logStart[p] /\ logEnd'[p] >= logEnd[p]
    /\ UNCHANGED <<wanted, answer, known>>

\* A fetcher may forget what it was told of a partition, and must when it wants it no more.
Forgets(f) ==
    \A p \in Partitions :
        \/ known'[f][p] = Nothing
        \/ known'[f][p] = known[f][p] /\ wanted'[f][p] # Nothing

Only(f) ==
    \A g \in Fetchers \ {f} :
        /\ wanted'[g] = wanted[g]
        /\ answer'[g] = answer[g]
        /\ known'[g] = known[g]

\* It asks, gives up waiting, or begins anew: what was under way does not come any more.
Ask(f) ==
    /\ answer'[f] = Nothing
    /\ Forgets(f)
    /\ Only(f)
    /\ UNCHANGED logs

\* A full fetch: all that is wanted is told as it is now.  The size limit may have records of some
\* partitions wait, but if there are any then some come.
Answer(f) ==
    /\ answer[f] = Nothing
    /\ answer'[f] # Nothing
    /\ answer'[f].partitions =
           [p \in Partitions |-> IF p \in Wanted(f) THEN Condition(p) ELSE Nothing]
    /\ answer'[f].records \subseteq Readable(f)
    /\ answer'[f].records = {} => Readable(f) = {}
    /\ UNCHANGED <<logs, wanted, known>>
    /\ Only(f)

Learn(f) ==
    /\ answer[f] # Nothing
    /\ answer'[f] = Nothing
    /\ known'[f] = answer[f].partitions
    /\ UNCHANGED <<logs, wanted>>
    /\ Only(f)

Next ==
    \/ Change
    \/ \E f \in Fetchers : Ask(f) \/ Answer(f) \/ Learn(f)

Spec == Init /\ [][Next]_vars
=============================================================================
