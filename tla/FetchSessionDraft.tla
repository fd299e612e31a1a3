------------------------- MODULE FetchSessionDraft -------------------------
(***************************************************************************)
(* Fetch sessions as an earlier draft of KIP-227 had them.  A session has  *)
(* the sequence number of its last request.  The next number confirms the  *)
(* response to that; the same number asks for it again.  Each partition    *)
(* has the number of the last request that is to be answered for it.       *)
(***************************************************************************)
EXTENDS FetchPartitions

CONSTANTS
    SessionIds,            \* what a leader may draw; any numbers but 0
    MaxSequence,           \* no such end in the draft
    Fetchers,
    Followers,             \* they also read what is not committed yet
    LeftOutStaysDirty,     \* whether what does not fit into a response is reported later
    NumberedFullRequests   \* whether full requests in a session have numbers

ASSUME 0 \notin SessionIds /\ Followers \subseteq Fetchers /\ MaxSequence > 2

VARIABLES
    logStart, highWatermark, logEnd,
    sessions,
    request, stray, response,
    sessionId,      \* 0 for none
    sequence,       \* of the last request that was answered
    unanswered,     \* the request that is, and will be sent again until it is not
    fetching, reported,
    disturbances

logs     == <<logStart, highWatermark, logEnd>>
network  == <<request, stray, response>>
fetchers == <<sessionId, sequence, unanswered, fetching, reported>>

vars == <<logs, sessions, network, fetchers, disturbances>>

Via == {"AWAITED", "STRAY"}

Number == 0 .. MaxSequence

Full        == "FULL_FETCH_REQUEST"
Incremental == "INCREMENTAL_FETCH_REQUEST"

Interests == About(Interest)

Request ==
    [fetchType  : {Full, Incremental},
     sessionId  : SessionIds \cup {0},
     sequence   : Number,
     partitions : Interests]

Response ==
    [error         : {"NONE", "INVALID_FETCH_SESSION", "INCREMENTAL_FETCH_DENIED"},
     sessionId     : SessionIds \cup {0},
     incremental   : BOOLEAN,
     incrementalOk : BOOLEAN,
     partitions    : About(Answer)]

\* Before a session's number, that number, or the one after it.
LastDirty == {"BEFORE", "LATEST", "UPCOMING"}

CachedPartition == [interest : Interest, lastDirty : LastDirty]

Session == [client : Fetchers, sequence : Number, partitions : About(CachedPartition)]

\* How often fetchers are disturbed is for the bounds of a model to say.
MayDisturb(f) == TRUE

TypeOK ==
    /\ logStart \in [Partitions -> Offset]
    /\ highWatermark \in [Partitions -> Offset]
    /\ logEnd \in [Partitions -> Offset]
    /\ sessions \in [SessionIds -> Session \cup {None}]
    /\ request \in [Fetchers -> Request \cup {None}]
    /\ stray \in [Fetchers -> Request \cup {None}]
    /\ response \in [Fetchers -> Response \cup {None}]
    /\ sessionId \in [Fetchers -> SessionIds \cup {0}]
    /\ sequence \in [Fetchers -> Number]
    /\ unanswered \in [Fetchers -> Request \cup {None}]
    /\ fetching \in [Fetchers -> Interests]
    /\ reported \in [Fetchers -> About(Reported)]
    /\ disturbances \in [Fetchers -> Nat]

Init ==
    /\ logStart = [p \in Partitions |-> 0]
    /\ highWatermark = [p \in Partitions |-> 0]
    /\ logEnd = [p \in Partitions |-> 0]
    /\ sessions = [i \in SessionIds |-> None]
    /\ request = [f \in Fetchers |-> None]
    /\ stray = [f \in Fetchers |-> None]
    /\ response = [f \in Fetchers |-> None]
    /\ sessionId = [f \in Fetchers |-> 0]
    /\ sequence = [f \in Fetchers |-> 0]
    /\ unanswered = [f \in Fetchers |-> None]
    /\ fetching = [f \in Fetchers |-> Nothing]
    /\ reported = [f \in Fetchers |-> Nothing]
    /\ disturbances = [f \in Fetchers |-> 0]

NextNumber(n) == (n % MaxSequence) + 1

-----------------------------------------------------------------------------
(* The logs change, and their partitions become dirty in each session. *)

Changed(p) ==
    /\ sessions' =
        [i \in SessionIds |->
            IF sessions[i] = None THEN None
            ELSE IF sessions[i].partitions[p] = None THEN sessions[i]
            ELSE [sessions[i] EXCEPT !.partitions[p].lastDirty = "UPCOMING"]]
    /\ UNCHANGED <<network, fetchers, disturbances>>

