"""`lockstep propose`: begins a proposal, a file that changes a model."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.verbs.option import json_option
from lockstep.verbs.propose_request import ProposeRequest


@dataclass(frozen=True)
class ProposeView:
    """What `propose` prints."""

    json: bool = json_option()


def propose(request: ProposeRequest, view: ProposeView) -> int:
    """Begin a proposal: a file that replaces functions of a model, or adds some.

    Exit codes: 0 the file was written, 2 the input cannot be used.
    """
    from lockstep.report.json import document
    from lockstep.report.output import Output
    from lockstep.verbs.propose import propose as begin
    from lockstep.words import shown_path

    output, proposed = Output(), begin(request)
    if view.json:
        row = {"model": proposed.model, "name": proposed.name, "file": str(proposed.file)}
        output.json(document([row], {"exit_code": 0}))
    else:
        output.line(f"wrote {shown_path(proposed.file)}")
        version = f"{proposed.model}.{proposed.name}"
        output.line(f"see what it changes with  lockstep review {proposed.model} {version}")
    return 0
