"""Many checks at once: tasks as data, the longest first, each row kept as soon as it is there."""