Append(p, end) ==
    /\ p \notin Empty
    /\ logEnd[p] < end
    /\ logEnd' = [logEnd EXCEPT ![p] = end]
    /\ UNCHANGED <<logStart, highWatermark>>
    /\ Changed(p)

AdvanceHighWatermark(p, to) ==
    /\ to \in (highWatermark[p] + 1) .. logEnd[p]
    /\ highWatermark' = [highWatermark EXCEPT ![p] = to]
    /\ UNCHANGED <<logStart, logEnd>>
    /\ Changed(p)

AdvanceLogStart(p, to) ==
    /\ to \in (logStart[p] + 1) .. highWatermark[p]
    /\ logStart' = [logStart EXCEPT ![p] = to]
    /\ UNCHANGED <<highWatermark, logEnd>>
    /\ Changed(p)

-----------------------------------------------------------------------------
(* A fetcher sends a request. *)

Send(f, type, number, wanted, partitions) ==
    /\ unanswered[f] = None
    /\ \A p \in Empty \cap Mentioned(wanted) : wanted[p].fetchOffset = 0
    /\ unanswered' = [unanswered EXCEPT ![f] =
                        [fetchType  |-> type,
                         sessionId  |-> sessionId[f],
                         sequence   |-> number,
                         partitions |-> partitions]]
    /\ request' = [request EXCEPT ![f] = unanswered'[f]]
    /\ fetching' = [fetching EXCEPT ![f] = wanted]
    /\ UNCHANGED <<logs, sessions, stray, response, sessionId, sequence, disturbances>>

SendFull(f, wanted) ==
    /\ wanted # Nothing
    /\ Send(f, Full,
            IF sessionId[f] # 0 /\ NumberedFullRequests THEN NextNumber(sequence[f]) ELSE 0,
            wanted, wanted)
    /\ reported' = [reported EXCEPT ![f] = Nothing]

\* A partition fetched from another offset has records to come, whatever came before.
SendIncremental(f, wanted) ==
    LET old      == fetching[f]
        moved(p) == wanted[p].fetchOffset # old[p].fetchOffset
    IN  /\ sessionId[f] # 0
        /\ Mentioned(wanted) = Mentioned(old)
        /\ \A p \in Mentioned(wanted) :
            wanted[p].fetchOffset > old[p].fetchOffset => reported[f][p] # None /\ reported[f][p].records
        /\ Send(f, Incremental, NextNumber(sequence[f]), wanted, Altered(old, wanted))
        /\ reported' = [reported EXCEPT ![f] =
                [p \in Partitions |->
                    IF p \notin Mentioned(wanted) THEN None
                    ELSE IF @[p] # None /\ moved(p) THEN [@[p] EXCEPT !.records = FALSE]
                    ELSE @[p]]]

-----------------------------------------------------------------------------
(* The leader serves a request: every action is one outcome. *)

Incoming(f, via) == IF via = "AWAITED" THEN request[f] ELSE stray[f]

Came(f, via, type) == Incoming(f, via) # None /\ Incoming(f, via).fetchType = type

Respond(f, via, error, id, incremental, ok, answers) ==
    /\ IF via = "AWAITED"
       THEN /\ request' = [request EXCEPT ![f] = None]
            /\ response' = [response EXCEPT ![f] =
                               [error         |-> error,
                                sessionId     |-> id,
                                incremental   |-> incremental,
                                incrementalOk |-> ok,
                                partitions    |-> answers]]
            /\ UNCHANGED stray
       ELSE /\ stray' = [stray EXCEPT ![f] = None]
            /\ UNCHANGED <<request, response>>
    /\ UNCHANGED <<logs, fetchers, disturbances>>

ReadableEnd(f, p) == IF f \in Followers THEN logEnd[p] ELSE highWatermark[p]

Readable(f, interests) ==
    {p \in Mentioned(interests) : interests[p].fetchOffset \in logStart[p] .. (ReadableEnd(f, p) - 1)}

AnswersOf(ps, filled) ==
    [p \in Partitions |->
        IF p \notin ps THEN None
        ELSE [failed         |-> FALSE,
              highWatermark  |-> highWatermark[p],
              logStartOffset |-> logStart[p],
              records        |-> p \in filled]]

(* Full requests *)

