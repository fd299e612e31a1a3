"""The day whose share of the dear tests is run; $LOCKSTEP_DAY names another, to repeat it."""

import datetime
import os

VARIABLE = "LOCKSTEP_DAY"


def day() -> int:
    """The number of the day; one and the same in all processes of a run."""
    today = str(datetime.datetime.now(datetime.UTC).toordinal())
    return int(os.environ.setdefault(VARIABLE, today))
