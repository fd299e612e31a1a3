"""A module around the twin that stops TLC once it has found more states than the model has.

A wrong twin easily has no end of states, and they are not needed: TLC searches breadth first, and
when there is one state too many the two graphs have parted already.
"""

from __future__ import annotations

import re
from pathlib import Path

NO_MORE_STATES = "NoMoreStatesThanTheModel"
"""What the module defines for the configuration: `CONSTRAINT NoMoreStatesThanTheModel`.

It is always true, so it keeps no state out of the graph."""


def limited_name(module: Path, scope: str) -> str:
    """The name of the module around `module` in a scope, and of its file."""
    return f"{module.stem}_{re.sub(r'[^0-9A-Za-z_]', '_', scope)}"


def limited_module(module: Path, scope: str, states: int) -> str:
    """Its text: TLC ends as soon as more than `states` distinct ones are found."""
    name = limited_name(module, scope)
    return f"""\
---- MODULE {name} ----
EXTENDS {module.stem}

LOCAL Tool == INSTANCE TLC

{NO_MORE_STATES} ==
    Tool!TLCGet("distinct") <= {states} \\/ Tool!TLCSet("exit", TRUE)
====
"""
