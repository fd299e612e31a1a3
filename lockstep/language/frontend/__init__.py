"""From a model's Python text to the IR: names resolved, calls inlined, types checked."""

from lockstep.language.frontend.functions import lower, refusals

__all__ = ["lower", "refusals"]
