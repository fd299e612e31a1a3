"""Breadth-first search by levels over packed states, on all cores."""
