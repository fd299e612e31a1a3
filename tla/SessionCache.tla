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
    LetterOfRuleThree,  \* whether rule 3 lets a consumer displace a follower
    SecondShard,        \* slots that are a cache of their own; Apache Kafka has such shards
    KafkaOrder          \* whether Apache Kafka's order decides which session is evicted

ASSUME LetterOfRuleThree \in BOOLEAN /\ KafkaOrder \in BOOLEAN

VARIABLES
    now,
    cache,
    proposal,
    turn,                                           \* the shard that the next session goes to
    numSessions, numPartitionsCached, evictions,    \* the metrics
    trulyCreated, trulyUsed                         \* what the times in the cache should be

metrics == <<numSessions, numPartitionsCached, evictions>>
truth   == <<trulyCreated, trulyUsed>>

vars == <<now, cache, proposal, turn, metrics, truth>>

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
    /\ turn \in IF SecondShard = {} THEN {0} ELSE {0, 1}
    /\ numSessions \in Nat
    /\ numPartitionsCached \in Nat
    /\ evictions \in Nat
    /\ trulyCreated \in [Slots -> Time]
    /\ trulyUsed \in [Slots -> Time]

Init ==
    /\ now = 0
    /\ cache = [x \in Slots |-> None]
    /\ proposal = None
    /\ turn = 0
    /\ numSessions = 0
    /\ numPartitionsCached = 0
    /\ evictions = 0
    /\ trulyCreated = [x \in Slots |-> 0]
    /\ trulyUsed = [x \in Slots |-> 0]

\* The slots that the next session may have.
Shard == IF turn = 0 THEN Slots \ SecondShard ELSE SecondShard

Taken == {x \in Slots : cache[x] # None}
Free  == Shard \ Taken

-----------------------------------------------------------------------------
Tick ==
    /\ proposal = None
    /\ MayTick
    /\ now' = now + 1
    /\ UNCHANGED <<cache, proposal, turn, metrics, truth>>

Propose(privileged, size) ==
    /\ proposal = None
    /\ proposal' = [privileged |-> privileged, size |-> size]
    /\ UNCHANGED <<now, cache, turn, metrics, truth>>

(* The three rules. *)

Inactive(session) == now - session.lastUsed > EvictionMs
Old(session)      == now - session.created > EvictionMs

Outranks(session) == proposal.privileged /\ ~session.privileged
IsOutranked(session) == session.privileged /\ ~proposal.privileged

Outgrows(session) ==
    /\ proposal.size > session.size
    /\ IsOutranked(session) => LetterOfRuleThree

ByTheRules ==
    {x \in Shard \cap Taken : \/ Outranks(cache[x])
                              \/ Inactive(cache[x])
                              \/ Old(cache[x]) /\ Outgrows(cache[x])}

(* Apache Kafka orders the sessions of a full shard, and tries one. *)

Stale == {x \in Shard \cap Taken : Inactive(cache[x])}

\* Those that nobody in a set goes before.
First(slots, Before(_, _)) == {x \in slots : ~\E y \in slots : Before(cache[y], cache[x])}

UnusedForLonger(one, other) == one.lastUsed < other.lastUsed

WorthLess(one, other) ==
    \/ ~one.privileged /\ other.privileged
    \/ one.privileged = other.privileged /\ one.size < other.size

\* A session that was not used since it was old is not known to be old.
WithinReach ==
    {x \in Shard \cap Taken :
        Outranks(cache[x]) \/ cache[x].lastUsed - cache[x].created > EvictionMs}

ByKafkasOrder ==
    IF Stale # {} THEN First(Stale, UnusedForLonger)
    ELSE {x \in First(WithinReach, WorthLess) : WorthLess(cache[x], proposal)}

Evictable == IF KafkaOrder THEN ByKafkasOrder ELSE ByTheRules

(* The broker decides. *)

Decide ==
    /\ proposal' = None
    /\ turn' = IF SecondShard = {} THEN 0 ELSE 1 - turn

Accept(x) ==
    /\ cache' = [cache EXCEPT ![x] =
                    [privileged |-> proposal.privileged,
                     size       |-> proposal.size,
                     created    |-> now,
                     lastUsed   |-> now]]
    /\ Decide
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
    /\ Decide
    /\ UNCHANGED <<now, cache, metrics, truth>>

(* Clients use their sessions and close them. *)

