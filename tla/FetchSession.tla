---------------------------- MODULE FetchSession ----------------------------
(***************************************************************************)
(* Incremental fetch sessions, KIP-227: fetchers against one leader.       *)
(*                                                                         *)
(* A fetcher awaits one response at a time.  A request that it gave up on, *)
(* or that the network repeated, may arrive later: it is then the          *)
(* fetcher's stray, and the response to it reaches nobody.  The leader may *)
(* drop any session at any time.                                           *)
(*                                                                         *)
(* Real epochs and ids take far longer to come round again than any        *)
(* request stays in the network.  So no request is accepted while a stray  *)
(* of its session has the epoch after it, and no id is drawn while         *)
(* anything mentions it.                                                   *)
(***************************************************************************)
EXTENDS FetchMetadata, FetchPartitions

CONSTANTS
    Fetchers,
    Followers,         \* the fetchers that also read what is not committed yet
    AnswersAnyChange,  \* whether whatever a request names is answered
    Seeks,             \* whether a fetch offset may move forward where no records came
    BeginsAgain,       \* whether fetchers may give sessions up that are in order
    TopicIds,          \* whether topics have ids: they are created again, and clients change over
    StraysAreLost      \* whether the network may lose what it delayed or repeated

ASSUME Followers \subseteq Fetchers /\ Empty \subseteq Partitions

VARIABLES
    \* the leader's logs
    logStart, highWatermark, logEnd,
    failing,        \* the partitions that can only be answered with an error
    failures,       \* how often a partition failed
    \* the leader's cache
    sessions,
    \* the network
    request, stray, response,
    \* the fetchers
    metadata,       \* of the latest request, or of the next one when none is pending
    pending,        \* whether a response is awaited
    fetching,       \* the latest interests
    reported,           \* the latest answers
    disturbances    \* how often something happened to a fetcher or to its messages

logs     == <<logStart, highWatermark, logEnd, failing, failures>>
network  == <<request, stray, response>>
fetchers == <<metadata, pending, fetching, reported>>

vars == <<logs, sessions, network, fetchers, disturbances>>

Via == {"AWAITED", "STRAY"}

Interests == About(Interest)
Answers   == About(Answer)

Request ==
    [sessionId  : SessionId,
     epoch      : Epoch,
     partitions : Interests,
     forgotten  : SUBSET Partitions]

Response ==
    [error      : Error,
     sessionId  : SessionId,
     partitions : Answers,
     throttled  : BOOLEAN]

\* The leader never looks at the owner of a session; only what must hold of it does.
Session ==
    [owner      : Fetchers,
     epoch      : SessionEpoch,
     partitions : About(Cached)]

\* How often partitions fail and fetchers are disturbed is for the bounds of a model to say.
MayFail       == TRUE
MayDisturb(f) == TRUE

TypeOK ==
    /\ logStart \in [Partitions -> Offset]
    /\ highWatermark \in [Partitions -> Offset]
    /\ logEnd \in [Partitions -> Offset]
    /\ failing \subseteq Partitions
    /\ failures \in Nat
    /\ sessions \in [SessionIds -> Session \cup {None}]
    /\ request \in [Fetchers -> Request \cup {None}]
    /\ stray \in [Fetchers -> Request \cup {None}]
    /\ response \in [Fetchers -> Response \cup {None}]
    /\ metadata \in [Fetchers -> Metadata]
    /\ pending \in [Fetchers -> BOOLEAN]
    /\ fetching \in [Fetchers -> Interests]
    /\ reported \in [Fetchers -> About(Reported)]
    /\ disturbances \in [Fetchers -> Nat]

Init ==
    /\ logStart = [p \in Partitions |-> 0]
    /\ highWatermark = [p \in Partitions |-> 0]
    /\ logEnd = [p \in Partitions |-> 0]
    /\ failing = {}
    /\ failures = 0
    /\ sessions = [i \in SessionIds |-> None]
    /\ request = [f \in Fetchers |-> None]
    /\ stray = [f \in Fetchers |-> None]
    /\ response = [f \in Fetchers |-> None]
    /\ metadata = [f \in Fetchers |-> Fresh]
    /\ pending = [f \in Fetchers |-> FALSE]
    /\ fetching = [f \in Fetchers |-> Nothing]
    /\ reported = [f \in Fetchers |-> Nothing]
    /\ disturbances = [f \in Fetchers |-> 0]

-----------------------------------------------------------------------------
(* The leader's logs: log start <= high watermark <= log end. *)

Append(p, end) ==
    /\ p \notin Empty
    /\ logEnd[p] < end
    /\ logEnd' = [logEnd EXCEPT ![p] = end]
    /\ UNCHANGED <<logStart, highWatermark, failing, failures>>
    /\ UNCHANGED <<sessions, network, fetchers, disturbances>>

AdvanceHighWatermark(p, to) ==
    /\ to \in (highWatermark[p] + 1) .. logEnd[p]
    /\ highWatermark' = [highWatermark EXCEPT ![p] = to]
    /\ UNCHANGED <<logStart, logEnd, failing, failures>>
    /\ UNCHANGED <<sessions, network, fetchers, disturbances>>

AdvanceLogStart(p, to) ==
    /\ to \in (logStart[p] + 1) .. highWatermark[p]
    /\ logStart' = [logStart EXCEPT ![p] = to]
    /\ UNCHANGED <<highWatermark, logEnd, failing, failures>>
    /\ UNCHANGED <<sessions, network, fetchers, disturbances>>

FailPartition(p) ==
    /\ p \notin failing \cup Empty
    /\ MayFail
    /\ failing' = failing \cup {p}
    /\ failures' = failures + 1
    /\ UNCHANGED <<logStart, highWatermark, logEnd>>
    /\ UNCHANGED <<sessions, network, fetchers, disturbances>>

RecoverPartition(p) ==
    /\ p \in failing
    /\ failing' = failing \ {p}
    /\ UNCHANGED <<logStart, highWatermark, logEnd, failures>>
    /\ UNCHANGED <<sessions, network, fetchers, disturbances>>

-----------------------------------------------------------------------------
(* A fetcher sends a request. *)

Send(f, meta, partitions, forgotten) ==
    /\ ~pending[f]
    /\ \A p \in Empty \cap Mentioned(partitions) : partitions[p].fetchOffset = 0
    /\ pending' = [pending EXCEPT ![f] = TRUE]
    /\ metadata' = [metadata EXCEPT ![f] = meta]
    /\ request' = [request EXCEPT ![f] =
                      [sessionId  |-> meta.sessionId,
                       epoch      |-> meta.epoch,
                       partitions |-> partitions,
                       forgotten  |-> forgotten]]
    /\ UNCHANGED <<logs, sessions, stray, response, disturbances>>

\* A full request says everything, and whatever was reported before counts no more.
SendAll(f, meta, wanted) ==
    /\ Send(f, meta, wanted, {})
    /\ fetching' = [fetching EXCEPT ![f] = wanted]
    /\ reported' = [reported EXCEPT ![f] = Nothing]

SendSessionless(f, wanted) ==
    /\ metadata[f].sessionId = NoSession
    /\ wanted # Nothing
    /\ SendAll(f, [sessionId |-> NoSession, epoch |-> FinalEpoch], wanted)

SendFull(f, wanted) ==
    /\ metadata[f].epoch = InitialEpoch
    /\ wanted # Nothing
    /\ SendAll(f, metadata[f], wanted)

\* A fetcher that leaves wants nothing; one that goes on without a session does.
SendClose(f, wanted) ==
    /\ metadata[f].sessionId # NoSession
    /\ SendAll(f, [metadata[f] EXCEPT !.epoch = FinalEpoch], wanted)

\* Records must come before the fetch offset of a partition can move forward, unless it may seek.
MovesOnlyPastRecords(f, old, wanted) ==
    \A p \in Mentioned(old) \cap Mentioned(wanted) :
        ~Seeks /\ wanted[p].fetchOffset > old[p].fetchOffset
            => reported[f][p] # None /\ reported[f][p].records

\* A partition fetched from another offset has records to come, whatever came before.
StillReported(f, old, wanted) ==
    [p \in Partitions |->
        IF p \notin Mentioned(old) \cap Mentioned(wanted) \cap Mentioned(reported[f])
        THEN None
        ELSE IF wanted[p].fetchOffset = old[p].fetchOffset
             THEN reported[f][p]
             ELSE [reported[f][p] EXCEPT !.records = FALSE]]

\* What was wanted of a topic before it was made again counts no more.
Before(f, replaced) == [p \in Partitions |-> IF p \in replaced THEN None ELSE fetching[f][p]]

SendChanges(f, wanted, replaced) ==
    /\ MovesOnlyPastRecords(f, Before(f, replaced), wanted)
    /\ Send(f, metadata[f],
            Altered(Before(f, replaced), wanted), Forgotten(fetching[f], wanted) \cup replaced)
    /\ fetching' = [fetching EXCEPT ![f] = wanted]
    /\ reported' = [reported EXCEPT ![f] = StillReported(f, Before(f, replaced), wanted)]

SendIncremental(f, wanted) ==
    /\ IsIncremental(metadata[f].epoch)
    /\ SendChanges(f, wanted, {})

\* A topic created again is removed by its old id, and listed by the new one.
SendReplacing(f, wanted, replaced) ==
    /\ TopicIds
    /\ IsIncremental(metadata[f].epoch)
    /\ replaced # {}
    /\ replaced \subseteq Mentioned(fetching[f]) \cap Mentioned(wanted)
    /\ SendChanges(f, wanted, replaced)

-----------------------------------------------------------------------------
(* The leader serves a request: every action is one outcome. *)

Incoming(f, via) == IF via = "AWAITED" THEN request[f] ELSE stray[f]

Arrived(f, via) == Incoming(f, via) # None

Respond(f, via, error, sessionId, answers, throttled) ==
    /\ IF via = "AWAITED"
       THEN /\ request' = [request EXCEPT ![f] = None]
            /\ response' = [response EXCEPT ![f] =
                               [error      |-> error,
                                sessionId  |-> sessionId,
                                partitions |-> answers,
                                throttled  |-> throttled]]
            /\ UNCHANGED stray
       ELSE /\ stray' = [stray EXCEPT ![f] = None]
            /\ UNCHANGED <<request, response>>
    /\ UNCHANGED <<logs, fetchers, disturbances>>

