---------------------------- MODULE SessionCache ----------------------------
(***************************************************************************)
(* The fetch session cache of one broker, KIP-227: a fixed number of       *)
(* slots, the rules by which a new session takes the slot of another, and  *)
(* three metrics.                                                          *)
(*                                                                         *)
(* A client's full request becomes a proposal, and the broker decides on   *)
(* it before anything else happens.                                        *)
(***************************************************************************)
EXTENDS Integers, FiniteSets

CONSTANTS
    None,
    Slots,
    EvictionMs,         \* how long a session is safe from its equals
    LetterOfRuleThree   \* whether rule 3 lets a consumer displace a follower

ASSUME LetterOfRuleThree \in BOOLEAN

VARIABLES
    now,
    cache,
    proposal,
    numSessions, numPartitionsCached, evictions,    \* the metrics
    trulyCreated, trulyUsed                         \* what the times in the cache should be

metrics == <<numSessions, numPartitionsCached, evictions>>
truth   == <<trulyCreated, trulyUsed>>

vars == <<now, cache, proposal, metrics, truth>>

Time == Nat
Size == Nat \ {0}

Session == [privileged : BOOLEAN, size : Size, created : Time, lastUsed : Time]

Proposal == [privileged : BOOLEAN, size : Size]

\* Bounds of a model: whether the clock goes on, and how far the meter counts.
MayTick  == TRUE
Metered(n) == n

TypeOK ==
    /\ now \in Time
    /\ cache \in [Slots -> Session \cup {None}]
    /\ proposal \in Proposal \cup {None}
    /\ numSessions \in Nat
    /\ numPartitionsCached \in Nat
    /\ evictions \in Nat
    /\ trulyCreated \in [Slots -> Time]
    /\ trulyUsed \in [Slots -> Time]

Init ==
    /\ now = 0
    /\ cache = [x \in Slots |-> None]
    /\ proposal = None
    /\ numSessions = 0
    /\ numPartitionsCached = 0
    /\ evictions = 0
    /\ trulyCreated = [x \in Slots |-> 0]
    /\ trulyUsed = [x \in Slots |-> 0]

Taken == {x \in Slots : cache[x] # None}
Free  == Slots \ Taken

-----------------------------------------------------------------------------
Tick ==
    /\ proposal = None
    /\ MayTick
    /\ now' = now + 1
    /\ UNCHANGED <<cache, proposal, metrics, truth>>

Propose(privileged, size) ==
    /\ proposal = None
    /\ proposal' = [privileged |-> privileged, size |-> size]
    /\ UNCHANGED <<now, cache, metrics, truth>>

(* The three rules. *)

Inactive(session) == now - session.lastUsed > EvictionMs
Old(session)      == now - session.created > EvictionMs

Outranks(session) == proposal.privileged /\ ~session.privileged
IsOutranked(session) == session.privileged /\ ~proposal.privileged

Outgrows(session) ==
    /\ proposal.size > session.size
    /\ IsOutranked(session) => LetterOfRuleThree

Evictable ==
    {x \in Taken : \/ Outranks(cache[x])
                   \/ Inactive(cache[x])
                   \/ Old(cache[x]) /\ Outgrows(cache[x])}

(* The broker decides. *)

Accept(x) ==
    /\ cache' = [cache EXCEPT ![x] =
                    [privileged |-> proposal.privileged,
                     size       |-> proposal.size,
                     created    |-> now,
                     lastUsed   |-> now]]
    /\ proposal' = None
    /\ trulyCreated' = [trulyCreated EXCEPT ![x] = now]
    /\ trulyUsed' = [trulyUsed EXCEPT ![x] = now]
    /\ UNCHANGED now

CreateInFreeSlot(x) ==
    /\ proposal # None
    /\ x \in Free
    /\ Accept(x)
    /\ numSessions' = numSessions + 1
    /\ numPartitionsCached' = numPartitionsCached + proposal.size
    /\ UNCHANGED evictions

CreateByEvicting(x) ==
    /\ proposal # None
    /\ Free = {}
    /\ x \in Evictable
    /\ Accept(x)
    /\ numPartitionsCached' = numPartitionsCached + (proposal.size - cache[x].size)
    /\ evictions' = Metered(evictions + 1)
    /\ UNCHANGED numSessions

Refuse ==
    /\ proposal # None
    /\ Free \cup Evictable = {}
    /\ proposal' = None
    /\ UNCHANGED <<now, cache, metrics, truth>>

(* Clients use their sessions and close them. *)

Use(x, size) ==
    /\ proposal = None
    /\ x \in Taken
    /\ cache' = [cache EXCEPT ![x].size = size, ![x].lastUsed = now]
    /\ numPartitionsCached' = numPartitionsCached + (size - cache[x].size)
    /\ trulyUsed' = [trulyUsed EXCEPT ![x] = now]
    /\ UNCHANGED <<now, proposal, numSessions, evictions, trulyCreated>>

Close(x) ==
    /\ proposal = None
    /\ x \in Taken
    /\ cache' = [cache EXCEPT ![x] = None]
    /\ numSessions' = numSessions - 1
    /\ numPartitionsCached' = numPartitionsCached - cache[x].size
    /\ trulyCreated' = [trulyCreated EXCEPT ![x] = 0]
    /\ trulyUsed' = [trulyUsed EXCEPT ![x] = 0]
    /\ UNCHANGED <<now, proposal, evictions>>

-----------------------------------------------------------------------------
Next ==
    \/ Tick
    \/ \E privileged \in BOOLEAN, size \in Size : Propose(privileged, size)
    \/ \E x \in Slots :
        \/ CreateInFreeSlot(x)
        \/ CreateByEvicting(x)
        \/ \E size \in Size : Use(x, size)
        \/ Close(x)
    \/ Refuse

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
RECURSIVE SizeOf(_)
SizeOf(slots) ==
    IF slots = {} THEN 0
    ELSE LET x == CHOOSE x \in slots : TRUE
         IN  cache[x].size + SizeOf(slots \ {x})

NeverMoreSessionsThanSlots == numSessions <= Cardinality(Slots)

LastUsedIsTheLatestUse == \A x \in Taken : cache[x].lastUsed = trulyUsed[x]

CreatedNeverChanges == \A x \in Taken : cache[x].created = trulyCreated[x]

SessionsMetricEqualsCache == numSessions = Cardinality(Taken)

PartitionsMetricEqualsCache == numPartitionsCached = SizeOf(Taken)

-----------------------------------------------------------------------------
\* Slots whose session has given way to another.
Displaced == IF proposal # None /\ proposal' = None
             THEN {x \in Taken : cache'[x] # cache[x]}
             ELSE {}

Refused == proposal # None /\ proposal' = None /\ cache' = cache

\* The three rules once more, in the order in which the KIP lists them.
RuleGives(x) ==
    \/ proposal.privileged /\ ~cache[x].privileged
    \/ now - cache[x].lastUsed > EvictionMs
    \/ /\ now - cache[x].created > EvictionMs
       /\ proposal.size > cache[x].size
       /\ LetterOfRuleThree \/ proposal.privileged \/ ~cache[x].privileged

EvictsOnlyByARule == [][\A x \in Displaced : RuleGives(x)]_vars

RefusesOnlyWhenNoRuleAllows ==
    [][Refused => \A x \in Slots : x \in Taken /\ ~RuleGives(x)]_vars

YoungSessionSurvives ==
    [][\A x \in Displaced :
         \/ now - trulyCreated[x] > EvictionMs
         \/ proposal.privileged /\ ~cache[x].privileged]_vars

EvictsOnlyWhenFull == [][Displaced # {} => Taken = Slots]_vars

ConsumerNeverDisplacesLiveFollower ==
    [][\A x \in Displaced :
         (cache[x].privileged /\ now - trulyUsed[x] <= EvictionMs)
            => cache'[x].privileged]_vars

\* A session that did not give way to another, nor began now, is the one that was there.
PrivilegeIsTheCreators ==
    [][\A x \in Slots :
         cache'[x] # None =>
            IF proposal # None /\ cache'[x] # cache[x]
            THEN cache'[x].privileged = proposal.privileged
            ELSE x \in Taken /\ cache'[x].privileged = cache[x].privileged]_vars

EvictionsMetricCountsEvictionsOnly ==
    [][evictions' = Metered(evictions + Cardinality(Displaced))]_vars
=============================================================================
