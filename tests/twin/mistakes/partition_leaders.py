"""Small changes of the twin of partition_leaders, each with the claim that it breaks."""

from tests.twin.mistakes.mistake import Mistake

MISTAKES = {
    "TypeOK": Mistake(
        "PartitionLeaders",
        "    /\\ registered = [b \\in Brokers |-> 0]\n",
        "    /\\ registered = [b \\in Brokers |-> -1]\n",
    ),
    "EachBrokerIsListedOnce": Mistake(
        "PartitionLeaders",
        "registered[b] = None \\/ b \\in {node.broker : node \\in Listed} THEN",
        "registered[b] = None THEN",
    ),
    "EveryReportedLeaderIsListed": Mistake(
        "PartitionLeaders",
        "b \\in {node.broker : node \\in Listed} THEN",
        "Listed # {} THEN",
    ),
    "OnlyReportedLeadersAreListed": Mistake(
        "PartitionLeaders", "/\\ Answer(p, leadership)\n", "/\\ Answer(p, None)\n"
    ),
    "PartitionsAreFetchedFromTheirLeaders": Mistake(
        "PartitionLeaders", "THEN leaders'[p] ELSE None]", "THEN fetchedFrom[p] ELSE None]"
    ),
    "AssignedPartitionsAreRequested": Mistake(
        "PartitionLeaders", "|-> p \\in Assigned]", "|-> p \\in Known]"
    ),
    "AResponseAssignsNothing": Mistake(
        "PartitionLeaders", "IF p \\in Assigned THEN leaders'", "IF p \\in Requested THEN leaders'"
    ),
    "ResponseAnswersTheRequest": Mistake(
        "PartitionLeaders", "    /\\ Requested = Answered\n    /\\ leaders'", "    /\\ leaders'"
    ),
    "EachPartitionLearnsItsOwnLeader": Mistake(
        "PartitionLeaders",
        "THEN answers[p].currentLeader ELSE leaders[p]]\n    /\\ endpoints'",
        "THEN answers[p].currentLeader\n"
        "         ELSE IF News = {} THEN leaders[p] ELSE None]\n    /\\ endpoints'",
    ),
    "LeadershipChangesByAResponseAlone": Mistake(
        "PartitionLeaders", "    /\\ p \\notin Known\n    /\\ registered", "    /\\ registered"
    ),
    "ReportedEndpointsOverride": Mistake(
        "PartitionLeaders",
        "IF News = {} THEN endpoints ELSE Overridden",
        "Overridden",
    ),
    "EndpointsComeWithLeaders": Mistake(
        "PartitionLeaders",
        "    /\\ leaders' = [leaders EXCEPT ![p] = None]\n"
        "    /\\ UNCHANGED <<registered, endpoints, ",
        "    /\\ leaders' = [leaders EXCEPT ![p] = None]\n"
        "    /\\ endpoints' = [b \\in Brokers |-> None]\n    /\\ UNCHANGED <<registered, ",
    ),
    "NewerLeaderIsSomewhere": Mistake(
        "PartitionLeaders",
        "    /\\ leaders' = [leaders EXCEPT ![p] = leadership]\n"
        "    /\\ endpoints' = [endpoints EXCEPT ![leadership.leader] = "
        "registered[leadership.leader]]\n",
        "    /\\ leaders' = [leaders EXCEPT ![p] = leadership]\n    /\\ UNCHANGED endpoints\n",
    ),
}
