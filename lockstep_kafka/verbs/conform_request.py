"""What is asked of `conform`, for Python and for the command line alike."""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.requests.option import REQUIRED, Request, option, workspace_option
from lockstep.workspace import Workspace

TOPIC_SCHEME = "kafka://"
"""How the name of a topic begins, in place of that of a file."""

_DAYS = re.compile(r"[1-9]\d{0,4}d")

PLAIN, SPARK = ENGINES = ("plain", "spark")
"""Where lines are followed."""


@dataclass(frozen=True)
class ConformRequest(Request):
    """Logs to hold against a model."""

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
    follow: bool = option(
        "--follow",
        default=False,
        help="Go on with the lines that come, until Ctrl-C: of one file, as it is rotated too, or, "
        "with --engine spark, of a topic.",
    )
    workspace: Workspace | None = workspace_option()
    most: int | None = None
    """How many sessions of each verdict, and how many lines that are not followed, the result
    keeps; all unless told. All are counted."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.engine == SPARK and self.out is None:
            raise LockstepError(
                "--engine spark writes tables, and no folder is named for them",
                cure="name one by --out",
            )
        of_logs = self.model, self.broker_from, self.metrics, self.follow
        if self.kraft and (self.engine == SPARK or self.out is not None or any(of_logs)):
            raise LockstepError(
                "--engine spark, --out, --model, --broker-from, --metrics and --follow do not go "
                "with --kraft",
                cure="leave them out",
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
