"""The spelling of verbs that were once modes of `check`, which works for one version more."""

from __future__ import annotations

from collections.abc import Sequence

from lockstep.system.standard_streams import tell

_MODES = ("--matrix", "--faults", "--mutants", "--costs", "--sweep")
"""Each is a verb now; the values of `--sweep` are arguments of it."""

_SEEDS = "--seeds"
"""An option of `sweep` that made a sweep of a check by itself."""


def respelled(arguments: Sequence[str]) -> list[str]:
    """The arguments as they are spelled now, with a hint on standard error where they were not."""
    verb, *given = arguments or [""]
    flags = {text.partition("=")[0] for text in given}
    mode = next((mode for mode in (*_MODES, _SEEDS) if mode in flags), None)
    if verb != "check" or mode is None:
        return list(arguments)
    now = "sweep" if mode == _SEEDS else mode.removeprefix("--")
    if mode != _SEEDS:
        given = [text.removeprefix(f"{mode}=") for text in given if text != mode]
    tell(f"lockstep: `check {mode}` is `lockstep {now}` now; it works until 0.2")
    return [now, *given]
