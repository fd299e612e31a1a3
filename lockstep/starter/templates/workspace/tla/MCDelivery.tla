----------------------------- MODULE MCDelivery -----------------------------
(* The numbers are those of a scope in specs/delivery.toml. *)
EXTENDS Delivery
=============================================================================
