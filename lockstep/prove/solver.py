"""Questions to Z3, and what may come of one."""

from __future__ import annotations

from typing import TypeAlias

import z3

_MOST_MILLISECONDS = 4_000_000_000
"""Z3 counts them in 32 bits."""

Answer: TypeAlias = "z3.ModelRef | str | None"
"""A model in which all of it is true; None if there is none; why that is not known."""


def new_solver() -> z3.Solver:
    """A solver of nothing yet, with the arithmetic that answers first (docs/decisions/0005)."""
    solver = z3.Solver()
    solver.set("smt.arith.solver", 2)
    return solver


def ask(solver: z3.Solver, max_seconds: float | None, *assumptions: z3.BoolRef) -> Answer:
    """Whether what a solver was told can be true, with some assumptions; nothing within 0 seconds.

    KeyboardInterrupt on Ctrl-C: Z3 takes it for itself, and only says that it was interrupted.
    """
    if max_seconds is not None:
        if max_seconds <= 0:
            return "there is no time left"
        solver.set("timeout", max(1, int(min(max_seconds * 1000, _MOST_MILLISECONDS))))
    answer = solver.check(*assumptions)
    if answer == z3.sat:
        return solver.model()
    if answer == z3.unsat:
        return None
    reason = solver.reason_unknown()
    if "interrupted" in reason:
        raise KeyboardInterrupt
    if max_seconds is not None and reason in ("timeout", "canceled"):
        return f"no answer within {max_seconds:g} s"
    return f"Z3 gave up: {reason}"
