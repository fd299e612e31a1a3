"""`lockstep conform`: request logs of a running system against the model."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.conform_request import ConformRequest
from lockstep.verbs.option import json_option, option


@dataclass(frozen=True)
class ConformView:
    """What `conform` prints."""

    verbose: bool = option(
        "--verbose", "-v", default=False, help="Print every line that was not used."
    )
    json: bool = json_option()


def conform(request: ConformRequest, view: ConformView) -> int:
    """Follow each session of request logs through the model.

    Exit codes: 0 every session conforms, 1 one departs, 2 a log cannot be read, 3 none departs,
    but one could not be judged or there was nothing to judge.
    """
    from lockstep.report.conform_json import conform_json
    from lockstep.report.conform_text import print_conform
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.verbs.conform import conform as run

    output, result = Output(), run(request, watch=TerminalWatch())
    if view.json:
        output.json(conform_json(result))
    else:
        print_conform(output, result, verbose=view.verbose)
    return int(result.exit_code)
