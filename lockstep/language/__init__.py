"""The notation: domains, values, and the one front end from Python text to a small typed IR."""
