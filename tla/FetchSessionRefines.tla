------------------------ MODULE FetchSessionRefines ------------------------
(***************************************************************************)
(* What fetchers learn through sessions is what full fetches tell.          *)
(*                                                                          *)
(* An answer is under way when a response is that has anything, or an       *)
(* error: not one that is put off.  What it leaves out, the fetcher knows.  *)
(* There is nothing to read for a fetcher that has to truncate.             *)
(***************************************************************************)
EXTENDS MCFetchSession

Behaviours == Spec

\* A fetcher is sent -1 of a partition that cannot be read.
ConditionOf(said) ==
    [failed        |-> said.highWatermark = Unknown,
     highWatermark |-> said.highWatermark,
     logStart      |-> said.logStartOffset]

ConditionsOf(map) == [p \in Partitions |-> IF map[p] = None THEN None ELSE ConditionOf(map[p])]

KnownOf(map) ==
    [p \in Partitions |->
        IF map[p] = None THEN None
        ELSE [condition |-> ConditionOf(map[p]), records |-> map[p].records]]

Reports(f) == IF response[f] = None THEN FALSE ELSE ~response[f].throttled

Full == INSTANCE FullFetch WITH
    Nothing <- None,
    asking <- pending,
    wanted <- [f \in Fetchers |->
                  [p \in Partitions |->
                      CASE fetching[f][p] = None     -> None
                        [] Diverges(fetching[f][p]) -> -1
                        [] OTHER                    -> fetching[f][p].fetchOffset]],
    known <- [f \in Fetchers |-> KnownOf(reported[f])],
    answer <- [f \in Fetchers |->
                  IF ~Reports(f) THEN None
                  ELSE [refused |-> response[f].error # "NONE",
                        partitions |-> ConditionsOf([p \in Partitions |->
                            IF response[f].partitions[p] = None
                            THEN reported[f][p]
                            ELSE response[f].partitions[p]]),
                        records |-> {p \in Mentioned(response[f].partitions) :
                                        response[f].partitions[p].records}]]

Refines == Full!Spec
=============================================================================
