"""The second half of a level: of the candidates of one owner, those that nobody has seen before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lockstep.machine.search.memory import Array
from lockstep.spark.search.account import Account
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.merging import subtract, union


@dataclass(frozen=True)
class Settled:
    """New states in order, and what came of checking them."""

    states: Array
    account: Account


def settle(
    machine: Machine, candidates: Iterable[Array], runs: Iterable[Iterable[Array]]
) -> Settled:
    """Take from the candidates, each part in order, what is in a run, and check the rest."""
    states = union(candidates, machine.words, machine.runs)
    for run in runs:
        states = subtract(states, run, machine.words, machine.runs)
    worker = machine.worker(0)
    machine.loops.check(worker.packed, states, len(states) // machine.words)
    return Settled(states, Account.of(worker))