\* What is dirty once a full response has reported everything but records that did not fit.
CachedAfterFull(f, interests, filled, dirty) ==
    [p \in Partitions |->
        IF interests[p] = None THEN None
        ELSE [interest  |-> interests[p],
              lastDirty |-> IF LeftOutStaysDirty /\ p \in Readable(f, interests) \ filled
                            THEN "UPCOMING" ELSE dirty[p]]]

\* The limit leaves some records for later, not all.
AnswerInFull(f, via, filled, id) ==
    LET interests == Incoming(f, via).partitions
    IN  /\ filled \subseteq Readable(f, interests)
        /\ filled = {} => Readable(f, interests) = {}
        /\ Respond(f, via, "NONE", id, FALSE, id # 0, AnswersOf(Mentioned(interests), filled))

Clean == [p \in Partitions |-> "BEFORE"]

Mentions(f) == {request[f], stray[f], response[f]} \ {None}

Unused(i) ==
    /\ sessions[i] = None
    /\ \A f \in Fetchers : sessionId[f] # i /\ \A m \in Mentions(f) : m.sessionId # i

ServeFullCreating(f, via, filled, i) ==
    /\ Came(f, via, Full)
    /\ Incoming(f, via).sessionId = 0
    /\ Unused(i)
    /\ sessions' = [sessions EXCEPT ![i] =
            [client     |-> f,
             sequence   |-> 0,
             partitions |-> CachedAfterFull(f, Incoming(f, via).partitions, filled, Clean)]]
    /\ AnswerInFull(f, via, filled, i)

ServeFullDeclining(f, via, filled) ==
    /\ Came(f, via, Full)
    /\ Incoming(f, via).sessionId = 0
    /\ AnswerInFull(f, via, filled, 0)
    /\ UNCHANGED sessions

HasSession(req) == req.sessionId \in SessionIds /\ sessions[req.sessionId] # None

SessionOf(req) == sessions[req.sessionId]

IsNext(req) == HasSession(req) /\ req.sequence = NextNumber(SessionOf(req).sequence)

IsRepeated(req) ==
    HasSession(req) /\ req.sequence # 0 /\ req.sequence = SessionOf(req).sequence

IsValid(req) ==
    \/ IsNext(req)
    \/ IsRepeated(req)
    \/ HasSession(req) /\ req.fetchType = Full /\ ~NumberedFullRequests

\* A stray would pass for the request after this one: numbers have no end in the draft.
ComesRoundAgain(f, req) ==
    /\ stray[f] # None
    /\ stray[f].sessionId = req.sessionId
    /\ stray[f].sequence = NextNumber(req.sequence)

\* Nothing is taken back by a repetition, whose response may be lost as the first one was.
DirtyAfterFull(req) ==
    IF NumberedFullRequests /\ IsRepeated(req)
    THEN [p \in Partitions |->
            IF SessionOf(req).partitions[p] = None THEN "BEFORE"
            ELSE SessionOf(req).partitions[p].lastDirty]
    ELSE Clean

ServeFullAltering(f, via, filled) ==
    /\ Came(f, via, Full)
    /\ LET req == Incoming(f, via)
       IN  /\ IsValid(req)
           /\ ~ComesRoundAgain(f, req)
           /\ sessions' = [sessions EXCEPT ![req.sessionId] =
                [client     |-> f,
                 sequence   |-> IF NumberedFullRequests THEN req.sequence ELSE @.sequence,
                 partitions |-> CachedAfterFull(f, req.partitions, filled, DirtyAfterFull(req))]]
           /\ AnswerInFull(f, via, filled, req.sessionId)

(* Incremental requests *)

\* Answer what is dirty, or has records, but for what does not fit beside records.
ServeSession(f, via, sent, repeated, goesOn) ==
    LET req       == Incoming(f, via)
        cached    == SessionOf(req).partitions
        interests == [p \in Partitions |->
                        IF cached[p] = None THEN None
                        ELSE IF req.partitions[p] = None THEN cached[p].interest
                        ELSE req.partitions[p]]
        readable  == Readable(f, interests)
        atLeast   == IF repeated THEN {"LATEST", "UPCOMING"} ELSE {"UPCOMING"}
        due       == {p \in Mentioned(cached) : cached[p].lastDirty \in atLeast}
                        \cup (IF LeftOutStaysDirty THEN readable ELSE {})
        dirty(p)  == IF LeftOutStaysDirty /\ p \in due \ sent THEN "UPCOMING"
                     ELSE IF repeated THEN cached[p].lastDirty
                     ELSE IF cached[p].lastDirty = "UPCOMING" THEN "LATEST"
                     ELSE "BEFORE"
    IN  /\ sent \subseteq due
        /\ sent # due => sent \cap readable # {}
        /\ sessions' = [sessions EXCEPT ![req.sessionId] =
                IF ~goesOn THEN None
                ELSE [client     |-> @.client,
                      sequence   |-> req.sequence,
                      partitions |-> [p \in Partitions |->
                            IF cached[p] = None THEN None
                            ELSE [interest |-> interests[p], lastDirty |-> dirty(p)]]]]
        /\ Respond(f, via, "NONE", req.sessionId, TRUE, goesOn, AnswersOf(sent, readable))

