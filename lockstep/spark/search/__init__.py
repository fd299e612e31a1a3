"""An exact search of all reachable states on Spark, level by level."""
