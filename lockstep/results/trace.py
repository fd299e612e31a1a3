"""Behaviours: a state, and the steps that lead on from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lockstep.language.notation import State
from lockstep.results.notebook import ShownInNotebooks


@dataclass(frozen=True)
class Step:
    """One enabled action instance: which action, with which parameters, and where it leads."""

    action: str
    parameters: tuple[Any, ...]
    state: State


@dataclass(frozen=True)
class Trace(ShownInNotebooks):
    """A behaviour from the initial state: `steps[i]` leads to the state after i + 1 steps.

    With `loop` it never ends: `steps[loop:]` lead back to where the first of them begins, and are
    taken for ever; where there are none, nothing happens any more.
    """

    initial: State
    steps: tuple[Step, ...]
    loop: int | None = None

    @property
    def last(self) -> State:
        """The state in which the behaviour ends."""
        return self.steps[-1].state if self.steps else self.initial

    @cached_property
    def states(self) -> tuple[State, ...]:
        """Every state in turn, the initial one first: one more than there are steps."""
        return (self.initial, *(step.state for step in self.steps))
