"""Explicit-state search: engines that give successors, and the search that drives them."""
