"""Conformance of a fleet: logs of many brokers, followed on Spark, into Delta tables."""