ReadableEnd(f, p) == IF f \in Followers THEN logEnd[p] ELSE highWatermark[p]

Readable(f, interests) ==
    {p \in Mentioned(interests) \ failing :
        ~Diverges(interests[p]) /\ interests[p].fetchOffset \in logStart[p] .. (ReadableEnd(f, p) - 1)}

\* A response may leave records of some partitions for later, not of all.
Fits(f, interests, filled) ==
    /\ filled \subseteq Readable(f, interests)
    /\ filled = {} => Readable(f, interests) = {}

AnswerOf(p, filled) ==
    IF p \in failing
    THEN [failed         |-> TRUE,
          highWatermark  |-> Unknown,
          logStartOffset |-> Unknown,
          records        |-> FALSE]
    ELSE [failed         |-> FALSE,
          highWatermark  |-> highWatermark[p],
          logStartOffset |-> logStart[p],
          records        |-> p \in filled]

AnswersOf(ps, filled) ==
    [p \in Partitions |-> IF p \in ps THEN AnswerOf(p, filled) ELSE None]

(* Full requests *)

\* No session has the id 0.
Without(sessionId) == [i \in SessionIds |-> IF i = sessionId THEN None ELSE sessions[i]]

ServeFull(f, via, epoch, filled) ==
    /\ Arrived(f, via)
    /\ Incoming(f, via).epoch = epoch
    /\ Fits(f, Incoming(f, via).partitions, filled)

