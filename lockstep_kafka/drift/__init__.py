"""Which of what the requirements rest on changed between two releases of Apache Kafka."""
