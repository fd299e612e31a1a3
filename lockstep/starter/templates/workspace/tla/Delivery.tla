------------------------------ MODULE Delivery ------------------------------
(* The protocol of models/delivery.py once more, for TLC: a second opinion. *)
EXTENDS Naturals

CONSTANTS Messages, None

VARIABLES confirmed, message, delivered, answer

vars == <<confirmed, message, delivered, answer>>

Init ==
    /\ confirmed = 0
    /\ message = None
    /\ delivered = 0
    /\ answer = None

Send ==
    /\ confirmed < Messages
    /\ message' = confirmed + 1
    /\ UNCHANGED <<confirmed, delivered, answer>>

LoseMessage ==
    /\ message # None
    /\ message' = None
    /\ UNCHANGED <<confirmed, delivered, answer>>

Deliver ==
    /\ message # None
    /\ message = delivered + 1
    /\ delivered' = delivered + 1
    /\ answer' = message
    /\ UNCHANGED <<confirmed, message>>

AnswerAgain ==
    /\ message # None
    /\ message <= delivered
    /\ answer' = message
    /\ UNCHANGED <<confirmed, message, delivered>>

LoseAnswer ==
    /\ answer # None
    /\ answer' = None
    /\ UNCHANGED <<confirmed, message, delivered>>

Confirm ==
    /\ answer # None
    /\ answer = confirmed + 1
    /\ confirmed' = confirmed + 1
    /\ UNCHANGED <<message, delivered, answer>>

Next == Send \/ LoseMessage \/ Deliver \/ AnswerAgain \/ LoseAnswer \/ Confirm

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
NoMessageIsTakenTwice == delivered <= confirmed + 1

ConfirmedIsDelivered == confirmed <= delivered

DeliveredStaysDelivered == [][delivered <= delivered']_vars

Fairness ==
    /\ WF_vars(Send)
    /\ SF_vars(Deliver)
    /\ SF_vars(AnswerAgain)
    /\ SF_vars(Confirm)

EveryMessageIsConfirmed ==
    Fairness => \A n \in 1 .. Messages : confirmed < n ~> confirmed >= n
=============================================================================