AnswerInFull(f, via, filled, sessionId) ==
    Respond(f, via, "NONE", sessionId,
            AnswersOf(Mentioned(Incoming(f, via).partitions), filled), FALSE)

ServeSessionless(f, via, filled) ==
    /\ ServeFull(f, via, FinalEpoch, filled)
    /\ sessions' = Without(Incoming(f, via).sessionId)
    /\ AnswerInFull(f, via, filled, NoSession)

ServeFullWithoutSession(f, via, filled) ==
    /\ ServeFull(f, via, InitialEpoch, filled)
    /\ sessions' = Without(Incoming(f, via).sessionId)
    /\ AnswerInFull(f, via, filled, NoSession)

\* Everything that mentions a session id, the cache apart.
Mentions(f) ==
    {metadata[f]} \cup ({request[f], stray[f], response[f]} \ {None})

Unused(i) ==
    /\ sessions[i] = None
    /\ \A f \in Fetchers : \A m \in Mentions(f) : m.sessionId # i

NewSession(f, via, filled) ==
    LET interests == Incoming(f, via).partitions
    IN  [owner      |-> f,
         epoch      |-> FirstIncremental,
         partitions |-> [p \in Partitions |->
                            IF interests[p] = None
                            THEN None
                            ELSE Answered(Added(interests[p]), AnswerOf(p, filled))]]

ServeFullCreating(f, via, filled, i) ==
    /\ ServeFull(f, via, InitialEpoch, filled)
    /\ Unused(i)
    /\ sessions' = [Without(Incoming(f, via).sessionId) EXCEPT ![i] = NewSession(f, via, filled)]
    /\ AnswerInFull(f, via, filled, i)

(* Incremental requests *)

HasSession(req) == req.sessionId \in SessionIds /\ sessions[req.sessionId] # None

Expected(req) == HasSession(req) /\ sessions[req.sessionId].epoch = req.epoch

ServeAsIncremental(f, via) ==
    /\ Arrived(f, via)
    /\ IsIncremental(Incoming(f, via).epoch)

\* A stray from a whole turn of epochs ago would pass for the request that is expected next.
ComesRoundAgain(f, req) ==
    /\ stray[f] # None
    /\ stray[f].sessionId = req.sessionId
    /\ stray[f].epoch = NextEpoch(req.epoch)

Merged(req) == Merge(sessions[req.sessionId].partitions, req)

InterestsIn(cached) ==
    [p \in Partitions |-> IF cached[p] = None THEN None ELSE cached[p].interest]

ServeExpected(f, via) ==
    /\ ServeAsIncremental(f, via)
    /\ LET req == Incoming(f, via)
       IN  /\ Expected(req)
           /\ Merged(req) # Nothing
           /\ ~ComesRoundAgain(f, req)

Accept(req, cached) ==
    sessions' = [sessions EXCEPT ![req.sessionId].epoch      = NextEpoch(req.epoch),
                                 ![req.sessionId].partitions = cached]

ServeIncremental(f, via, filled) ==
    /\ ServeExpected(f, via)
    /\ LET req    == Incoming(f, via)
           cached == Merged(req)
           sent   == {p \in Mentioned(cached) :
                         \/ IsNews(cached[p], AnswerOf(p, filled))
                         \/ AnswersAnyChange /\ p \in Mentioned(req.partitions)}
       IN  /\ Fits(f, InterestsIn(cached), filled)
           /\ Accept(req, [p \in Partitions |->
                              IF p \in sent
                              THEN Answered(cached[p], AnswerOf(p, filled))
                              ELSE cached[p]])
           /\ Respond(f, via, "NONE", req.sessionId, AnswersOf(sent, filled), FALSE)

\* Over quota: the request counts, and nothing is answered yet.
ServeIncrementalThrottled(f, via) ==
    /\ ServeExpected(f, via)
    /\ LET req == Incoming(f, via)
       IN  /\ Accept(req, Merged(req))
           /\ Respond(f, via, "NONE", req.sessionId, Nothing, TRUE)

\* A session without partitions is of no use.
ServeIncrementalEmptying(f, via) ==
    /\ ServeAsIncremental(f, via)
    /\ LET req == Incoming(f, via)
       IN  /\ Expected(req)
           /\ Merged(req) = Nothing
           /\ sessions' = Without(req.sessionId)
           /\ Respond(f, via, "NONE", NoSession, Nothing, FALSE)

Refuse(f, via, error) ==
    /\ Respond(f, via, error, NoSession, Nothing, FALSE)
    /\ UNCHANGED sessions

ServeUnknownSession(f, via) ==
    /\ ServeAsIncremental(f, via)
    /\ ~HasSession(Incoming(f, via))
    /\ Refuse(f, via, "FETCH_SESSION_ID_NOT_FOUND")