ServeIncremental(f, via, sent, goesOn) ==
    /\ Came(f, via, Incremental)
    /\ IsNext(Incoming(f, via))
    /\ ~ComesRoundAgain(f, Incoming(f, via))
    /\ ServeSession(f, via, sent, FALSE, goesOn)

ServeRepeated(f, via, sent) ==
    /\ Came(f, via, Incremental)
    /\ IsRepeated(Incoming(f, via))
    /\ ServeSession(f, via, sent, TRUE, TRUE)

RespondError(f, via, error) ==
    Respond(f, via, error, 0, Came(f, via, Incremental), FALSE, Nothing)

ServeInvalid(f, via) ==
    /\ Incoming(f, via) # None
    /\ Incoming(f, via).sessionId # 0
    /\ ~IsValid(Incoming(f, via))
    /\ RespondError(f, via, "INVALID_FETCH_SESSION")
    /\ UNCHANGED sessions

ServeDenied(f, via) ==
    /\ Came(f, via, Incremental)
    /\ IsValid(Incoming(f, via))
    /\ sessions' = [sessions EXCEPT ![Incoming(f, via).sessionId] = None]
    /\ RespondError(f, via, "INCREMENTAL_FETCH_DENIED")

Evict(i) ==
    /\ sessions[i] # None
    /\ sessions' = [sessions EXCEPT ![i] = None]
    /\ UNCHANGED <<logs, network, fetchers, disturbances>>

-----------------------------------------------------------------------------
(* A fetcher handles a response. *)

GoesOn(f, incremental) ==
    /\ response[f] # None
    /\ response[f].error = "NONE"
    /\ response[f].incremental = incremental
    /\ response[f].incrementalOk

Settle(f, id, number) ==
    /\ response' = [response EXCEPT ![f] = None]
    /\ unanswered' = [unanswered EXCEPT ![f] = None]
    /\ sessionId' = [sessionId EXCEPT ![f] = id]
    /\ sequence' = [sequence EXCEPT ![f] = number]

Learn(f) ==
    LET answers == response[f].partitions
    IN  /\ reported' = [reported EXCEPT ![f] =
                [p \in Partitions |->
                    IF answers[p] = None THEN @[p] ELSE Learned(@[p], answers[p])]]
        /\ UNCHANGED <<logs, sessions, request, stray, fetching, disturbances>>

StartOver(f) ==
    /\ Settle(f, 0, 0)
    /\ fetching' = [fetching EXCEPT ![f] = Nothing]
    /\ reported' = [reported EXCEPT ![f] = Nothing]

ReceiveFull(f) ==
    /\ GoesOn(f, FALSE)
    /\ Learn(f)
    /\ Settle(f, response[f].sessionId,
              IF response[f].sessionId # sessionId[f] THEN 0
              ELSE IF NumberedFullRequests THEN unanswered[f].sequence
              ELSE sequence[f])

ReceiveIncremental(f) ==
    /\ GoesOn(f, TRUE)
    /\ Learn(f)
    /\ Settle(f, sessionId[f], unanswered[f].sequence)

ReceiveLast(f) ==
    /\ response[f] # None
    /\ response[f].error = "NONE"
    /\ ~response[f].incrementalOk
    /\ StartOver(f)
    /\ UNCHANGED <<logs, sessions, request, stray, disturbances>>

ReceiveError(f) ==
    /\ response[f] # None
    /\ response[f].error # "NONE"
    /\ StartOver(f)
    /\ UNCHANGED <<logs, sessions, request, stray, disturbances>>

-----------------------------------------------------------------------------
(* What happens to a fetcher and its messages. *)

Disturb(f, arrives) ==
    /\ MayDisturb(f)
    /\ disturbances' = [disturbances EXCEPT ![f] = @ + 1]
    /\ IF arrives
       THEN /\ request[f] # None
            /\ stray[f] = None
            /\ stray' = [stray EXCEPT ![f] = request[f]]
       ELSE UNCHANGED stray
    /\ UNCHANGED <<logs, sessions>>

