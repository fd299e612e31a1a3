"""The releases of Kafka whose source is compared, its jars, and notes of those who read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import nearest
from lockstep.specs.tables import NO_ROWS, NOTHING, Content, Keys, Rows, Table, Texts, read_toml
from lockstep.system.maven import Artifact
from lockstep.system.text_files import is_file

_DIGESTS: Mapping[str, Mapping[str, str]] = {
    "3.9.1": {
        "kafka-clients": "c211f8a687785adf2629245768c0882934ee713e02b878a32202df5d81bd747c",
        "kafka-metadata": "a5df6c3a144fde94e0377911ef64a83c8fedabced517e44f8f6f1bdaceb2fb94",
        "kafka-raft": "32df29cc35db2759bd6df53248e90ea0d4366fb750fdc551211195f271cdf620",
        "kafka-server": "a84f3ebedc01cb6e13b7549f6e7ade71b5ed6bae6881d10c9948a8a7fc436b31",
        "kafka-server-common": "a5391515a5d9239c06757715fa6f4e61314be8e6152fec6addcd4b14c50c3abe",
        "kafka-storage": "ef70ba05d45148646f85a5f9b2102fa30320d611706457eee05d052cbdaaa094",
        "kafka_2.13": "89c68184e74a4eb27c3fb16d3ea4be0fed75c808e6d3bfaade0e151a6eecb0f6",
    },
    "4.0.1": {
        "kafka-clients": "5e7e892f6ce3b2a3bcf046366787f11b6b2d92509952e5089a5056c3737f3b8b",
        "kafka-metadata": "3995a7273b6799b529306517d76e0a5b0596a11968b431fc903d529ba7a2872b",
        "kafka-raft": "03058b3e3fdf4425f98946305d3a02e2d9bba40a089a2ec7472ebdd6ea9e94cc",
        "kafka-server": "dbd508dcd1a7b155cbcb980f6e07cb9cd636bee4561541124d1b039fc8922d3d",
        "kafka-server-common": "8d93166a80817887b3203c1310f84a7bc4f3e2b24be36ec91af69989f21bf5f5",
        "kafka-storage": "ad989c7bb6c2f0bdfc664a6fa758b14fa82fc1ccfc819403db287af12b8d2007",
        "kafka_2.13": "3720a38799fe869719e0f8d5d2cd97ce27e9e72e84dd72f7560dc63d8e9aa581",
    },
    "4.1.1": {
        "kafka-clients": "166156dca79c274aa190e84adf419357eb0c18827fe5e2790096ca7056b51df6",
        "kafka-metadata": "9b4607e5c66279202d8750fb1c84e25e3c28a78aeb91c54d8797d22f7822cc31",
        "kafka-raft": "3b77a1be41e2a3a1ec1bef9dcf1ef52b50e4c2db724f6a111be588108dcd48f1",
        "kafka-server": "47b5e57a8fc315653c3f6bc8da17493ff0cad7a4cbc2062a2a9aef6b63c29b8b",
        "kafka-server-common": "c13be4e66d54fd35bbac63c8dec66e31ec0cbb4701db61e8b5fda6aec15afca3",
        "kafka-storage": "eaf52fdd0f17bc2bb0c0d56c5cb12eee16cb0f94609299853163e7277fe7e431",
        "kafka_2.13": "900369dceb68271aa1f767d9cf86a02ffa377caf5facf38ebbddce4a675911cb",
    },
    "4.2.1": {
        "kafka-clients": "e111566a7f61cc93734ca12f0285a3e96bd8fcd39e7de85a996285dea667377a",
        "kafka-metadata": "8f6d27c6c172b61f42f65df7dd718710d01a9c8ca586f6e230442ab2f03528fa",
        "kafka-raft": "478882e0d82fc81fb9fefc0c61a6494f3856ef7782380e2d0cba573d431e6758",
        "kafka-server": "c75957d7b9dbe863c18c476b415ce18847cfbef12a2920e81f95508c93a50468",
        "kafka-server-common": "0fa253875b9b15d5d5b244afdaaac73460b2278e3c5918aa723f63b0c67207a3",
        "kafka-storage": "4d12a239447b9c5afe82d6bc48d76a6cd43b10b9bb7ce2486a538a025d5b17b3",
        "kafka_2.13": "6761536005e3f1fb7c4dd23d6967f8223705c45f72dacebb2c15bdbe8d624b74",
    },
    "4.3.1": {
        "kafka-clients": "074a971220d7dd862a2485eda8d9f2530bff977bd1e74ea944d8cc80b34b0d2e",
        "kafka-metadata": "9fe4862c73e501e4e35dc9acb161acab1c77114ed73948f5405337aab74afcce",
        "kafka-raft": "62a12abd61b24dba55fdc7a6bb3544432f3f8a3753ffc6efddf1a04b208460cb",
        "kafka-server": "d102d63fdd7d05e2f216140b3542d2d70b26d55d8c753d49304892dfc7f027ee",
        "kafka-server-common": "6e6f84b32a25fbaccb026b061d6dcec7da3fce679f5a45feeeee391f381878c4",
        "kafka-storage": "5f59832cad1f03045555fd12f333cd21cfebab5e1255128a753f4073fba10fad",
        "kafka_2.13": "8cd3f8bff5c95bdb90552a8d5ad179efb686017ecf8562467b27991af1fd7056",
    },
}

SOURCES: Mapping[str, tuple[Artifact, ...]] = {
    release: tuple(
        Artifact("org.apache.kafka", name, release, sha256, "sources")
        for name, sha256 in digests.items()
    )
    for release, digests in _DIGESTS.items()
}
"""By release, oldest first: those whose source is in Maven Central."""


READINGS_FILE = "specs/kafka/drift.toml"

GONE = "gone"
"""Stands for the digest of a method that a release does not have."""


class Reading(Keys, frozen=True):
    """One method as one release has it, and the rows that were compared with it."""

    of: str
    release: str
    """Where it was read; another one may have the same text."""
    digest: str
    words: str
    """What changed, in our own words."""
    stands: Texts = ()
    """The rows that are true of it as they were written."""
    mended: Texts = ()
    """The rows that were not, and are now."""


class _Document(Keys, frozen=True):
    former: Content = NOTHING
    reading: Rows = NO_ROWS


@dataclass(frozen=True)
class Readings:
    """All that was read, by method and digest.

    `former` are the names that classes had before, by those that they have now.
    """

    former: Mapping[str, str]
    readings: Mapping[tuple[str, str], Reading]


def read_readings(root: Path, rests_on: Mapping[str, tuple[str, ...]]) -> Readings:
    """The readings of a workspace; none where there is no such file.

    `rests_on` are the rows that rest on each method. `LockstepError` for a reading of another
    method or row, and for a second one of the same text.
    """
    file = root / READINGS_FILE
    if not is_file(file):
        return Readings({}, {})
    document = read_toml(file)
    former = document.read(_Document).former
    for name, before in former.items():
        if not isinstance(before, str):
            raise document.table("former").error(f'"{name}"', "is not the name of a class")
    readings: dict[tuple[str, str], Reading] = {}
    for reading, table in _readings(document):
        if reading.of not in rests_on:
            raise table.error(
                "of", f"no row rests on {reading.of}", nearest(reading.of, rests_on, "remove it")
            )
        for key, rows in (("stands", reading.stands), ("mended", reading.mended)):
            for row in rows:
                if row not in rests_on[reading.of]:
                    raise table.error(key, f"{row} does not rest on {reading.of}", "remove it")
        if (reading.of, reading.digest) in readings:
            raise table.error("digest", f"{reading.of} was read as it is here twice")
        readings[reading.of, reading.digest] = reading
    return Readings(former, readings)


def _readings(document: Table) -> Iterator[tuple[Reading, Table]]:
    for table in document.tables("reading"):
        yield table.read(Reading), table
