"""The files that `prove` writes: behaviours for `replay`, and the questions of a proof."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import not_written
from lockstep.trace.saving import Saved, save_trace

if TYPE_CHECKING:
    from lockstep.language.model import Model
    from lockstep.prove.proofs import Obligation
    from lockstep.results.search_result import Violation
    from lockstep.results.trace import Trace
    from lockstep.verbs.prove_subject import Subject


@dataclass(frozen=True)
class Reason:
    """Why a behaviour is kept: for what it violates, or for the goal that it reaches.

    It begins in a state of which `start` is true, or in the first one.
    """

    violation: Violation | None = None
    goal: str | None = None
    start: str | None = None


def keep_trace(subject: Subject, model: Model, trace: Trace, reason: Reason) -> Saved:
    """Save a behaviour for `lockstep replay`."""
    from lockstep.trace.claims import find_property
    from lockstep.trace.itf import Origin, binding_of, constants_of

    violation = reason.violation
    name = None if violation is None else violation.properties[0]
    prop = None if name is None else find_property(model, name)
    fault = subject.widths.fault
    origin = Origin(
        model=model.name,
        property=name,
        scope=subject.scope,
        fault=fault,
        engine="z3",
        error=None,
        constants=constants_of(model),
        goal=reason.goal,
        start=reason.start,
        binding=binding_of(prop, violation.parameters) if prop and violation else {},
    )
    return save_trace(subject.workspace, model, trace, origin)


def write_questions(folder: Path, obligations: Sequence[Obligation]) -> Saved:
    """Write each question to a file of its own; those of an earlier proof are gone then."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.smt2"):
            old.unlink()
        for number, obligation in enumerate(obligations, start=1):
            name = re.sub(r"[^A-Za-z0-9_]+", "-", obligation.name).strip("-")
            (folder / f"{number:03}-{name}.smt2").write_text(obligation.text, "utf-8")
    except OSError as error:
        return Saved(None, not_written(folder, error))
    return Saved(folder)
