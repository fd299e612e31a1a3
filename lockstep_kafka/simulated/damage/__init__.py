"""Damage to a log: what brokers and clients never write, and a proof that the log shows it."""
