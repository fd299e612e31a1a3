"""`conform --engine spark`, killed at one place, the first argument.

The place is `inputs`, when the new lines are in the table of inputs; a number, when as many tables
of the first batch are written; or `batch`, when all are, and nothing is tidied up yet.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any
from unittest.mock import patch

from lockstep.cli.main import main
from lockstep_kafka.fleet.batch import FollowBatch
from lockstep_kafka.fleet.run import Run
from lockstep_kafka.fleet.spark_tables import Tables


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(place: str) -> None:
    replace, follow = Tables.replace, FollowBatch.__call__
    written = 0
    lock = threading.Lock()

    def replaced(*arguments: Any) -> None:
        nonlocal written
        replace(*arguments)
        with lock:
            written += 1
            if str(written) == place:
                die()

    def followed(*arguments: Any) -> None:
        follow(*arguments)
        if place == "batch":
            die()

    patch.object(Tables, "replace", replaced).start()
    patch.object(FollowBatch, "__call__", followed).start()
    if place == "inputs":
        patch.object(Run, "_follow_all", lambda *_: die()).start()


if __name__ == "__main__":
    _, place, *arguments = sys.argv
    die_at(place)
    sys.argv = ["lockstep", "conform", "--engine", "spark", *arguments]
    main()
