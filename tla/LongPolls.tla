----------------------------- MODULE LongPolls -----------------------------
(***************************************************************************)
(* Fetch sessions, KIP-227, whose polls wait: a leader takes a request in, *)
(* and answers it later.                                                   *)
(*                                                                         *)
(* One fetcher.  All that there is to know is a number that grows.  There  *)
(* are two ways to the leader: that of the request whose response is       *)
(* awaited, and that of one which was given up or is a copy.               *)
(***************************************************************************)
EXTENDS FetchMetadata

CONSTANTS
    None,
    Races,   \* whether the fetcher goes on in a session while its poll waits
    Turns    \* whether a copy may stay in the network for a whole turn of the epoch

VARIABLES
    version,        \* what there is to know
    sessions,       \* the leader's cache
    waiting,        \* the polls that the leader has taken in
    request, response,
    metadata,       \* of the latest request, or of the next one when none is pending
    pending,
    knownVersion,   \* what the fetcher knows
    disturbances

fetcher == <<metadata, pending, knownVersion>>
vars    == <<version, sessions, waiting, request, response, fetcher, disturbances>>

Via == {"AWAITED", "STRAY"}

Version == Nat

\* Bounds are for a model to say.
MayChange  == TRUE
MayDisturb == TRUE

Session  == [epoch : SessionEpoch, sent : Version]
Poll     == [sessionId : SessionId, epoch : Epoch, overtaken : BOOLEAN]
Response == [error : Error, sessionId : SessionId, version : Version \cup {None}]

TypeOK ==
    /\ version \in Version
    /\ sessions \in [SessionIds -> Session \cup {None}]
    /\ waiting \in [Via -> Poll \cup {None}]
    /\ request \in [Via -> Metadata \cup {None}]
    /\ response \in Response \cup {None}
    /\ metadata \in Metadata
    /\ pending \in BOOLEAN
    /\ knownVersion \in Version \cup {None}
    /\ disturbances \in Nat

Init ==
    /\ version = 0
    /\ sessions = [i \in SessionIds |-> None]
    /\ waiting = [v \in Via |-> None]
    /\ request = [v \in Via |-> None]
    /\ response = None
    /\ metadata = Fresh
    /\ pending = FALSE
    /\ knownVersion = None
    /\ disturbances = 0

Change ==
    /\ MayChange
    /\ version' = version + 1
    /\ UNCHANGED <<sessions, waiting, request, response, fetcher, disturbances>>

-----------------------------------------------------------------------------
(* The fetcher asks. *)

Ask(meta) ==
    /\ request' = [request EXCEPT !["AWAITED"] = meta]
    /\ metadata' = meta
    /\ pending' = TRUE
    /\ knownVersion' = IF IsIncremental(meta.epoch) THEN knownVersion ELSE None
    /\ UNCHANGED <<version, sessions, response>>

SendFull ==
    /\ ~pending
    /\ metadata.epoch = InitialEpoch
    /\ Ask(metadata)
    /\ UNCHANGED <<waiting, disturbances>>

SendFinal ==
    /\ ~pending
    /\ Ask([metadata EXCEPT !.epoch = FinalEpoch])
    /\ UNCHANGED <<waiting, disturbances>>

SendIncremental ==
    /\ ~pending
    /\ IsIncremental(metadata.epoch)
    /\ Ask(metadata)
    /\ UNCHANGED <<waiting, disturbances>>

Disturb ==
    /\ MayDisturb
    /\ disturbances' = disturbances + 1

Awaited == waiting["AWAITED"]

\* The poll that waits is left to itself.
SendRacing ==
    /\ Races
    /\ Awaited # None
    /\ IsIncremental(Awaited.epoch)
    /\ waiting["STRAY"] = None
    /\ Disturb
    /\ waiting' = [v \in Via |-> IF v = "STRAY" THEN Awaited ELSE None]
    /\ Ask([metadata EXCEPT !.epoch = NextEpoch(@)])

-----------------------------------------------------------------------------
(* The leader takes a request in, or turns it away. *)

Came(v) == request[v] # None

CameInFull(v) == Came(v) /\ ~IsIncremental(request[v].epoch)

CameIncrementally(v) == Came(v) /\ IsIncremental(request[v].epoch)

TakeIn(v, others) ==
    /\ waiting[v] = None
    /\ request' = [request EXCEPT ![v] = None]
    /\ waiting' = [others EXCEPT ![v] =
                      [sessionId |-> request[v].sessionId,
                       epoch     |-> request[v].epoch,
                       overtaken |-> FALSE]]
    /\ UNCHANGED <<version, response, fetcher, disturbances>>

