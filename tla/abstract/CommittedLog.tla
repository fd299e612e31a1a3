---------------------------- MODULE CommittedLog ----------------------------
(***************************************************************************)
(* KIP-630, and what it takes from KIP-595: a leader commits what a         *)
(* majority of the voters has, if that ends in a record of its epoch.  Who  *)
(* could be elected later has all of it.  No replica loses what it knows to *)
(* be committed.  A snapshot stands for committed records, all of them up   *)
(* to its end, and a log begins where a snapshot stands for what is before. *)
(*                                                                          *)
(* Not asked for: that what is fetched is newer than the log (630-D17), nor *)
(* that a replica keeps what is committed before it knows that: followers   *)
(* of an old leader may not.  The progress promised is followers_catch_up   *)
(* of snapshot_election, lagging_replica_catches_up of snapshot_fetch.      *)
(***************************************************************************)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Replicas, Voters,
          Deviations  \* what a twin knowingly does otherwise: of "630-D12", "630-D20", "630-D21"
                      \* and "630-D40"
VARIABLES
    elections, commits, \* what was so far: sets of [epoch, leader] and of [epoch, records]
    leading,            \* the replicas that act as leaders, each of its own epoch
    epoch,              \* of each replica: the newest that it knows
    highWatermark,      \* of each replica: how far it knows its records to be committed
    start, log,         \* of each replica: where its log begins, and the epochs of its records
    snapshots           \* of each replica: the records that each of its snapshots stands for

vars == <<elections, commits, leading, epoch, highWatermark, start, log, snapshots>>

First(records, n)    == SubSeq(records, 1, n)
LastEpoch(records)   == IF records = << >> THEN 0 ELSE records[Len(records)]
IsPrefix(one, other) == Len(one) <= Len(other) /\ one = First(other, Len(one))
IsMajority(members)  == 2 * Cardinality(members \cap Voters) > Cardinality(Voters)
Lesser(m, n)         == IF m < n THEN m ELSE n

Newer(one, other) == IF LastEpoch(one) = LastEpoch(other) THEN Len(one) > Len(other)
                     ELSE LastEpoch(one) > LastEpoch(other)

\* All that a replica has, below its log, too.
Records(r) ==
    IF start[r] = 0 THEN log[r]
    ELSE First(CHOOSE s \in snapshots[r] : Len(s) >= start[r], start[r]) \o log[r]

Latest(r) ==
    CHOOSE s \in snapshots[r] \cup {<< >>} : \A t \in snapshots[r] : Len(t) <= Len(s)
StandsFor(r) == IF Newer(Latest(r), Records(r)) THEN Latest(r) ELSE Records(r)

Follows(r, l) == r \notin leading /\ l \in leading /\ epoch[l] = epoch[r]

Init ==
    /\ \A won \in elections : epoch[won.leader] = won.epoch
    /\ Cardinality(elections) <= 1 /\ commits = {}
    /\ leading = {won.leader : won \in elections}
    /\ \A r \in Replicas :
        start[r] = 0 /\ log[r] = << >> /\ snapshots[r] = {} /\ highWatermark[r] = 0

