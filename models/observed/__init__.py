"""Followers: what running brokers and clients were seen to do, step by step of a model."""
