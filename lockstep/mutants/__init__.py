"""Mutants: a model with one small change each, and what becomes of it."""