ServeWrongEpoch(f, via) ==
    /\ ServeAsIncremental(f, via)
    /\ HasSession(Incoming(f, via))
    /\ ~Expected(Incoming(f, via))
    /\ Refuse(f, via, "INVALID_FETCH_SESSION_EPOCH")

\* It does not count.
ServeTopicIdError(f, via) ==
    /\ TopicIds
    /\ ServeAsIncremental(f, via)
    /\ Expected(Incoming(f, via))
    /\ Refuse(f, via, "FETCH_SESSION_TOPIC_ID_ERROR")

(* The leader forgets. *)

Evict(i) ==
    /\ sessions[i] # None
    /\ sessions' = Without(i)
    /\ UNCHANGED <<logs, network, fetchers, disturbances>>

NoSessions == [i \in SessionIds |-> None]

RestartBroker ==
    /\ sessions # NoSessions
    /\ sessions' = NoSessions
    /\ UNCHANGED <<logs, network, fetchers, disturbances>>

-----------------------------------------------------------------------------
(* A fetcher handles a response. *)

HasResponse(f, error) == response[f] # None /\ response[f].error = error

Proceed(f, meta) ==
    /\ response' = [response EXCEPT ![f] = None]
    /\ pending' = [pending EXCEPT ![f] = FALSE]
    /\ metadata' = [metadata EXCEPT ![f] = meta]
    /\ UNCHANGED <<logs, sessions, request, stray, disturbances>>

Learn(f) ==
    LET answers == response[f].partitions
    IN  reported' = [reported EXCEPT ![f] =
                    [p \in Partitions |->
                        IF answers[p] = None THEN @[p] ELSE Learned(@[p], answers[p])]]

Forget(f) ==
    /\ fetching' = [fetching EXCEPT ![f] = Nothing]
    /\ reported' = [reported EXCEPT ![f] = Nothing]

ReceiveFull(f) ==
    /\ HasResponse(f, "NONE")
    /\ ~IsIncremental(metadata[f].epoch)
    /\ response[f].sessionId # NoSession
    /\ Learn(f)
    /\ Proceed(f, [sessionId |-> response[f].sessionId, epoch |-> FirstIncremental])
    /\ UNCHANGED fetching

ReceiveSessionless(f) ==
    /\ HasResponse(f, "NONE")
    /\ ~IsIncremental(metadata[f].epoch)
    /\ response[f].sessionId = NoSession
    /\ Forget(f)
    /\ Proceed(f, Fresh)

ReceiveIncremental(f) ==
    /\ HasResponse(f, "NONE")
    /\ IsIncremental(metadata[f].epoch)
    /\ response[f].sessionId # NoSession
    /\ Learn(f)
    /\ Proceed(f, [metadata[f] EXCEPT !.epoch = NextEpoch(@)])
    /\ UNCHANGED fetching

ReceiveSessionClosed(f) ==
    /\ HasResponse(f, "NONE")
    /\ IsIncremental(metadata[f].epoch)
    /\ response[f].sessionId = NoSession
    /\ Forget(f)
    /\ Proceed(f, Fresh)

ReceiveUnknownSession(f) ==
    /\ HasResponse(f, "FETCH_SESSION_ID_NOT_FOUND")
    /\ Forget(f)
    /\ Proceed(f, Fresh)

\* The session may still be there: the next request closes it.
ReceiveWrongEpoch(f) ==
    /\ \E error \in SessionErrors \ {"FETCH_SESSION_ID_NOT_FOUND"} : HasResponse(f, error)
    /\ Forget(f)
    /\ Proceed(f, [metadata[f] EXCEPT !.epoch = InitialEpoch])

-----------------------------------------------------------------------------
(* What happens to a fetcher and its messages. *)

Disturb(f) ==
    /\ MayDisturb(f)
    /\ disturbances' = [disturbances EXCEPT ![f] = @ + 1]
    /\ UNCHANGED <<logs, sessions>>

\* There is room for one stray; a request that has been served cannot become one.
CanStray(f) == request[f] # None /\ stray[f] = None

GiveUp(f, arrives, meta) ==
    /\ arrives => CanStray(f)
    /\ stray' = IF arrives THEN [stray EXCEPT ![f] = request[f]] ELSE stray
    /\ request' = [request EXCEPT ![f] = None]
    /\ response' = [response EXCEPT ![f] = None]
    /\ pending' = [pending EXCEPT ![f] = FALSE]
    /\ metadata' = [metadata EXCEPT ![f] = meta]
    /\ Forget(f)
    /\ Disturb(f)

Disconnect(f, arrives) ==
    /\ pending[f]
    /\ GiveUp(f, arrives, [metadata[f] EXCEPT !.epoch = InitialEpoch])

IsNew(f) == metadata[f] = Fresh /\ ~pending[f]

RestartFetcher(f, arrives) ==
    /\ ~IsNew(f)
    /\ GiveUp(f, arrives, Fresh)

\* For reasons of its own: the session is named, and so closed, or left behind.
BeginAgain(f, naming) ==
    /\ BeginsAgain
    /\ request[f] = None
    /\ LET begun == IF naming THEN [metadata[f] EXCEPT !.epoch = InitialEpoch] ELSE Fresh
       IN  /\ begun = metadata[f] => pending[f]
           /\ metadata' = [metadata EXCEPT ![f] = begun]
    /\ response' = [response EXCEPT ![f] = None]
    /\ pending' = [pending EXCEPT ![f] = FALSE]
    /\ Forget(f)
    /\ Disturb(f)
    /\ UNCHANGED <<request, stray>>

