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

    Plain Python takes each step, and what it changes is shown. With --on another version of the
    model takes the steps: does a change stop this?

    Exit codes: 1 the violation is there again, 0 the model still behaves so but the property holds
    now, 3 the model has changed and no longer behaves so, 2 the file cannot be used. With --on: 1
    something is violated there, 0 the version does not go so, or violates nothing, 3 the recording
    does not say what the version would do.
    """
    from lockstep.report.output import Output

    if request.on is not None:
        return _on(request, view)
    from lockstep.report.replay_json import replay_json
    from lockstep.report.replay_text import print_replay
    from lockstep.verbs.replay import replay as run

    output, result = Output(), run(request)
    if view.json:
        output.json(replay_json(request.file, result))
    else:
        print_replay(output, result, request.pytest)
    return int(result.exit_code)


def _on(request: ReplayRequest, view: ReplayView) -> int:
    """Take it on another version."""
    from lockstep.report.output import Output
    from lockstep.report.replay_on_json import replay_on_json
    from lockstep.report.replay_on_text import print_replay_on
    from lockstep.verbs.replay_on import replay_on

    output = Output()
    with replay_on(request) as result:
        if view.json:
            output.json(replay_on_json(request.file, result))
        else:
            print_replay_on(output, result)
        return int(result.exit_code)
