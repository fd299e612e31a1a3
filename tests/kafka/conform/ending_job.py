"""A process of `conform --jobs`, which is killed where a file has `swallowed` in its name."""

import os
import signal
import sys
from pathlib import Path

from msgspec import json

from lockstep_kafka.verbs.conform_jobs import follow
from lockstep_kafka.verbs.side_by_side import serve

if __name__ == "__main__":
    if "swallowed" in Path(json.decode(sys.argv[1])).read_text():
        os.kill(os.getpid(), signal.SIGKILL)
    serve(follow)
