------------------------------ MODULE MCLetters ------------------------------
(* The numbers are those of a scope in specs/letters.toml. *)
EXTENDS Letters
=============================================================================
