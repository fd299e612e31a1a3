"""Logs followed in columns: the lines that the model is known to explain, without Python objects."""
