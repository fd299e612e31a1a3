----------------------------- MODULE MCTurnstile -----------------------------
(* The numbers are those of a scope in specs/turnstile.toml. *)
EXTENDS Turnstile
=============================================================================
