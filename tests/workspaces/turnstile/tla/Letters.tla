------------------------------- MODULE Letters -------------------------------
(* Letters go from a sack through a hand into boxes. *)
EXTENDS Naturals, Sequences, Bags

CONSTANTS
    None,
    Sack    \* how many letters there may be

VARIABLES sack, hand, box, pleased

vars == <<sack, hand, box, pleased>>

People == {"ann", "bo"}
Letter == [to : People, urgent : BOOLEAN]

Init ==
    /\ sack = EmptyBag
    /\ hand = None
    /\ box = [p \in People |-> << >>]
    /\ pleased = {}

Held == IF hand = None THEN 0 ELSE 1

There == BagCardinality(sack) + Len(box["ann"]) + Len(box["bo"]) + Held

Write(letter) ==
    /\ There < Sack
    /\ sack' = sack (+) SetToBag({letter})
    /\ UNCHANGED <<hand, box, pleased>>

Pick(letter) ==
    /\ hand = None
    /\ BagIn(letter, sack)
    /\ sack' = sack (-) SetToBag({letter})
    /\ hand' = letter
    /\ UNCHANGED <<box, pleased>>

Deliver(letter) ==
    /\ hand = letter
    /\ box' = [box EXCEPT ![letter.to] = Append(@, letter)]
    /\ pleased' = pleased \cup {letter.to}
    /\ hand' = None
    /\ UNCHANGED sack

Next == \E letter \in Letter : Write(letter) \/ Pick(letter) \/ Deliver(letter)

Spec == Init /\ [][Next]_vars
=============================================================================