Without(id) == [i \in SessionIds |-> IF i = id THEN None ELSE sessions[i]]

AcceptFull(v) ==
    /\ CameInFull(v)
    /\ sessions' = Without(request[v].sessionId)
    /\ TakeIn(v, waiting)

Known(req) == req.sessionId \in SessionIds /\ sessions[req.sessionId] # None

Expected(req) == Known(req) /\ sessions[req.sessionId].epoch = req.epoch

\* A copy from a turn of the epoch ago would pass for the request after this one.
ComesRoundAgain(req) ==
    request["STRAY"] = [sessionId |-> req.sessionId, epoch |-> NextEpoch(req.epoch)]

AcceptIncremental(v) ==
    /\ CameIncrementally(v)
    /\ LET req == request[v]
       IN  /\ Expected(req)
           /\ ~(ComesRoundAgain(req) /\ ~Turns)
           /\ sessions' = [sessions EXCEPT ![req.sessionId].epoch = NextEpoch(@)]
           /\ TakeIn(v, [w \in Via |->
                            IF waiting[w] = None THEN None
                            ELSE [waiting[w] EXCEPT !.overtaken =
                                     @ \/ waiting[w].sessionId = req.sessionId]])

Reply(v, error, id, ver) ==
    /\ response' = IF v = "STRAY" THEN response
                   ELSE [error |-> error, sessionId |-> id, version |-> ver]
    /\ UNCHANGED <<version, fetcher, disturbances>>

TurnAway(v, error) ==
    /\ request' = [request EXCEPT ![v] = None]
    /\ Reply(v, error, NoSession, None)
    /\ UNCHANGED <<sessions, waiting>>

RefuseUnknownSession(v) ==
    /\ CameIncrementally(v)
    /\ ~Known(request[v])
    /\ TurnAway(v, "FETCH_SESSION_ID_NOT_FOUND")

RefuseWrongEpoch(v) ==
    /\ CameIncrementally(v)
    /\ Known(request[v])
    /\ ~Expected(request[v])
    /\ TurnAway(v, "INVALID_FETCH_SESSION_EPOCH")

-----------------------------------------------------------------------------
(* The leader answers a poll. *)

Finish(v, error, id, ver) ==
    /\ waiting' = [waiting EXCEPT ![v] = None]
    /\ Reply(v, error, id, ver)
    /\ UNCHANGED request

WaitsInFull(v) == waiting[v] # None /\ ~IsIncremental(waiting[v].epoch)

AnswerWithoutSession(v) ==
    /\ WaitsInFull(v)
    /\ Finish(v, "NONE", NoSession, version)
    /\ UNCHANGED sessions

\* The fetcher is over its quota.
AnswerThrottledFull(v) ==
    /\ WaitsInFull(v)
    /\ Finish(v, "NONE", NoSession, None)
    /\ UNCHANGED sessions

\* Whatever mentions a session, the cache apart.
Mentions ==
    {metadata, response} \cup {request[v] : v \in Via} \cup {waiting[v] : v \in Via}

AnswerCreating(v, i) ==
    /\ WaitsInFull(v)
    /\ waiting[v].epoch = InitialEpoch
    /\ sessions[i] = None
    /\ \A m \in Mentions \ {None} : m.sessionId # i
    /\ sessions' = [sessions EXCEPT ![i] = [epoch |-> FirstIncremental, sent |-> version]]
    /\ Finish(v, "NONE", i, version)

\* The session has not gone on meanwhile, as far as anybody knows.
WaitsInOrder(v) ==
    waiting[v] # None /\ IsIncremental(waiting[v].epoch) /\ ~waiting[v].overtaken