Use(x, size) ==
    /\ proposal = None
    /\ x \in Taken
    /\ cache' = [cache EXCEPT ![x].size = size, ![x].lastUsed = now]
    /\ numPartitionsCached' = numPartitionsCached + (size - cache[x].size)
    /\ trulyUsed' = [trulyUsed EXCEPT ![x] = now]
    /\ UNCHANGED <<now, proposal, turn, numSessions, evictions, trulyCreated>>

Close(x) ==
    /\ proposal = None
    /\ x \in Taken
    /\ cache' = [cache EXCEPT ![x] = None]
    /\ numSessions' = numSessions - 1
    /\ numPartitionsCached' = numPartitionsCached - cache[x].size
    /\ trulyCreated' = [trulyCreated EXCEPT ![x] = 0]
    /\ trulyUsed' = [trulyUsed EXCEPT ![x] = 0]
    /\ UNCHANGED <<now, proposal, turn, evictions>>

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

LastUsedIsTheLatestUse ==
    trulyUsed = [x \in Slots |-> IF x \in Taken THEN cache[x].lastUsed ELSE 0]

CreatedNeverChanges ==
    trulyCreated = [x \in Slots |-> IF x \in Taken THEN cache[x].created ELSE 0]

SessionsMetricEqualsCache == numSessions = Cardinality(Taken)

PartitionsMetricEqualsCache == numPartitionsCached = SizeOf(Taken)

-----------------------------------------------------------------------------
Decided == proposal # None /\ proposal' = None

\* Slots whose session has given way to another.
Displaced == IF Decided THEN {x \in Taken : cache'[x] # cache[x]} ELSE {}

Refused == Decided /\ cache' = cache

\* The slots of a shard, and those of them of which a shard has sessions.
ShardOf(x) == IF x \in SecondShard THEN SecondShard ELSE Slots \ SecondShard
Beside(x)  == ShardOf(x) \cap Taken

\* How old a session is, or Apache Kafka knows it to be.
Age(session) == (IF KafkaOrder THEN session.lastUsed ELSE now) - session.created

\* The three rules once more, in the order in which the KIP lists them.
RuleGives(x) ==
    \/ proposal.privileged /\ ~cache[x].privileged
    \/ now - cache[x].lastUsed > EvictionMs
    \/ /\ Age(cache[x]) > EvictionMs
       /\ proposal.size > cache[x].size
       /\ LetterOfRuleThree \/ proposal.privileged \/ ~cache[x].privileged

EvictsOnlyByARule == [][\A x \in Displaced : RuleGives(x)]_vars

RefusesOnlyWhenNoRuleAllows ==
    [][Refused => \A x \in Shard : x \in Taken /\ ~RuleGives(x)]_vars

ShardsTakeTurns ==
    [][IF Decided THEN /\ \A x \in Slots \ Shard : cache'[x] = cache[x]
                       /\ SecondShard # {} => turn' # turn
       ELSE UNCHANGED turn]_vars

Unused(x) == now - trulyUsed[x]

LongestUnusedSessionGoesFirst ==
    [][KafkaOrder => \A x \in Displaced :
         (\E y \in Beside(x) : Unused(y) > EvictionMs)
            => \A y \in Beside(x) : Unused(x) >= Unused(y)]_vars

LeastValuableSessionGoesFirst ==
    [][KafkaOrder => \A x \in Displaced :
         (\A y \in Beside(x) : Unused(y) <= EvictionMs)
            => \A y \in Beside(x) :
                \/ /\ trulyUsed[y] - trulyCreated[y] <= EvictionMs
                   /\ cache[y].privileged \/ ~proposal.privileged
                \/ cache[y].privileged /\ ~cache[x].privileged
                \/ cache[y].privileged = cache[x].privileged /\ cache[y].size >= cache[x].size]_vars

YoungSessionSurvives ==
    [][\A x \in Displaced :
         \/ now - trulyCreated[x] > EvictionMs
         \/ proposal.privileged /\ ~cache[x].privileged]_vars

EvictsOnlyWhenFull == [][\A x \in Displaced : ShardOf(x) \subseteq Taken]_vars

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

EachStepIsOfOneSession ==
    [][\A x, y \in Slots : (cache'[x] # cache[x] /\ cache'[y] # cache[y]) => x = y]_vars

EvictionsMetricCountsEvictionsOnly ==
    [][evictions' = Metered(evictions + Cardinality(Displaced))]_vars
=============================================================================