(* Who may lead: "Changes to Leader Election".  Who stopped leads no more until elected again. *)
Elections ==
    /\ elections \subseteq elections' /\ \A won \in elections' \ elections :
        /\ won.leader \in Voters \cap leading'
        /\ \A other \in elections' \ {won} : other.epoch # won.epoch
        /\ IsMajority({v \in Voters : epoch'[v] >= won.epoch})
    /\ \A r \in leading' :
        \/ r \in leading /\ epoch'[r] = epoch[r]
        \/ [epoch |-> epoch'[r], leader |-> r] \in elections' \ elections

(* What is committed, and stays, whatever replicas truncate, lose by a crash or reset. *)
Commits ==
    commits \subseteq commits' /\ \A c \in commits' \ commits :
        /\ LastEpoch(c.records) = c.epoch
        /\ \A other \in commits' : IsPrefix(other.records, c.records)
        /\ \E l \in leading : epoch[l] = c.epoch /\ IsPrefix(c.records, Records(l))

IsCommitted(records) == records = << >> \/ \E c \in commits' : IsPrefix(records, c.records)

\* Who stands for this could win an election if it asked all for their votes.
CouldWin(this) == IsMajority({v \in Voters : ~Newer(StandsFor(v), this)})
CommittedStays ==
    /\ \A c \in commits' :
        /\ IsMajority({v \in Voters : IsPrefix(c.records, Records(v)')})
        /\ \A l \in leading' : epoch'[l] >= c.epoch => IsPrefix(c.records, Records(l)')
    /\ \A this \in {StandsFor(v)' : v \in Voters} :
        CouldWin(this)' => \A c \in commits' : IsPrefix(c.records, this)
    /\ \A r \in Replicas :
        /\ IsPrefix(First(Records(r), highWatermark[r]), Records(r)')
        /\ highWatermark'[r] <= Len(Records(r)')
        /\ IsCommitted(First(Records(r)', highWatermark'[r]))

(* What becomes of a replica's records. *)
Write(r)        == r \in leading' /\ Records(r)' = Append(Records(r), epoch'[r])
Replicate(r, l) == IsPrefix(Records(r), Records(r)') /\ IsPrefix(Records(r)', Records(l))

\* A crashed leader what was not on its disk, a follower what its leader does not have.
Lose(r) ==
    /\ IsPrefix(Records(r)', Records(r))
    /\ \/ r \in leading \ leading'
       \/ \E l \in Voters : LET cut == First(Records(r), Len(Records(r)') + 1)
                         IN  Follows(r, l) /\ ~IsPrefix(cut, Records(l))

\* "Handling Fetch Response": once a snapshot was fetched, of what the log does not have.
Reset(r) ==
    /\ r \notin leading' /\ ~IsPrefix(Latest(r)', Records(r))
    /\ Records(r)' = Latest(r)' /\ log'[r] = << >>

\* "Validation of Snapshot and Log": a log older than the latest snapshot waits for its reset.
Logs == \A r \in Replicas :
        \/ Records(r)' = Records(r) \/ Reset(r)
        \/ /\ ~Newer(Latest(r), Records(r))
           /\ Write(r) \/ Lose(r) \/ \E l \in Voters : Follows(r, l) /\ Replicate(r, l)

LogsAgree ==
    \A one, other \in {Records(r)' : r \in Replicas} : \A i \in DOMAIN one \cap DOMAIN other :
        one[i] = other[i] => First(one, i) = First(other, i)

(* What a snapshot may hold: "When to Snapshot", "Handling Fetch Request", "When to Delete". *)
Generated(r, s) == Len(s) <= highWatermark[r] /\ s = First(Records(r), Len(s))
\* From one that has it, or had: its log begins after what the two have in common.
Fetched(r, s) ==
    r \notin leading /\ \E q \in Replicas \ {r} :
        /\ s \in snapshots[q] \/ start[q] > Len(s)
        /\ \/ ~IsPrefix(First(s, Lesser(start[q], Len(s))), Records(r))
           \/ Deviations \cap {"630-D20", "630-D21"} # {}

Snapshots == \A r \in Replicas :
        /\ \A s \in snapshots'[r] \ snapshots[r] :
            Len(s) > Len(Latest(r)) /\ IsCommitted(s) /\ (Generated(r, s) \/ Fetched(r, s))
        /\ \A s \in snapshots'[r] : Len(s) >= start'[r]
        /\ \A s \in snapshots[r] \ snapshots'[r] :
            Len(s) < start'[r] \/ ("630-D40" \in Deviations /\ Len(Latest(r)') > Len(s))

(* Where logs begin: "When to Increase the LogStartOffset", "Validation of Snapshot and Log". *)
Raise(r) ==
    /\ start'[r] > start[r]
    /\ start'[r] <= highWatermark[r]
    /\ \/ r \in leading \/ "630-D12" \in Deviations
       \/ \E l \in Voters : Follows(r, l) /\ start'[r] = Lesser(start[l], Len(Latest(r)))
    /\ r \in leading \/ "630-D12" \in Deviations => \E s \in snapshots[r] : Len(s) = start'[r]

Starts == \A r \in Replicas :
        /\ start'[r] = start[r] \/ Raise(r) \/ Reset(r)
        /\ start'[r] > 0 => \E s \in snapshots'[r] :
            Len(s) >= start'[r] /\ (Len(s) <= highWatermark'[r] \/ "630-D40" \in Deviations)

Next ==
    /\ vars' # vars    \* TLC need not look at other steps
    /\ \A r \in Replicas : epoch'[r] >= epoch[r]
    /\ Starts /\ Snapshots /\ Elections /\ Commits /\ CommittedStays /\ Logs /\ LogsAgree

Spec == Init /\ [][Next]_vars
=============================================================================
