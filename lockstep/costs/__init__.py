"""What a scenario costs: the fewest and the most of what is counted, from one point to a goal."""
