"""`lockstep conform`: request logs of a running system against the model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option


def conform(
    logs: Annotated[list[Path], Argument(metavar="LOG...", help="Request logs, plain or gzip.")],
    model: Annotated[
        str | None, Option("--model", help="The model to follow; by default the only one.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Name every line that was not used.")
    ] = False,
) -> int:
    """Follow each session of request logs through the model.

    Exit codes: 0 every session conforms, 1 one departs, 2 a log cannot be read, 3 none departs,
    but one could not be judged or there was nothing to judge.
    """
    from lockstep.report.conform_json import conform_json
    from lockstep.report.conform_text import print_conform
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.verbs.conform import ConformRequest
    from lockstep.verbs.conform import conform as run

    result = run(ConformRequest(tuple(logs), model), watch=TerminalWatch())
    output = Output()
    if as_json:
        output.json(conform_json(result))
    else:
        print_conform(output, result, verbose=verbose)
    return int(result.exit_code)
