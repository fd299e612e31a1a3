---------------------------- MODULE FetchMetadata ----------------------------
(***************************************************************************)
(* Fetch session ids and epochs, KIP-227.  A request carries both:         *)
(*                                                                         *)
(*     (0,  -1)     full, and no session is wanted                         *)
(*     (0,   0)     full, and a session is wanted                          *)
(*     (ID,  0)     as (0, 0), and ID may be closed                        *)
(*     (ID, -1)     as (0, -1), and ID may be closed                       *)
(*     (ID,  N)     the N-th incremental request of session ID             *)
(***************************************************************************)
EXTENDS Integers

CONSTANTS
    SessionIds,   \* what a leader may draw; any numbers but 0
    MaxEpoch      \* 2^31 - 1 in Kafka

ASSUME 0 \notin SessionIds

NoSession        == 0
InitialEpoch     == 0
FinalEpoch       == -1
FirstIncremental == 1

SessionId    == SessionIds \cup {NoSession}
SessionEpoch == FirstIncremental .. MaxEpoch
Epoch        == {FinalEpoch, InitialEpoch} \cup SessionEpoch

SessionErrors ==
    {"FETCH_SESSION_ID_NOT_FOUND",
     "INVALID_FETCH_SESSION_EPOCH",
     "FETCH_SESSION_TOPIC_ID_ERROR"}
Error         == {"NONE"} \cup SessionErrors

\* What a fetcher puts into its next request.
Metadata == [sessionId : SessionId, epoch : Epoch]

Fresh == [sessionId |-> NoSession, epoch |-> InitialEpoch]

IsIncremental(epoch) == epoch \in SessionEpoch

\* 1, 2, ..., MaxEpoch, 1, ...: the two special epochs are passed over.
NextEpoch(epoch) == (epoch % MaxEpoch) + 1
=============================================================================
