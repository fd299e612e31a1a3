"""Simulators: what running brokers and clients may write, step by step of a model."""
