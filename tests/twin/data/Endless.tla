------------------------------ MODULE Endless -------------------------------
EXTENDS Integers

VARIABLE n

Init == n = 0
Count == n' = n + 1
Next == Count
Stop == n = 3 /\ n' = n
CountToThree == (n < 3 /\ Count) \/ Stop
CountToDeadEnd == n < 3 /\ Count
Huge == n' = [k \in 1..50000000 |-> k]
Below == n < 2
=============================================================================
