"""`lockstep new`: begins a protocol in a workspace."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.new_request import NewRequest
from lockstep.verbs.option import json_option


@dataclass(frozen=True)
class NewView:
    """What `new` prints."""

    json: bool = json_option()


def new(request: NewRequest, view: NewView) -> int:
    """Begin a protocol: a model, its claims, faults, scopes, twin and test, all of which pass.

    Exit codes: 0 the files were written, 2 the input cannot be used, and nothing was written.
    """
    from lockstep.report.output import Output
    from lockstep.report.starter import begun_json, print_begun
    from lockstep.verbs.new import new as begin

    output, begun = Output(), begin(request)
    if view.json:
        output.json(begun_json(begun))
    else:
        print_begun(output, begun)
    return 0
