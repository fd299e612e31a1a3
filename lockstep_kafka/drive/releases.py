"""The releases of Apache Kafka whose classes are driven, and the jars of each."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep.system.maven import Artifact


def _of_kafka(version: str, digests: Mapping[str, str]) -> tuple[Artifact, ...]:
    return tuple(
        Artifact("org.apache.kafka", name, version, sha256) for name, sha256 in digests.items()
    )


def _scala(version: str, sha256: str) -> Artifact:
    return Artifact("org.scala-lang", "scala-library", version, sha256)


def _scala_logging(version: str, sha256: str) -> Artifact:
    return Artifact("com.typesafe.scala-logging", "scala-logging_2.13", version, sha256)


def _validator(version: str, sha256: str) -> Artifact:
    return Artifact("commons-validator", "commons-validator", version, sha256)


def _log4j(version: str, api: str, core: str) -> tuple[Artifact, ...]:
    group = "org.apache.logging.log4j"
    return Artifact(group, "log4j-api", version, api), Artifact(group, "log4j-core", version, core)


_OF_ALL = (
    Artifact(
        "com.yammer.metrics",
        "metrics-core",
        "2.2.0",
        "6b7a14a6f34c10f8683f7b5e2f39df0f07b58c7dff0e468ebbc713905c46979c",
    ),
    Artifact(
        "org.slf4j",
        "slf4j-api",
        "1.7.36",
        "d3ef575e3e4979678dc01bf1dcce51021493b4d11fb7f1be8ad982877c16a1c0",
    ),
    # Without a binding SLF4J complains on standard error.
    Artifact(
        "org.slf4j",
        "slf4j-nop",
        "1.7.36",
        "c214958b07816cb4412b30c7bdbd4308ffdc6ba2a83767b8f3a9229cbd9274d6",
    ),
)

_SCALA_15 = _scala("2.13.15", "8e4dbc3becf70d59c787118f6ad06fab6790136a0699cd6412bc9da3d336944e")
_LOGGING_5 = _scala_logging(
    "3.9.5", "87a3017d3f43e6ace7566fe4c3d615134c6914ff871c8d64bb32ca1d996d0545"
)
_VALIDATOR_9 = _validator(
    "1.9.0", "c3c14748e2d78db58df88808740711bd643b32c45ffa7b8a739f00fb467cd7d7"
)

JARS: Mapping[str, tuple[Artifact, ...]] = {
    "3.9.1": (
        *_of_kafka(
            "3.9.1",
            {
                "kafka_2.13": "5631c61356d55611c158291a69ad028f3c4fed5d0a610c62a0853c65c89d10f6",
                "kafka-clients": "7568b998572d256f0b7bc0afdc1b7a2588b8b08415c62ce314c864a6851ae9d9",
                "kafka-server-common": (
                    "99f1f5f81e9d39cfbe5c96ab8e3854be8deca465937192c9a6e2f231678d31f6"
                ),
            },
        ),
        _SCALA_15,
        _LOGGING_5,
        _validator("1.7", "4d74f4ce4fb68b2617edad086df6defdf9338467d2377d2c62e69038e1c4f02f"),
        *_OF_ALL,
    ),
    "4.0.1": (
        *_of_kafka(
            "4.0.1",
            {
                "kafka_2.13": "fba6da72afd46f708149f6345111354644dc7b28e7adc31f0ee800930d8dbe5b",
                "kafka-clients": "ef3e6bc207822302c36c4c5870007fdfc76659c033eb7e4e079db3b34f30443c",
                "kafka-server-common": (
                    "ab94b2013089199365a075c9ae59ecb91430902aaf4ccfc20277b87d886f45e4"
                ),
            },
        ),
        _SCALA_15,
        _LOGGING_5,
        _VALIDATOR_9,
        *_OF_ALL,
    ),
    "4.1.1": (
        *_of_kafka(
            "4.1.1",
            {
                "kafka_2.13": "e89428126cc7630a802123ba27aac4442816840b66d60670226feaff65f24fd1",
                "kafka-clients": "00247122a572c3d3ae4eb60a50192a5811bc0181f51923d13018600f892e821d",
                "kafka-server": "9f6aff422855491aad54326eca8d604163d6d3a6507cc48ffe3ce6de73caf79a",
                "kafka-server-common": (
                    "207edecd8322cf6c13d76d84addea7fd0ec441dc8d698cf69df43210ccdc0a94"
                ),
            },
        ),
        _scala("2.13.16", "1ebb2b6f9e4eb4022497c19b1e1e825019c08514f962aaac197145f88ed730f1"),
        _LOGGING_5,
        _VALIDATOR_9,
        *_log4j(
            "2.24.3",
            api="5b4a0a0cd0e751ded431c162442bdbdd53328d1f8bb2bae5fc1bbeee0f66d80f",
            core="7eb4084596ae25bd3c61698e48e8d0ab65a9260758884ed5cbb9c6e55c44a56a",
        ),
        *_OF_ALL,
    ),
    "4.2.0": (
        *_of_kafka(
            "4.2.0",
            {
                "kafka_2.13": "0490bc0a8675f9217c52b788c8a586f692ad5ae34a50a3ed370d2533b01bdbcb",
                "kafka-clients": "bcf39f152c5553c2501a491fc4a73c5b0330741e8eed96a481323b8ee89738af",
                "kafka-server": "907c4c0ec05b99d311ab945be9747d5ac6f1697702529a8be55022126ca3742e",
                "kafka-server-common": (
                    "e99890e8e09784e4d84f9295db4012c73cde6c2cddba0a4e104cb102e18e4aa0"
                ),
            },
        ),
        _scala("2.13.17", "b7822c4225243215f185925724a6edff92cf18777a136cc738276c4446fac76c"),
        _scala_logging("3.9.6", "0ad0c3f4d89d538b3b6c300158555e266aa69cf1b5f6522aba8b5bad238eb994"),
        _validator("1.10.1", "ed74711a78d793ca37f6075e4a1e93d107233dfd20d0bb17e32bad88d38e56aa"),
        *_log4j(
            "2.25.3",
            api="e886682920fa0fb9d6eb6395dcb4de088443f8646c89c5e5846e168e327f406f",
            core="362b7fcb65b73aa46cc4bc53abf4eb216f444a83b5d1a037cb6fdfff0ae9f0f9",
        ),
        *_OF_ALL,
    ),
    # From here on the session classes are in Java, and kafka-server has all of them.
    "4.3.1": (
        *_of_kafka(
            "4.3.1",
            {
                "kafka-clients": "52501b7b47510c66f898871adaf6d2968ab7246561d44ced43643a8a587f0b36",
                "kafka-server": "01d736599ec3b0cdbb0480c15219170b28cdae189785e7f0c6f1f26e528eaebc",
                "kafka-server-common": (
                    "d7c719f749579a399011f0df7414de8a78f10f074a6122caa550fdb141351575"
                ),
            },
        ),
        *_OF_ALL,
    ),
    "4.4.0": (
        *_of_kafka(
            "4.4.0",
            {
                "kafka-clients": "1ab07317eb6633241392449d329dbdc5d9251e6ffc4926860f42dd966e88bdf9",
                "kafka-server": "5f5456c2976203525080220212639f7033274b94458ceabf44197f4800bd615c",
                "kafka-server-common": (
                    "e50931831a27a2f3eb6cf74e8d63cc325b4e98656f30e94f8829297951ca5080"
                ),
            },
        ),
        *_OF_ALL,
    ),
}
"""By release, oldest first."""

NEWEST = list(JARS)[-1]


def _of_raft(version: str, raft: str, raft_test: str, clients_test: str) -> tuple[Artifact, ...]:
    group, shared = "org.apache.kafka", ("kafka-clients", "kafka-server-common")
    return (
        Artifact(group, "kafka-raft", version, raft),
        Artifact(group, "kafka-raft", version, raft_test, "test"),
        Artifact(group, "kafka-clients", version, clients_test, "test"),
        *(one for one in JARS[version] if one.name in shared),
        *_OF_ALL,
    )


RAFT_JARS: Mapping[str, tuple[Artifact, ...]] = {
    "3.9.1": _of_raft(
        "3.9.1",
        raft="0d4236cf868f8668c74c49bec4bed41e400bb13d6d381a0f8e9843585b2f159f",
        raft_test="f56e59455f0dcdb44b8c6fe40641921c1f21644e6f45595b91e0ee2ba05bfa1b",
        clients_test="fa9f4a85cf830fdbf483251f12d091cf9630f30d54faa71a433561d7dcbd7394",
    ),
    "4.0.1": _of_raft(
        "4.0.1",
        raft="1617ebb235c41710a28f30958d3de4f7b038195ba1e13fc20ab8a70a8e225af4",
        raft_test="d55331433763ad91eab92f85f9df348c63798e518e51c7b0cdbeff578700415e",
        clients_test="ac28731fcd70f4db42ddfa626cb7b3ac3cae8947dac29a10929fa6a3f33e7651",
    ),
    "4.1.1": _of_raft(
        "4.1.1",
        raft="4810c93d93d1935dd54de61c5ba130f501c7fe11bc49ccd3ee05ec857818a72a",
        raft_test="174c4dd8dfff626cc78ec855024c41e7bd262c1bfddfc007b5a51808233638f5",
        clients_test="a4bc7dfd20de35dd351ac82cde6562f80fa1cf53ba6f7d3dc4f70375698dc10e",
    ),
    "4.2.0": _of_raft(
        "4.2.0",
        raft="206c9580c4a9dde784e36508cdb1b020debb5a49b465712958e05cd6cc4da256",
        raft_test="f0bb9d152a5d9f0ab34e24a26954b4ceced42a95ba22f73828a3f18dd689ab67",
        clients_test="c547e9ea438822d5e7ee8190db3bdcd51cab7f6339d446657e33e642fed485f5",
    ),
    "4.3.1": _of_raft(
        "4.3.1",
        raft="46abbf89806dd22d848e997cdfb1431524cab4ec88e38a7d2806e20b24a70609",
        raft_test="af410208a3f69ba7d0e074cba1aa341025c467b7c6d1f6c05a17fd90bc51a5b6",
        clients_test="c51ed05ff7c7fd618f920b147e0bb44af2de5384101c531ccbef5098199f0d44",
    ),
}
"""The jars of a quorum, with Kafka's own tests of it: a log, a network and a clock that is turned.

Maven Central has no tests of 4.4.0.
"""

NEWEST_RAFT = list(RAFT_JARS)[-1]
