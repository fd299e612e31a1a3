"""Side-by-side measurements of lockstep and of other ways to explore the same states."""
