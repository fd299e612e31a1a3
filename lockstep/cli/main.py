"""The command `lockstep`: how its process begins and ends."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.system.interruption import INTERRUPTION

if TYPE_CHECKING:
    from lockstep.workspace import Workspace

# The rest is imported where Ctrl-C is reported in one line.


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (by default the process's) and return its exit code.

    Nothing is raised: failures meant for the reader go to standard error without a traceback, and
    anything else that a verb raises is a mistake in lockstep itself, reported in one line, with
    exit code 70.
    """
    from lockstep.results.verdict import INTERRUPTED
    from lockstep.system.crash import InternalError, tell

    try:
        code = _run_verb(sys.argv[1:] if arguments is None else arguments)
    except LockstepError as error:
        tell(f"lockstep: {error}")
        return int(error.exit_code)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BaseException as error:
        if not INTERRUPTION.has_come:
            crash = InternalError(error, _workspace())
            tell(f"lockstep: {crash}")
            return int(crash.exit_code)
        code = INTERRUPTED
    if code == INTERRUPTED:
        tell("lockstep: interrupted")
    return code


def _workspace() -> Workspace | None:
    """The workspace, for a report; None where there is none, for it may be what is broken."""
    from lockstep.workspace import find_workspace

    try:
        return find_workspace()
    except Exception:
        return None


def _run_verb(arguments: Sequence[str]) -> int:
    from lockstep.system.crash import guarded_output, thread_crashes

    with thread_crashes() as crashes, guarded_output():
        from lockstep.cli.app import run_verb

        code = run_verb(arguments)
    INTERRUPTION.heed()
    if crashes:
        raise crashes[0]
    return code


def main() -> None:
    """The entry point of the installed command."""
    try:
        INTERRUPTION.listen()
        code = _prepare() or run()
    except KeyboardInterrupt:
        from lockstep.results.verdict import INTERRUPTED
        from lockstep.system.crash import tell

        tell("lockstep: interrupted")
        code = INTERRUPTED
    INTERRUPTION.stop_listening()
    sys.exit(code)


def _prepare() -> int:
    """Make the process fit to run in; an exit code other than 0 if it cannot be."""
    import os

    from lockstep.system.crash import open_streams, tell
    from lockstep.system.resident import look_seldom

    look_seldom()
    # Nothing here uses the threads of numpy's linear algebra.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        open_streams()
    except LockstepError as error:
        tell(f"lockstep: {error}")
        return int(error.exit_code)
    return 0
