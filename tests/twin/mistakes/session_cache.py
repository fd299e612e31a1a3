"""Small changes of the twin of session_cache, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
    "TypeOK": Mistake(
        "SessionCache",
        "    /\\ evictions = 0\n",
        "    /\\ evictions = -1\n",
    ),
    "NeverMoreSessionsThanSlots": Mistake(
        "SessionCache",
        "    /\\ UNCHANGED numSessions\n",
        "    /\\ numSessions' = numSessions + 1\n",
    ),
    "LastUsedIsTheLatestUse": Mistake(
        "SessionCache",
        ", ![x].lastUsed = now]",
        "]",
    ),
    "CreatedNeverChanges": Mistake(
        "SessionCache",
        ", ![x].lastUsed = now]",
        ", ![x].lastUsed = now, ![x].created = now]",
    ),
    "SessionsMetricEqualsCache": Mistake(
        "SessionCache",
        "    /\\ numSessions' = numSessions - 1\n",
        "    /\\ UNCHANGED numSessions\n",
    ),
    "PartitionsMetricEqualsCache": Mistake(
        "SessionCache",
        "numPartitionsCached + (size - cache[x].size)",
        "numPartitionsCached + size",
    ),
    "EvictsOnlyByARule": Mistake(
        "SessionCache",
        "    /\\ proposal.size > session.size\n",
        "",
    ),
    "EvictsOnlyWhenFull": Mistake(
        "SessionCache",
        "    /\\ Free = {}\n",
        "",
    ),
    "RefusesOnlyWhenNoRuleAllows": Mistake(
        "SessionCache",
        "Free \\cup Evictable = {}",
        "Free = {}",
    ),
    "ShardsTakeTurns": Mistake(
        "SessionCache",
        "ELSE 1 - turn",
        "ELSE 0",
        {"SECOND_SHARD": ("slot2",)},
    ),
    "LongestUnusedSessionGoesFirst": Mistake(
        "SessionCache",
        "First(Stale, UnusedForLonger)",
        "Stale",
        {"KAFKA_ORDER": True, "MAX_TIME": 3},
    ),
    "LeastValuableSessionGoesFirst": Mistake(
        "SessionCache",
        "{x \\in First(WithinReach, WorthLess) : WorthLess",
        "{x \\in WithinReach : WorthLess",
        {"KAFKA_ORDER": True},
    ),
    "YoungSessionSurvives": Mistake(
        "SessionCache",
        "now - session.created > EvictionMs",
        "now - session.created >= EvictionMs",
    ),
    "ConsumerNeverDisplacesLiveFollower": Mistake(
        "SessionCache",
        "    /\\ IsOutranked(session) => LetterOfRuleThree\n",
        "",
    ),
    "PrivilegeIsTheCreators": Mistake(
        "SessionCache",
        "[privileged |-> proposal.privileged,",
        "[privileged |-> TRUE,",
    ),
    "EachStepIsOfOneSession": Mistake(
        "SessionCache",
        "    /\\ cache' = [cache EXCEPT ![x] = None]\n    /\\ numSessions' = numSessions - 1\n",
        "    /\\ cache' = [y \\in Slots |-> None]\n    /\\ numSessions' = 0\n",
    ),
    "EvictionsMetricCountsEvictionsOnly": Mistake(
        "SessionCache",
        "UNCHANGED <<now, proposal, turn, evictions>>",
        "UNCHANGED <<now, proposal, turn>> /\\ evictions' = Metered(evictions + 1)",
    ),
}
