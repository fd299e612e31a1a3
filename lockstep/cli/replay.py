"""`lockstep replay`: takes a saved behaviour again, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option


def replay(
    file: Annotated[Path, Argument(metavar="FILE", help="A trace that `check` saved.")],
    pytest: Annotated[
        Path | None, Option("--pytest", metavar="FILE", help="Write the trace as a pytest file.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
) -> int:
    """Take a saved counterexample again, step by step.

    Plain Python takes each step, and what it changes is shown.

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used.
    """
    from lockstep.report.output import Output
    from lockstep.report.replay_json import replay_json
    from lockstep.report.replay_text import print_replay
    from lockstep.verbs.replay import ReplayRequest
    from lockstep.verbs.replay import replay as run

    result = run(ReplayRequest(file, pytest))
    output = Output()
    if as_json:
        output.json(replay_json(file, result))
    else:
        print_replay(output, result, pytest)
    return int(result.exit_code)
