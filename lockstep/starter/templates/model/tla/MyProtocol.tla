----------------------------- MODULE MyProtocol -----------------------------
(* The same protocol, for TLC. Write it from what is asked, not from the model: it is a second opinion. *)
EXTENDS Naturals

CONSTANT Requests

VARIABLES requested, answered

vars == <<requested, answered>>

Init ==
    /\ requested = 0
    /\ answered = 0

Request ==
    /\ requested < Requests
    /\ requested' = requested + 1
    /\ UNCHANGED answered

Answer ==
    /\ answered < requested
    /\ answered' = answered + 1
    /\ UNCHANGED requested

Next == Request \/ Answer

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
AnswersWereAskedFor == answered <= requested
=============================================================================