Duplicate(f) ==
    /\ CanStray(f)
    /\ stray' = [stray EXCEPT ![f] = request[f]]
    /\ Disturb(f)
    /\ UNCHANGED <<request, response, fetchers>>

LoseStray(f) ==
    /\ StraysAreLost
    /\ stray[f] # None
    /\ stray' = [stray EXCEPT ![f] = None]
    /\ UNCHANGED <<logs, sessions, request, response, fetchers, disturbances>>

-----------------------------------------------------------------------------
Next ==
    \/ \E p \in Partitions :
        \/ \E o \in Offset :
            \/ Append(p, o)
            \/ AdvanceHighWatermark(p, o)
            \/ AdvanceLogStart(p, o)
        \/ FailPartition(p)
        \/ RecoverPartition(p)
    \/ \E f \in Fetchers :
        \/ \E wanted \in Interests :
            \/ SendSessionless(f, wanted)
            \/ SendFull(f, wanted)
            \/ SendIncremental(f, wanted)
            \/ \E replaced \in SUBSET Partitions : SendReplacing(f, wanted, replaced)
            \/ SendClose(f, wanted)
        \/ \E via \in Via :
            \/ \E filled \in SUBSET Partitions :
                \/ ServeSessionless(f, via, filled)
                \/ \E i \in SessionIds : ServeFullCreating(f, via, filled, i)
                \/ ServeFullWithoutSession(f, via, filled)
                \/ ServeIncremental(f, via, filled)
            \/ ServeIncrementalThrottled(f, via)
            \/ ServeIncrementalEmptying(f, via)
            \/ ServeUnknownSession(f, via)
            \/ ServeWrongEpoch(f, via)
            \/ ServeTopicIdError(f, via)
        \/ ReceiveFull(f)
        \/ ReceiveSessionless(f)
        \/ ReceiveIncremental(f)
        \/ ReceiveSessionClosed(f)
        \/ ReceiveUnknownSession(f)
        \/ ReceiveWrongEpoch(f)
        \/ \E arrives \in BOOLEAN :
            \/ Disconnect(f, arrives)
            \/ RestartFetcher(f, arrives)
        \/ \E naming \in BOOLEAN : BeginAgain(f, naming)
        \/ Duplicate(f)
        \/ LoseStray(f)
    \/ \E i \in SessionIds : Evict(i)
    \/ RestartBroker

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold in every state. *)

EpochsAgreeWhenIdle ==
    \A f \in Fetchers :
        (~pending[f] /\ IsIncremental(metadata[f].epoch) /\ HasSession(metadata[f]))
            => Expected(metadata[f])

\* Once the leader has answered within a session, both sides hold the same interests.
AcceptedRequestLeavesAgreement ==
    \A f \in Fetchers :
        (HasResponse(f, "NONE") /\ HasSession(response[f]))
            => LET cached == sessions[response[f].sessionId].partitions
               IN  /\ Mentioned(cached) = Mentioned(fetching[f])
                   /\ \A p \in Mentioned(cached) : cached[p].interest = fetching[f][p]

UndisturbedFetcherSeesNoEpochError ==
    \A f \in Fetchers :
        disturbances[f] = 0 => ~HasResponse(f, "INVALID_FETCH_SESSION_EPOCH")

\* Whatever names an epoch above 0 names a session.
IncrementalRequestsNameASession ==
    \A f \in Fetchers : \A req \in {request[f], stray[f]} \ {None} :
        IsIncremental(req.epoch) => req.sessionId # NoSession

SessionsAreNeverShared ==
    \A f \in Fetchers :
        HasSession(metadata[f]) => sessions[metadata[f].sessionId].owner = f