AnswerIncremental(v) ==
    /\ WaitsInOrder(v)
    /\ Known(waiting[v])
    /\ LET id == waiting[v].sessionId
       IN  /\ sessions' = [sessions EXCEPT ![id].sent = version]
           /\ Finish(v, "NONE", id, IF sessions[id].sent # version THEN version ELSE None)

AnswerAfterItsSession(v) ==
    /\ WaitsInOrder(v)
    /\ ~Known(waiting[v])
    /\ Finish(v, "NONE", waiting[v].sessionId, version)
    /\ UNCHANGED sessions

AnswerOvertaken(v) ==
    /\ waiting[v] # None
    /\ waiting[v].overtaken
    /\ Finish(v, "INVALID_FETCH_SESSION_EPOCH", waiting[v].sessionId, None)
    /\ UNCHANGED sessions

Evict(i) ==
    /\ sessions[i] # None
    /\ sessions' = Without(i)
    /\ UNCHANGED <<version, waiting, request, response, fetcher, disturbances>>

-----------------------------------------------------------------------------
(* The fetcher reads the response. *)

Settle(meta, known) ==
    /\ response' = None
    /\ pending' = FALSE
    /\ metadata' = meta
    /\ knownVersion' = known

Read(meta, known) ==
    /\ Settle(meta, known)
    /\ UNCHANGED <<version, sessions, waiting, request, disturbances>>

ReceiveFull ==
    /\ response # None
    /\ ~IsIncremental(metadata.epoch)
    /\ IF response.sessionId = NoSession
       THEN Read(Fresh, None)
       ELSE Read([sessionId |-> response.sessionId, epoch |-> FirstIncremental], response.version)

ReceiveIncremental ==
    /\ response # None
    /\ response.error = "NONE"
    /\ IsIncremental(metadata.epoch)
    /\ Read([metadata EXCEPT !.epoch = NextEpoch(@)],
            IF response.version = None THEN knownVersion ELSE response.version)

Closing == [metadata EXCEPT !.epoch = InitialEpoch]

ReceiveError ==
    /\ response # None
    /\ response.error # "NONE"
    /\ Read(IF response.error = "FETCH_SESSION_ID_NOT_FOUND" THEN Fresh ELSE Closing, None)

-----------------------------------------------------------------------------
(* What disturbs it. *)

GiveUp(arrives) ==
    /\ pending
    /\ None \in {waiting[v] : v \in Via}
    /\ arrives => request["AWAITED"] # None /\ request["STRAY"] = None
    /\ Disturb
    /\ request' = [v \in Via |->
                      CASE v = "AWAITED" -> None
                        [] arrives       -> request["AWAITED"]
                        [] OTHER         -> request["STRAY"]]
    /\ waiting' = [v \in Via |->
                      CASE v = "AWAITED"   -> None
                        [] Awaited # None -> Awaited
                        [] OTHER           -> waiting["STRAY"]]
    /\ Settle(Closing, None)
    /\ UNCHANGED <<version, sessions>>

Repeat ==
    /\ request["AWAITED"] # None
    /\ request["STRAY"] = None
    /\ Disturb
    /\ request' = [request EXCEPT !["STRAY"] = request["AWAITED"]]
    /\ UNCHANGED <<version, sessions, waiting, response, fetcher>>

LoseStray ==
    /\ request["STRAY"] # None
    /\ request' = [request EXCEPT !["STRAY"] = None]
    /\ UNCHANGED <<version, sessions, waiting, response, fetcher, disturbances>>

-----------------------------------------------------------------------------
Next ==
    \/ Change
    \/ SendFull
    \/ SendFinal
    \/ SendIncremental
    \/ SendRacing
    \/ \E v \in Via :
        \/ AcceptFull(v)
        \/ AcceptIncremental(v)
        \/ RefuseUnknownSession(v)
        \/ RefuseWrongEpoch(v)
        \/ AnswerWithoutSession(v)
        \/ AnswerThrottledFull(v)
        \/ \E i \in SessionIds : AnswerCreating(v, i)
        \/ AnswerIncremental(v)
        \/ AnswerAfterItsSession(v)
        \/ AnswerOvertaken(v)
    \/ \E i \in SessionIds : Evict(i)
    \/ ReceiveFull
    \/ ReceiveIncremental
    \/ ReceiveError
    \/ \E arrives \in BOOLEAN : GiveUp(arrives)
    \/ Repeat
    \/ LoseStray

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What must hold of the states. *)

Follows(epoch, earlier) == IF earlier = MaxEpoch THEN epoch = 1 ELSE epoch = earlier + 1