Retransmit(f, arrives) ==
    /\ unanswered[f] # None
    /\ Disturb(f, arrives)
    /\ request' = [request EXCEPT ![f] = unanswered[f]]
    /\ response' = [response EXCEPT ![f] = None]
    /\ UNCHANGED fetchers

IsNew(f) == unanswered[f] = None /\ sessionId[f] = 0

RestartFetcher(f, arrives) ==
    /\ ~IsNew(f)
    /\ Disturb(f, arrives)
    /\ request' = [request EXCEPT ![f] = None]
    /\ StartOver(f)

LoseStray(f) ==
    /\ stray[f] # None
    /\ stray' = [stray EXCEPT ![f] = None]
    /\ UNCHANGED <<logs, sessions, request, response, fetchers, disturbances>>

-----------------------------------------------------------------------------
Next ==
    \/ \E p \in Partitions, o \in Offset :
        \/ Append(p, o)
        \/ AdvanceHighWatermark(p, o)
        \/ AdvanceLogStart(p, o)
    \/ \E f \in Fetchers :
        \/ \E wanted \in Interests :
            \/ SendFull(f, wanted)
            \/ SendIncremental(f, wanted)
        \/ \E via \in Via :
            \/ \E filled \in SUBSET Partitions :
                \/ \E i \in SessionIds : ServeFullCreating(f, via, filled, i)
                \/ ServeFullDeclining(f, via, filled)
                \/ ServeFullAltering(f, via, filled)
            \/ \E sent \in SUBSET Partitions :
                \/ \E goesOn \in BOOLEAN : ServeIncremental(f, via, sent, goesOn)
                \/ ServeRepeated(f, via, sent)
            \/ ServeInvalid(f, via)
            \/ ServeDenied(f, via)
        \/ ReceiveFull(f)
        \/ ReceiveIncremental(f)
        \/ ReceiveLast(f)
        \/ ReceiveError(f)
        \/ \E arrives \in BOOLEAN :
            \/ Retransmit(f, arrives)
            \/ RestartFetcher(f, arrives)
        \/ LoseStray(f)
    \/ \E i \in SessionIds : Evict(i)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold in every state. *)

InSession(f) == sessionId[f] # 0 /\ sessions[sessionId[f]] # None

Mine(f) == sessions[sessionId[f]]

SessionsAreNeverShared == \A f \in Fetchers : InSession(f) => Mine(f).client = f

LeaderIsAtMostOneRequestAhead ==
    \A f \in Fetchers :
        InSession(f) =>
            \/ Mine(f).sequence = sequence[f]
            \/ unanswered[f] # None /\ Mine(f).sequence = unanswered[f].sequence

NumbersBeginWithASession == \A f \in Fetchers : sessionId[f] = 0 => sequence[f] = 0

IncrementalRequestsHaveASessionAndANumber ==
    \A f \in Fetchers : \A req \in {request[f], stray[f]} \ {None} :
        req.fetchType = Incremental => req.sessionId # 0 /\ req.sequence # 0

