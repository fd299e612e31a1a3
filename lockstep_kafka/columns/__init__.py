"""Logs followed in columns: what the model is known to explain makes no Python objects."""
