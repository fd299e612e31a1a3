"""Drivers of Apache Kafka's own classes, for `lockstep drive`."""
