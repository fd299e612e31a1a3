"""The jars that Spark does not ship: Delta Lake's tables, and Kafka's topics as a source."""

from __future__ import annotations

from lockstep.system.maven import Artifact

TABLE_JARS = (
    Artifact(
        "io.delta",
        "delta-spark_4.1_2.13",
        "4.2.0",
        "8480050a55c7e50427f3bec3af9243f98fc7cbfa453a2ef55e6ea8d0b7b121ff",
    ),
    Artifact(
        "io.delta",
        "delta-storage",
        "4.2.0",
        "2d84df76551f2b3cd27b120abec67ccbba324cea6ec45eb659edcc54234f99f3",
    ),
)
"""The release of Delta Lake that is built for Spark 4.1."""

SOURCE_JARS = (
    Artifact(
        "org.apache.spark",
        "spark-sql-kafka-0-10_2.13",
        "4.1.1",
        "9c1ce986f548e6b1dcb0e2dfe2f253a0bc58f2232a32a0c9c6c674dd25a8570c",
    ),
    Artifact(
        "org.apache.spark",
        "spark-token-provider-kafka-0-10_2.13",
        "4.1.1",
        "e510adc37b03d01d0a190d0dab472b5538e05eaa77454f7e9477156d7a6820ae",
    ),
    Artifact(
        "org.apache.kafka",
        "kafka-clients",
        "3.9.1",
        "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9",
    ),
    Artifact(
        "org.apache.commons",
        "commons-pool2",
        "2.12.1",
        "5273c8bc8c0dca2211175c0d27efbd7228efae99689aac001a8e1ef8e872e9ef",
    ),
)
"""Spark's own source, with the client and the pool that its POM names."""