ErrorComesOfALostSession ==
    \A f \in Fetchers :
        (response[f] # None /\ response[f].error = "INVALID_FETCH_SESSION") => ~InSession(f)

LeaderHasWhatIsWanted ==
    \A f \in Fetchers :
        (InSession(f) /\ unanswered[f] = None) =>
            /\ Mentioned(Mine(f).partitions) = Mentioned(fetching[f])
            /\ \A p \in Mentioned(fetching[f]) : Mine(f).partitions[p].interest = fetching[f][p]

KnowsAll(f, p) ==
    /\ reported[f][p] # None
    /\ reported[f][p].highWatermark = highWatermark[p]
    /\ reported[f][p].logStartOffset = logStart[p]

Repeats(f) == unanswered[f] # None /\ unanswered[f].sequence = Mine(f).sequence

WhatIsNotKnownIsDirty ==
    \A f \in Fetchers :
        /\ InSession(f)
        /\ response[f] = None
        /\ unanswered[f] # None => unanswered[f].fetchType = Incremental
        => \A p \in Mentioned(Mine(f).partitions) :
            ~KnowsAll(f, p) =>
                \/ Mine(f).partitions[p].lastDirty = "UPCOMING"
                \/ Repeats(f) /\ Mine(f).partitions[p].lastDirty # "BEFORE"

-----------------------------------------------------------------------------
(* What must hold of every step. *)

Served(f) == request[f] # None /\ request'[f] = None /\ response'[f] # None

ServedIncrementally(f) == Served(f) /\ request[f].fetchType = Incremental

Handled(f) ==
    /\ response[f] # None
    /\ response'[f] = None
    /\ disturbances'[f] = disturbances[f]

Follows(n, earlier) == n = IF earlier = MaxSequence THEN 1 ELSE earlier + 1

Stays(i) == sessions[i] # None /\ sessions'[i] # None

CanRead(f, p) ==
    /\ fetching[f][p] # None
    /\ logStart[p] <= fetching[f][p].fetchOffset
    /\ fetching[f][p].fetchOffset < (IF f \in Followers THEN logEnd[p] ELSE highWatermark[p])

NumbersGoUpByOne ==
    [][\A i \in SessionIds :
         (Stays(i) /\ sessions'[i].sequence # sessions[i].sequence)
            => Follows(sessions'[i].sequence, sessions[i].sequence)]_vars

CreatedSessionIsNamed ==
    [][\A f \in Fetchers, i \in SessionIds :
         (Served(f) /\ sessions[i] = None) =>
            (response'[f].sessionId = i <=> sessions'[i] # None)]_vars

SessionIsEnteredByAFullResponse ==
    [][\A f \in Fetchers :
         sessionId'[f] \notin {0, sessionId[f]} =>
            /\ response[f] # None
            /\ response[f].sessionId = sessionId'[f]
            /\ ~response[f].incremental
            /\ response[f].incrementalOk]_vars

FlagEndsIncrementalRequests ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].error = "NONE" /\ ~response[f].incrementalOk)
            => sessionId'[f] = 0]_vars

AllowedSessionIsKept ==
    [][\A f \in Fetchers :
         (Served(f) /\ response'[f].error = "NONE") =>
            (response'[f].incrementalOk <=>
                /\ response'[f].sessionId \in SessionIds
                /\ sessions'[response'[f].sessionId] # None)]_vars

FullRequestsAskForSomething ==
    [][\A f \in Fetchers :
         (/\ unanswered[f] = None
          /\ unanswered'[f] # None
          /\ unanswered'[f].fetchType = Full)
            => unanswered'[f].partitions # Nothing]_vars

ResponseIsOfTheRequestsType ==
    [][\A f \in Fetchers :
         Served(f) => (response'[f].incremental <=> request[f].fetchType = Incremental)]_vars

InvalidSessionErrorIsDeserved ==
    [][\A f \in Fetchers :
         (Served(f) /\ request[f].sessionId # 0) =>
            LET n == request[f].sequence
            IN  response'[f].error = "INVALID_FETCH_SESSION" <=>
                    \/ ~HasSession(request[f])
                    \/ /\ n # 0
                       /\ n # SessionOf(request[f]).sequence
                       /\ ~Follows(n, SessionOf(request[f]).sequence)]_vars

DeniedAreIncrementalRequests ==
    [][\A f \in Fetchers :
         (Served(f) /\ response'[f].error = "INCREMENTAL_FETCH_DENIED") =>
            /\ request[f].fetchType = Incremental
            /\ sessions'[request[f].sessionId] = None]_vars

OnlyItsOwnFetcherLosesASession ==
    [][\A f \in Fetchers : \A i \in SessionIds :
         (Served(f) /\ sessions[i] # None /\ sessions'[i] = None)
            => request[f].sessionId = i /\ ~response'[f].incrementalOk]_vars

ErrorIsOfAllPartitions ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].error # "NONE") =>
            response[f].partitions = Nothing /\ reported'[f] = Nothing]_vars

FullRequestIsAnsweredWithItsSession ==
    [][\A f \in Fetchers :
         (/\ Served(f)
          /\ request[f].fetchType = Full
          /\ request[f].sessionId # 0
          /\ response'[f].error = "NONE") => response'[f].sessionId = request[f].sessionId]_vars

StrayComes(f) == stray'[f] \notin {None, stray[f]}

LateRequestIsACopy ==
    [][\A f \in Fetchers :
         IF disturbances'[f] = disturbances[f] THEN ~StrayComes(f)
         ELSE /\ disturbances'[f] = disturbances[f] + 1
              /\ IF StrayComes(f) THEN stray[f] = None /\ stray'[f] = request[f]
                 ELSE unanswered[f] # None \/ sessionId'[f] # sessionId[f]]_vars

FetchOffsetMovesPastRecordsOnly ==
    [][\A f \in Fetchers : (unanswered[f] = None /\ unanswered'[f] # None) =>
         \A p \in Mentioned(fetching'[f]) :
            LET to == fetching'[f][p].fetchOffset
            IN  IF p \in Empty THEN to = 0
                ELSE \/ request'[f].fetchType = Full
                     \/ p \notin Mentioned(fetching[f])
                     \/ to <= fetching[f][p].fetchOffset
                     \/ reported[f][p] # None /\ reported[f][p].records]_vars

ChangesMakePartitionsDirty ==
    [][\A p \in Partitions, i \in SessionIds :
         /\ <<logStart'[p], highWatermark'[p], logEnd'[p]>>
                # <<logStart[p], highWatermark[p], logEnd[p]>>
         /\ sessions'[i] # None
         => \/ sessions'[i].partitions[p] = None
            \/ sessions'[i].partitions[p].lastDirty = "UPCOMING"]_vars

TakenInFull(req, i) == req # None /\ req.fetchType = Full /\ req.sessionId = i

AskedInFull(i) ==
    \E f \in Fetchers :
        \/ TakenInFull(request[f], i) /\ request'[f] = None
        \/ TakenInFull(stray[f], i) /\ stray'[f] = None

LastDirtyNumberNeverDecreases ==
    [][\A i \in SessionIds, p \in Partitions :
         (/\ Stays(i)
          /\ sessions[i].partitions[p] # None
          /\ sessions'[i].partitions[p] # None) =>
            LET old   == sessions[i].partitions[p].lastDirty
                young == sessions'[i].partitions[p].lastDirty
            IN  \/ old = "BEFORE"
                \/ young = "UPCOMING"
                \/ IF sessions'[i].sequence = sessions[i].sequence
                   THEN young = old
                   ELSE "LATEST" \in {old, young} \/ AskedInFull(i)]_vars

\* What there is to report of p is left for later; what a stray is answered cannot be seen.
LeftOut(f, i, p) ==
    \/ /\ stray[f] # None
       /\ stray'[f] = None
       /\ stray[f].sessionId = i
    \/ /\ request[f] # None
       /\ request'[f] = None
       /\ request[f].sessionId = i
       /\ \/ response'[f] = None
          \/ response'[f].partitions[p] = None
          \/ CanRead(f, p) /\ ~response'[f].partitions[p].records

LastDirtyNumberRisesWithChangesOnly ==
    [][\A i \in SessionIds, p \in Partitions :
         (/\ Stays(i)
          /\ sessions[i].partitions[p] # None
          /\ sessions'[i].partitions[p] # None
          /\ UNCHANGED <<logStart[p], highWatermark[p], logEnd[p]>>) =>
            LET old     == sessions[i].partitions[p].lastDirty
                young   == sessions'[i].partitions[p].lastDirty
                isLater == sessions'[i].sequence # sessions[i].sequence
            IN  \/ young = "BEFORE"
                \/ young = "LATEST" /\ old = (IF isLater THEN "UPCOMING" ELSE "LATEST")
                \/ ~isLater /\ old = "UPCOMING"
                \/ \E f \in Fetchers : LeftOut(f, i, p)]_vars

RepeatedRequestIsTheSame ==
    [][\A f \in Fetchers :
         (unanswered[f] # None /\ request'[f] # None) => request'[f] = unanswered[f]]_vars

UnchangedPartitionsAreNotRequested ==
    [][\A f \in Fetchers :
         (/\ unanswered[f] = None
          /\ unanswered'[f] # None
          /\ unanswered'[f].fetchType = Incremental)
            => /\ Mentioned(fetching'[f]) = Mentioned(fetching[f])
               /\ Mentioned(request'[f].partitions) =
                    {p \in Partitions : fetching'[f][p] # fetching[f][p]}]_vars

FullResponseAnswersEveryPartition ==
    [][\A f \in Fetchers :
         (Served(f) /\ request[f].fetchType = Full /\ response'[f].error = "NONE")
            => Mentioned(response'[f].partitions) = Mentioned(request[f].partitions)]_vars

AnswersAreTheLeaders ==
    [][\A f \in Fetchers :
         Served(f) =>
            \A p \in Mentioned(response'[f].partitions) :
                LET answer == response'[f].partitions[p]
                IN  /\ fetching[f][p] # None
                    /\ answer.highWatermark = highWatermark[p]
                    /\ answer.logStartOffset = logStart[p]
                    /\ answer.records => CanRead(f, p)
                    /\ ~answer.failed]_vars

OnlyDirtyPartitionsAreAnswered ==
    [][\A f \in Fetchers :
         (ServedIncrementally(f) /\ HasSession(request[f])) =>
            \A p \in Mentioned(response'[f].partitions) :
                LET session == SessionOf(request[f])
                IN  \/ response'[f].partitions[p].records
                    \/ session.partitions[p].lastDirty = "UPCOMING"
                    \/ /\ session.partitions[p].lastDirty = "LATEST"
                       /\ session.sequence = request[f].sequence]_vars

DirtyPartitionsMakeWayForRecordsOnly ==
    [][\A f \in Fetchers :
         (/\ ServedIncrementally(f)
          /\ HasSession(request[f])
          /\ response'[f].error = "NONE") =>
            LET cached  == SessionOf(request[f]).partitions
                answers == response'[f].partitions
            IN  \A p \in Mentioned(cached) \ Mentioned(answers) :
                  \/ cached[p].lastDirty = "BEFORE"
                  \/ /\ cached[p].lastDirty = "LATEST"
                     /\ SessionOf(request[f]).sequence # request[f].sequence
                  \/ \E q \in Mentioned(answers) : answers[q].records]_vars

\* The response to a new number leaves nothing to be reported again of what it has.
WhatIsAnsweredIsClean ==
    [][\A f \in Fetchers :
         (/\ ServedIncrementally(f)
          /\ HasSession(request[f])
          /\ sessions'[request[f].sessionId] # None
          /\ sessions'[request[f].sessionId].sequence # SessionOf(request[f]).sequence)
            => \A p \in Mentioned(response'[f].partitions) :
                 sessions'[request[f].sessionId].partitions[p].lastDirty # "UPCOMING"]_vars

RecordsAreNeverWithheldFromAll ==
    [][\A f \in Fetchers :
         (/\ Served(f)
          /\ response'[f].error = "NONE"
          /\ \E p \in Partitions : CanRead(f, p))
            => \E p \in Mentioned(response'[f].partitions) :
                 response'[f].partitions[p].records]_vars

WhatIsAnsweredIsLearned ==
    [][\A f \in Fetchers :
         (Handled(f) /\ response[f].incrementalOk) =>
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

OnlyFullRequestsForget ==
    [][\A f \in Fetchers :
         (unanswered[f] = None /\ unanswered'[f] # None) =>
            IF unanswered'[f].fetchType = Full THEN reported'[f] = Nothing
            ELSE \A p \in Partitions :
                    IF reported[f][p] = None THEN reported'[f][p] = None
                    ELSE reported'[f][p] =
                            [reported[f][p] EXCEPT !.records =
                                /\ @
                                /\ fetching'[f][p].fetchOffset = fetching[f][p].fetchOffset]]_vars

-----------------------------------------------------------------------------
(* What must come to pass. *)

\* Whatever is not the next incremental request is served, and each response is handled. Nobody has
\* to be denied.
Responsive ==
    /\ \A f \in Fetchers, via \in Via :
        /\ WF_vars(\E filled \in SUBSET Partitions, i \in SessionIds :
                        ServeFullCreating(f, via, filled, i))
        /\ WF_vars(\E filled \in SUBSET Partitions : ServeFullDeclining(f, via, filled))
        /\ WF_vars(\E filled \in SUBSET Partitions : ServeFullAltering(f, via, filled))
        /\ WF_vars(\E sent \in SUBSET Partitions : ServeRepeated(f, via, sent))
        /\ WF_vars(ServeInvalid(f, via))
    /\ \A f \in Fetchers :
        /\ WF_vars(ReceiveFull(f))
        /\ WF_vars(ReceiveIncremental(f))
        /\ WF_vars(ReceiveLast(f))
        /\ WF_vars(ReceiveError(f))

ServesInTheEnd ==
    \A f \in Fetchers, via \in Via :
        WF_vars(\E sent \in SUBSET Partitions, goesOn \in BOOLEAN :
                    ServeIncremental(f, via, sent, goesOn))

WaitingEnds ==
    (Responsive /\ ServesInTheEnd) =>
        \A f \in Fetchers : (unanswered[f] # None) ~> (unanswered[f] = None)

\* Each choice of what fits has its turn.
AsksAndIsNotPassedOver ==
    /\ \A f \in Fetchers : WF_vars(\E wanted \in Interests : SendIncremental(f, wanted))
    /\ \A f \in Fetchers, via \in Via : \A sent \in SUBSET Partitions :
        SF_vars(\E goesOn \in BOOLEAN : ServeIncremental(f, via, sent, goesOn))

ChangesComeToBeKnown ==
    (Responsive /\ AsksAndIsNotPassedOver) =>
        \A f \in Fetchers, p \in Partitions :
            (fetching[f][p] # None /\ ~KnowsAll(f, p))
                ~> (fetching[f][p] = None \/ KnowsAll(f, p))
=============================================================================
