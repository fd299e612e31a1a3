"""What comes of holding a model against its twin."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.twin.compare import CountDifference, Difference
from lockstep.twin.findings import TlcRun
from lockstep.twin.names import snake_name
from lockstep.twin.refinement import Refinement


@dataclass(frozen=True)
class TwinResult:
    """One model in one scope beside its twin, both explored.

    The verdict is `holds` when both are the same, state by state (`compare` is `graph`) or in their
    counts (`counts`), and TLC finds everything that the twin claims, and that it refines what it is
    to refine; it is `violated` when they differ or TLC refutes a claim or the refinement, and
    `inconclusive` when they are the same and the twin claims nothing.
    """

    model: Model
    scope: str
    compare: str
    verdict: Verdict
    because: str
    """Why the verdict is not `holds`; empty if it is."""
    explored: SearchResult
    run: TlcRun
    """TLC's run that was compared. It ends where it has found more states than the model has."""
    difference: Difference | None
    counts: tuple[CountDifference, ...]
    """The counts that are not the same, where TLC was not stopped by what it refuted."""
    refuting: TlcRun | None
    """TLC's run that refuted a claim of the twin, with the behaviour that does."""
    unchecked: tuple[str, ...]
    """The liveness properties that TLC was not asked for, by their names in the model."""
    refinement: Refinement | None
    """Whether the twin refines its abstract module; None where it is to refine none, or TLC was not
    asked."""
    unrefined: str | None
    """The abstract module that TLC was not asked for: the scope is too large, or the twin is not
    the model."""
    seconds: float
    """Wall-clock time of all of it: the search of the model, TLC, and reading its graph."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """What TLC was not asked, a sentence each with the way to have it asked."""
        sentences = []
        if self.unchecked:
            named = ", ".join(self.unchecked)
            sentences.append(
                f"TLC was not asked for liveness ({named}): --liveness does, and takes long"
            )
        if self.unrefined is not None:
            sentences.append(
                f"TLC was not asked whether it refines {self.unrefined}: a smaller scope says"
            )
        return tuple(sentences)

    @property
    def refuted(self) -> str | None:
        """The claim refuted, by its name in the model: a property or `deadlock`.

        None where nothing is refuted, and where TLC does not name it: of a `leads_to` it does not,
        so that it is known only where the model has no other.
        """
        if self.refuting is None:
            return None
        if self.refuting.verdict == "deadlock":
            return "deadlock"
        if self.refuting.violated is not None:
            return snake_name(self.refuting.violated)
        pending = self.model.of_kind(Kind.LEADS_TO)
        return pending[0].name if len(pending) == 1 else None
