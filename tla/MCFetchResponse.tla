--------------------------- MODULE MCFetchResponse ---------------------------
(* Bounds for TLC. The numbers are those of a scope in specs/fetch_response.toml. *)
EXTENDS FetchResponse

CONSTANT MaxBacklog

MCMessages     == 0 .. MaxBacklog
MCMayAppend(p) == backlog[p] < MaxBacklog

\* TLC's configuration files know no sequences.
MCFirstOrder == Lists!SubSeq(<<"p1", "p2", "p3", "p4">>, 1, Cardinality(Partitions))
=============================================================================
