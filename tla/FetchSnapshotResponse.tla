------------------------ MODULE FetchSnapshotResponse ------------------------
(***************************************************************************)
(* Several partitions in one FetchSnapshot response, KIP-630.              *)
(*                                                                         *)
(* A response has room for so many units.  Each partition of the request   *)
(* is sure of an even share, if its snapshot has as much left; what others *)
(* leave of theirs goes to whoever is first to take it.  The next request  *)
(* asks for the rest.                                                      *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    None,
    Partitions,
    RequestMaxBytes,    \* the request's limit, and
    LeaderMaxBytes      \* the leader's own

VARIABLES
    remaining,  \* what the snapshot of a partition has left; None if nobody asks for it
    given,      \* what the partition gets of it; None before its turn
    building    \* whether a response is being built

vars == <<remaining, given, building>>

\* How much a snapshot may have left.
Remaining == Nat \ {0}

Asked == {p \in Partitions : remaining[p] # None}
Given == {p \in Partitions : given[p] # None}

TypeOK ==
    /\ remaining \in [Partitions -> Remaining \cup {None}]
    /\ given \in [Partitions -> {0} \cup Remaining \cup {None}]
    /\ building \in BOOLEAN
    /\ Given \subseteq Asked

Nothing == [p \in Partitions |-> None]

Init ==
    /\ remaining = Nothing
    /\ given = Nothing
    /\ building = FALSE

Min(m, n) == IF m < n THEN m ELSE n

Limit == Min(RequestMaxBytes, LeaderMaxBytes)

EvenShare == Limit \div Cardinality(Asked)

RECURSIVE Sum(_, _)
Sum(f, ps) ==
    IF ps = {} THEN 0
    ELSE LET p == CHOOSE p \in ps : TRUE
         IN  f[p] + Sum(f, ps \ {p})

Ask(p, units) ==
    /\ ~building
    /\ p \notin Asked
    /\ remaining' = [remaining EXCEPT ![p] = units]
    /\ UNCHANGED <<given, building>>

BeginResponse ==
    /\ ~building
    /\ Asked # {}
    /\ building' = TRUE
    /\ UNCHANGED <<remaining, given>>

\* What those are sure of that still wait, but for one of them.
Reserved(p) ==
    Sum([q \in Partitions |-> IF q \in Asked THEN Min(remaining[q], EvenShare) ELSE 0],
        Asked \ (Given \cup {p}))

Give(p) ==
    /\ building
    /\ p \in Asked \ Given
    /\ given' = [given EXCEPT ![p] =
            Min(remaining[p], Limit - Sum(given, Given) - Reserved(p))]
    /\ UNCHANGED <<remaining, building>>

IsComplete == building /\ Given = Asked

SendResponse ==
    /\ IsComplete
    /\ building' = FALSE
    /\ given' = Nothing
    /\ remaining' = [p \in Partitions |->
            IF remaining[p] = given[p] THEN None ELSE remaining[p] - given[p]]

Next ==
    \/ \E p \in Partitions :
        \/ \E units \in Remaining : Ask(p, units)
        \/ Give(p)
    \/ BeginResponse
    \/ SendResponse

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
KeepsWithinBothLimits ==
    Sum(given, Given) <= RequestMaxBytes /\ Sum(given, Given) <= LeaderMaxBytes

GivesNoMoreThanIsLeft ==
    \A p \in Given : given[p] <= remaining[p]

GivesTheAverageWhileThereIsAsMuch ==
    \A p \in Given : given[p] >= Min(remaining[p], EvenShare)

NothingIsWithheldThatWouldFit ==
    IsComplete => Sum(given, Given) = Min(Limit, Sum(remaining, Asked))
=============================================================================
