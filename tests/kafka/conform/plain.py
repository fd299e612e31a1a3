"""The plain follower and the plain simulator in place of Kafka's, in workspaces of tests."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import lockstep_kafka.verbs.conform
import lockstep_kafka.verbs.simulate
import lockstep_kafka.workspaces
from tests.kafka.conform import plain_follower, plain_simulator

ROOT = Path(__file__).parents[3]
COMMAND = "tests.kafka.conform.plain_command"
"""The command `lockstep` with both; it needs `ROOT` in PYTHONPATH."""

Replace: TypeAlias = Callable[[object, str, object], None]
"""`setattr`, or that of a test's `monkeypatch`."""


def follow_plainly(replace: Replace) -> None:
    """Let logs be followed through the turnstile, by what their lines say."""
    replace(lockstep_kafka.verbs.conform, "observe", plain_follower.observe)
    replace(lockstep_kafka.workspaces, "MODEL", "turnstile")
    replace(plain_follower.UNPAID, "sentence", "nobody paid since {since}")
    replace(plain_follower.UNPAID, "requirements", ("9-1", "9-D1", "9-77"))
    replace(plain_follower.UNSEEN, "sentence", "it was open before the log begins")


def simulate_plainly(replace: Replace) -> None:
    """Let logs of numbers be simulated from the turnstile."""
    replace(lockstep_kafka.verbs.simulate, "PROGRAM", "tests.kafka.conform.plain_broker")
    replace(lockstep_kafka.verbs.simulate, "episodes", plain_simulator)
    replace(lockstep_kafka.workspaces, "MODEL", "turnstile")
