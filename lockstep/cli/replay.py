"""`lockstep replay`: takes a saved behaviour again, step by step."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.option import json_option
from lockstep.verbs.replay_request import ReplayRequest


@dataclass(frozen=True)
class ReplayView:
    """What `replay` prints."""

    json: bool = json_option()


def replay(request: ReplayRequest, view: ReplayView) -> int:
    """Take a saved counterexample again, step by step.

    Plain Python takes each step, and what it changes is shown.

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used.
    """
    from lockstep.report.output import Output
    from lockstep.report.replay_json import replay_json
    from lockstep.report.replay_text import print_replay
    from lockstep.verbs.replay import replay as run

    output, result = Output(), run(request)
    if view.json:
        output.json(replay_json(request.file, result))
    else:
        print_replay(output, result, request.pytest)
    return int(result.exit_code)
