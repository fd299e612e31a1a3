"""Files that Kafka writes: which ones, in which order, and what each line of them says."""
