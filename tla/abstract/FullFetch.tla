----------------------------- MODULE FullFetch -----------------------------
(***************************************************************************)
(* Fetching as it was before KIP-227, and as the KIP promises that it       *)
(* stays: a session saves what is sent, and what a fetcher learns through   *)
(* it is what a full fetch would have reported.                             *)
(*                                                                          *)
(* A fetcher wants some partitions, each from an offset.  The leader        *)
(* answers all of them at one moment: their offsets, or that they cannot be *)
(* read, and records of some, if there are any to read.  There are no       *)
(* sessions here, no epochs, and no message is lost unnoticed.              *)
(*                                                                          *)
(* Two things are asked for beyond the text, which is silent on the one and *)
(* lets the other wait: that one moment is that of all partitions, and that *)
(* the size limit puts off records alone, not what else is sent.            *)
(*                                                                          *)
(* The KIP promises progress, too.  That every change is known at last is   *)
(* changes_come_to_be_known of the model fetch_session; that records of     *)
(* every partition come in turn, in fetch_response,                         *)
(* waits_at_most_as_many_responses_as_there_are_others.                     *)
(*                                                                          *)
(* From the sections "Fetch Epoch", "Cached data about each partition",     *)
(* "Top-level error code", "Incremental Fetch Requests", "Incremental Fetch *)
(* Responses" and "Handling Partition Size Limits" of the KIP.              *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    Partitions, Fetchers,
    Followers,       \* those that read up to the log's end
    Nothing          \* not wanted, not known, or not under way

VARIABLES
    logStart, highWatermark, logEnd, failing,    \* the leader's logs
    wanted,     \* of each fetcher and partition: the offset to read from
    asking,     \* of each fetcher: whether it waits for an answer
    answer,     \* on its way to a fetcher: what is reported of each partition that it wants
    known       \* of each fetcher and partition: what was reported last, and whether records came

logs     == <<logStart, highWatermark, logEnd, failing>>
fetchers == <<wanted, asking, answer, known>>
vars     == <<logs, fetchers>>

Nobody == [p \in Partitions |-> Nothing]

\* How a partition is.  One that cannot be read is reported as such, and nothing else of it.
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
    /\ asking = [f \in Fetchers |-> FALSE]
    /\ answer = [f \in Fetchers |-> Nothing]
    /\ known = [f \in Fetchers |-> Nobody]

\* Whatever happens to the logs.
Change ==
    /\ \A p \in Partitions :
        /\ logStart'[p] >= logStart[p] /\ logEnd'[p] >= logEnd[p]
        /\ logStart'[p] <= highWatermark'[p] /\ highWatermark'[p] <= logEnd'[p]
    /\ UNCHANGED fetchers

Only(f) ==
    /\ UNCHANGED logs
    /\ \A g \in Fetchers \ {f} :
        /\ wanted'[g] = wanted[g]
        /\ asking'[g] = asking[g]
        /\ answer'[g] = answer[g]
        /\ known'[g] = known[g]

\* A fetcher may forget what was reported of a partition, and must when it wants it no more.
Forgets(f) ==
    \A p \in Partitions :
        \/ known'[f][p] = Nothing
        \/ /\ known[f][p] # Nothing
           /\ wanted'[f][p] # Nothing
           /\ known'[f][p] \in {known[f][p], [known[f][p] EXCEPT !.records = FALSE]}

\* What it wants it says when it asks, and no answer to an earlier question comes any more.
Ask(f) ==
    /\ ~asking[f]
    /\ asking'[f]
    /\ answer'[f] = Nothing
    /\ Forgets(f)
    /\ Only(f)

\* A full fetch: all that is wanted is reported as it is now.  The size limit may have records of some
\* partitions wait, but if there are any then some come.
Tell(f) ==
    /\ ~answer'[f].refused
    /\ answer'[f].partitions =
           [p \in Partitions |-> IF p \in Wanted(f) THEN Condition(p) ELSE Nothing]
    /\ answer'[f].records \subseteq Readable(f)
    /\ answer'[f].records = {} => Readable(f) = {}

\* One answer to each question, or an error for the question as a whole.
Answer(f) ==
    /\ asking[f] /\ asking'[f]
    /\ answer[f] = Nothing
    /\ answer'[f] # Nothing
    /\ answer'[f].refused \/ Tell(f)
    /\ UNCHANGED <<wanted, known>>
    /\ Only(f)

Learn(f) ==
    /\ answer[f] # Nothing
    /\ ~answer[f].refused
    /\ answer'[f] = Nothing
    /\ ~asking'[f]
    /\ known'[f] =
           [p \in Partitions |->
               IF answer[f].partitions[p] = Nothing THEN Nothing
               ELSE [condition |-> answer[f].partitions[p],
                     records |-> \/ p \in answer[f].records
                                 \/ IF known[f][p] = Nothing THEN FALSE ELSE known[f][p].records]]
    /\ UNCHANGED wanted
    /\ Only(f)

\* The question is put off, or it begins again.  After an error, as if each partition had got it, and
\* after an answer that it did not learn from, nothing that was reported before counts any more.
Stop(f) ==
    /\ ~asking'[f]
    /\ answer'[f] = Nothing
    /\ wanted'[f] \in {wanted[f], Nobody}
    /\ IF answer[f] = Nothing THEN Forgets(f) ELSE known'[f] = Nobody
    /\ Only(f)

Next ==
    \/ Change
    \/ \E f \in Fetchers : Ask(f) \/ Answer(f) \/ Learn(f) \/ Stop(f)

Spec == Init /\ [][Next]_vars
=============================================================================
