"""Apache Kafka's logs: read, followed through a model, on Spark too, and simulated."""
