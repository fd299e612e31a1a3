"""Small changes of the twin of leader_discovery, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

RECREATED: dict[str, int | str | tuple[str | int, ...]] = {
    "MAX_RECREATIONS": 1,
    "MAX_DISTURBANCES": 0,
    "TOPIC_IDS": "everywhere",
}

MISTAKES = {
    "TypeOK": Mistake(
        "LeaderDiscovery", "    /\\ disturbances = 0\n", "    /\\ disturbances = -1\n"
    ),
    "LeaderWasElected": Mistake(
        "LeaderDiscovery", "LET next == cluster.epoch + 1", "LET next == cluster.epoch"
    ),
    "LostLeaderIsAskedFor": Mistake(
        "LeaderDiscovery",
        "refreshWanted' = (endpoints'[leader'] = None)",
        "refreshWanted' = FALSE",
    ),
    "ToldLeaderIsWhatTheBrokerKnows": Mistake(
        "LeaderDiscovery",
        "Known   == [leader |-> Has.leader",
        "Known   == [leader |-> attempt.to",
    ),
    "BrokerThatLeadsIsNotAskedForTheLeader": Mistake(
        "LeaderDiscovery",
        '    /\\ IsLed\n    /\\ Answer("NONE", None)\n',
        '    /\\ Answer("NONE", None)\n',
    ),
    "FencedEpochIsAnOldOne": Mistake(
        "LeaderDiscovery", "Has.epoch > attempt.epoch\n", "Has.epoch >= attempt.epoch\n"
    ),
    "AnotherTopicIsUnknown": Mistake(
        "LeaderDiscovery",
        "Legible == Arrived /\\ ~IsOther\n",
        "Legible == Arrived\n",
        RECREATED,
    ),
    "BrokerHearsOfAllOrNothing": Mistake(
        "LeaderDiscovery",
        "    /\\ heard' = [heard EXCEPT ![b] = cluster']\n",
        "    /\\ UNCHANGED heard\n",
    ),
    "RefreshIsTheAnswerOfABroker": Mistake(
        "LeaderDiscovery",
        "    /\\ refresh = None\n    /\\ refresh' = heard[b]\n",
        "    /\\ refresh # heard[b]\n    /\\ refresh' = heard[b]\n",
    ),
    "LeaderEpochNeverGoesBack": Mistake(
        "LeaderDiscovery", "FALSE ELSE refresh.epoch < leaderEpoch", "FALSE ELSE FALSE"
    ),
    "LeaderChangesOnlyWithANewerEpoch": Mistake(
        "LeaderDiscovery",
        "ELSE /\\ Exceeds(told.epoch, leaderEpoch)\n",
        "ELSE /\\ told.leader # leader\n",
    ),
    "NewerLeaderIsTaken": Mistake(
        "LeaderDiscovery",
        "IF told.endpoint = None THEN endpoints",
        "IF endpoints[told.leader] # None THEN endpoints",
    ),
    "NothingNewerChangesNothing": Mistake(
        "LeaderDiscovery",
        "    /\\ ~IsNews(response.currentLeader)\n    /\\ BackOff\n"
        "    /\\ refreshWanted' = TRUE\n    /\\ UNCHANGED <<client, disturbances>>\n",
        "    /\\ ~IsNews(response.currentLeader)\n    /\\ BackOff\n"
        "    /\\ refreshWanted' = TRUE\n"
        "    /\\ endpoints' = [endpoints EXCEPT ![attempt.to] = None]\n"
        "    /\\ UNCHANGED <<topic, leader, leaderEpoch, disturbances>>\n",
    ),
    "LeaderOfAnotherTopicChangesNothing": Mistake(
        "LeaderDiscovery",
        '         /\\ TopicIds = "everywhere" => attempt.topic = topic\n',
        "",
        RECREATED,
    ),
    "RefreshIsTakenUnlessItIsStale": Mistake(
        "LeaderDiscovery", "    /\\ refresh.topic = topic\n", "", RECREATED
    ),
    "RefreshTellsWhereBrokersAre": Mistake(
        "LeaderDiscovery",
        "    /\\ endpoints' = refresh.endpoints\n",
        "    /\\ endpoints' = [b \\in Brokers |->\n"
        "         IF refresh.endpoints[b] = None THEN endpoints[b] ELSE refresh.endpoints[b]]\n",
    ),
    "RequestsGoToTheLeaderBelievedIn": Mistake(
        "LeaderDiscovery",
        "/\\ attempt' = [to |-> leader,",
        "/\\ attempt' = [to |-> IF attempt = None THEN leader ELSE attempt.to,",
    ),
    "OneRequestIsUnderWay": Mistake(
        "LeaderDiscovery",
        "Send == attempt = None /\\ Ask",
        "Send == ~backingOff /\\ (attempt # None => attempt.epoch # leaderEpoch) /\\ Ask",
    ),
    "OnlyAServedRequestIsOver": Mistake(
        "LeaderDiscovery",
        "    /\\ response' = None\n    /\\ attempt' = None\n",
        "    /\\ response' = None\n    /\\ UNCHANGED attempt\n",
    ),
    "NewLeaderCanBeReached": Mistake(
        "LeaderDiscovery",
        "ELSE [endpoints EXCEPT ![told.leader] = told.endpoint]",
        "ELSE [endpoints EXCEPT ![told.leader] = None]",
    ),
    "RetryAtOnceIsToANewerLeader": Mistake(
        "LeaderDiscovery", "FALSE ELSE Exceeds(leaderEpoch, attempt.epoch)", "FALSE ELSE TRUE"
    ),
    "BacksOffOnlyWithoutANewerLeader": Mistake(
        "LeaderDiscovery",
        "FALSE ELSE Exceeds(leaderEpoch, attempt.epoch)",
        "FALSE ELSE leader # attempt.to",
    ),
    "ErrorsAreBackedOffFrom": Mistake(
        "LeaderDiscovery",
        "    /\\ backingOff' = TRUE\n    /\\ UNCHANGED <<world, refresh, attempt>>\n",
        "    /\\ attempt' = None\n    /\\ UNCHANGED <<world, refresh, backingOff>>\n",
    ),
    "OnlyAFailedRequestIsBackedOffFrom": Mistake(
        "LeaderDiscovery",
        "    /\\ attempt' = None\n    /\\ backingOff' = FALSE\n",
        "    /\\ attempt' = None\n    /\\ UNCHANGED backingOff\n",
    ),
    "WhatIsLostIsMissed": Mistake(
        "LeaderDiscovery",
        "    /\\ Disturb\n    /\\ refresh' = None\n",
        "    /\\ Disturb\n    /\\ UNCHANGED refresh\n",
    ),
    "RefreshIsTakenOnce": Mistake(
        "LeaderDiscovery",
        "refreshWanted' = (endpoints'[leader'] = None)",
        "UNCHANGED refreshWanted",
    ),
    "RefusalAsksForARefresh": Mistake(
        "LeaderDiscovery",
        "    /\\ IsNews(response.currentLeader)\n    /\\ BackOff\n    /\\ refreshWanted' = TRUE\n",
        "    /\\ IsNews(response.currentLeader)\n    /\\ BackOff\n"
        "    /\\ UNCHANGED refreshWanted\n",
    ),
    "RequestsComeToAnEnd": Mistake(
        "LeaderDiscovery",
        "    /\\ ~KnowsNewer\n",
        "    /\\ ~KnowsNewer /\\ attempt.epoch = None /\\ leaderEpoch # None\n",
    ),
    "CurrentLeaderIsReached": Mistake(
        "LeaderDiscovery",
        "    /\\ b \\in Running\n    /\\ refreshWanted\n",
        "    /\\ b \\in Running \\cap {leader}\n    /\\ refreshWanted\n",
    ),
}
