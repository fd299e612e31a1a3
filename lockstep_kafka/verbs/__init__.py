"""Verbs about logs: each is a function from a request to a result, without a terminal."""
