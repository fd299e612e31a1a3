"""Files that Kafka writes, as they stand: what is read here is followed in `models/observed/`."""
