"""What is asked of `simulate`, for Python and for the command line alike."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from lockstep.requests.option import option, workspace_option
from lockstep.workspace import Workspace
from lockstep_kafka.simulated.log_writer import Compression

MOST_BROKERS = 250
_MOST_LINES = 10**12


def _names(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Names that are given one by one, or several with commas."""
    return tuple(name for text in texts for name in text.split(",") if name)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a share of lines, as 0.001 is") from None
    if not isfinite(share) or not 0 <= share <= 1:
        raise ValueError(f"{text!r} is not a share of lines, which is from 0 to 1")
    return share


def _compression(text: str) -> Compression:
    try:
        return Compression(text)
    except ValueError:
        raise ValueError(f"{text!r} is none of {', '.join(Compression)}") from None


@dataclass(frozen=True)
class SimulateRequest:
    """Logs to be written from a model."""

    model: str | None = option(
        metavar="MODEL", help="The model; fetch_session, and no other, has a simulator."
    )
    log: Path | None = option(
        "--log", metavar="OUT", help="A folder that is not there yet: it gets a folder a broker."
    )
    lines: int = option(
        "--lines", default=100_000, least=1, most=_MOST_LINES, help="How many lines in all."
    )
    brokers: int = option(
        "--brokers", default=1, least=1, most=MOST_BROKERS, help="How many brokers write a log."
    )
    clients: int = option(
        "--clients",
        default=12,
        least=1,
        most=100_000,
        help="Fetchers of each broker at a time; every fourth is a follower if there are brokers "
        "to be one.",
    )
    partitions: int = option(
        "--partitions", default=16, least=1, most=100_000, help="Partitions that a broker leads."
    )
    seed: int = option(
        "--seed", default=0, help="What is drawn by chance: equal seeds write equal files."
    )
    departures: float = option(
        "--departures",
        default=0.0,
        parse=_share,
        metavar="RATE",
        help="The share of lines at which something departs from the protocol, as 0.001.",
    )
    kinds: tuple[str, ...] = option(
        "--kinds",
        default=(),
        gather=_names,
        metavar="KIND,...",
        help="The kinds of departures. Default: all.",
    )
    behaviours: int = option(
        "--behaviours",
        default=250,
        least=1,
        most=1_000_000,
        help="How many different behaviours of the model each broker's log is made of; a longer "
        "log has them again, under other names and at other times.",
    )
    rotate_mb: int = option(
        "--rotate-mb",
        default=100,
        least=1,
        most=1_000_000,
        metavar="MB",
        help="Begin another file after so many megabytes of lines.",
    )
    compress: Compression = option(
        "--compress",
        default=Compression.NONE,
        parse=_compression,
        metavar="gzip|zstd|none",
        help="Compress the files.",
    )
    jobs: int | None = option(
        "--jobs", least=1, most=1_024, help="Brokers written at once. Default: one a core."
    )
    workspace: Workspace | None = workspace_option()