SessionsOf(f) == {i \in SessionIds : sessions[i] # None /\ sessions[i].owner = f}

OneSessionPerUndisturbedFetcher ==
    \A f \in Fetchers :
        disturbances[f] = 0 => \A i, j \in SessionsOf(f) : i = j

PendingMeansInFlight ==
    \A f \in Fetchers : pending[f] <=> (request[f] # None \/ response[f] # None)

-----------------------------------------------------------------------------
(* What must hold of every step. *)

Served(f, via) ==
    /\ Arrived(f, via)
    /\ via = "AWAITED" => request'[f] = None /\ response'[f] # None
    /\ via = "STRAY" => stray'[f] = None

Asked(f) == request[f] = None /\ request'[f] # None

AskedInFull(f) == Asked(f) /\ ~IsIncremental(request'[f].epoch)

AskedIncrementally(f) == Asked(f) /\ IsIncremental(request'[f].epoch)

ServedInFull(f) == Served(f, "AWAITED") /\ ~IsIncremental(request[f].epoch)

ServedIncrementally(f) == Served(f, "AWAITED") /\ IsIncremental(request[f].epoch)

\* The session took the request in and lives on.
Accepted(f) ==
    /\ ServedIncrementally(f)
    /\ response'[f].error = "NONE"
    /\ sessions'[request[f].sessionId] # None

\* The fetcher was answered: there was no error, and nothing was put off.
AnsweredNow(f) ==
    /\ Served(f, "AWAITED")
    /\ response'[f].error = "NONE"
    /\ ~response'[f].throttled

\* The fetcher took its response; one that is lost is a disturbance.
Handled(f) ==
    /\ response[f] # None
    /\ response'[f] = None
    /\ disturbances'[f] = disturbances[f]

\* An epoch after another; those of full requests come before the first.
Follows(epoch, earlier) ==
    IF earlier \in {InitialEpoch, FinalEpoch, MaxEpoch} THEN epoch = 1 ELSE epoch = earlier + 1

(* How things are, in words that the actions do not use. *)

\* These are the leader's own offsets of a partition, or say that it cannot be read.
UpToDate(p, said) ==
    IF p \in failing
    THEN {said.highWatermark, said.logStartOffset} = {-1}
    ELSE said.highWatermark = highWatermark[p] /\ said.logStartOffset = logStart[p]

KnowsAll(f, p) == reported[f][p] # None /\ UpToDate(p, reported[f][p])

\* A record lies where the fetcher wants to read.
CanRead(f, p) ==
    /\ fetching[f][p] # None
    /\ p \notin failing
    /\ fetching[f][p].lastFetchedEpoch \notin DivergingEpochs
    /\ logStart[p] <= fetching[f][p].fetchOffset
    /\ fetching[f][p].fetchOffset < (IF f \in Followers THEN logEnd[p] ELSE highWatermark[p])

(* Requests count once. *)

\* A session survives a step unchanged, or by taking in the one request that it expects.
SessionChangesOnlyByAcceptingItsEpoch ==
    [][\A i \in SessionIds :
         (sessions[i] # None /\ sessions'[i] \notin {None, sessions[i]})
            => /\ Follows(sessions'[i].epoch, sessions[i].epoch)
               /\ \E f \in Fetchers, via \in Via :
                    /\ Served(f, via)
                    /\ Incoming(f, via).sessionId = i
                    /\ Incoming(f, via).epoch = sessions[i].epoch]_vars

SessionsHavePartitions ==
    [][\A i \in SessionIds :
         (sessions[i] # None /\ sessions'[i] \notin {None, sessions[i]})
            => sessions'[i].partitions # Nothing]_vars

AcceptedRequestMovesTheEpoch ==
    [][\A f \in Fetchers :
         Accepted(f)
            => /\ Expected(request[f])
               /\ Follows(sessions'[request[f].sessionId].epoch, request[f].epoch)]_vars

(* A session is an optimisation and nothing else: what it leaves out, the fetcher knows. *)

LearnsWhatAFullFetchWouldTell ==
    [][\A f \in Fetchers :
         AnsweredNow(f) =>
            \A p \in Mentioned(fetching[f]) :
                LET answer == response'[f].partitions[p]
                IN  IF answer = None THEN KnowsAll(f, p) ELSE UpToDate(p, answer)]_vars

\* The KIP says in one place that whatever a request names is answered, too.
ChangesAreReported ==
    [][\A f \in Fetchers :
         AnsweredNow(f) =>
            \A p \in Mentioned(fetching[f]) :
                (~KnowsAll(f, p) \/ (AnswersAnyChange /\ p \in Mentioned(request[f].partitions)))
                    => response'[f].partitions[p] # None]_vars

ErrorsAreReported ==
    [][\A f \in Fetchers :
         AnsweredNow(f) =>
            \A p \in Mentioned(fetching[f]) :
                /\ p \in failing <=> /\ response'[f].partitions[p] # None
                                    /\ response'[f].partitions[p].failed
                /\ fetching[f][p].lastFetchedEpoch \in DivergingEpochs
                    => response'[f].partitions[p] # None]_vars

RecordsAreTheLeaders ==
    [][\A f \in Fetchers :
         Served(f, "AWAITED") =>
            \A p \in Mentioned(response'[f].partitions) :
                response'[f].partitions[p].records => CanRead(f, p)]_vars

RecordsAreNeverWithheldFromAll ==
    [][\A f \in Fetchers :
         (AnsweredNow(f) /\ \E p \in Partitions : CanRead(f, p))
            => \E p \in Mentioned(response'[f].partitions) :
                 response'[f].partitions[p].records]_vars

WhatIsAnsweredIsLearned ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].error = "NONE" /\ response[f].sessionId # NoSession) =>
            \A p \in Partitions :
                LET answer == response[f].partitions[p]
                    before == reported[f][p]
                    after  == reported'[f][p]
                IN  IF answer = None THEN after = before
                    ELSE /\ after # None
                         /\ after.highWatermark = answer.highWatermark
                         /\ after.logStartOffset = answer.logStartOffset
                         /\ after.records <=> \/ answer.records
                                              \/ before # None /\ before.records]_vars

FullResponseAnswersEveryPartition ==
    [][\A f \in Fetchers :
         ServedInFull(f)
            => Mentioned(response'[f].partitions) = Mentioned(request[f].partitions)]_vars

FullFetchStartsFromNothing ==
    [][\A f \in Fetchers : AskedInFull(f) => reported'[f] = Nothing]_vars

\* Records count until the fetch offset moves.
AskingChangesNothingThatWasReported ==
    [][\A f \in Fetchers :
         AskedIncrementally(f) =>
            \A p \in Mentioned(fetching[f]) \cap Mentioned(fetching'[f]) :
                LET moves == fetching[f][p].fetchOffset # fetching'[f][p].fetchOffset
                IN  reported'[f][p] = IF p \in request'[f].forgotten THEN None
                                  ELSE IF reported[f][p] = None \/ ~moves THEN reported[f][p]
                                  ELSE [reported[f][p] EXCEPT !.records = FALSE]]_vars

\* Whatever is put off counts, and nothing of it is answered yet.
FetchOffsetMovesPastRecordsOnly ==
    [][\A f \in Fetchers : Asked(f) =>
         \A p \in Mentioned(fetching'[f]) :
            LET to == fetching'[f][p].fetchOffset
            IN  IF p \in Empty THEN p \in Mentioned(request'[f].partitions) => to = 0
                ELSE \/ Seeks
                     \/ ~IsIncremental(request'[f].epoch)
                     \/ p \in request'[f].forgotten
                     \/ p \notin Mentioned(fetching[f])
                     \/ to <= fetching[f][p].fetchOffset
                     \/ reported[f][p] # None /\ reported[f][p].records]_vars

OnlyRequestsInOrderArePutOff ==
    [][\A f \in Fetchers :
         (Served(f, "AWAITED") /\ response'[f].throttled)
            => Accepted(f) /\ response'[f].partitions = Nothing]_vars

(* Nothing is said twice. *)

OnlyWhatIsWantedIsAnswered ==
    [][\A f \in Fetchers :
         Served(f, "AWAITED")
            => Mentioned(response'[f].partitions) \subseteq Mentioned(fetching[f])]_vars

UnchangedPartitionsAreNotRequested ==
    [][\A f \in Fetchers :
         AskedIncrementally(f)
            => /\ \A p \in Mentioned(request'[f].partitions) :
                    \/ request'[f].partitions[p] # fetching[f][p]
                    \/ TopicIds /\ p \in request'[f].forgotten
               /\ request'[f].forgotten \subseteq Mentioned(fetching[f])]_vars

NothingUnchangedIsSent ==
    [][\A f \in Fetchers :
         Accepted(f) =>
            \A p \in Mentioned(response'[f].partitions) :
                LET sent == response'[f].partitions[p]
                IN  \/ AnswersAnyChange /\ p \in Mentioned(request[f].partitions)
                    \/ sent.records
                    \/ sent.failed
                    \/ fetching[f][p].lastFetchedEpoch \in DivergingEpochs
                    \/ reported[f][p] = None
                    \/ reported[f][p].highWatermark # sent.highWatermark
                    \/ reported[f][p].logStartOffset # sent.logStartOffset]_vars

(* Errors answer those requests that deserve them, and no others. *)

StrayComes(f) == stray'[f] \notin {None, stray[f]}

LateRequestIsACopy ==
    [][\A f \in Fetchers :
         IF disturbances'[f] = disturbances[f] THEN ~StrayComes(f)
         ELSE /\ disturbances'[f] = disturbances[f] + 1
              /\ IF StrayComes(f) THEN stray[f] = None /\ stray'[f] = request[f]
                 ELSE (pending[f] /\ ~pending'[f]) \/ metadata'[f] # metadata[f]]_vars

UnknownSessionErrorIsDeserved ==
    [][\A f \in Fetchers :
         ServedIncrementally(f)
            => (response'[f].error = "FETCH_SESSION_ID_NOT_FOUND"
                    <=> ~HasSession(request[f]))]_vars

EpochErrorIsDeserved ==
    [][\A f \in Fetchers :
         (ServedIncrementally(f) /\ HasSession(request[f])) =>
            /\ response'[f].error = "INVALID_FETCH_SESSION_EPOCH" <=> ~Expected(request[f])
            /\ response'[f].error # "NONE"
                => sessions'[request[f].sessionId] = sessions[request[f].sessionId]
            /\ response'[f].error = "FETCH_SESSION_TOPIC_ID_ERROR" => TopicIds]_vars

AfterAnErrorEverythingIsAskedAgain ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].error \in SessionErrors)
            => /\ metadata'[f] =
                    [sessionId |-> IF response[f].error = "FETCH_SESSION_ID_NOT_FOUND"
                                   THEN NoSession ELSE metadata[f].sessionId,
                     epoch     |-> InitialEpoch]
               /\ reported'[f] = Nothing]_vars

FullRequestsNeverGetSessionErrors ==
    [][\A f \in Fetchers : ServedInFull(f) => response'[f].error = "NONE"]_vars

(* Sessions begin and end as the fetcher asks. *)

RequestsNameTheSessionAtHand ==
    [][\A f \in Fetchers :
         Asked(f) => /\ request'[f].sessionId = metadata[f].sessionId
                     /\ request'[f].epoch \in {metadata[f].epoch, FinalEpoch}
                     /\ metadata'[f].sessionId = request'[f].sessionId
                     /\ metadata'[f].epoch = request'[f].epoch]_vars

WithoutASessionNoneIsNamed ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].error = "NONE" /\ response[f].sessionId = NoSession)
            => metadata'[f] = Fresh]_vars

\* Only who closes a session may want nothing.
FullRequestsAskForSomething ==
    [][\A f \in Fetchers :
         (AskedInFull(f) /\ request'[f].partitions = Nothing)
            => request'[f].epoch = FinalEpoch /\ request'[f].sessionId # NoSession]_vars

SessionlessRequestCreatesNothing ==
    [][\A f \in Fetchers, via \in Via :
         (Served(f, via) /\ Incoming(f, via).epoch = FinalEpoch)
            => /\ \A i \in SessionIds : sessions[i] = None => sessions'[i] = None
               /\ via = "AWAITED" => response'[f].sessionId = NoSession]_vars

FullRequestClosesTheSessionItNames ==
    [][\A f \in Fetchers, via \in Via :
         (/\ Served(f, via)
          /\ ~IsIncremental(Incoming(f, via).epoch)
          /\ Incoming(f, via).sessionId # NoSession
          /\ via = "AWAITED" \/ ~StraysAreLost \/ sessions' # sessions)
            => sessions'[Incoming(f, via).sessionId] = None]_vars

\* An incremental request ends its own session by leaving nothing of it.
OnlyItsOwnRequestEndsASession ==
    [][\A f \in Fetchers, via \in Via : \A i \in SessionIds :
         (Served(f, via) /\ sessions[i] # None /\ sessions'[i] = None) =>
            LET req == Incoming(f, via)
            IN  /\ req.sessionId = i
                /\ IsIncremental(req.epoch) =>
                    /\ req.epoch = sessions[i].epoch
                    /\ Mentioned(req.partitions) = {}
                    /\ Mentioned(sessions[i].partitions) \subseteq req.forgotten]_vars

NewSessionStartsAtEpochOne ==
    [][\A i \in SessionIds :
         (sessions[i] = None /\ sessions'[i] # None)
            => /\ sessions'[i].epoch = 1
               /\ \E f \in Fetchers, via \in Via :
                    Served(f, via) /\ Incoming(f, via).epoch = InitialEpoch]_vars

AnsweredWithItsSession ==
    [][\A f \in Fetchers :
         Served(f, "AWAITED") =>
            LET answered == response'[f].sessionId
            IN  IF response'[f].error # "NONE" THEN answered = NoSession
                ELSE /\ answered # NoSession
                         => sessions'[answered] # None /\ sessions'[answered].owner = f
                     /\ IsIncremental(request[f].epoch)
                         => \/ answered = request[f].sessionId
                            \/ answered = NoSession /\ sessions'[request[f].sessionId] = None]_vars

ResponseSaysWhetherTheSessionGoesOn ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].error = "NONE" /\ IsIncremental(metadata'[f].epoch))
            => /\ response[f].sessionId # NoSession
               /\ metadata'[f].sessionId = response[f].sessionId
               /\ Follows(metadata'[f].epoch, metadata[f].epoch)]_vars

-----------------------------------------------------------------------------
(* What must come to pass. *)

\* What must be served and handled in the end, but for requests that are put off again and again.
Responsive ==
    /\ \A f \in Fetchers, via \in Via :
        /\ WF_vars(\E filled \in SUBSET Partitions : ServeSessionless(f, via, filled))
        /\ WF_vars(\E filled \in SUBSET Partitions, i \in SessionIds :
                        ServeFullCreating(f, via, filled, i))
        /\ WF_vars(\E filled \in SUBSET Partitions : ServeFullWithoutSession(f, via, filled))
        /\ WF_vars(ServeIncrementalEmptying(f, via))
        /\ WF_vars(ServeUnknownSession(f, via))
        /\ WF_vars(ServeWrongEpoch(f, via))
    /\ \A f \in Fetchers :
        /\ WF_vars(ReceiveFull(f))
        /\ WF_vars(ReceiveSessionless(f))
        /\ WF_vars(ReceiveIncremental(f))
        /\ WF_vars(ReceiveSessionClosed(f))
        /\ WF_vars(ReceiveUnknownSession(f))
        /\ WF_vars(ReceiveWrongEpoch(f))

ServesInTheEnd ==
    \A f \in Fetchers, via \in Via :
        /\ WF_vars(\E filled \in SUBSET Partitions : ServeIncremental(f, via, filled))
        /\ WF_vars(ServeIncrementalThrottled(f, via))

WaitingEnds ==
    (Responsive /\ ServesInTheEnd) => \A f \in Fetchers : pending[f] ~> ~pending[f]

AsksAndIsNotAlwaysPutOff ==
    /\ \A f \in Fetchers : WF_vars(\E wanted \in Interests : SendIncremental(f, wanted))
    /\ \A f \in Fetchers, via \in Via :
        SF_vars(\E filled \in SUBSET Partitions : ServeIncremental(f, via, filled))

ChangesComeToBeKnown ==
    (Responsive /\ AsksAndIsNotAlwaysPutOff) =>
        \A f \in Fetchers, p \in Partitions :
            (fetching[f][p] # None /\ ~KnowsAll(f, p))
                ~> (fetching[f][p] = None \/ KnowsAll(f, p))

-----------------------------------------------------------------------------
(* What `lockstep prove` proves of the model at Kafka's own widths. *)

THEOREM Spec => [](/\ EpochsAgreeWhenIdle
                   /\ AcceptedRequestLeavesAgreement
                   /\ UndisturbedFetcherSeesNoEpochError
                   /\ IncrementalRequestsNameASession
                   /\ SessionsAreNeverShared
                   /\ OneSessionPerUndisturbedFetcher
                   /\ PendingMeansInFlight)

THEOREM Spec => /\ SessionChangesOnlyByAcceptingItsEpoch
                /\ SessionsHavePartitions
                /\ AcceptedRequestMovesTheEpoch
                /\ LearnsWhatAFullFetchWouldTell
                /\ ChangesAreReported
                /\ ErrorsAreReported
                /\ RecordsAreTheLeaders
                /\ RecordsAreNeverWithheldFromAll
                /\ WhatIsAnsweredIsLearned
                /\ OnlyWhatIsWantedIsAnswered
                /\ FullFetchStartsFromNothing
                /\ AskingChangesNothingThatWasReported
                /\ OnlyRequestsInOrderArePutOff
                /\ FullResponseAnswersEveryPartition
                /\ UnchangedPartitionsAreNotRequested
                /\ NothingUnchangedIsSent
                /\ UnknownSessionErrorIsDeserved
                /\ EpochErrorIsDeserved
                /\ AfterAnErrorEverythingIsAskedAgain
                /\ FullRequestsNeverGetSessionErrors
                /\ RequestsNameTheSessionAtHand
                /\ FullRequestsAskForSomething
                /\ SessionlessRequestCreatesNothing
                /\ FullRequestClosesTheSessionItNames
                /\ OnlyItsOwnRequestEndsASession
                /\ NewSessionStartsAtEpochOne
                /\ AnsweredWithItsSession
                /\ ResponseSaysWhetherTheSessionGoesOn
=============================================================================
