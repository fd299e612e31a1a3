"""Explores a model by the engine that suits it."""
