"""How a requirement is answered: derived from what it cites, and from nothing that it says."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from lockstep.language.notation import Kind
from lockstep.specs.kip import Reference, Requirement

_CLAIMS = {Kind.INVARIANT, Kind.STEP_INVARIANT, Kind.LEADS_TO}


class Answer(StrEnum):
    """The kinds of answer. Of several that a requirement has, the first of these counts."""

    REFUTED = "refuted"
    """A witness shows that it is false."""

    ANSWERED = "answered"
    """An invariant, a step invariant or a `leads_to` states it."""

    SHOWN = "shown"
    """A test finds it in what Apache Kafka itself wrote."""

    REACHED = "reached"
    """A `sometimes` says that it happens; nothing says that it always does."""

    UNANSWERABLE = "unanswerable"
    """Nothing can answer it, for a reason that is given."""

    OPEN = "open"
    """Nothing answers it; actions, faults, deviations and other tests only support an answer."""


def answer_of(row: Requirement, kinds: Mapping[Reference, Kind]) -> Answer:
    """The kind of answer; `kinds` has that of each property which the requirement cites."""
    cited = {kinds[reference] for reference in row.answered_by if reference in kinds}
    if row.unanswerable is not None:
        return Answer.UNANSWERABLE
    if row.refuted_by:
        return Answer.REFUTED
    if cited & _CLAIMS:
        return Answer.ANSWERED
    if row.shown_by:
        return Answer.SHOWN
    return Answer.REACHED if Kind.SOMETIMES in cited else Answer.OPEN
