"""What `lockstep conform` costs: for a line, for a connection, and for a partition."""
