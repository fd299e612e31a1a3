"""Z3 answers for widths that no search reaches: bounded and inductive proofs of models."""
