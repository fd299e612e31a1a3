"""A model walked by hand, by plain Python: what can be done here, and what holds here."""
