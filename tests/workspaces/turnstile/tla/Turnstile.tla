------------------------------ MODULE Turnstile ------------------------------
(* Gates that open for a coin, each with a box that holds MaxCoins. *)
EXTENDS Naturals

CONSTANTS Gates, MaxCoins, CanJam

VARIABLES arm, coins, entries

vars == <<arm, coins, entries>>

TypeOK ==
    /\ arm \in [Gates -> {"LOCKED", "OPEN", "JAMMED"}]
    /\ coins \in [Gates -> 0 .. MaxCoins]
    /\ entries \in [Gates -> 0 .. MaxCoins]

Init ==
    /\ arm = [g \in Gates |-> "LOCKED"]
    /\ coins = [g \in Gates |-> 0]
    /\ entries = [g \in Gates |-> 0]

Coin(g) ==
    /\ arm[g] = "LOCKED"
    /\ coins[g] < MaxCoins
    /\ arm' = [arm EXCEPT ![g] = "OPEN"]
    /\ coins' = [coins EXCEPT ![g] = @ + 1]
    /\ UNCHANGED entries

Push(g) ==
    /\ arm[g] = "OPEN"
    /\ arm' = [arm EXCEPT ![g] = "LOCKED"]
    /\ entries' = [entries EXCEPT ![g] = @ + 1]
    /\ UNCHANGED coins

Jam(g) ==
    /\ CanJam
    /\ arm[g] = "LOCKED"
    /\ arm' = [arm EXCEPT ![g] = "JAMMED"]
    /\ UNCHANGED <<coins, entries>>

Collect(g) ==
    /\ arm[g] # "OPEN"
    /\ arm' = [arm EXCEPT ![g] = "LOCKED"]
    /\ coins' = [coins EXCEPT ![g] = 0]
    /\ entries' = [entries EXCEPT ![g] = 0]

Next == \E g \in Gates : Coin(g) \/ Push(g) \/ Jam(g) \/ Collect(g)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
EntriesArePaid == \A g \in Gates : entries[g] <= coins[g]

OpensOnlyForACoin ==
    [][\A g \in Gates :
         (arm[g] # "OPEN" /\ arm'[g] = "OPEN") => coins'[g] = coins[g] + 1]_vars
=============================================================================
