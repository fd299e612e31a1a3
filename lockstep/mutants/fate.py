"""What becomes of a mutant, and what the search of it found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from lockstep.language.model import DEADLOCK, Model
from lockstep.mutants.difference import Difference
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict


class Fate(StrEnum):
    """What becomes of a mutant, in one word."""

    KILLED = "killed"
    """A property is violated, the text has no meaning, or something never happens any more."""
    EQUAL = "equal"
    """It has the same labelled graph in this scope, and every property holds in it."""
    NOT_EXERCISED = "not exercised"
    """It is equal, for what it changes never runs in any scope in which it was judged."""
    ENVIRONMENT = "environment"
    """What changed is when the environment may act; the model claims nothing of that."""
    STUTTERS = "stutters"
    """Only steps that change nothing are more or fewer: no formula of TLA+ sees such a step."""
    SURVIVES = "survives"
    """It behaves otherwise, and no property fails."""
    INCONCLUSIVE = "inconclusive"
    """The search ended before it had seen everything, and had found nothing wrong."""
    VOID = "void"
    """It cannot be loaded, or is the same model: it is not counted."""


NO_MEANING = "no meaning"
"""What kills a mutant the text of which has no value in a reachable state."""
SILENCE = "silence"
"""What kills a mutant in which an action never fires any more, or a premise never holds."""


class Killer(StrEnum):
    """What kinds of things kill a mutant: a claim says more than the other three."""

    CLAIM = "claim"
    NO_MEANING = NO_MEANING
    DEADLOCK = DEADLOCK
    SILENCE = SILENCE

    @classmethod
    def of(cls, by: str) -> Killer:
        """That of what kills a mutant, which is a property unless it is one of the others."""
        return cls(by) if by in (NO_MEANING, DEADLOCK, SILENCE) else cls.CLAIM


class Graph(Enum):
    """How the labelled graph of a mutant is like the model's."""

    SAME = "same"
    STUTTERS = "stutters"
    """The same, apart from steps that lead to the state that they are taken in."""
    OTHER = "other"


@dataclass(frozen=True)
class Observed:
    """What was found out about a mutant."""

    result: SearchResult
    graph: Graph


@dataclass(frozen=True)
class Sentence:
    """The fate of a mutant. `by` kills it, after `steps` where there is a behaviour to show."""

    fate: Fate
    because: str = ""
    by: str | None = None
    steps: int | None = None


@dataclass(frozen=True)
class Silence:
    """The actions that never fire in a scope, and the properties whose premise never holds."""

    idle: frozenset[str]
    vacuous: frozenset[str]

    @classmethod
    def of(cls, model: Model, result: SearchResult) -> Silence:
        """That of a search which saw everything."""
        names = {prop.name for prop in model.properties}
        return cls(frozenset(result.idle_actions), frozenset(names - result.applied))


def sentence(
    observed: Observed,
    silence: Silence,
    before: Silence,
    changes: Difference,
    environment: frozenset[int],
) -> Sentence:
    """The fate of a mutant; `before` is the silence of the model itself.

    `environment` are the numbers of the actions that are the environment's.
    """
    result = observed.result
    if killed := _killed(result):
        return killed
    is_free = changes.guards == changes.actions <= environment and not changes.properties
    if result.verdict is Verdict.INCONCLUSIVE:
        if is_free:
            return Sentence(Fate.ENVIRONMENT, result.because)
        return Sentence(Fate.INCONCLUSIVE, result.because)
    if observed.graph is Graph.SAME:
        return Sentence(Fate.EQUAL)
    if is_free:
        return Sentence(Fate.ENVIRONMENT)
    idle = sorted(silence.idle - before.idle)
    vacuous = sorted(silence.vacuous - before.vacuous)
    if idle or vacuous:
        what = [f"never fires: {', '.join(idle)}"] if idle else []
        what += [f"premise never true: {', '.join(vacuous)}"] if vacuous else []
        return Sentence(Fate.KILLED, "; ".join(what), SILENCE)
    return Sentence(Fate.STUTTERS if observed.graph is Graph.STUTTERS else Fate.SURVIVES)


def _killed(result: SearchResult) -> Sentence | None:
    if result.error is not None:
        trace = result.error_trace
        steps = None if trace is None else len(trace.steps)
        return Sentence(Fate.KILLED, result.error.message, NO_MEANING, steps)
    if result.verdict is not Verdict.VIOLATED:
        return None
    violation = result.violation
    steps = None if violation is None else len(violation.trace.steps)
    return Sentence(Fate.KILLED, result.because, result.violated[0], steps)
