"""`lockstep init`: makes a workspace."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.init_request import InitRequest
from lockstep.verbs.option import json_option


@dataclass(frozen=True)
class InitView:
    """What `init` prints."""

    json: bool = json_option()


def init(request: InitRequest, view: InitView) -> int:
    """Make a workspace with a small protocol, in which every check passes.

    A folder with other things in it becomes one as well: nothing that is there is changed.

    Exit codes: 0 the workspace is there, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.report.output import Output
    from lockstep.report.starter import initialized_json, print_initialized
    from lockstep.verbs.init import init as initialize

    output, made = Output(), initialize(request)
    if view.json:
        output.json(initialized_json(made))
    else:
        print_initialized(output, made)
    return 0
