"""Runs a program and ends it when standard input ends: `python -c TEXT COMMAND...`.

Standard input is a pipe whose other end only lockstep holds, so it ends with lockstep, however that
dies. The process leads a group of its own, which ends as a whole. Unlike Linux's PR_SET_PDEATHSIG
this works on every POSIX system, reaches the children of the program too, and does not depend on
the thread that started it. Nothing of lockstep is imported here, to begin at once.
"""

import os
import signal
import subprocess
import sys
import threading


def _end_with_the_pipe() -> None:
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: None)  # the program may end in an order of its own
    threading.Thread(target=_end_with_the_pipe, daemon=True).start()
    try:
        code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        sys.exit(f"{sys.argv[1]} cannot be started: {error.strerror}")
    sys.exit(code if code >= 0 else 128 - code)  # as a shell counts the end by a signal
