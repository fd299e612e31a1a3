"""What comes of one fault: what catches it, and whether that is what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.errors import nearest
from lockstep.language.model import DEADLOCK, Model
from lockstep.language.notation import FaultMark
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.search_result import SearchResult
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import Scope
from lockstep.words import indented, plural


@dataclass(frozen=True)
class FaultRun:
    """One fault, explored up to the first violation; a harmless one in all of its scope.

    `caught_by` are the properties that fail where the shortest trace ends: more than one when they
    fail at the same step. `by_constants` says that the constants which the fault sets break the
    model by themselves.
    """

    model: Model
    name: str
    mark: FaultMark
    scope: Scope
    constants: Mapping[str, object]
    result: SearchResult
    by_constants: bool = False

    @property
    def caught_by(self) -> tuple[str, ...]:
        """The properties that catch the fault."""
        result = self.result
        if result.unfulfilled:
            return tuple(violation.properties[0] for violation in result.unfulfilled)
        return result.violation.properties if result.violation else result.missed

    @property
    def trace(self) -> Trace | None:
        """The shortest behaviour to the violation; None without one, or for a missed goal."""
        for violation in self.result.unfulfilled:
            if violation.properties[0] == self.first:
                return violation.trace
        return None if self.result.violation is None else self.result.violation.trace

    @property
    def first(self) -> str:
        """The property that caught it: the one it names where that is among several."""
        if self.mark.breaks in self.caught_by:
            return self.mark.breaks
        return self.caught_by[0] if self.caught_by else ""

    @property
    def is_idle(self) -> bool:
        """Whether the fault is an action, its own or another's, that was never enabled."""
        names = [function.__name__ for function in self.mark.changed] or [self.name]
        fired = [self.result.fired[name] for name in names if name in self.result.fired]
        return bool(fired) and not any(fired)

    @property
    def problem(self) -> str | None:
        """What is wrong with the fault; None when it is caught, or harmless, as it says."""
        named = self.mark.breaks
        if named is None:
            return self._problem_of_harmless()
        names = {prop.name for prop in self.model.properties}
        if named != DEADLOCK and named not in names:
            what = f"it says that it breaks {named}, which {self.model.name} does not have"
            return "; ".join(filter(None, (what, nearest(named, [DEADLOCK, *names], ""))))
        if self.result.error is not None:
            return _without_meaning(self.result.error)
        if self.result.verdict is Verdict.INCONCLUSIVE:
            return f"not caught: {self.result.because}"
        if not self.caught_by:
            return f"not caught, though all of scope {self.scope.name} was explored"
        if named not in self.caught_by:
            return f"caught first by {self.caught_by[0]}, not by {named}"
        return None

    def _problem_of_harmless(self) -> str | None:
        if self.result.error is not None:
            return _without_meaning(self.result.error)
        if self.caught_by:
            steps = f" after {plural(len(self.trace.steps), 'step')}" if self.trace else ""
            if self.trace is not None and self.trace.loop is not None:
                steps = " by a behaviour that goes on for ever"
            return f"not harmless: it breaks {', '.join(self.caught_by)}{steps}"
        if self.result.verdict is Verdict.INCONCLUSIVE:
            return f"not known to be harmless: {self.result.because}"
        if self.is_idle:
            return f"not known to be harmless: it never happens in scope {self.scope.name}"
        return None


def _without_meaning(error: EvaluationError) -> str:
    return f"its text has no meaning in a reachable state:\n{indented(str(error), 2)}"
