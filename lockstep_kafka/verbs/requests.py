"""What is asked of `conform`, `drift` and `simulate`, in Python and on the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite
from os.path import isfile
from pathlib import Path
from typing import ClassVar

from lockstep.errors import LockstepError
from lockstep.requests.option import REQUIRED, Request, option, workspace_option
from lockstep.workspace import Workspace
from lockstep_kafka.simulated.log_writer import Compression

TOPIC_SCHEME = "kafka://"
"""How the name of a topic begins, in place of that of a file."""

_DAYS = re.compile(r"[1-9]\d{0,4}d")

_ELSEWHERE = ("--out", "--follow")

PLAIN, SPARK = ENGINES = ("plain", "spark")
"""Where lines are followed."""


@dataclass(frozen=True)
class ConformRequest(Request):
    """Logs to hold against a model."""

    apart: ClassVar = {
        "--kraft": ("--engine", "--model", "--broker-from", "--metrics", "--jobs", *_ELSEWHERE),
        "--jobs": _ELSEWHERE,
    }

    logs: tuple[str | Path, ...] = option(
        default=REQUIRED,
        metavar="LOG...",
        help="Request logs, plain or compressed by gzip or zstd: files, folders of files and "
        "folders, glob patterns, or - for standard input. With --engine spark also "
        "kafka://HOST:PORT/TOPIC, and no standard input.",
    )
    kraft: bool = option(
        "--kraft",
        default=False,
        help="Each LOG is the directory of a node instead: __cluster_metadata-0 with its snapshots "
        "and quorum-state, or the log directory that it is in. Its files are read, not followed.",
    )
    model: str | None = option(
        "--model",
        metavar="MODEL",
        help="The model to follow; fetch_session, and no other, has a follower.",
    )
    broker_from: str | None = option(
        "--broker-from",
        metavar="PATTERN",
        help="A regular expression that is searched in the path of each file; its group `broker` "
        "names the broker that wrote it. Default: a broker is known by its address.",
    )
    engine: str = option(
        "--engine",
        default=PLAIN,
        choices=ENGINES,
        help="Where lines are followed: in this process, or as tasks of Spark, into tables.",
    )
    master: str | None = option(
        "--master",
        metavar="URL",
        help="Spark's master, such as spark://HOST:PORT; default: all cores of this machine.",
    )
    out: Path | None = option(
        "--out",
        metavar="TABLES",
        help="The folder of tables to write, as --engine spark has to. What is in them is gone on "
        "with: only new lines are read.",
    )
    retain: str | None = option(
        "--retain",
        metavar="DAYSd",
        help="With --out: delete what was written to the tables more than so many days ago, such "
        "as 90d, and keep their files few.",
    )
    page: Path | None = option(
        "--page",
        metavar="FILE",
        help="Write what the tables say as a page of HTML, with plots, too.",
    )
    metrics: Path | None = option(
        "--metrics",
        metavar="FILE",
        help="Write counters of lines and remarks by client, version, broker and rule, in "
        "Prometheus's text format, too. Not with --out.",
    )
    jobs: int = option(
        "--jobs",
        default=1,
        least=1,
        most=1_024,
        metavar="N",
        help="How many brokers are followed at once, each by a process of its own. One broker's "
        "log is not split; files with lines of several brokers, and pipes, are followed by one.",
    )
    follow: bool = option(
        "--follow",
        default=False,
        help="Go on with the lines that come, until Ctrl-C: of one file, as it is rotated too, or, "
        "with --engine spark, of a topic.",
    )
    workspace: Workspace | None = workspace_option()
    most: int | None = None
    """How many sessions of each verdict, and how many lines that are not followed, the result
    keeps; all by default. All are counted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.engine == SPARK and self.out is None:
            raise LockstepError(
                "--engine spark writes tables, and no folder is named for them",
                cure="name one by --out",
            )
        topics = [log for log in map(str, self.logs) if log.startswith(TOPIC_SCHEME)]
        given = {
            "--master": self.master,
            "--page": self.page,
            "a topic": topics,
        }
        for flag, value in given.items():
            if self.engine != SPARK and value:
                raise LockstepError(
                    f"{flag} goes with --engine spark alone", cure="add --engine spark"
                )
        if self.metrics is not None and self.out is not None:
            raise LockstepError("--metrics does not go with --out", cure="ask the table `metrics`")
        if self.follow and self.out is not None and self.engine != SPARK:
            raise LockstepError(
                "--follow does not go with --out but for a topic, with --engine spark",
                cure="run the same again when files have grown",
            )
        if self.retain is not None and (self.out is None or not _DAYS.fullmatch(self.retain)):
            raise LockstepError(
                f"--retain {self.retain} is not how many days the tables of --out are kept",
                cure="write --out TABLES --retain 90d, for one day or more",
            )
        if topics and len(self.logs) > 1:
            raise LockstepError(
                "a topic is read by itself", cure="name one topic, or files, for each --out"
            )
        if self.follow and self.engine == SPARK and not topics:
            raise LockstepError(
                "--follow goes with a topic where --engine spark is given",
                cure="run the same again when files have grown",
            )
        if self.follow and not topics and not (len(self.logs) == 1 and isfile(self.logs[0])):
            raise LockstepError(
                "--follow goes with one file, which is there", cure="name the file that is written"
            )

    @property
    def retain_days(self) -> int | None:
        """For how many days tables keep what is written to them; None for ever."""
        return None if self.retain is None else int(self.retain.removesuffix("d"))


@dataclass(frozen=True)
class DriftRequest:
    """Two releases whose source is compared."""

    before: str = option(
        default=REQUIRED,
        metavar="A",
        help="A release of Apache Kafka, as 4.2.1, or a folder with source jars.",
    )
    after: str = option(default=REQUIRED, metavar="B", help="A later one.")
    workspace: Workspace | None = workspace_option()


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
