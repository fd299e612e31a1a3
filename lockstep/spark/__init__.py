"""Jobs on Spark: logs of a fleet, exploration past one machine, many checks at once."""
