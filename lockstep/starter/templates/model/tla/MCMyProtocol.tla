---------------------------- MODULE MCMyProtocol ----------------------------
(* The numbers are those of a scope in specs/my_protocol.toml. *)
EXTENDS MyProtocol
=============================================================================
