"""The releases of Apache Kafka whose classes are driven or whose source is read, with their jars.

`jars.json` has each jar of a release once, with its digest and what it is used for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from msgspec import json

from lockstep.system.maven import Artifact


@dataclass(frozen=True)
class _Jar(Artifact):
    uses: tuple[str, ...] = ()


_JARS = json.decode(
    resources.files(__package__).joinpath("jars.json").read_bytes(),
    type=dict[str, tuple[_Jar, ...]],
)


def _used_by(use: str) -> Mapping[str, tuple[Artifact, ...]]:
    """The jars of a use, by release, oldest first."""
    used = {
        release: tuple(one for one in jars if use in one.uses) for release, jars in _JARS.items()
    }
    return {release: jars for release, jars in used.items() if jars}


JARS = _used_by("classes")
"""Those with the classes of sessions. From 4.3 on these are in Java, and kafka-server has all."""
NEWEST = list(JARS)[-1]
RAFT_JARS = _used_by("quorum")
"""Those of a quorum, with Kafka's own tests of it: a log, a network and a clock that is turned.

Maven Central has no tests of 4.4.0.
"""
NEWEST_RAFT = list(RAFT_JARS)[-1]
BROKER_JARS = _used_by("broker")
"""Those of a whole broker."""
NEWEST_BROKER = list(BROKER_JARS)[-1]
SOURCES = _used_by("drift")
"""Those with the source that requirements rest on."""
