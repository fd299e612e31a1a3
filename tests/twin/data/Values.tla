------------------------------- MODULE Values -------------------------------
\* One state for every kind of value that TLC prints.
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANTS Members, Nobody

VARIABLES kind, value

Samples == <<
    -3,
    TRUE,
    "",
    "a \"quoted\" \\ back\nslash\t|-> :> @@ {",
    Nobody,
    Members,
    {},
    <<>>,
    -2..1,
    2..1,
    SUBSET {1, 2},
    <<<<1>>, <<>>>>,
    [a |-> 1, b_2 |-> [c |-> {}]],
    [m \in Members |-> 0],
    [i \in 0..1 |-> i],
    [i \in 1..2 |-> i],
    [s \in {"a b", "c"} |-> 1],
    [s \in {"1a", "IF"} |-> 1],
    [b \in BOOLEAN |-> ~b],
    [p \in Members \X {1} |-> p],
    [i \in {} |-> i],
    [{} -> {1}],
    {[a |-> 1], [a |-> 2]}
>>

Init == \E i \in 1..Len(Samples) : kind = i /\ value = Samples[i]
Next == UNCHANGED <<kind, value>>
TooLarge == kind = 0 /\ value = SUBSET (1..12)
=============================================================================
