"""Behaviours as sequence diagrams: processes, what they do, and the messages between them."""