\* What the session expects is what comes next: after a poll that it took in, the one after that.
EpochsAgree ==
    (/\ Known(metadata)
     /\ IsIncremental(metadata.epoch)
     /\ response # None => response.error = "NONE"
     /\ Awaited # None => ~Awaited.overtaken)
        => LET epoch == sessions[metadata.sessionId].epoch
           IN  IF Awaited # None \/ response # None THEN Follows(epoch, metadata.epoch)
               ELSE pending \/ epoch = metadata.epoch

PendingMeansUnderWay ==
    pending <=> \/ request["AWAITED"] # None
                \/ Awaited # None
                \/ response # None

-----------------------------------------------------------------------------
(* What must hold of the steps. *)

TookIn(v) == Came(v) /\ request'[v] = None /\ waiting[v] = None /\ waiting'[v] # None

TurnedAway == Came("AWAITED") /\ response = None /\ response' # None

\* A poll that moves from one way to the other was not answered.
Answered(v) ==
    /\ waiting[v] # None
    /\ waiting'[v] = None
    /\ v = "AWAITED" => response' # None

ASessionMovesOnByAccepting ==
    [][\A i \in SessionIds :
         (sessions[i] # None /\ sessions'[i] # None /\ sessions'[i].epoch # sessions[i].epoch) =>
            /\ Follows(sessions'[i].epoch, sessions[i].epoch)
            /\ \E v \in Via :
                /\ TookIn(v)
                /\ request[v] = [sessionId |-> i, epoch |-> sessions[i].epoch]]_vars

AnAcceptedRequestCountsAtOnce ==
    [][\A v \in Via :
         (TookIn(v) /\ IsIncremental(request[v].epoch)) =>
            /\ Expected(request[v])
            /\ sessions'[request[v].sessionId] # None
            /\ Follows(sessions'[request[v].sessionId].epoch, request[v].epoch)]_vars

RefusalsAreDeserved ==
    [][TurnedAway =>
         LET req == request["AWAITED"]
         IN  /\ IsIncremental(req.epoch)
             /\ ~Expected(req)
             /\ response'.error = IF Known(req) THEN "INVALID_FETCH_SESSION_EPOCH"
                                  ELSE "FETCH_SESSION_ID_NOT_FOUND"
             /\ response'.sessionId = NoSession
             /\ response'.version = None
             /\ UNCHANGED sessions]_vars

AFullRequestClosesAtOnce ==
    [][\A v \in Via :
         (TookIn(v) /\ ~IsIncremental(request[v].epoch) /\ request[v].sessionId # NoSession)
            => sessions'[request[v].sessionId] = None]_vars

AnswersEndNoSession ==
    [][\A v \in Via, i \in SessionIds :
         (/\ request'[v] # request[v] \/ waiting'[v] # waiting[v]
          /\ sessions[i] # None
          /\ sessions'[i] = None) =>
            /\ TookIn(v)
            /\ ~IsIncremental(request[v].epoch)
            /\ request[v].sessionId = i]_vars

SessionsBeginWithAnAnswer ==
    [][\A i \in SessionIds :
         (sessions[i] = None /\ sessions'[i] # None) =>
            /\ sessions'[i].epoch = 1
            /\ \E v \in Via : Answered(v) /\ waiting[v].epoch = InitialEpoch]_vars

ASessionChangesByItsRequests ==
    [][\A i \in SessionIds :
         (sessions[i] # None /\ sessions'[i] # None /\ sessions'[i] # sessions[i]) =>
            \E v \in Via :
               \/ /\ TookIn(v)
                  /\ request[v].sessionId = i
                  /\ sessions'[i].sent = sessions[i].sent
               \/ /\ Answered(v)
                  /\ IsIncremental(waiting[v].epoch)
                  /\ waiting[v].sessionId = i
                  /\ sessions'[i] = [sessions[i] EXCEPT !.sent = version]]_vars

AnsweredInSession == Answered("AWAITED") /\ IsIncremental(Awaited.epoch)

PollsTellWhatIsNew ==
    [][(AnsweredInSession /\ response'.error = "NONE") =>
         version = IF response'.version = None THEN knownVersion ELSE response'.version]_vars

PollsTellNothingTwice ==
    [][(AnsweredInSession /\ Known(Awaited)) => response'.version \notin {knownVersion} \ {None}]_vars

FullPollsAreAnsweredInFull ==
    [][(Answered("AWAITED") /\ ~IsIncremental(Awaited.epoch)) =>
         /\ response'.error = "NONE"
         /\ \/ response'.version = version
            \/ response'.version = None /\ response'.sessionId = NoSession]_vars

AnOvertakenPollGetsAnError ==
    [][AnsweredInSession =>
         /\ response'.sessionId = Awaited.sessionId
         /\ response'.error = "NONE"
              <=> IF Known(Awaited)
                  THEN Follows(sessions[Awaited.sessionId].epoch, Awaited.epoch)
                  ELSE ~Awaited.overtaken]_vars

OnlyItsSessionOvertakesAPoll ==
    [][\A v \in Via :
         (waiting[v] # None /\ waiting'[v] # None) =>
            LET passes(w) == /\ TookIn(w)
                             /\ IsIncremental(request[w].epoch)
                             /\ request[w].sessionId = waiting[v].sessionId
            IN  waiting'[v] = [waiting[v] EXCEPT !.overtaken = @ \/ \E w \in Via : passes(w)]]_vars

AnOvertakenPollTakesNothing ==
    [][\A v \in Via :
         (/\ Answered(v)
          /\ IsIncremental(waiting[v].epoch)
          /\ Known(waiting[v])
          /\ ~Follows(sessions[waiting[v].sessionId].epoch, waiting[v].epoch)) =>
            UNCHANGED sessions]_vars

RequestsGoOnInOrder ==
    [][(request["AWAITED"] = None /\ request'["AWAITED"] # None) =>
         LET req == request'["AWAITED"]
         IN  /\ req.sessionId = metadata.sessionId
             /\ \/ req.epoch = FinalEpoch
                \/ pending /\ Follows(req.epoch, metadata.epoch)
                \/ ~pending /\ req.epoch = metadata.epoch
             /\ metadata' = req
             /\ knownVersion' = IF IsIncremental(req.epoch) THEN knownVersion ELSE None]_vars

AnswersAreTakenIn ==
    [][(response # None /\ response' = None /\ UNCHANGED disturbances) =>
         CASE response.error = "FETCH_SESSION_ID_NOT_FOUND" -> metadata' = Fresh
           [] response.error = "INVALID_FETCH_SESSION_EPOCH" -> metadata' = Closing
           [] OTHER ->
                IF IsIncremental(metadata.epoch)
                THEN /\ metadata'.sessionId = metadata.sessionId
                     /\ Follows(metadata'.epoch, metadata.epoch)
                     /\ knownVersion' = IF response.version = None THEN knownVersion ELSE response.version
                ELSE IF response.sessionId = NoSession
                     THEN metadata' = Fresh /\ knownVersion' = None
                     ELSE /\ metadata' = [sessionId |-> response.sessionId, epoch |-> 1]
                          /\ knownVersion' = response.version]_vars

WhatIsGivenUpGoesOn ==
    [][(pending /\ ~pending' /\ disturbances' # disturbances) =>
         /\ metadata' = Closing
         /\ knownVersion' = None
         /\ request'["AWAITED"] = None
         /\ request'["STRAY"] = request["STRAY"] \/ request'["STRAY"] = request["AWAITED"]
         /\ waiting'["AWAITED"] = None
         /\ waiting'["STRAY"] = IF Awaited = None THEN waiting["STRAY"] ELSE Awaited]_vars

WhatThereIsToTellGrowsByItself ==
    [][version' # version =>
         /\ version' = version + 1
         /\ UNCHANGED <<sessions, waiting, response>>]_vars

\* The fetcher goes on while its poll waits.
Raced == pending /\ request["AWAITED"] = None /\ request'["AWAITED"] # None

StrayComes == request'["STRAY"] \notin {None, request["STRAY"]}

AStrayIsACopy ==
    [][IF disturbances' = disturbances THEN ~(StrayComes \/ Raced)
       ELSE /\ disturbances' = disturbances + 1
            /\ IF StrayComes
               THEN request["STRAY"] = None /\ request'["STRAY"] = request["AWAITED"]
               ELSE Raced \/ (pending /\ ~pending')]_vars

AfterAnErrorEverythingIsAskedAgain ==
    [][(response # None /\ response' = None /\ response.error # "NONE") =>
         metadata'.epoch = InitialEpoch /\ knownVersion' = None]_vars

-----------------------------------------------------------------------------
(* What must come to pass. *)

Responsive ==
    /\ \A v \in Via :
        /\ WF_vars(AcceptFull(v))
        /\ WF_vars(AcceptIncremental(v))
        /\ WF_vars(RefuseUnknownSession(v))
        /\ WF_vars(RefuseWrongEpoch(v))
        /\ WF_vars(AnswerWithoutSession(v))
        /\ WF_vars(AnswerIncremental(v))
        /\ WF_vars(AnswerAfterItsSession(v))
        /\ WF_vars(AnswerOvertaken(v))
    /\ WF_vars(ReceiveFull)
    /\ WF_vars(ReceiveIncremental)
    /\ WF_vars(ReceiveError)

EveryPollEnds == Responsive => (pending ~> ~pending)
=============================================================================
