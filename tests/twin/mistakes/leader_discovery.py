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
    "ReportedLeaderIsWhatTheBrokerKnows": Mistake(
        "LeaderDiscovery",
        "Known(r)   == [leader |-> Has(r).leader",
        "Known(r)   == [leader |-> attempt[r].to",
    ),
    "BrokerThatLeadsIsNotAskedForTheLeader": Mistake(
        "LeaderDiscovery",
        '    /\\ IsLed(r)\n    /\\ Answer(r, "NONE", None)\n',
        '    /\\ Answer(r, "NONE", None)\n',
    ),
    "FencedEpochIsAnOldOne": Mistake(
        "LeaderDiscovery", "Has(r).epoch > attempt[r].epoch\n", "Has(r).epoch >= attempt[r].epoch\n"
    ),
    "AnotherTopicIsUnknown": Mistake(
        "LeaderDiscovery",
        "Legible(r) == Arrived(r) /\\ ~IsOther(r)\n",
        "Legible(r) == Arrived(r)\n",
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
        "ELSE /\\ Exceeds(reported.epoch, leaderEpoch)\n",
        "ELSE /\\ reported.leader # leader\n",
    ),
    "NewerLeaderIsTaken": Mistake(
        "LeaderDiscovery",
        "IF reported.endpoint = None THEN endpoints",
        "IF endpoints[reported.leader] # None THEN endpoints",
    ),
    "NothingNewerChangesNothing": Mistake(
        "LeaderDiscovery",
        "    /\\ ~IsNews(r, response[r].currentLeader)\n    /\\ BackOff(r)\n"
        "    /\\ refreshWanted' = TRUE\n    /\\ UNCHANGED <<client, disturbances>>\n",
        "    /\\ ~IsNews(r, response[r].currentLeader)\n    /\\ BackOff(r)\n"
        "    /\\ refreshWanted' = TRUE\n"
        "    /\\ endpoints' = [endpoints EXCEPT ![attempt[r].to] = None]\n"
        "    /\\ UNCHANGED <<topic, leader, leaderEpoch, disturbances>>\n",
    ),
    "LeaderOfAnotherTopicChangesNothing": Mistake(
        "LeaderDiscovery",
        '         /\\ TopicIds = "everywhere" => attempt[r].topic = topic\n',
        "",
        RECREATED,
    ),
    "RefreshIsTakenUnlessItIsStale": Mistake(
        "LeaderDiscovery", "    /\\ refresh.topic = topic\n", "", RECREATED
    ),
    "RefreshReportsWhereBrokersAre": Mistake(
        "LeaderDiscovery",
        "    /\\ endpoints' = refresh.endpoints\n",
        "    /\\ endpoints' = [b \\in Brokers |->\n"
        "         IF refresh.endpoints[b] = None THEN endpoints[b] ELSE refresh.endpoints[b]]\n",
    ),
    "RequestsGoToTheLeaderBelievedIn": Mistake(
        "LeaderDiscovery",
        "![r] = [to |-> leader,",
        "![r] = [to |-> IF attempt[r] = None THEN leader ELSE attempt[r].to,",
    ),
    "RequestsAreApart": Mistake(
        "LeaderDiscovery",
        "    /\\ backingOff' = [backingOff EXCEPT ![r] = TRUE]\n",
        "    /\\ backingOff' = [q \\in Slots |-> q = r \\/ attempt[q] # None]\n",
        {"IN_FLIGHT": 2},
    ),
    "OneRequestIsUnderWay": Mistake(
        "LeaderDiscovery",
        "Send(r) == attempt[r] = None /\\ Ask(r)",
        "Send(r) == ~backingOff[r] /\\ (attempt[r] # None"
        " => attempt[r].epoch # leaderEpoch) /\\ Ask(r)",
    ),
    "OnlyAServedRequestIsOver": Mistake(
        "LeaderDiscovery",
        "    /\\ response' = [response EXCEPT ![r] = None]\n"
        "    /\\ attempt' = [attempt EXCEPT ![r] = None]\n",
        "    /\\ response' = [response EXCEPT ![r] = None]\n    /\\ UNCHANGED attempt\n",
    ),
    "NewLeaderCanBeReached": Mistake(
        "LeaderDiscovery",
        "ELSE [endpoints EXCEPT ![reported.leader] = reported.endpoint]",
        "ELSE [endpoints EXCEPT ![reported.leader] = None]",
    ),
    "RetryAtOnceIsToANewerLeader": Mistake(
        "LeaderDiscovery", "FALSE ELSE Exceeds(leaderEpoch, attempt[r].epoch)", "FALSE ELSE TRUE"
    ),
    "BacksOffOnlyWithoutANewerLeader": Mistake(
        "LeaderDiscovery",
        "FALSE ELSE Exceeds(leaderEpoch, attempt[r].epoch)",
        "FALSE ELSE leader # attempt[r].to",
    ),
    "ErrorsAreBackedOffFrom": Mistake(
        "LeaderDiscovery",
        "    /\\ backingOff' = [backingOff EXCEPT ![r] = TRUE]\n"
        "    /\\ UNCHANGED <<world, refresh, attempt>>\n",
        "    /\\ attempt' = [attempt EXCEPT ![r] = None]\n"
        "    /\\ UNCHANGED <<world, refresh, backingOff>>\n",
    ),
    "OnlyAFailedRequestIsBackedOffFrom": Mistake(
        "LeaderDiscovery",
        "    /\\ attempt' = [attempt EXCEPT ![r] = None]\n"
        "    /\\ backingOff' = [backingOff EXCEPT ![r] = FALSE]\n",
        "    /\\ attempt' = [attempt EXCEPT ![r] = None]\n    /\\ UNCHANGED backingOff\n",
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
        "    /\\ IsNews(r, response[r].currentLeader)\n"
        "    /\\ BackOff(r)\n    /\\ refreshWanted' = TRUE\n",
        "    /\\ IsNews(r, response[r].currentLeader)\n    /\\ BackOff(r)\n"
        "    /\\ UNCHANGED refreshWanted\n",
    ),
    "RequestsComeToAnEnd": Mistake(
        "LeaderDiscovery",
        "    /\\ ~KnowsNewer(r)\n",
        "    /\\ ~KnowsNewer(r) /\\ attempt[r].epoch = None /\\ leaderEpoch # None\n",
    ),
    "CurrentLeaderIsReached": Mistake(
        "LeaderDiscovery",
        "    /\\ b \\in Running\n    /\\ refreshWanted\n",
        "    /\\ b \\in Running \\cap {leader}\n    /\\ refreshWanted\n",
    ),
}
