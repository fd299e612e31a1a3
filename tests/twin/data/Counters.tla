------------------------------ MODULE Counters ------------------------------
\* Processes that count in step with a shared clock. Small on purpose: it has self loops, transitions
\* that several parameters give, and actions that are named in every way that Next can name them.
EXTENDS Integers, Bounds

CONSTANT Processes

VARIABLES count, clock

vars == <<count, clock>>

Init == count = [p \in Processes |-> 0] /\ clock \in {0, -1}

Increment(p) ==
    /\ count[p] < Limit
    /\ count' = [count EXCEPT ![p] = @ + 1]
    /\ UNCHANGED clock

Reset(p) ==
    /\ count[p] = Limit
    /\ count' = [count EXCEPT ![p] = 0]
    /\ UNCHANGED clock

\* Every process that lags behind another one may bring this about: one target, several ways.
CatchUp ==
    \E p, q \in Processes :
        /\ count[p] < count[q]
        /\ count' = [r \in Processes |-> count[q]]
        /\ UNCHANGED clock

Observe == clock = 0 /\ UNCHANGED vars

Next ==
    \/ \E p \in Processes : Increment(p) \/ Reset(p)
    \/ CatchUp
    \/ Observe

Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(Next)

InRange == \A p \in Processes : count[p] \in 0..Limit
NeverAllFull == \E p \in Processes : count[p] < Limit
ClockAtZero == clock = 0
NoValue == (\A p \in Processes : count[p] = 1) => count[Limit] = 0
NeverTwo == [][\A p \in Processes : count'[p] # 2]_vars
AllFullAtLast == <>(\A p \in Processes : count[p] = Limit)
AllZeroAgainAndAgain == []<>(\A p \in Processes : count[p] = 0)
FewSteps == \A p \in Processes : count[p] < Limit
=============================================================================
