------------------------------- MODULE Letters -------------------------------
(* Letters go from a sack through a hand into boxes. *)
EXTENDS Naturals, Sequences

CONSTANTS
    None,
    Sack    \* how many letters there may be

VARIABLES sack, hand, box, pleased

vars == <<sack, hand, box, pleased>>

People == {"ann", "bo"}
Letter == [to : People, urgent : BOOLEAN]

Init ==
    /\ sack = [p \in People |-> [u \in BOOLEAN |-> 0]]
    /\ hand = None
    /\ box = [p \in People |-> << >>]
    /\ pleased = {}

Held == IF hand = None THEN 0 ELSE 1

Carried(p) == sack[p][TRUE] + sack[p][FALSE]

There == Carried("ann") + Carried("bo") + Len(box["ann"]) + Len(box["bo"]) + Held

Write(letter) ==
    /\ There < Sack
    /\ sack' = [sack EXCEPT ![letter.to][letter.urgent] = @ + 1]
    /\ UNCHANGED <<hand, box, pleased>>

Pick(letter) ==
    /\ hand = None
    /\ sack[letter.to][letter.urgent] > 0
    /\ sack' = [sack EXCEPT ![letter.to][letter.urgent] = @ - 1]
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

ThePleasedHaveLetters == \A p \in pleased : box[p] # << >>
=============================================================================
